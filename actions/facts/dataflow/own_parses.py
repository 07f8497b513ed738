"""Where a phase parses a data file that the skill itself wrote, and nothing provides for a damaged one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from actions.facts.agents.results import is_provided_for
from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses, is_guarded, same
from actions.facts.dataflow.file_names import base, extension, is_open, names_in
from actions.facts.own import is_workflow, teaches
from actions.skill.code import PARSERS, Call, CodeFence, code_fences
from actions.skill.skill import Skill, SkillFile

_DATA = frozenset({"json", "jsonl", "yaml", "yml"})
_PARSES = re.compile(r"\b(?:parse|parses|parsing|deserialize|decode)\b|解析", re.IGNORECASE)
_WRITES = re.compile(r"\b(?:[Ww]rite\w*|dump\w*|save\w*)\(")
_READS = re.compile(r"\b(?:read\w*|Read|open|Bash|run|check_output|fetch|curl)\b")
_TARGET = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?P<key>\[[\"']\w+[\"']\])?\s*=\s*(?:await\s+)?$")
_NEAR, _SOON, _LONGEST, _MOST = 2, 4, 2000, 20
_GATES = tuple(f"{name}(" for name in sorted(PARSERS))


@dataclass(frozen=True)
class OwnParse:
    """The file `name` of the run is parsed at `line`."""

    name: str
    file: str
    line: int


def own_parses(skill: Skill) -> Iterator[OwnParse]:
    """Give the first unguarded parse of each data file that another place of the skill writes."""
    uses = artifact_uses(skill) if is_workflow(skill) else ()
    told: set[str] = set()
    for use in uses:
        if use.mode is Mode.READ and use.name not in told and _is_ours(uses, use):
            line = _parsed_at(skill, use)
            if line and not is_guarded(skill, use):
                told.add(use.name)
                yield OwnParse(base(use.name), use.file, line)


def raw_parses(skill: Skill) -> Iterator[OwnParse]:
    """Give the first parse of a file's pseudo-code of what is read from outside, where fields are taken at once.

    Nothing of a skill that teaches a library, and nothing where the files of the run are seen.
    """
    if not teaches(skill) and not any(own_parses(skill)):
        for file in skill.instructions:
            yield from islice(_raw(file), 1)


def _raw(file: SkillFile) -> Iterator[OwnParse]:
    for fence in code_fences(file, *_GATES):
        for parse in islice((call for call in fence.calls if call.name in PARSERS), _MOST):
            if "||" in parse.args or not _is_read(parse, fence):
                continue
            target = _TARGET.search(file.doc.line(parse.line)[:_LONGEST].split(parse.name)[0])
            guarded = _in_try(fence, parse.line) or is_provided_for(file, parse.line) or _comes_from(fence, parse)
            guarded = guarded or (target is not None and is_tested(file, parse.line, target["name"]))
            if target and not guarded and _is_taken(target, fence.text) and not file.doc.is_counterexample(parse.line):
                yield OwnParse(parse.args.strip()[:60], file.path, parse.line)


def _comes_from(fence: CodeFence, parse: Call) -> bool:
    """Tell whether the code above wrote the file that is parsed: what it put there, it finds there."""
    names = {text for _, _, text in names_in(parse.args[:_LONGEST])}
    above = fence.text.split("\n")[: parse.line - fence.start]
    return any(name in line and _WRITES.search(line) for name in names for line in above)


def _is_read(parse: Call, fence: CodeFence) -> bool:
    """Whether the parsed text comes from a file or a command, directly or by a variable."""
    if _READS.search(parse.args):
        return True
    name = parse.args.split(".")[0].split(",")[0].strip()
    return (
        name.isidentifier()
        and re.search(rf"(?<![\w.]){name}\s*=[^\n]{{0,200}}{_READS.pattern}", fence.text) is not None
    )


def _is_taken(target: re.Match[str], code: str) -> bool:
    if target["key"] or target["name"].startswith("state."):
        return True
    name = re.escape(target["name"])
    used = rf"(?<![\w.'\"`/]){name}(?:\[[\"']|\.(?!get\b|length\b)\w)|\b(?:in|of)\s+{name}\b(?!\.)"
    return re.search(used, code) is not None


def _is_ours(uses: tuple[Use, ...], use: Use) -> bool:
    if extension(use.name) not in _DATA or is_open(use.name):
        return False
    return any(other.mode is Mode.WRITE for other in same(uses, use.name))


def _parsed_at(skill: Skill, use: Use) -> int:
    """Give the line of the unguarded parse of what `use` reads; 0 where it is not parsed or provided for."""
    file = skill.by_path[use.file]
    fence = next((f for f in code_fences(file, *_GATES) if f.start <= use.line <= f.end), None)
    if fence is None:
        line = file.doc.line(use.line)
        in_prose = file.doc.fence_at(use.line) is None and _PARSES.search(line)
        return use.line if in_prose and not is_provided_for(file, use.line) else 0
    parse = next((c for c in fence.calls if c.name in PARSERS and use.line <= c.line <= use.line + _NEAR), None)
    parse = parse or next((c for c in fence.calls if c.name in PARSERS and c.line <= use.line <= c.line_end), None)
    if parse is None or _in_try(fence, parse.line) or is_provided_for(file, parse.line):
        return 0
    target = _TARGET.search(file.doc.line(parse.line)[:_LONGEST].split(parse.name)[0])
    if target and (not _is_taken(target, file.text) or is_tested(file, parse.line, target["name"])):
        return 0
    return 0 if _comes_from(fence, parse) else parse.line


def is_tested(file: SkillFile, line: int, name: str) -> bool:
    """Tell whether one of the next lines looks whether the parsed value is what it should be."""
    known = re.escape(name)
    test = re.compile(
        rf"\b(?:if|unless|assert)\b[^\n]{{0,80}}?(?:!\s*|\bnot (?:\w+\()?){known}(?![\w$])"
        rf"|\b(?:isArray|isinstance|typeof|check\w*|valid\w*|is[A-Z]\w*)[( ]\s*{known}(?![\w$])"
        rf"|\bnot in {known}(?![\w$])"
    )
    return any(test.search(file.doc.line(n)[:_LONGEST]) for n in range(line + 1, line + 1 + _SOON))


def _in_try(fence: CodeFence, line: int) -> bool:
    return any(block.kind == "try" for block in fence.blocks_over(line))
