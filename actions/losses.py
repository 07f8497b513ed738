"""What a change takes away from a skill: every line that said something must still be said, where it can be read.

Prose counts by sentence, code, tables, frontmatter, scripts and data by line. References count by what they lead to, so
a moved link is no loss. A statement may grow by words that do not bind ("at the end", never "not").
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from actions.model import Skill, SkillFile
from actions.model.links import is_placeholder
from actions.model.text import plain, sentences, strip_list_mark

_TARGET = re.compile(r"(?<=\]\()[^)\s]+(?=\))|(?<=`)[^`\n]+(?=`)|(?<=[\"'])[^\"'\n]+/[^\"'\n]+(?=[\"'])")
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
_END = " .。;；:：,，!！\"'`)("
_BINDING = frozenset(
    "never must not no n't don can cannot t only always unless except before after without forbidden allowed ignore"
    " obsolete required mandatory optional may should least most exactly false true ! = < >"
    " 不 必 须 禁 止 只 仅 勿 严 未 非 无 忽 略".split()
)


@dataclass(frozen=True)
class Statement:
    """Something that a file says, for comparing (`key`) and for telling (`text`)."""

    file: str
    key: str
    text: str
    shunned: bool


def losses(before: Skill, after: Skill, drops: Sequence[str]) -> Iterator[str]:
    """Tell of each statement of a changed file that is said nowhere any more and was not dropped on purpose."""
    touched = [file for file in before.files if after.by_path.get(file.path) != file]
    if not touched:
        return
    old = {(s.key, s.shunned) for file in before.files for s in statements(file, before)}
    said = [s for file in after.files if _is_read(file, before, after) for s in statements(file, after)]
    kept = {(s.key, s.shunned) for s in said}
    fresh = [_TOKEN.findall(s.key) for s in said if (s.key, s.shunned) not in old]
    dropped = {_key(part, before, file.path) for file in touched for drop in drops for part in _parts(drop)}
    for file in touched:
        for statement in statements(file, before):
            if (statement.key, statement.shunned) in kept or statement.key in dropped:
                continue
            if not _has_grown(_TOKEN.findall(statement.key), fresh):
                yield f"{file.path}: this is lost: {statement.text[:120]}"


def statements(file: SkillFile, skill: Skill) -> Iterator[Statement]:
    """Give what a file says, in order."""
    for number, text in _said(file):
        key = _key(text, skill, file.path)
        if any(map(str.isalnum, key)):
            yield Statement(file.path, key, text, file.is_markdown and file.doc.is_counterexample(number))


def _said(file: SkillFile) -> Iterator[tuple[int, str]]:
    if not file.is_markdown:
        yield from enumerate(file.doc.lines, 1)
        return
    yield from enumerate(file.doc.lines[: file.doc.body_start - 1], 1)
    for number, line in file.doc.prose:
        yield from ((number, part) for part in sentences(strip_list_mark(line)))
    for fence in file.doc.fences:
        yield from file.doc.code(fence)


def _parts(drop: str) -> Iterator[str]:
    for line in drop.splitlines():
        yield line
        yield from sentences(strip_list_mark(line))


def _key(text: str, skill: Skill, path: str) -> str:
    """Give a text for comparing: no list mark, markup or spacing, and each reference as what it leads to."""
    named = _TARGET.sub(lambda match: _led_to(match[0], skill, path), text.replace("’", "'"))
    return plain(named).strip(_END)


def _led_to(target: str, skill: Skill, path: str) -> str:
    if is_placeholder(target) or " " in target:
        return target
    name, mark, anchor = target.removeprefix("./").partition("#")
    return (skill.resolve(name, path) or name) + mark + anchor if name else target


def _is_read(file: SkillFile, before: Skill, after: Skill) -> bool:
    """Tell whether someone is led to a file: it was there before, or another file names it."""
    if file.path in before.by_path:
        return True
    name = file.path.rpartition("/")[2]
    return any(name in other.text for other in after.files if other.path != file.path)


def _has_grown(old: Sequence[str], fresh: Iterable[Sequence[str]]) -> bool:
    return any(_is_inside(old, new) for new in fresh)


def _is_inside(old: Sequence[str], new: Sequence[str]) -> bool:
    """Tell whether `new` is `old` with words added that bind nothing."""
    if not len(old) < len(new) <= 2 * len(old) + 12:
        return False
    rest = iter(old)
    waiting = next(rest, None)
    for word in new:
        if word == waiting:
            waiting = next(rest, None)
        elif word in _BINDING:
            return False
    return waiting is None
