"""The phase contracts of a skill: which file is written, read or only named, and where.

Seen in pseudo-code (`Write(…)`, `Read(…)`, `open(…)`), shell (`cat`, `>`), prose verbs in English and Chinese, labels
(`Output:`) and the columns of tables. What cannot be told is MENTION: a reader of these facts then stays silent.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from actions.facts.dataflow.file_names import EXTENSION, base, names_in, normal, overlap
from actions.facts.dataflow.words import INPUT, OUTPUT, PUTS, TAKES, label
from actions.skill.code import code_fences
from actions.skill.memo import once
from actions.skill.places import lines_with
from actions.skill.skill import Skill, SkillFile
from actions.skill.tables import is_row


class Mode(StrEnum):
    """What a place does with a file: DECLARE lists it (a tree, a table of files), MENTION may be anything."""

    WRITE = "write"
    READ = "read"
    DECLARE = "declare"
    MENTION = "mention"


@dataclass(frozen=True)
class Use:
    """One place that names a file. `name` is normal (see file_names)."""

    name: str
    mode: Mode
    file: str
    line: int


_QUOTE = r"[`\"'(\[*]*$"
_CODE_WRITE = re.compile(
    r"(?:\b(?:Write|Edit|write_?file(?:sync)?|writejsonl?|write_json|save\w*|dump\w*|append\w*|store\w*|persist\w*"
    r"|create_?file|outputfile)\(\s*\{?\s*(?:(?:file_?)?path\s*[:=]\s*)?f?|>>?\s*|\btee\s+(?:-a\s+)?|\btouch\s+"
    r"|--?o(?:ut(?:put)?)?(?:[-_](?:file|path))?[ =])[`\"']*$",
    re.IGNORECASE,
)
_CODE_READ = re.compile(
    r"(?:\b(?:Read|read_?file(?:sync)?|readjsonl?|read_json|load\w*|parse\w*|require)\(\s*\{?\s*"
    r"(?:(?:file_?)?path\s*[:=]\s*)?f?[`\"']*|\b(?:cat|jq|head|tail|less|grep|wc|source)\b[^|>;&\n]*|<\s*|@)$",
    re.IGNORECASE,
)
_CODE_TEST = re.compile(
    r"(?:exists\w*\(\s*[`\"']*|(?:\[|\btest)\s+!?\s*-[efs]\s+[`\"']*|\bGlob\(\s*[`\"']*)$", re.IGNORECASE
)
_CODE_SIGN = re.compile(r"[(<>@]|-[efso]|tee|touch|cat|jq|head|tail|less|grep|wc|source")
"""Part of everything that a command or call writes before a file's name, in lower case: asked first."""
_ASIDE = re.compile(r"\([^()\n]{0,200}\)|（[^（）\n]{0,200}）|`[^`\n]{1,120}`")
"""What stands between a verb and its files: words in brackets, other files."""
_OPEN = re.compile(r"\b(?:open|Path)\(\s*[fr]?[`\"']$")
_WRITING = re.compile(r"^[`\"']\s*(?:,\s*(?:mode\s*=\s*)?[\"'][wax]|\)\s*\.\s*(?:write|open\(\s*[\"'][wax]|touch))")
_BIND = re.compile(r"(?:^|[\s({,])([A-Za-z_]\w*)\s*=\s*(?:await\s+)?[fr]?[`\"']$")
_TREE = re.compile(r"[├└│]|\+--|\|--|^\s*\|\s{2,}")
_VERBS = re.compile(f"(?P<write>{PUTS})|(?P<read>{TAKES})", re.IGNORECASE)
_INTO = re.compile(
    r"(?:\b(?:to|into|as|in|at)|[:：]|->|→|=>|到|至|为|于|成|进|入)\s*(?:the\s+(?:file\s+)?)?" + _QUOTE, re.IGNORECASE
)
_MADE_INTO = re.compile(
    r"(?<!look )(?<!looks )\binto\s*(?:the\s+(?:file\s+)?)?" + _QUOTE + r"|(?<!完)成\s*" + _QUOTE, re.IGNORECASE
)
"""Whatever is done, its outcome is put there."""
_OUT_OF = re.compile(
    r"(?:\b(?:from|using|with|against|of)|从|由|根据|基于)\s*(?:the\s+(?:file\s+)?)?" + _QUOTE, re.IGNORECASE
)
_EACH_IN = re.compile(r"\bfor (?:each|every|all|any)\b[^,;.]{0,40}\b(?:in|of)\s*(?:the\s+)?" + _QUOTE, re.IGNORECASE)
_AFTER_WRITE = re.compile(
    r"^[`\"'*)\]]*\s*(?:is|are|was|gets|will be|has been|must be|由|被)?\s*(?:then\s+)?(?:written|created|saved"
    r"|generated"
    r"|produced|stored|emitted|写入|生成|产出|创建|保存)",
    re.IGNORECASE,
)
_AFTER_READ = re.compile(
    r"^[`\"'*)\]]*\s*(?:[里中内]的(?!字段|键)|(?:is|are|gets|will be|被|由)?\s*(?:then\s+)?(?:read|loaded"
    r"|consumed|parsed|used|读[取回出入进]|加载"
    r"|使用|消费))",
    re.IGNORECASE,
)
OUTPUT_LABEL, INPUT_LABEL = label(OUTPUT), label(INPUT)
_GUARD = re.compile(
    r"\bif\b.*\b(?:exist|present|available|found|any|provided|given)|exists|\bif\s*\(|\btry\b|\bcatch\b"
    r"|\bexcept\b|\|\||\?\?"
    r"|\boptional|\bmay (?:be|not)\b|\bwhen (?:present|available|provided)|-[efs] |2>/dev/null|可选|如果|若|如有|存在"
    r"|\?\s*(?:JSON|Read)|\bfallback\b",
    re.IGNORECASE,
)
_OPENS = ("{", ":", "(", "then", "&&", "||", "?")
_SENTENCE = re.compile(r"[.;!?]\s|[。；！？|]|\b(?:then|and then)\b|然后|再(?=读|写)")


