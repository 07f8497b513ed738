"""Find the observations that a model made in the uses of a text, and the ones that it made repeatedly."""

from collections.abc import Iterator

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.line_map import map_lines
from actions.history.uses import Use, find_uses, order_by_time
from actions.session.observation import Observation, ObservedKind
from schemas.vocabulary import Severity


def list_observations(use: Use, case: Case) -> Iterator[tuple[int | None, Observation]]:
    """Yield the observations of a use, each with its line in the current text, or None if the line is gone."""
    for one in case.observations:
        if (one.session, one.load, one.agent) == (use.session, use.load.record, use.load.agent):
            yield map_lines(use.load.text, case.skill.main.text).get(one.line), one


def find_repeated(case: Case) -> Iterator[tuple[int, list[Observation]]]:
    """Yield the lines of the text, each with its observations of one sort that count: the worst first, then the newest.

    Observations count if two sessions have them, or if something failed and the severity is above low. A single odd
    run, something that only this user's machine lacks, or a difference that may be none is no fault of the text.
    """
    uses = reversed(order_by_time(find_uses(case)))
    found = (pair for use in uses for pair in list_observations(use, case))
    groups = group_by_key(((line, one.kind.sort), one) for line, one in found if line and one.is_fault)
    for (line, _), same in sorted(groups.items()):
        is_broken = any(one.kind is ObservedKind.FAILED and one.severity is not Severity.LOW for one in same)
        if is_broken or len({one.session for one in same}) > 1:
            yield line, sorted(same, key=lambda one: one.severity.rank)
