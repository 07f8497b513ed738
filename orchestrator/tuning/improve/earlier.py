"""Read what earlier improvements of a skill used up: tasks for practice, opened exams, rejected edits."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.tuning.improve.store import FILE, read_state
from orchestrator.tuning.trial.folders import list_plans
from schemas.improvement import Improvement, StepStatus

FOLDER = ".workflow/skill-improvements"
"""The folder of a project with its improvements."""


@dataclass(frozen=True)
class Earlier:
    """practice: digests of tasks that drafters may have seen. opened: digests of tasks whose exam was opened, with how
    often. rejected: reasons by the digest of a skill's text.
    """

    practice: frozenset[str] = frozenset()
    opened: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, str] = field(default_factory=dict)


def read_earlier(skill: Path, key: str) -> Earlier:
    """Read the earlier improvements of a skill by this user. key: that of the present one, which is left out."""
    practice, opened, rejected = set[str](), dict[str, int](), dict[str, str]()
    for plan, state in _list_states(str(skill.resolve())):
        if plan.get("key") == key:
            continue
        digests = plan["digests"]
        practice |= {digests.get(name, "") for name in state.practice}
        if state.openings:
            for name in state.exam_tasks:
                opened[digests.get(name, "")] = max(opened.get(digests.get(name, ""), 0), state.openings)
        for step in state.steps:
            if step.status is StepStatus.REJECTED and step.digest:
                rejected[step.digest] = f"an earlier improvement rejected it: {step.reason}"
        if state.exam and state.exam.verdict != "better" and state.kept:
            rejected[state.kept[-1].digest] = f"it did not pass an earlier exam: {state.exam.verdict}"
    return Earlier(frozenset(practice), opened, rejected)


def _list_states(skill: str) -> Iterator[tuple[dict[str, Any], Improvement]]:
    for folder, plan in list_plans(FOLDER):
        state = read_state(folder / FILE) if plan.get("skill") == skill else None
        if state is not None and isinstance(plan.get("digests"), dict):
            yield plan, state
