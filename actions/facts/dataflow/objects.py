"""The objects of a skill's own pseudo-code: `const order = { … }`, `guest = dict(…)`, and what becomes of their fields.

Only an object that the same file makes from a literal is known well enough to say that a field is missing in it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.own import is_own
from actions.facts.state.fields import NO_FIELD, Act, FieldUse, act_of
from actions.skill.code import CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile

_MADE = re.compile(
    r"(?<![\w$.])(?P<name>[A-Za-z_$][\w$]{0,40})\s*(?::[^=\n;{]{1,60})?(?<![=!<>])=\s*(?P<open>\{|dict\()(?P<empty>\s*[})])?"
)
_OPENS = re.compile(r"=\s*(?:\{|dict\()")
"""Part of it that few fences have."""
_TOKEN = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?|//[^\n]*|(?<=\s)#[^\n]*|[{}\[\](),]"
)
_MEMBER = re.compile(r"\s*[\"']?(?P<key>[A-Za-z_]\w*)[\"']?\s*(?P<value>[:=(].*)?$", re.DOTALL)
_ACCESS = r"(?<![\w$.\"'-])(?P<root>{})(?P<whole>(?:\??\.|\[[\"'])(?P<field>[A-Za-z_]\w*)[\"']?\]?)?(?![\w$])"
_GET = re.compile(r"\(\s*[\"'](\w+)[\"']")
_DEFAULT = re.compile(r"^\s*(?:\?\?|\|\||or\b)")
_CALLED = re.compile(r"([A-Za-z_$][\w$.]*)\s*\((?:[^()]|\([^()]*\))*$")
_DEFINES = re.compile(r"\b(?:function|def)\s+\w*\s*\([^)]*$")
_ARROW = re.compile(r"[\w\s,]*\)?\s*=>")
_KEEPS = re.compile(
    r"save|write|store|persist|dump|stringify|checkpoint|validat|check|verif|log|run|dispatch", re.IGNORECASE
)
_SHOWS = re.compile(r"show|print|render|report|display|format|return|send|draw|tell|publish|present", re.IGNORECASE)
_NOT_DATA = frozenset("self this window document process module exports console prompt".split())
_LONGEST, _MOST = 2000, 60


@dataclass(frozen=True)
class Member:
    """A field of a literal, with its value as written."""

    name: str
    value: str
    line: int


@dataclass(frozen=True)
class Made:
    """An object called `name` and the literal that it is made from; `open` tells that a spread may add fields."""

    name: str
    file: str
    line: int
    members: tuple[Member, ...]
    open: bool


@dataclass(frozen=True)
class Object:
    """All that a file's pseudo-code does with the fields of an object.

    `filled` tells that something unseen may set fields, `shown` that something may look at all of them.
    """

    name: str
    uses: tuple[FieldUse, ...]
    filled: bool
    shown: bool


@once
def literals(file: SkillFile) -> tuple[Made, ...]:
    """Give the object literals that the own pseudo-code of a file gives a name."""
    return tuple(_literals(file))


@once
def objects(skill: Skill) -> tuple[Object, ...]:
    """Give the objects of each instruction file that are made there from one literal; a state is not among them."""
    return tuple(item for file in skill.instructions for item in _objects(file))


def _literals(file: SkillFile) -> Iterator[Made]:
    for fence in filter(is_own, code_fences(file, "{", "dict(")):
        if not _OPENS.search(fence.text) or file.doc.is_counterexample(fence.start):
            continue
        for match in _MADE.finditer(fence.text):
            line = fence.start + fence.text.count("\n", 0, match.start())
            found = [] if match["empty"] else list(_members(fence, match.end("open")))
            open_ = any(not m.name for m in found)
            yield Made(match["name"], file.path, line, tuple(m for m in found if m.name), open_)


def _members(fence: CodeFence, start: int) -> Iterator[Member]:
    """Give the fields of the literal that opens before `start`; a spread has no name."""
    depth, last, text = 1, start, fence.text
    for match in _TOKEN.finditer(text, start, start + 20 * _LONGEST):
        mark = match[0]
        if mark in ("{", "[", "("):
            depth += 1
        elif mark in ("}", "]", ")"):
            depth -= 1
        if depth == 0 or (mark == "," and depth == 1):
            yield from _member(fence, last, text[last : match.start()])
            last = match.end()
        if depth == 0:
            return


_COMMENT = re.compile(r"//[^\n]*|(?:^|(?<=\s))#[^\n]*")


def _member(fence: CodeFence, at: int, part: str) -> Iterator[Member]:
    bare = _COMMENT.sub(lambda m: " " * len(m[0]), part)
    if not bare.strip():
        return
    line = fence.start + fence.text.count("\n", 0, at + len(bare) - len(bare.lstrip()))
    match = _MEMBER.match(bare)
    value = (match["value"] or match["key"]).lstrip(":=").strip() if match else ""
    yield Member(match["key"] if match else "", value, line)


def _objects(file: SkillFile) -> Iterator[Object]:
    made: dict[str, list[Made]] = {}
    for item in literals(file):
        made.setdefault(item.name, []).append(item)
    once_made = {name: found[0] for name, found in made.items() if len(found) == 1 and not _is_state(name)}
    known = dict(list(once_made.items())[:_MOST])
    if not known:
        return
    uses: dict[str, list[FieldUse]] = {name: [] for name in known}
    filled = {name for name, item in known.items() if item.open}
    shown: set[str] = set()
    saved = _saved(file)
    access = re.compile(_ACCESS.format("|".join(map(re.escape, known))))
    for fence in filter(is_own, code_fences(file, *known)):
        for number, line in enumerate(fence.text.split("\n"), fence.start):
            for match in access.finditer(line[:_LONGEST]):
                name = match["root"]
                if match["field"]:
                    uses[name] += _field(file, number, line, match)
                elif number != known[name].line and not _is_same(saved, name, line):
                    _whole(line, match, filled, shown)
    for name, item in known.items():
        declared = [FieldUse(m.name, Act.DECLARE, file.path, m.line, m.value) for m in item.members]
        yield Object(name, (*declared, *uses[name]), name in filled, name in shown)


_SAVED = re.compile(r"\b(?:save|write|dump|store)\w*\([^\n]{0,300}", re.IGNORECASE)
_PATH = re.compile(r"[\"'`]([\w${}./-]{1,120}\.(?:json|ya?ml))")
_NAMES = re.compile(r"(?<![\w.])[A-Za-z_$][\w$]{0,40}")
_LOADED = re.compile(
    r"\b(?:load|read|open)\w*\([^\n]{0,40}?[\"'`](?P<path>[\w${}./-]{1,120}\.(?:json|ya?ml))", re.IGNORECASE
)


def _is_same(saved: frozenset[tuple[str, str]], name: str, line: str) -> bool:
    """Tell whether a line loads an object from a file to which another line saves it."""
    loaded = _LOADED.search(line) if re.match(rf"\s*(?:(?:const|let|var)\s+)?{re.escape(name)}\s*=", line) else None
    return loaded is not None and (name, loaded["path"]) in saved


def _saved(file: SkillFile) -> frozenset[tuple[str, str]]:
    """Give the words of each call that saves something to a data file, each with the file."""
    calls = (match[0] for line in file.doc.lines if ".json" in line or ".y" in line for match in _SAVED.finditer(line))
    return frozenset((name, path) for call in calls for path in _PATH.findall(call) for name in _NAMES.findall(call))


def _is_state(name: str) -> bool:
    return name.lower().endswith("state") or name in _NOT_DATA


def _field(file: SkillFile, number: int, line: str, match: re.Match[str]) -> Iterator[FieldUse]:
    before, after = line[max(0, match.start() - 200) : match.start()], line[match.end() : match.end() + 200]
    name = match["field"]
    if name in NO_FIELD:
        return
    if after.startswith("("):
        asked = _GET.match(after) if name == "get" else None
        if asked:
            yield FieldUse(asked[1], Act.DECLARE, file.path, number)
        return
    if _DEFAULT.match(after):
        yield FieldUse(name, Act.DECLARE, file.path, number)
        return
    act, value = act_of(before, after)
    yield FieldUse(name, act, file.path, number, value)


def _whole(line: str, match: re.Match[str], filled: set[str], shown: set[str]) -> None:
    """Note what the use of a whole object may do to its fields."""
    name, before, after = match["root"], line[: match.start()], line[match.end() :].lstrip()
    if re.match(r"(?::[^=]*)?=(?!=)", after) or after.startswith("["):
        filled.add(name)
        shown.add(name)
        return
    called = _CALLED.search(before[-200:])
    verb = called[1] if called else ""
    if _DEFINES.search(before[-100:]) or _ARROW.match(after[:60]):
        return
    shown.add(name)
    if verb and not (_KEEPS.search(verb) or _SHOWS.search(verb)):
        filled.add(name)