_WHERE = re.compile(r"\bwhere\s*(?:the\s+)?" + _QUOTE, re.IGNORECASE)
"""A place that is told, not a file that is opened."""
_LONGEST, _REACH = 5000, 60
_MOST = 2000
"""Far above the busiest real skill; every use may be compared with every other."""


@once
def artifact_uses(skill: Skill) -> tuple[Use, ...]:
    """Give every place of the instructions that names a data file which is not a file of the skill."""
    own = {path.rsplit("/", 1)[-1].lower() for path in skill.paths}
    found = (use for file in skill.instructions for use in _uses(file) if base(use.name).lower() not in own)
    return tuple(islice(found, _MOST))


def is_guarded(skill: Skill, use: Use) -> bool:
    """Tell whether the place provides for the absence of the file: a test, a fallback, "if present".

    In code, a line above provides for it only where it names the file or opens what the place stands in.
    """
    doc = skill.by_path[use.file].doc
    above = [doc.line(number) for number in range(max(1, use.line - 2), use.line)]
    if doc.fence_at(use.line):
        stem = base(use.name).rsplit(".", 1)[0].strip("*")
        above = [line for line in above if (stem and stem in line) or line.rstrip().endswith(_OPENS)]
    return any(map(_GUARD.search, (*above, doc.line(use.line))))


def same(uses: Collection[Use], name: str) -> list[Use]:
    """Give the uses that may mean the file `name`."""
    fits = {other for other in {use.name for use in uses} if overlap(other, name)}
    return [use for use in uses if use.name in fits]


def _uses(file: SkillFile) -> Iterator[Use]:
    binds: dict[str, str] = {}
    for number, line in lines_with(file, EXTENSION):
        if number < file.doc.body_start:
            continue
        for start, end, text in names_in(line[:_LONGEST]):
            name = normal(text)
            if text[0] in "~/" or ".." in text or file.doc.is_counterexample(number):
                continue
            bound = _BIND.search(line[:start]) if "=" in line[:start] else None
            if bound and file.doc.fence_at(number):
                binds[bound[1]] = name
                continue
            yield Use(name, _mode(file, number, line, start, end), file.path, number)
    if binds:
        yield from _bound_uses(file, binds)


