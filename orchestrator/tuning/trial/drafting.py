"""Let a model draft tasks for a skill that has none, from its text. They are only run if the user agrees."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

import schemas
from orchestrator.errors import BadInput
from orchestrator.model.loop import run
from orchestrator.model.query import Query, QueryResult
from orchestrator.project.skill_reader import read_skill
from orchestrator.tuning.trial.queries import build_query_from

_MAX_TEXT = 60_000
"""Maximum number of characters of SKILL.md in the prompt."""


def draft_tasks(skill: Path, count: int, model: str, max_cost_usd: float) -> tuple[str, float]:
    """Return `count` drafted tasks as YAML, and their cost in USD. Raises BadInput if the answer cannot be used."""
    from orchestrator.model.client import send_query

    query = build_query(skill, count, model)
    if query.usd > max_cost_usd:
        raise BadInput(f"drafting may cost {query.usd:.2f} USD, above the cost limit of {max_cost_usd:.2f}; raise it")
    result: QueryResult = run(send_query(query))
    problem = result.why if result.value is None else schemas.find_violation(query.schema, result.value)
    if problem:
        raise BadInput(f"no tasks were drafted: {problem}; try again, or write them")
    return format_tasks(result.value), query.usd if result.usd is None else result.usd


def build_query(skill: Path, count: int, model: str) -> Query:
    """Build the query for realistic tasks with checks that need no knowledge of the skill."""
    read = read_skill(skill)
    text = (skill / "SKILL.md").read_text("utf-8", "replace")[:_MAX_TEXT]
    return build_query_from("tasks", model, count * 0.02, skill=read.name or skill.name, text=text, count=count)


def format_tasks(answer: Mapping[str, Any]) -> str:
    """Format an answer as a tasks file for people to edit."""
    tasks = [
        {"name": f"drafted-{number}", "prompt": each["prompt"], "checks": list(map(_convert_check, each["checks"]))}
        for number, each in enumerate(answer["tasks"], 1)
    ]
    return yaml.safe_dump({"schema_version": 1, "tasks": tasks}, sort_keys=False, allow_unicode=True, width=100)


def _convert_check(drafted: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a drafted check to the format of `tasks.schema.json`. It reads the trace or a file of the project."""
    kind, about = drafted["kind"], drafted["about"]
    if kind == "skill":
        return {"skill": True}
    return {kind: about} if kind == "file" else {kind: about, "in": drafted["file"] or "trace"}
