"""Values that a step asks a field for and that the field never gets: its type, or all that sets it, has others."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from actions.facts.own import is_own, teaches
from actions.skill.code import CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile

_LITERAL = r"(?:'[\w -]{1,40}'|\"[\w -]{1,40}\")"
_FIELD = r"(?:(?P<root>[A-Za-z_$]\w{0,40})\??(?:\.|\[[\"']))(?P<field>[A-Za-z_]\w{0,40})(?:[\"']\])?"
_TESTED = re.compile(rf"{_FIELD}\s*={{2,3}}\s*(?P<value>{_LITERAL})(?!\s*[+%.])")
_ASSIGNED = re.compile(rf"{_FIELD}\s*=(?![=>])\s*(?P<value>[^\n]{{1,300}})")
_MEMBER = re.compile(
    r"(?:^|[{,(])\s*[\"']?(?P<field>[A-Za-z_]\w{0,40})[\"']?\??\s*[:=](?![:=])\s*(?P<value>[^\n]{1,300})"
)
_UNION = re.compile(rf"{_LITERAL}(?:\s*\|\s*{_LITERAL})+(?=\s*(?:[;,}})/]|$))")
_ENUM = re.compile(r"[^\n]{0,80}?[\"']?enum[\"']?\s*:\s*\[(?P<values>[^\]\n]{1,300})\]")
_CHOSEN = re.compile(
    rf"(?:[^?\n]{{1,120}}\?\s*{_LITERAL}\s*:\s*)+{_LITERAL}\s*[;,)}}]*\s*(?://[^\n]*)?$"
    rf"|(?:{_LITERAL}\s+if\s+[^\n]{{1,120}}?\s+else\s+)+{_LITERAL}\s*[,)}}]*\s*(?:#[^\n]*)?$"
)
_RESULT = re.compile(rf"(?:[?:]\s*|^\s*|\belse\s+)(?P<js>{_LITERAL})(?=\s*(?:[:;,)}}/]|if\b|#|$))")
_CHOICE = re.compile(
    r"(?:^|[):]|\b(?:const|let|var|else))\s*(?P<name>[A-Za-z_$][\w$]{0,40})\s*=(?![=>])\s*(?P<value>\S[^\n]{1,300})$"
)
_COMPARED = re.compile(rf"(?<![\w.$])(?P<name>[A-Za-z_$][\w$]{{0,40}})\s*={{2,3}}\s*{_LITERAL}")
_PLAIN = re.compile(rf"{_LITERAL}\s*(?:[,;)}}\]]|$)")
_SETS_IN_PROSE = re.compile(
    r"`(?P<field>[A-Za-z_]\w{1,40})`[^.;`。；]{0,40}?(?P<values>`[\w-]{1,40}`(?:\s*(?:,|、|\bor\b|或|，"
    r"|/)\s*(?:or\s+)?`[\w-]{1,40}`){1,12})"
)
_ASKS_IN_PROSE = re.compile(
    r"\b(?:if|when|while|until|where|with|whose)\b[^.;`]{0,40}`(?P<field>[A-Za-z_]\w{1,40})` (?:is|equals|="
    r"|says) `(?P<value>[\w-]{1,40})`"
    r"|(?:如果|若|当|凡)[^。；`]{0,16}`(?P<han>[A-Za-z_]\w{1,40})`\s?(?:为|是|等于|=)\s?`(?P<word>[\w-]{1,40})`",
    re.IGNORECASE,
)
_PUT_IN_PROSE = re.compile(
    r"\b(?:set|mark|put|change|turn|switch)s?\b[^.;`]{0,30}`(?P<field>[A-Za-z_]\w{1,40})`[^.;`]{0,20}\b(?:to|as|on)\b"
    r" ?(?:`(?P<value>[\w-]{1,40})`)?",
    re.IGNORECASE,
)
_PROSE_MARKS = ("` is `", "` equals `", "` says `", "` = `", "`为`", "` 为 `", "`是`", "` 是 `", "`等于`", "` 等于 `")
_SHARED = frozenset("status state type kind name role mode result code level key id format method action".split())
"""Names that many records have: one of them is told from another by the variable."""
_LONGEST, _MOST, _FEWEST, _SPANS = 2000, 20, 2, 6


@dataclass(frozen=True)
class Foreign:
    """At `line` the field `name` is asked for `value`, which is none of the `known` ones."""

    name: str
    value: str
    known: tuple[str, ...]
    file: str
    line: int


@dataclass(frozen=True)
class _Given:
    """What one place gives to a field of the variable `root`; no values where it may be anything."""

    name: str
    root: str
    values: tuple[str, ...]
    declared: bool = False


@once
def foreign_values(skill: Skill) -> tuple[Foreign, ...]:
    """Give the first test of each value that nothing else names, for a field whose values are all known."""
    if teaches(skill):
        return ()
    chosen = (item for file in skill.instructions for item in _foreign_choices(file))
    found = (item for item in (*islice(chosen, _MOST), *_foreign_fields(skill)) if _only_tested(skill, item.value))
    return tuple(found)


def _foreign_fields(skill: Skill) -> Iterator[Foreign]:
    tests = [test for file in skill.instructions for test in _tests(file)]
    if not tests:
        return
    given = _all_given(skill, {name for name, *_ in tests})
    strange: dict[tuple[str, str], Foreign] = {}
    for name, root, value, file, line in tests:
        found = given.get(name, [])
        values = {value for item in found for value in item.values}
        sure = any(item.declared for item in found) or all(item.values for item in found)
        alone = len(found) == 1 and found[0].declared
        told = name.lower() not in _SHARED or alone or any(item.root == root for item in found)
        if sure and told and len(values) >= _FEWEST and value not in values:
            strange.setdefault((name, value), Foreign(name, value, tuple(sorted(values)), file.path, line))
    yield from islice(strange.values(), _MOST)


def _foreign_choices(file: SkillFile) -> Iterator[Foreign]:
    """Give the tests of a variable for a value that the one choice which sets it does not have."""
    for fence in filter(is_own, code_fences(file, "== '", '== "', "=='", '=="')):
        lines, told = fence.text.split("\n"), set[str]()
        tested = {match["name"] for match in _COMPARED.finditer(fence.text)}
        for number, line in enumerate(lines, fence.start):
            match = _CHOICE.search(line[:_LONGEST]) if tested else None
            if (
                match is None
                or match["name"] not in tested - told
                or len(told) >= _MOST
                or file.doc.is_counterexample(number)
            ):
                continue
            name = match["name"]
            told.add(name)
            given = [
                set(_values(text.strip(), None))
                for text in re.findall(rf"(?<![\w.$]){re.escape(name)}\s*=(?![=>])([^\n]{{0,300}})", fence.text)
            ]
            values = set().union(*given)
            asked = re.compile(rf"(?<![\w.$]){re.escape(name)}\s*={{2,3}}\s*(?P<value>{_LITERAL})(?!\s*[+%.])")
            if all(given) and len(values) >= _FEWEST:
                for at, below in enumerate(lines[number - fence.start + 1 :], number + 1):
                    for test in asked.finditer(below[:_LONGEST]):
                        if test["value"][1:-1] not in values:
                            yield Foreign(name, test["value"][1:-1], tuple(sorted(values)), file.path, at)


_Test = tuple[str, str, str, SkillFile, int]


def _tests(file: SkillFile) -> Iterator[_Test]:
    for fence in filter(is_own, code_fences(file, "== '", '== "', "=='", '=="')):
        for number, line in enumerate(fence.text.split("\n"), fence.start):
            if "==" in line and not file.doc.is_counterexample(number):
                for match in _TESTED.finditer(line[:_LONGEST]):
                    yield match["field"], match["root"], match["value"][1:-1], file, number
    if any(mark in file.text for mark in _PROSE_MARKS):
        for number, line in file.doc.prose:
            for match in _ASKS_IN_PROSE.finditer(line[:_LONGEST]) if any(mark in line for mark in _PROSE_MARKS) else ():
                yield match["field"] or match["han"], "", match["value"] or match["word"], file, number


def _all_given(skill: Skill, names: set[str]) -> dict[str, list[_Given]]:
    """Give what the types, assignments and sentences of a skill give to the fields."""
    found: dict[str, list[_Given]] = {}
    for file in skill.instructions:
        given = (item for fence in code_fences(file, *names) for item in _in_code(fence, names))
        for item in (*given, *_in_prose(file, names)):
            if item.name in names:
                found.setdefault(item.name, []).append(item)
    return found


def _in_prose(file: SkillFile, names: set[str]) -> Iterator[_Given]:
    for _, line in file.doc.prose:
        if line.count("`") >= _SPANS and any(f"`{name}`" in line for name in names):
            for match in _SETS_IN_PROSE.finditer(line[:_LONGEST]):
                yield _Given(match["field"], "", tuple(re.findall(r"`([\w-]+)`", match["values"])), declared=True)
        for match in _PUT_IN_PROSE.finditer(line[:_LONGEST]) if any(f"`{name}`" in line for name in names) else ():
            yield _Given(match["field"], "", (match["value"],) if match["value"] else ())


def _in_code(fence: CodeFence, names: set[str]) -> Iterator[_Given]:
    for line in (line for line in fence.text.split("\n") if any(name in line for name in names)):
        for match in (*_ASSIGNED.finditer(line[:_LONGEST]), *_MEMBER.finditer(line[:_LONGEST])):
            root, value = match.groupdict().get("root") or "", match["value"].strip()
            declared = _UNION.match(value) or _ENUM.match(value)
            yield _Given(match["field"], root, tuple(_values(value, declared)), declared is not None)


def _values(value: str, declared: re.Match[str] | None) -> Iterator[str]:
    """Give the literals that an expression can come to; none where it may come to anything else."""
    if declared:
        yield from (text[1:-1] for text in re.findall(_LITERAL, declared[0]))
    elif plain := _PLAIN.match(value):
        yield plain[0].strip(" ,;)}]")[1:-1]
    elif _CHOSEN.match(value):
        yield from (match["js"][1:-1] for match in _RESULT.finditer(value))


def _only_tested(skill: Skill, value: str) -> bool:
    """Tell whether no line of the skill names the value but those that ask for it."""
    word = re.compile(rf"(?<![\w-]){re.escape(value)}(?![\w-])", re.IGNORECASE)
    asked = re.compile(rf"==\s*[\"']{re.escape(value)}[\"']|(?:is|equals|=|says|为|是|等于) ?`{re.escape(value)}`")
    for file in skill.files:
        if value.lower() in file.lower and file.role is not Role.DOC:
            for line in file.doc.lines:
                if value.lower() in line.lower() and word.search(asked.sub("", line)):
                    return False
    return True