def _bound_uses(file: SkillFile, binds: dict[str, str]) -> Iterator[Use]:
    """Follow a variable that holds a file's name to where it is used."""
    variable = re.compile(r"(?<![\w.])(" + "|".join(map(re.escape, binds)) + r")\b(?!\s*=[^=])")
    for fence in code_fences(file, *binds):
        for number, line in enumerate(fence.text.split("\n"), fence.start):
            for match in variable.finditer(line[:_LONGEST]):
                mode = _code_mode(line[: match.start()], line[match.end() :]) or Mode.MENTION
                yield Use(binds[match[1]], mode, file.path, number)


def _mode(file: SkillFile, number: int, line: str, start: int, end: int) -> Mode:
    before, after = line[:start], line[end:]
    if not before.strip(" \t`\"'f") or re.match(r"\s*(?:file_?)?path\s*[:=]\s*[`\"']*$", before):
        before = file.doc.line(number - 1).strip()[-200:] + before.strip()
    code = _code_mode(before, after)
    if code:
        return code
    if _TREE.search(before):
        return Mode.DECLARE
    if is_row(line) and file.doc.fence_at(number) is None:
        return _table_mode(file, number, line, start)
    return _prose_mode(before, after) or _label_mode(file, number, line) or Mode.MENTION


def _code_mode(before: str, after: str) -> Mode | None:
    before = before[-200:]
    if not _CODE_SIGN.search(before.lower()):
        return None
    if _CODE_TEST.search(before):
        return Mode.MENTION
    if _OPEN.search(before):
        return Mode.WRITE if _WRITING.match(after) else Mode.READ
    if _CODE_WRITE.search(before) and "->" not in before[-4:] and "=>" not in before[-4:]:
        return Mode.WRITE
    return Mode.READ if _CODE_READ.search(before) else None


def _prose_mode(before: str, after: str) -> Mode | None:
    clause = _SENTENCE.split(_ASIDE.sub(" ", before[-300:]))[-1]
    if _WHERE.search(clause):
        return None
    verbs = [match.lastgroup for match in _VERBS.finditer(clause)]
    if _EACH_IN.search(clause[-_REACH:]):
        return Mode.READ
    taken = _OUT_OF.search(clause[-_REACH:])
    if not taken and _AFTER_WRITE.match(after[:60]):
        return Mode.WRITE
    if _AFTER_READ.match(after[:60]):
        return Mode.READ
    if ("write" in verbs and _INTO.search(clause[-_REACH:])) or _MADE_INTO.search(clause[-_REACH:]):
        return Mode.WRITE
    if taken:
        return Mode.READ
    return Mode(verbs[-1]) if verbs and verbs[-1] else None


def _label_mode(file: SkillFile, number: int, line: str) -> Mode | None:
    """A list entry below `Output:` or `Input:`, or below a heading that says so."""
    if line.lstrip()[:1] not in ("-", "*", "`") and not line.lstrip()[:2].rstrip(".").isdigit():
        return None
    for above in range(number - 1, max(number - 12, 0), -1):
        text = file.doc.line(above).strip()
        if text and not text.startswith(("- ", "* ", "`")) and not text[:1].isdigit():
            return _label(text)
    return None


def _label(text: str) -> Mode | None:
    if OUTPUT_LABEL.match(text):
        return Mode.WRITE
    return Mode.READ if INPUT_LABEL.match(text) else None


def _table_mode(file: SkillFile, number: int, line: str, start: int) -> Mode:
    """The head of the column says it; a table without such a head only lists."""
    column = line[:start].count("|")
    top = number
    while is_row(file.doc.line(top - 1)):
        top -= 1
    cells = file.doc.line(top).split("|")
    found = _label(cells[column].strip()) if column < len(cells) else None
    return found or _prose_mode(line[:start].rsplit("|", 1)[-1], line[start:].split("|")[0]) or Mode.DECLARE
