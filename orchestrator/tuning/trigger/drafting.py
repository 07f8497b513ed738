"""Let a model draft prompts for a trigger test (half of them near misses), and alternative descriptions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from actions.trigger.matrix import MeasuredPrompt
from actions.trigger.prompts import Prompt, find_prompt_faults
from orchestrator.errors import BadInput
from orchestrator.model.query import Query
from orchestrator.tuning.trial.drafter import Drafter
from orchestrator.tuning.trial.queries import build_query_from
from orchestrator.tuning.trigger.plan import CANDIDATES
from orchestrator.tuning.trigger.skill_set import SkillSet
from orchestrator.tuning.yaml_writer import format_yaml

_MAX_TEXT, _MAX_DESCRIPTION = 40_000, 400
_PROMPT_USD, _CANDIDATE_USD = 0.004, 0.05


class RejectedDescription(msgspec.Struct, frozen=True):
    """A rejected description, and the reason."""

    text: str
    reason: str


def draft_prompts(drafter: Drafter, skills: SkillSet, count: int, model: str) -> tuple[str, list[str]]:
    """Ask a model to draft prompts. Return them as YAML, and notes. Raises BadInput if none can be used."""
    result = drafter.ask(build_prompts_query(skills, count, model))
    text, notes, why = "", list[str](), result.why
    if result.value is not None:
        text, notes = format_prompts(result.value, skills)
        why = notes[0] if notes else "all prompts are empty"
    if not text:
        raise BadInput(
            f"no usable prompt was drafted{drafter.save_unusable()}: {why}; try again, or write the prompts yourself"
        )
    return text, notes


def build_prompts_query(skills: SkillSet, count: int, model: str) -> Query:
    """Build the query for prompts about a skill. Raises BadInput for a folder with several skills."""
    target = _get_target(skills)
    values = {"target": target, "count": count, "half": (count + 1) // 2, "text": skills.get(target).text[:_MAX_TEXT]}
    return build_query_from("prompts", model, count * _PROMPT_USD, skills=_list_skills(skills, ""), **values)


def format_prompts(answer: Mapping[str, Any], skills: SkillSet) -> tuple[str, list[str]]:
    """Convert an answer to the text of a prompts file, or "" if no prompt is usable, and notes on unusable prompts."""
    drafted = [
        Prompt(f"prompt-{n:03}", draft["prompt"].strip(), (draft["expect"].strip() or None,), f"prompt {n}")
        for n, draft in enumerate(answer["prompts"], 1)
        if draft["prompt"].strip()
    ]
    usable: list[Prompt] = []
    left_out: list[str] = []
    for prompt in drafted:
        faults = [*find_prompt_faults([*usable, prompt], skills.skills, ())]
        if faults:
            left_out.append(f"left out: {faults[0]}")
        else:
            usable.append(prompt)
    if not usable:
        return "", left_out
    value = {"schema_version": 1, "prompts": [{"prompt": prompt.text, "expect": prompt.expected} for prompt in usable]}
    return format_yaml(value), left_out


def build_descriptions_query(
    skills: SkillSet, measured: Sequence[MeasuredPrompt], rejected: Sequence[RejectedDescription], model: str
) -> Query:
    """Build the query for alternative descriptions. measured: the prompts that the model sees, with their runs."""
    target = _get_target(skills)
    return build_query_from(
        "descriptions", model, CANDIDATES * _CANDIDATE_USD, skill=target, count=CANDIDATES,
        prompts=list(map(_describe_measured, measured)), description=skills.get(target).description, rejected=rejected,
        neighbours=_list_skills(skills, target), text=skills.get(target).text[:_MAX_TEXT],
    )  # fmt: skip


def _describe_measured(measured: MeasuredPrompt) -> dict[str, str]:
    calls = dict.fromkeys(run.called or "no skill" for run in measured.runs if not run.why)
    return {
        "text": measured.prompt.text,
        "expected": measured.prompt.expectation,
        "called": ", ".join(calls) or "not known",
        "verdict": measured.verdict.value,
    }


def _get_target(skills: SkillSet) -> str:
    if len(skills.targets) != 1:
        raise BadInput(f"{skills.path}: {len(skills.targets)} skills, but a draft covers only one; name one skill")
    return skills.targets[0]


def _list_skills(skills: SkillSet, left_out: str) -> str:
    """Return the listed skills except `left_out`, each with the beginning of its description."""
    listed = (skill for skill in skills.skills if skill.name != left_out and not skill.is_hidden)
    return "\n".join(_format_skills((skill.name, skill.description) for skill in listed)) or "(none)"


def _format_skills(skills: Iterator[tuple[str, str]]) -> Iterator[str]:
    for name, description in skills:
        short = description if len(description) <= _MAX_DESCRIPTION else f"{description[:_MAX_DESCRIPTION]}…"
        yield f"- {name}: {short}"
