"""Turn the examples of patterns into test input: the case of a skill, or the messages or transcript of a session."""

import posixpath
from collections.abc import Iterator, Mapping
from itertools import count

from msgspec.structs import replace

from actions.case import Case
from actions.patterns import get_session_patterns
from actions.patterns.pattern import PatternModule
from actions.project.find_units import find_units
from actions.project.place import Place
from actions.project.project import Project, ProjectFile
from actions.project.unit_record import read_unit_file
from actions.project.units import Unit
from actions.session.answer import Verdict
from actions.session.example import Part, Recorded
from actions.session.session import Session
from actions.session.transcript import Transcript
from actions.session.transcript_parse import parse_transcript
from actions.skill import parse_skill
from actions.skill.example import Example, build_example_files
from actions.skill.paths import MAIN
from schemas.vocabulary import UnitKind


def list_example_cases(pattern: PatternModule, example: Example | Recorded) -> list[Case]:
    """Return the cases of a pattern's example: a skill, a skill with its sessions, or each unit of a project."""
    if isinstance(example, Recorded):
        return [make_recorded_case(example)]
    if pattern.PATTERN.kinds == (UnitKind.SKILL,) or not isinstance(example, dict) or MAIN in example:
        return [make_example_case(example)]
    return list_project_cases(pattern, example)


def list_project_cases(pattern: PatternModule, files: Mapping[str, str]) -> list[Case]:
    """Return the cases of those units of a project that a pattern applies to."""
    return [case for case in list_unit_cases(make_project(files)) if case.skill.kind in pattern.PATTERN.kinds]


def list_unit_cases(project: Project) -> list[Case]:
    """Return the case of each unit of a project."""
    return [make_unit_case(project, unit) for unit in find_units(project)]


def make_unit_case(project: Project, unit: Unit) -> Case:
    """Return the case of a unit of a project."""
    if unit.kind is UnitKind.SKILL:
        paths = project.list_below(unit.folder)
        skill = parse_skill(
            posixpath.basename(unit.folder) or project.name,
            {path.removeprefix(f"{unit.folder}/"): project.read_bytes(path) or b"" for path in paths},
        )
    else:
        unit_file = read_unit_file(project, unit)
        assert unit_file
        skill = unit_file
    return Case(skill, locate=Place(project, unit, skill).with_skill)


def make_project(files: Mapping[str, str]) -> Project:
    """Return a project of these files; a file is executable if it starts with `#!` or its path ends with `*`."""
    executable = {path.removesuffix("*") for path in files if path.endswith("*")}
    data_by_path = {path.removesuffix("*"): text.encode() for path, text in sorted(files.items())}
    files_by_path = {
        path: ProjectFile(path, len(data), path in executable or data.startswith(b"#!"))
        for path, data in data_by_path.items()
    }
    return Project("example", files_by_path, data_by_path.get)


def make_example_case(example: Example) -> Case:
    """Return the case of an example."""
    return Case(parse_skill("example", {path: text.encode() for path, text in build_example_files(example).items()}))


def make_recorded_case(example: Recorded) -> Case:
    """Return the case of an example with sessions, one for each day."""
    case = make_example_case({MAIN: example.text, **example.others} if example.others else example.text)
    sessions = [
        parse_transcript(
            make_messages(*(_expand_load(part, example.text) for part in parts), prefix=f"s{n}"), f"session-{n}"
        )
        for n, parts in enumerate(example.sessions, 1)
    ]
    return replace(case, sessions=tuple(sessions))


def _expand_load(part: Part, text: str) -> Part:
    """Return the record with which Claude Code loads a skill if this part abbreviates it, else the part itself."""
    if "load" not in part:
        return part
    body = f"Base directory for this skill: /skills/example\n\n{part['load'] or text}"
    return {"type": "user", "isMeta": True, "message": {"role": "user", "content": [{"type": "text", "text": body}]}}


def make_messages(*parts: Part, prefix: str = "toolu") -> list[Part]:
    """Return the messages of a session made of these parts; ids of calls begin with `prefix`."""
    ids = count(1)
    return [message for part in parts for message in _make_messages_of_part(part, f"{prefix}_{next(ids)}")]


def make_transcript(*parts: Part) -> Transcript:
    """Return the transcript of a session made of these parts."""
    return parse_transcript(make_messages(*parts), "example")


def get_verdict(id: str, *parts: Part) -> Verdict:
    """Return the verdict of a session pattern on a session made of these parts."""
    return get_session_patterns()[id].check(Session(make_transcript(*parts))).verdict


def _make_messages_of_part(part: Part, id: str) -> Iterator[Part]:
    if "tool" not in part:
        yield part
        return
    block = {"type": "tool_use", "id": id, "name": part["tool"], "input": part["input"]}
    yield {"role": "assistant", "content": [block]}
    if part["result"] is not None:
        result = {"type": "tool_result", "tool_use_id": id, "content": part["result"], "is_error": part["error"]}
        yield {"role": "user", "content": [result]}
