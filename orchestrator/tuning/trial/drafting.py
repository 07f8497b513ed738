"""Let a model draft tasks for a skill: tests of fixed findings, and tasks from its text. The user reviews them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.errors import BadInput
from orchestrator.model.query import Query
from orchestrator.project.skill_reader import read_skill
from orchestrator.tuning.trial.drafter import Drafter
from orchestrator.tuning.trial.fixture_drafting import (
    MIN_FIXTURES,
    FixtureDraft,
    TestedFinding,
    draft_fixtures,
    name_tasks,
)
from orchestrator.tuning.trial.fixture_drafting import build_query as build_fixture_query
from orchestrator.tuning.trial.fixtures import SCRIPTED_USERS
from orchestrator.tuning.trial.queries import build_query_from
from orchestrator.tuning.trial.versions import Version
from orchestrator.tuning.yaml_writer import format_yaml
from schemas.issues import Issue

_MAX_TEXT = 60_000
"""Maximum number of characters of SKILL.md in the prompt."""


_TESTS_PER_ISSUE = sum(MIN_FIXTURES.values())


class DraftedTasks(msgspec.Struct, frozen=True):
    """Drafted tasks in the format of `tasks.schema.json`, and notes on tasks that could not be drafted.

    is_interrupted: whether the user interrupted the drafting after these tasks.
    """

    tasks: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()
    is_interrupted: bool = False

    def format(self) -> str:
        """Format the drafts as a tasks file that the user can edit."""
        value = {"schema_version": 1, "tasks": list(map(dict, self.tasks))}
        return format_yaml(value)


class DraftForecast(msgspec.Struct, frozen=True):
    """What drafting will give: the number of tasks, a task for each scripted user, and the most that it costs."""

    tasks: int
    usd: float


def forecast_drafts(skill: Path, version: Version, issues: Sequence[Issue], count: int, model: str) -> DraftForecast:
    """Return what `draft_all` will probably give, before anything is paid."""
    name, tested = read_skill(skill).name or skill.name, issues[: count // _TESTS_PER_ISSUE]
    of_text = count - _TESTS_PER_ISSUE * len(tested)
    queries = [build_fixture_query(name, version, TestedFinding.from_issue(issue), model) for issue in tested]
    queries += [build_query(skill, of_text, model)] if of_text else []
    tasks = len(tested) * _TESTS_PER_ISSUE * len(SCRIPTED_USERS) + of_text
    return DraftForecast(tasks, sum(query.usd for query in queries))


def draft_all(
    drafter: Drafter, skill: Path, version: Version, issues: Sequence[Issue], count: int, model: str
) -> DraftedTasks:
    """Draft about `count` tasks: four tests for each of the first issues, and the others from the skill's text.

    version: the skill with the issues. If a later question fails or is interrupted, the drafts that were already paid
    for are returned with a note. Raises BadInput if nothing was drafted, or if the cost limit is too low.
    """
    name = read_skill(skill).name or skill.name
    drafts, tasks, notes = list[FixtureDraft](), list[Mapping[str, Any]](), list[str]()
    is_interrupted = False
    try:
        for issue in issues[: count // _TESTS_PER_ISSUE]:
            drafts.append(draft_fixtures(drafter, name, version, TestedFinding.from_issue(issue), model))
        tasks += name_tasks(drafts)
        if count > len(tasks) and (tasks or not drafts):
            tasks += draft_tasks(drafter, skill, count - len(tasks), model)
    except (BadInput, KeyboardInterrupt) as error:
        tasks = tasks or [*name_tasks(drafts)]
        if not tasks and (not drafts or isinstance(error, KeyboardInterrupt)):
            raise
        is_interrupted = isinstance(error, KeyboardInterrupt)
        notes.append(f"not all tasks were drafted: {str(error) or 'interrupted'}")
    notes = [f"no tests for {draft.finding.name}: {draft.refused}" for draft in drafts if draft.refused] + notes
    if not tasks:
        why = f"{drafter.save_unusable()}: {'; '.join(notes)}"
        raise BadInput(f"no tasks were drafted{why}; write tasks yourself, or draft fewer than 4 from the skill's text")
    return DraftedTasks(tuple(tasks), tuple(notes), is_interrupted)


def draft_tasks(drafter: Drafter, skill: Path, count: int, model: str) -> list[Mapping[str, Any]]:
    """Ask a model to draft `count` tasks, and return them. Raises BadInput if the answer cannot be used."""
    result = drafter.ask(build_query(skill, count, model))
    if result.value is None:
        note = drafter.save_unusable()
        raise BadInput(f"no tasks were drafted{note}: {result.why}; try again, or write the tasks yourself")
    return convert_tasks(result.value)


def build_query(skill: Path, count: int, model: str) -> Query:
    """Build the query for realistic tasks, whose checks can be evaluated without knowing the skill."""
    name = read_skill(skill).name or skill.name
    text = (skill / "SKILL.md").read_text("utf-8", "replace")[:_MAX_TEXT]
    return build_query_from("tasks", model, count * 0.02, skill=name, text=text, count=count)


def convert_tasks(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Convert a model's answer to tasks in the format of `tasks.schema.json`."""
    return [
        {"name": f"drafted-{number}", "prompt": task["prompt"], "checks": list(map(_convert_check, task["checks"]))}
        for number, task in enumerate(answer["tasks"], 1)
    ]


def _convert_check(draft: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a drafted check of the trace or of a project file to the format of `tasks.schema.json`."""
    kind, argument = draft["kind"], draft["about"]
    if kind == "skill":
        return {"skill": True}
    return {kind: argument} if kind == "file" else {kind: argument, "in": draft["file"] or "trace"}
