"""Find descriptions that share most of their words, so that a model can hardly choose between two skills."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from actions.project.listing import ListedSkill

_WORD = re.compile(r"\w{3,}")
_FEWEST = 8
"""Words of the shorter description: shorter ones share most of their words by chance."""
_SHARE = 0.8
_MOST = 1_000
"""Maximum number of skills that are compared with each other."""


@dataclass(frozen=True)
class SimilarDescriptions:
    """Two skills, the different words of the shorter description, and how many of them the other has too."""

    first: str
    second: str
    words: int
    shared: int


def find_similar_descriptions(skills: Sequence[ListedSkill]) -> Iterator[SimilarDescriptions]:
    """Yield the pairs of listed skills whose descriptions are nearly equal."""
    listed = {skill.name: skill for skill in reversed(skills) if not skill.is_hidden}
    words = [(name, frozenset(_WORD.findall(skill.description.casefold()))) for name, skill in listed.items()]
    long_enough = [(name, found) for name, found in reversed(words) if len(found) >= _FEWEST][:_MOST]
    for (first, ours), (second, theirs) in combinations(long_enough, 2):
        fewer, shared = min(len(ours), len(theirs)), len(ours & theirs)
        if shared >= _SHARE * fewer and max(len(ours), len(theirs)) * _SHARE <= fewer:
            yield SimilarDescriptions(first, second, fewer, shared)
