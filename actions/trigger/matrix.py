"""Count, for each expected skill, the called skills and the verdicts on its prompts."""

from collections.abc import Iterator, Sequence

import msgspec

from actions.grouping import group_by_key
from actions.trigger.bounds import compute_upper_bound
from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun, Verdict, find_valid_run, judge_prompt


class MeasuredPrompt(msgspec.Struct, frozen=True):
    """A prompt, its runs with all skills listed, in order, and the verdict on them."""

    prompt: Prompt
    runs: tuple[TriggerRun, ...]
    verdict: Verdict

    @classmethod
    def judge(cls, prompt: Prompt, runs: Sequence[TriggerRun], max_runs: int) -> "MeasuredPrompt":
        """Return a prompt with its runs and the verdict on them.

        It is a fault if at least `max_runs` runs are valid and all of these are wrong.
        """
        return cls(prompt, tuple(runs), judge_prompt(prompt, runs, max_runs))

    @property
    def called(self) -> str | None:
        """The skill that the first valid run called, or None."""
        first = find_valid_run(self.runs)
        return first.called if first else None


class Cell(msgspec.Struct, frozen=True):
    """A cell of the matrix: the prompts that expect `expected` and whose first valid run called `called`."""

    expected: str | None
    called: str | None
    prompts: tuple[str, ...]


class ClassCount(msgspec.Struct, frozen=True):
    """The numbers of prompts that expect the same skill, by verdict, and an upper bound on their fault rate.

    `at_most` is the one-sided 95 % Clopper-Pearson bound over the prompts with a known verdict, or 1 without any.
    """

    expected: str | None
    right: int
    unstable: int
    faults: int
    unknown: int
    at_most: float

    @property
    def known(self) -> int:
        """The number of prompts with a known verdict."""
        return self.right + self.unstable + self.faults


def build_matrix(measured: Sequence[MeasuredPrompt]) -> list[Cell]:
    """Return the cells with prompts, in the order of the prompts. Prompts without a valid run are left out."""
    pairs = (
        (prompt_result.prompt.expected, prompt_result.called, prompt_result)
        for prompt_result in measured
        if find_valid_run(prompt_result.runs)
    )
    groups = group_by_key(((expected, called), prompt_result.prompt.name) for expected, called, prompt_result in pairs)
    return [Cell(expected, called, tuple(names)) for (expected, called), names in groups.items()]


def count_classes(measured: Sequence[MeasuredPrompt]) -> Iterator[ClassCount]:
    """Yield the verdict counts for each expected skill, and last for the prompts that expect no skill."""
    groups = group_by_key((prompt_result.prompt.expected, prompt_result.verdict) for prompt_result in measured)
    for expected in sorted(groups, key=lambda name: (name is None, name or "")):
        verdicts = list(groups[expected])
        right, unstable, faults, unknown = (verdicts.count(verdict) for verdict in Verdict)
        known = len(verdicts) - unknown
        bound = compute_upper_bound(faults, known) if known else 1.0
        yield ClassCount(expected, right, unstable, faults, unknown, bound)
