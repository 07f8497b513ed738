"""Find the cause of a fault by runs of the same prompt with only its skill listed, and with no description cut."""

from collections.abc import Mapping
from enum import StrEnum

from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun


class Arm(StrEnum):
    """What a run lists: only the skill, all skills as in a session, or all with a budget that cuts nothing."""

    ALONE = "alone"
    AMONG = "among"
    UNCUT = "uncut"


class Cause(StrEnum):
    """The cause of a fault, as far as one run of each other arm shows it."""

    CUT = "cut"
    COLLISION = "collision"
    WEAK = "weak"
    BROAD = "broad"
    UNKNOWN = "unknown"


CAUSES: Mapping[Cause, str] = {
    Cause.CUT: "right if no description is cut: the listing is too long",
    Cause.COLLISION: "right if only this skill is listed: another skill competes for the prompt",
    Cause.WEAK: "wrong even if only this skill is listed: its description does not fit the prompt",
    Cause.BROAD: "called even if only this skill is listed: its description is too broad",
    Cause.UNKNOWN: "the cause is unknown",
}


def find_cause(prompt: Prompt, runs: Mapping[Arm, TriggerRun]) -> Cause:
    """Return the cause of a fault from one run in each other arm."""
    uncut, alone = (run if run and not run.why else None for run in map(runs.get, (Arm.UNCUT, Arm.ALONE)))
    if uncut and prompt.allows(uncut.called):
        return Cause.CUT
    if alone is None:
        return Cause.UNKNOWN
    if prompt.allows(alone.called):
        return Cause.COLLISION
    return Cause.BROAD if prompt.expected is None else Cause.WEAK
