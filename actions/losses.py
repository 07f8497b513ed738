"""What a change takes away from a skill: every line that said something must still be said, where it can be read.

Prose counts by sentence, code, tables, frontmatter, scripts and data by line. References count by what they lead to, so
a moved link is no loss.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from actions.model import Skill, SkillFile
from actions.model import regex as re
from actions.model.links import is_placeholder
from actions.model.skill import MAIN
from actions.model.text import plain, sentences, strip_list_mark
from actions.rewording import is_only_reworded, likeness

_TARGET = re.compile(r"(?<=\]\()[^)\s]+(?=\))|(?<=`)[^`\n]+(?=`)|(?<=[\"'])[^\"'\n]+/[^\"'\n]+(?=[\"'])")
_END = " .。;；:：,，!！\"'`)("
_COMMENT = re.compile(r"\s*(?:#|//|--|/\*|<!--)")
_NEAR = 1 / 3
"""Share of the words of a reworded statement that its new wording keeps."""
_SHORT = 10
"""Characters; a shorter rule is not looked for within others."""


@dataclass(frozen=True)
class Statement:
    """Something that a file says, for comparing (`key`) and for telling (`text`)."""

    file: str
    line: int
    key: str
    text: str
    shunned: bool
    is_code: bool

    @property
    def meaning(self) -> tuple[str, bool]:
        """What is compared: the same words as an example of what not to do mean another thing."""
        return self.key, self.shunned


def losses(before: Skill, after: Skill, drops: Sequence[str] = (), rewrites: Sequence[str] = ()) -> Iterator[str]:
    """Tell of each statement of a changed file that is said nowhere any more.

    `drops` may go; of `rewrites` each must be said anew, in other words (see `rewording`).
    """
    touched = _touched(before, after)
    if not touched:
        return
    dropped, otherwise = (_keys(named, touched, before) for named in (drops, rewrites))
    gone, fresh = _compared(before, after)
    gone = [s for s in gone if s.key not in dropped]
    found = _successors([s for s in gone if s.key in otherwise], fresh)
    for statement in gone:
        if statement not in found:
            yield f"{statement.file}: this is lost: {statement.text[:120]}"


def unsaid(before: Skill, after: Skill, named: Sequence[str]) -> tuple[str, ...]:
    """Give the statements of the named texts that are said nowhere any more: a promise about more would hide a loss."""
    keys = _keys(named, _touched(before, after), before)
    return tuple(dict.fromkeys(s.text for s in _compared(before, after)[0] if s.key in keys))


def reworded(before: Skill, after: Skill) -> dict[tuple[str, int], str]:
    """Give the sentences by file and line that are said in other words, when all of the change is nothing but that."""
    if not _touched(before, after):
        return {}
    gone, fresh = _compared(before, after)
    found = {old: [new for new in fresh if is_only_reworded(old.text, new.text)] for old in gone if not old.is_code}
    if len(found) < len(gone) or not all(found.values()) or {n for new in found.values() for n in new} != set(fresh):
        return {}
    return {(old.file, old.line): new[0].text for old, new in found.items()}


def _touched(before: Skill, after: Skill) -> list[SkillFile]:
    return [file for file in before.files if after.by_path.get(file.path) != file]


def _compared(before: Skill, after: Skill) -> tuple[list[Statement], list[Statement]]:
    """Give what the changed files no longer say, and what is said anew, without the old rules that it repeats."""
    old = [s for file in before.files for s in statements(file, before)]
    said = [s for file in after.files if _is_read(file, before, after) for s in statements(file, after)]
    changed = {file.path for file in _touched(before, after)}
    kept = {s.meaning for s in said}
    gone = [s for s in old if s.file in changed and s.meaning not in kept]
    return gone, _fresh(old, said)


def _keys(named: Sequence[str], files: Sequence[SkillFile], skill: Skill) -> set[str]:
    """Give the keys of what a fix names, as code and as prose, seen from each file."""
    parts = [(part, is_code) for text in named for part, is_code in _parts(text)]
    return {_key(part, skill, file.path, is_code=is_code) for file in files for part, is_code in parts}


def _fresh(old: Sequence[Statement], said: Sequence[Statement]) -> list[Statement]:
    """Give what is said more often than before, without the rules that stand elsewhere and are repeated within."""
    room = Counter(s.meaning for s in old)
    room.subtract(s.meaning for s in said)
    known = {s.meaning for s in old}
    rules = sorted({s.text for s in said if s.meaning in known and len(s.text) > _SHORT}, key=len, reverse=True)
    new = [s for s in said if room[s.meaning] < 0]
    return [replace(s, text=_without(s.text, rules)) for s in new]


def _without(text: str, rules: Iterable[str]) -> str:
    for rule in rules:
        if rule in text and rule != text:
            text = text.replace(rule, "")
    return text


def _successors(gone: Sequence[Statement], fresh: Sequence[Statement]) -> set[Statement]:
    """Give those of the reworded statements that are said anew: each new one stands for one old, the likest first."""
    pairs = sorted(((_likeness(old, new), old, new) for old in gone for new in fresh), key=lambda p: -p[0])
    found: dict[Statement, Statement] = {}
    for like, old, new in pairs:
        if like >= _NEAR and old not in found and new not in found.values():
            found[old] = new
    return set(found)


def _likeness(old: Statement, new: Statement) -> float:
    """Tell how much of a statement another one keeps; a line of code that becomes a comment keeps nothing."""
    hidden = old.is_code and bool(_COMMENT.match(new.text)) and not _COMMENT.match(old.text)
    return 0.0 if hidden or new.shunned != old.shunned else likeness(old.text, new.text)


def statements(file: SkillFile, skill: Skill) -> Iterator[Statement]:
    """Give what a file says, in order."""
    for number, text, is_code in _said(file):
        key = _key(text, skill, file.path, is_code=is_code)
        if any(map(str.isalnum, key)):
            yield Statement(
                file.path, number, key, text, file.is_markdown and file.doc.is_counterexample(number), is_code
            )


def _said(file: SkillFile) -> Iterator[tuple[int, str, bool]]:
    """Give line, text, and whether it is code, where every sign counts."""
    if not file.is_markdown:
        yield from ((number, line, True) for number, line in enumerate(file.doc.lines, 1))
        return
    yield from ((number, line, True) for number, line in enumerate(file.doc.lines[: file.doc.body_start - 1], 1))
    for number, line in file.doc.prose:
        yield from ((number, part, False) for part in sentences(strip_list_mark(line)))
    for fence in file.doc.fences:
        yield from ((number, line, True) for number, line in file.doc.code(fence))


def _parts(named: str) -> Iterator[tuple[str, bool]]:
    for line in named.splitlines():
        yield line, True
        yield line, False
        yield from ((part, False) for part in sentences(strip_list_mark(line)))


def _key(text: str, skill: Skill, path: str, *, is_code: bool) -> str:
    """Give a text for comparing: each reference as what it leads to, no spacing, in prose no list mark or markup."""
    named = _TARGET.sub(lambda match: _led_to(match[0], skill, path), text.replace("’", "'"))
    return " ".join(named.split()).rstrip(",;") if is_code else plain(named).strip(_END)


def _led_to(target: str, skill: Skill, path: str) -> str:
    """Give what a reference leads to; only the anchor for a heading of its own file or of SKILL.md: texts move."""
    if is_placeholder(target) or " " in target:
        return target
    name, mark, anchor = target.removeprefix("./").partition("#")
    found = (skill.resolve(name, path) or name) if name else path
    return mark + anchor if mark and found in (path, MAIN) else found + mark + anchor


def _is_read(file: SkillFile, before: Skill, after: Skill) -> bool:
    """Tell whether someone is led to a file: it was there before, or another file names it."""
    if file.path in before.by_path:
        return True
    name = file.path.rpartition("/")[2]
    return any(name in other.text for other in after.files if other.path != file.path)
