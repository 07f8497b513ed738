"""File contents that a skill puts into the prompt of a sub-agent, where the path would do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from actions.skill.code import AGENT_MARKS, CodeFence, code_fences, starts_agent
from actions.skill.memo import once
from actions.skill.skill import SkillFile

READERS = ("Read(", "readFile(", "readFileSync(", "read_file(", "open(", "Path(")
_LITERAL = re.compile(r"""^(?:`(?P<t>[^`]+)`|f?"(?P<d>[^"]+)"|f?'(?P<s>[^']+)')$""")
_READ = re.compile(
    r"^(?:await\s+)?(?:fs\.)?(?:Read|readFile|readFileSync|read_file)\((?P<path>.+?)(?:,\s*['\"][\w-]+['\"])?\)$"
)
_OPEN = re.compile(r"^(?:open|Path)\((?P<path>[^()]+?)(?:,\s*[^()]*)?\)\.(?:read|read_text)\([^()]*\)$")
_MAP = re.compile(
    r"^(?:await\s+Promise\.all\()?(?P<list>[A-Za-z_$][\w$.]{0,80}(?:\[[\w.]{1,40}\])?)\.map\(\s*\(?(?P<x>\w{1,30})\)?\s*=>\s*(?:await\s+)?"
    r"(?:fs\.)?(?:Read|readFile|readFileSync)\((?P=x)(?P<field>\.\w{1,30})?\)\s*\){1,2}(?:\.join\([^()]*\))?$"
)
_COMPREHENSION = re.compile(
    r"^(?:[\"'][^\"']{0,10}[\"']\.join\(\s*)?[\[(]?\s*(?:Read|read_file|open"
    r"|Path)\((?P<x>\w{1,30})\)(?:\.read(?:_text)?\(\))?"
    r"\s+for\s+(?P=x)\s+in\s+(?P<list>[A-Za-z_][\w.]{0,80})\s*[\])]{0,2}$"
)
_DEFINED = re.compile(r"^\s*(?:(?:const|let|var)\s+)?(?P<name>[A-Za-z_$][\w$]{0,60})\s*=\s*(?P<value>\S.*?);?\s*$")
_INTO = re.compile(r"\$?\{(?P<slot>[A-Za-z_$][\w$]{0,60})\}|\+\s*(?P<plus>[A-Za-z_$][\w$]{0,60})\b(?!\s*[.(\[])")
_PROMPT = re.compile(r"\b\w{0,30}prompt\w{0,30}\s*=\s*(?P<mark>`|f?\"\"\"|f?'''|f?\"|f?')", re.IGNORECASE)
_DUMPED = r"\$?\{{\s*(?:JSON\.stringify|json\.dumps|str|repr)\(\s*(?P<json>{names})\b(?:\s*,[^(){{}}]{{0,40}})?\)\s*\}}"
_STATE = r"(?:[a-zA-Z]\w{0,40})?[sS]tate"
_BARE = rf"|\$?\{{\s*(?P<bare>{_STATE})\s*\}}"
_LONGEST_LINE = 2000


@dataclass(frozen=True)
class Source:
    """Where contents come from: an expression for a path, or for a list of paths (`many`)."""

    path: str
    many: bool = False
    field: str = ""


@dataclass(frozen=True)
class Payload:
    """Contents in a prompt: `slot` is the text at `line` that puts them there, `defined` the line of its variable."""

    file: str
    line: int
    slot: str
    name: str
    source: Source
    defined: int | None
    call_line: int


@once
def payloads(file: SkillFile) -> tuple[Payload, ...]:
    """Give the contents that a file's pseudo-code interpolates whole into prompts."""
    if not any(name in file.text for name in READERS) or not any(name in file.text for name in ("rompt", *AGENT_MARKS)):
        return ()
    fences = list(code_fences(file, *AGENT_MARKS, "rompt"))
    if not fences:
        return ()
    known = dict(_definitions(file))
    return tuple(payload for fence in fences for payload in _in_fence(file, fence, known))


@lru_cache(maxsize=64)
def _dumped(records: tuple[str, ...]) -> re.Pattern[str]:
    """Give the regex for a whole state in a prompt: the records count where they are serialised."""
    return re.compile(_DUMPED.format(names="|".join((_STATE, *records))) + _BARE)


def states_in_prompts(file: SkillFile, records: tuple[str, ...] = ()) -> list[Payload]:
    """Give the places where a prompt takes a whole state object, or one of the `records` that serve as one.

    `source` is its file, or empty where none is known.
    """
    if not any(name in file.text for name in ("tate", *records)) or not any(
        name in file.text for name in ("rompt", *AGENT_MARKS)
    ):
        return []
    fences = list(code_fences(file, *AGENT_MARKS, "rompt"))
    found: dict[tuple[int, str], Payload] = {}
    sources: dict[str, Source] = {}
    for fence in fences:
        for start, end in _prompt_lines(fence):
            for number in range(start, end + 1):
                for match in _dumped(records).finditer(file.doc.line(number)[:_LONGEST_LINE]):
                    slot, name = match[0], match["json"] or match["bare"]
                    if name not in sources:
                        sources[name] = _state_file(file, name)
                    found[number, slot] = Payload(file.path, number, slot, name, sources[name], None, start)
    return list(found.values())


