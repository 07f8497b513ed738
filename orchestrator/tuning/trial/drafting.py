"""Let a model draft tasks for a skill: tests of fixed findings, and tasks from its text. The user decides on them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

import schemas
from orchestrator.errors import BadInput
from orchestrator.model.loop import run
from orchestrator.model.query import Query, QueryResult
from orchestrator.project.skill_reader import read_skill
from orchestrator.tuning.trial.fixture_drafting import FEWEST, Draft, TestedFinding, draft_fixtures, name_tasks
from orchestrator.tuning.trial.queries import build_query_from
from orchestrator.tuning.trial.versions import Version
from orchestrator.tuning.yaml_writer import format_yaml
from schemas.issues import Issue

_MAX_TEXT = 60_000
"""Maximum number of characters of SKILL.md in the prompt."""


class DraftedTasks(msgspec.Struct, frozen=True):
    """Drafted tasks in the format of `tasks.schema.json`, their cost, and notes on findings without a test."""

    tasks: tuple[Mapping[str, Any], ...]
    usd: float
    notes: tuple[str, ...] = ()

    def format(self) -> str:
        """Format the drafts as a tasks file that the user can edit."""
        value = {"schema_version": 1, "tasks": list(map(dict, self.tasks))}
        return format_yaml(value)


def draft_all(
    skill: Path, version: Version, issues: Sequence[Issue], count: int, model: str, max_cost_usd: float
) -> DraftedTasks:
    """Draft about `count` tasks: four tests for each of the first issues, and others from the skill's text.

    version: the skill with the issues. What was paid for is returned, with a note, if a later question fails or is
    interrupted. Raises BadInput if nothing was drafted, or the limit is too low.
    """
    name, spent = read_skill(skill).name or skill.name, 0.0
    drafts, tasks, why = list[Draft](), list[Mapping[str, Any]](), ""
    try:
        for issue in issues[: count // sum(FEWEST.values())]:
            finding = TestedFinding.from_issue(issue)
            drafts.append(draft_fixtures(name, version, finding, model, max_cost_usd - spent))
            spent += drafts[-1].usd
        tasks += name_tasks(drafts)
        if count > len(tasks) and (tasks or not drafts):
            others, usd = draft_tasks(skill, count - len(tasks), model, max_cost_usd - spent)
            tasks, spent = [*tasks, *others], spent + usd
    except (BadInput, KeyboardInterrupt) as error:
        tasks = tasks or [*name_tasks(drafts)]
        if not tasks:
            raise
        why = f"not all tasks were drafted: {str(error) or 'you interrupted it'}"
    notes = [f"no tests for {draft.finding.name}: {draft.refused}" for draft in drafts if draft.refused]
    if not tasks:
        paid = f" (paid: {spent:.2f} USD)"
        raise BadInput(
            f"no tasks were drafted{paid}: {'; '.join(notes)}; write them, or draft fewer than 4 from the skill's text"
        )
    return DraftedTasks(tuple(tasks), spent, (*notes, *filter(None, (why,))))


def draft_tasks(skill: Path, count: int, model: str, max_cost_usd: float) -> tuple[list[Mapping[str, Any]], float]:
    """Return `count` drafted tasks, and their cost in USD. Raises BadInput if the answer cannot be used."""
    from orchestrator.model.client import send_query

    query = build_query(skill, count, model)
    if query.usd > max_cost_usd:
        raise BadInput(f"drafting may cost {query.usd:.2f} USD, above the limit of {max_cost_usd:.2f}; raise the limit")
    result: QueryResult = run(send_query(query))
    problem = result.why if result.value is None else schemas.find_violation(query.schema, result.value)
    if problem:
        raise BadInput(f"no tasks were drafted: {problem}; try again, or write them yourself")
    return convert_tasks(result.value), query.usd if result.usd is None else result.usd


def build_query(skill: Path, count: int, model: str) -> Query:
    """Build the query for realistic tasks, with checks that can be evaluated without knowing the skill."""
    name = read_skill(skill).name or skill.name
    text = (skill / "SKILL.md").read_text("utf-8", "replace")[:_MAX_TEXT]
    return build_query_from("tasks", model, count * 0.02, skill=name, text=text, count=count)


def convert_tasks(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Convert an answer to tasks."""
    return [
        {"name": f"drafted-{number}", "prompt": each["prompt"], "checks": list(map(_convert_check, each["checks"]))}
        for number, each in enumerate(answer["tasks"], 1)
    ]


def _convert_check(draft: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a drafted check, which reads the trace or a project file, to the format of `tasks.schema.json`."""
    kind, about = draft["kind"], draft["about"]
    if kind == "skill":
        return {"skill": True}
    return {kind: about} if kind == "file" else {kind: about, "in": draft["file"] or "trace"}
