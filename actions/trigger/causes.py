"""Find the cause of a fault from two runs of its prompt: one lists only the skill, one cuts no description."""

from collections.abc import Mapping
from enum import StrEnum

from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun


class Arm(StrEnum):
    """The listing in a run: only the skill, all skills as in a session, or all skills with uncut descriptions."""

    ALONE = "alone"
    AMONG = "among"
    UNCUT = "uncut"


class Cause(StrEnum):
    """The cause of a fault, inferred from runs in which the skills were listed in other ways."""

    CUT = "cut"
    COLLISION = "collision"
    WEAK = "weak"
    BROAD = "broad"
    UNKNOWN = "unknown"


CAUSES: Mapping[Cause, str] = {
    Cause.CUT: "the listing is too long; with full descriptions, the right skill was called",
    Cause.COLLISION: "another skill competes for the prompt; when this skill was listed alone, it was called",
    Cause.WEAK: "the description does not fit the prompt; even when the skill was listed alone, it was not called",
    Cause.BROAD: "the description is too broad; when the skill was listed alone, it was called, too",
    Cause.UNKNOWN: "the cause is unknown",
}


def find_cause(prompt: Prompt, runs: Mapping[Arm, TriggerRun]) -> Cause:
    """Infer the cause of a fault from one run with only the skill listed and one run with no description cut."""
    uncut, alone = (run if run and not run.why else None for run in map(runs.get, (Arm.UNCUT, Arm.ALONE)))
    if uncut and prompt.allows(uncut.called):
        return Cause.CUT
    if alone is None:
        return Cause.UNKNOWN
    if prompt.allows(alone.called):
        return Cause.COLLISION
    return Cause.BROAD if prompt.expected is None else Cause.WEAK