def _state_file(file: SkillFile, name: str) -> Source:
    """Tell from which file a state comes, or into which it is written."""
    safe = re.escape(name)
    kept = re.compile(
        rf"(?:{safe}\s*=\s*(?:JSON\.parse|json\.loads)\(Read\((?P<read>[^()\n]{{1,200}})\)|"
        rf"\bWrite\((?P<write>[^()\n]{{1,200}}?),\s*(?:JSON\.stringify|json\.dumps)\({safe}\b)"
    )
    match = next((m for fence in file.doc.fences for _, line in file.doc.code(fence) if (m := kept.search(line))), None)
    return Source((match["read"] or match["write"]).strip() if match else "")


def literal(expression: str) -> str | None:
    """Give the text of a string or template literal, None for another expression."""
    match = _LITERAL.match(expression.strip())
    return next((text for text in match.groups() if text), None) if match else None


def source_of(value: str) -> Source | None:
    """Tell which file or files an expression reads whole; None for anything else."""
    value = value.strip()
    if len(value) > _LONGEST_LINE or not any(name in value for name in READERS):
        return None
    for pattern in (_MAP, _COMPREHENSION):
        match = pattern.match(value)
        if match:
            return Source(match["list"], many=True, field=match.groupdict().get("field") or "")
    match = _READ.match(value) or _OPEN.match(value)
    return Source(match["path"].strip()) if match and _is_balanced(match["path"]) else None


def _is_balanced(text: str) -> bool:
    depth = 0
    for mark in text:
        depth += {"(": 1, ")": -1}.get(mark, 0)
        if depth < 0:
            return False
    return depth == 0


def _definitions(file: SkillFile) -> Iterator[tuple[str, tuple[Source, int]]]:
    for fence in file.doc.fences:
        for number, line in file.doc.code(fence):
            match = _DEFINED.match(line) if "=" in line and len(line) <= _LONGEST_LINE else None
            source = source_of(match["value"]) if match else None
            if match and source:
                yield match["name"], (source, number)


def _in_fence(file: SkillFile, fence: CodeFence, known: dict[str, tuple[Source, int]]) -> Iterator[Payload]:
    seen: set[tuple[int, str]] = set()
    for start, end in _prompt_lines(fence):
        for number in range(start, end + 1):
            for slot, name, source, defined in _slots(file.doc.line(number)[:_LONGEST_LINE], known):
                if (number, slot) not in seen and defined != number:
                    seen.add((number, slot))
                    yield Payload(file.path, number, slot, name, source, defined, start)


def _prompt_lines(fence: CodeFence) -> Iterator[tuple[int, int]]:
    """Give the lines of sub-agent calls and of prompts that are built in a variable."""
    for call in fence.calls:
        if starts_agent(call):
            yield call.line, call.line_end
    at, line = 0, fence.start
    for match in _PROMPT.finditer(fence.text) if "prompt" in fence.text.lower() else ():
        if match.start() >= at:
            end = fence.text.find(match["mark"].lstrip("f"), match.end())
            first = line + fence.text.count("\n", at, match.start())
            at = end if end >= 0 else match.end()
            line = first + fence.text.count("\n", match.start(), at)
            yield first, line


def _slots(line: str, known: dict[str, tuple[Source, int]]) -> Iterator[tuple[str, str, Source, int | None]]:
    for slot in _direct(line):
        inner = slot.removeprefix("$").removeprefix("{").removesuffix("}")
        source = source_of(inner)
        if source:
            yield slot, "", source, None
    for match in _INTO.finditer(line):
        name = match["slot"] or match["plus"]
        if name in known:
            source, defined = known[name]
            yield match[0], name, source, defined


def _direct(line: str) -> Iterator[str]:
    """Give the `${Read(...)}` and `{open(...).read()}` of a line, with their braces."""
    for reader in READERS:
        at = line.find(reader)
        while at >= 0:
            brace = line.rfind("{", 0, at)
            close = _closing(line, brace) if brace >= 0 else -1
            before = line[brace + 1 : at].strip(" ")
            if close > at and (before in ("", "await", "fs.") or ".map(" in before):
                begin = brace - 1 if line[brace - 1 : brace] == "$" else brace
                yield line[begin : close + 1]
            at = line.find(reader, at + len(reader))


def _closing(line: str, brace: int) -> int:
    depth = 0
    for at in range(brace, min(len(line), brace + 400)):
        depth += {"{": 1, "}": -1}.get(line[at], 0)
        if depth == 0:
            return at
    return -1
