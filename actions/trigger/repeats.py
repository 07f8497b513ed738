"""Decide from the runs of a prompt whether the right skill is called, and whether another run is needed.

A prompt is run once. If the call is wrong, the prompt is run again, up to the limit. The prompt is a fault only if all
runs are wrong. A failed run, for example after a timeout, proves nothing and never counts as a run without a call.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from actions.trigger.prompts import Prompt


class Verdict(StrEnum):
    """The verdict on a prompt: right in the first run, wrong in some runs, wrong in all runs, or unknown."""

    RIGHT = "right"
    UNSTABLE = "unstable"
    FAULT = "fault"
    UNKNOWN = "unknown"


class TriggerRun(msgspec.Struct, frozen=True):
    """A run of a prompt. `called` is the full name of the first called skill, or None.

    `why` is the reason why the run failed, or "". `missing` are called names that no skill has. `opened` are skills
    whose SKILL.md was read without a call.
    """

    called: str | None = None
    why: str = ""
    missing: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()


def judge_prompt(prompt: Prompt, runs: Sequence[TriggerRun], max_runs: int) -> Verdict:
    """Return the verdict on a prompt from its runs, in order.

    The prompt is a fault if it has at least `max_runs` valid runs and all of them are wrong.
    """
    valid = [run for run in runs if not run.why]
    wrong = [not prompt.allows(run.called) for run in valid]
    if not wrong:
        return Verdict.UNKNOWN
    if not wrong[0]:
        return Verdict.RIGHT
    if not all(wrong):
        return Verdict.UNSTABLE
    return Verdict.FAULT if len(wrong) >= max_runs else Verdict.UNKNOWN


def needs_run(prompt: Prompt, runs: Sequence[TriggerRun], max_runs: int) -> bool:
    """Return whether a prompt needs another run, of at most `max_runs`."""
    return len(runs) < max_runs and judge_prompt(prompt, runs, max_runs) is Verdict.UNKNOWN


def find_valid_run(runs: Sequence[TriggerRun]) -> TriggerRun | None:
    """Return the first run that did not fail, or None if all failed."""
    return next((run for run in runs if not run.why), None)
