"""Hold out prompts for the exam of a tuning, and record which prompts all tunings of a skill have used."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from actions.trigger.prompts import Prompt
from actions.trigger.split import Split, find_similar_prompts, hash_prompt, is_in_text, split_prompts
from orchestrator.errors import BadInput, BadInputs
from orchestrator.fs import durable, nofollow
from orchestrator.tuning.trial.folders import list_plans, read_result

FOLDER = ".workflow/skill-triggers"
"""The folder in a project that contains its trigger tests."""
_MIN_HELD_OUT = 6
"""Minimum number of held-out prompts. The permutation test cannot decide with fewer."""
_OPENED_FILE = "opened.json"


class UsedPrompts(msgspec.Struct, frozen=True):
    """The digests of the prompts that tunings of a skill have used.

    exposed: the prompts that a drafting model saw, or that an exam used. held_out: the prompts that were kept for an
    exam that did not take place. openings: the number of exams that took place.
    """

    exposed: frozenset[str]
    held_out: frozenset[str]
    openings: int


def read_used_prompts(skill: Path) -> UsedPrompts:
    """Read which prompts all tunings of a skill in this project have used."""
    exposed, held_out, openings = set[str](), set[str](), 0
    for folder, plan in list_plans(FOLDER):
        split = plan.get("split")
        if plan.get("skill") == str(skill) and isinstance(split, dict):
            is_opened = (folder / _OPENED_FILE).exists()
            openings += is_opened
            exposed |= {*_list_texts(split.get("train"))}
            (exposed if is_opened else held_out).update(_list_texts(split.get("held_out")))
    return UsedPrompts(frozenset(exposed), frozenset(held_out - exposed), openings)


def split_unexposed(prompts: Sequence[Prompt], target: str, skill: Path, text: str) -> Split:
    """Split prompts into training prompts and held-out prompts, which only the exam uses.

    Prompts that earlier tunings exposed are not held out, and neither are prompts in the `text` of the skill, which the
    drafting model sees. Raises BadInput if too few prompts can be held out.
    """
    used_prompts = read_used_prompts(skill)
    exposed = used_prompts.exposed | {hash_prompt(prompt) for prompt in prompts if is_in_text(prompt, text)}
    split = split_prompts(prompts, target, exposed, used_prompts.held_out - exposed)
    if len(split.held_out) < _MIN_HELD_OUT:
        used = f"; {len(exposed)} were used in earlier tunings or are in the skill's text" if exposed else ""
        raise BadInput(
            f"{len(split.held_out)} of {len(prompts)} prompts can be held out for the exam, which needs "
            f"{_MIN_HELD_OUT}{used}; write more prompts"
        )
    copies = [
        BadInput(
            f"{other.where}: nearly the same as {seen.where}, but one is for tuning and the other for the final test;"
            " reword one"
        )
        for seen, other in find_similar_prompts(split)
    ]
    if copies:
        raise BadInputs(copies)
    return split


def ensure_enough_drafts(count: int) -> None:
    """Raise BadInput if too few of `count` drafted prompts may be held out.

    Half of the prompts that expect the skill, and half of the others, are held out, each rounded down; a model does not
    draft exactly as many of both as it is asked to.
    """
    held_out = (count - 1) // 2
    if held_out < _MIN_HELD_OUT:
        raise BadInput(
            f"of {count} drafted prompts as few as {held_out} can be held out for the exam, which needs "
            f"{_MIN_HELD_OUT}; draft at least {2 * _MIN_HELD_OUT + 1}"
        )


def restore_split(prompts: Sequence[Prompt], plan: Path) -> Split | None:
    """Return the split of a stopped tuning from its plan, or None if the plan cannot be read."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        held_out = set(json.loads(nofollow.read(str(plan)))["split"]["held_out"])
        train = tuple(prompt for prompt in prompts if hash_prompt(prompt) not in held_out)
        return Split(train, tuple(prompt for prompt in prompts if hash_prompt(prompt) in held_out))
    return None


def find_improved(key: str) -> dict[str, Any] | None:
    """Return the result of a finished tuning with this key that found a better description, or None.

    The key depends on the text of the skill, so an equal key means that the better description has not been written
    into the skill yet.
    """
    for folder, plan in list_plans(FOLDER):
        result = read_result(folder, "trigger") if plan.get("key") == key else None
        if result and (result.get("tuning") or {}).get("is_better"):
            return result | {"folder": str(folder)}
    return None


def describe_split(split: Split) -> dict[str, list[str]]:
    """Return the digests of both halves, for the plan of a tuning."""
    return {"train": list(map(hash_prompt, split.train)), "held_out": list(map(hash_prompt, split.held_out))}


def open_exam(folder: Path) -> None:
    """Record that the held-out prompts of a tuning are used. Call this before the first run of the exam."""
    durable.write_json(folder / _OPENED_FILE, {"opened": True})


def is_opened(folder: Path) -> bool:
    """Return whether the exam of a tuning has begun, so that its prompts are used up."""
    return (folder / _OPENED_FILE).exists()


def _list_texts(value: object) -> Iterable[str]:
    return (item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
