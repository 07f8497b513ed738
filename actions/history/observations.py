"""Find the observations of a model in the uses of a text, and the lines that they show to be faulty."""

from collections.abc import Iterator

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.line_map import map_lines
from actions.history.uses import Use, find_uses, order_by_time
from actions.session.observation import Observation, ObservedKind
from schemas.vocabulary import Severity


def list_observations(use: Use, case: Case) -> Iterator[tuple[int | None, Observation]]:
    """Yield (line, observation) for each observation of a use. The line is None if the current text lacks it."""
    for observation in case.observations:
        if (observation.session, observation.load, observation.agent) == (use.session, use.load.record, use.load.agent):
            yield map_lines(use.load.text, case.skill.main.text).get(observation.line), observation


def find_repeated_observations(case: Case) -> Iterator[tuple[int, list[Observation]]]:
    """Yield each faulty line of the text with its observations of one group of kinds, worst and then newest first.

    A line is faulty if two sessions have the observation, or if something failed and the severity is above low. A
    single unusual run, or something that is missing only on this user's machine, does not show a fault of the text.
    """
    uses = reversed(order_by_time(find_uses(case)))
    pairs = (pair for use in uses for pair in list_observations(use, case))
    groups = group_by_key(((line, seen.kind.group), seen) for line, seen in pairs if line)
    for (line, _), observations in sorted(groups.items()):
        has_failed = any(o.kind is ObservedKind.FAILED and o.severity is not Severity.LOW for o in observations)
        if has_failed or len({observation.session for observation in observations}) > 1:
            yield line, sorted(observations, key=lambda observation: observation.severity.rank)
