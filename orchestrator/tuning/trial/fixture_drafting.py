"""Let a model draft tests of a finding. The model sees the faulty skill and the finding, but not the fix."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.regex import regex
from orchestrator.model.query import Query
from orchestrator.tuning.trial.drafter import Drafter
from orchestrator.tuning.trial.fixtures import BUILT_IN_STUBS, SCRIPTED_USERS, FixtureKind
from orchestrator.tuning.trial.queries import build_query_from
from orchestrator.tuning.trial.versions import Version
from schemas.issues import Issue

MIN_FIXTURES: Mapping[FixtureKind, int] = {FixtureKind.ORDINARY: 1, FixtureKind.BITING: 1, FixtureKind.BORDERLINE: 2}
"""The minimum number of fixtures of each kind per finding."""
_COST_USD, _MAX_TEXT, _MAX_NAME = 0.3, 60_000, 160
_MCP_TOOL = regex(r"\bmcp__(\w+?)__\w+")
_TEAM_TOOL = regex(r"\b(?:TeamCreate|TeamDelete|SendMessage)\b")
_TOOLS = ["Bash", "Write", "Edit"]


class TestedFinding(msgspec.Struct, frozen=True):
    """A finding to test. name: its place and fault on one line; fixtures refer to it. text: its fault and quotes."""

    __test__ = False  # pytest: this is not a class of tests

    file: str
    name: str
    text: str
    harm: str

    @classmethod
    def from_issue(cls, issue: Issue) -> "TestedFinding":
        """Convert an issue to a finding to test."""
        first = issue.places[0]
        name = f"{first.file}:{first.line_start or 1}: {issue.description}"
        quotes = [place.text for place in issue.places]
        return cls(first.file, name[:_MAX_NAME], "\n".join((issue.description, *quotes)), issue.impact)


class FixtureDraft(msgspec.Struct, frozen=True):
    """The drafted tasks that test a finding. refused: why there are no tasks, or ""."""

    finding: TestedFinding
    tasks: tuple[Mapping[str, Any], ...] = ()
    refused: str = ""


def draft_fixtures(drafter: Drafter, skill: str, version: Version, finding: TestedFinding, model: str) -> FixtureDraft:
    """Let a model draft tests of a finding in a version of a skill. Raises BadInput if this could exceed the limit."""
    if obstacle := find_obstacle(version):
        return FixtureDraft(finding, refused=obstacle)
    result = drafter.ask(build_query(skill, version, finding, model))
    if result.value is None:
        return FixtureDraft(finding, refused=f"no usable answer: {result.why}")
    return read_answer(finding, result.value)


def build_query(skill: str, version: Version, finding: TestedFinding, model: str) -> Query:
    """Build the query for the tests of a finding."""
    texts = {path: data.decode("utf-8", "replace")[:_MAX_TEXT] for path, data, _ in version.files}
    names = dict.fromkeys(("SKILL.md", finding.file))
    parts = [{"name": name, "text": texts[name]} for name in names if name in texts]
    return build_query_from("fixtures", model, _COST_USD, skill=skill, finding=finding, parts=parts)


def find_obstacle(version: Version) -> str:
    """Return why fixtures cannot test a skill (it mentions an MCP server or a team of agents), or ""."""
    text = version.main.decode("utf-8", "replace")
    if server := _MCP_TOOL.search(text):
        return f"the skill needs the MCP server {server[1]}, for which there is no stub"
    if team := _TEAM_TOOL.search(text):
        return f"the skill needs a team of agents ({team[0]}), but runs have none"
    return ""


def read_answer(finding: TestedFinding, answer: Mapping[str, Any]) -> FixtureDraft:
    """Convert an answer to a draft. A draft with too few fixtures of a kind is refused."""
    if answer["refused"]:
        return FixtureDraft(finding, refused=answer["refused"])
    kinds = [fixture["kind"] for fixture in answer["fixtures"]]
    if missing := [f"{count} {kind}" for kind, count in MIN_FIXTURES.items() if kinds.count(kind) < count]:
        return FixtureDraft(finding, refused=f"the draft has too few fixtures: it needs {' and '.join(missing)}")
    return FixtureDraft(finding, tuple(_convert_fixture(finding, fixture) for fixture in answer["fixtures"]))


def name_tasks(drafts: list[FixtureDraft]) -> list[dict[str, Any]]:
    """Return the tasks of several drafts with unique names: the kind and a number, such as `borderline-1`."""
    counts: dict[str, int] = {}
    found = []
    for task in (task for draft in drafts for task in draft.tasks):
        kind = task["fixture"]["kind"]
        counts[kind] = counts.get(kind, 0) + 1
        found.append({"name": f"{kind}-{counts[kind]}", **task})
    return found


def _convert_fixture(finding: TestedFinding, drafted: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a drafted fixture to the format of `tasks.schema.json`. The task has a shell but no network."""
    users = {name: drafted[name] for name in SCRIPTED_USERS if drafted.get(name)}
    fixture = {"finding": finding.name, "kind": drafted["kind"], "claim": drafted.get("claim", "")}
    task = {
        "fixture": {key: value for key, value in fixture.items() if value},
        "prompt": drafted["prompt"],
        "project": {file["path"]: file["text"] for file in drafted.get("project", ())},
        "setup": drafted.get("setup", ""),
        "stubs": [_convert_stub(stub) for stub in drafted.get("stubs", ())],
        "user": users,
        "checks": list(map(_convert_check, drafted["checks"])),
    }
    return {**{key: value for key, value in task.items() if value}, "tools": _TOOLS, "network": False}


def _convert_stub(drafted: Mapping[str, Any]) -> dict[str, Any]:
    key = "state" if drafted["name"] in BUILT_IN_STUBS else "script"
    return {"name": drafted["name"], **({key: drafted[key]} if drafted.get(key) else {})}


def _convert_check(drafted: Mapping[str, Any]) -> dict[str, Any]:
    kind, argument = drafted["kind"], drafted["about"]
    return dict(_list_check_keys(kind, argument, drafted.get("in") or "answer")) | {"shows": drafted["shows"]}


def _list_check_keys(kind: str, argument: str, within: str) -> Iterator[tuple[str, Any]]:
    yield kind.removeprefix("no_"), argument
    if kind == "no_file":
        yield "exists", False
    elif kind == "no_text":
        yield "absent", True
    if kind not in ("file", "no_file", "command"):
        yield "in", within
