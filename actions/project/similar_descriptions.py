"""Find pairs of skills whose descriptions share so many words that a model can hardly choose between them."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec

from actions.project.listing import ListedSkill
from actions.regex import regex

_WORD = regex(r"\w{3,}")
_MIN_WORDS = 8
"""Minimum number of different words in a description. Shorter descriptions may share most of their words by chance."""
_SHARE = 0.8
_MAX_SKILLS = 1_000
"""Maximum number of skills that are compared with each other."""


class SimilarDescriptions(msgspec.Struct, frozen=True):
    """Two skills with similar descriptions.

    `words` is the number of different words in the shorter description, and `shared` is the number of words in both.
    """

    first: str
    second: str
    words: int
    shared: int


def find_similar_descriptions(skills: Sequence[ListedSkill]) -> Iterator[SimilarDescriptions]:
    """Yield the pairs of listed skills whose descriptions are nearly equal."""
    listed = {skill.name: skill for skill in reversed(skills) if not skill.is_hidden}
    words = [(name, frozenset(_WORD.findall(skill.description.casefold()))) for name, skill in listed.items()]
    long_enough = [(name, unique) for name, unique in reversed(words) if len(unique) >= _MIN_WORDS][:_MAX_SKILLS]
    for (first, ours), (second, theirs) in combinations(long_enough, 2):
        fewer, shared = min(len(ours), len(theirs)), len(ours & theirs)
        if shared >= _SHARE * fewer and max(len(ours), len(theirs)) * _SHARE <= fewer:
            yield SimilarDescriptions(first, second, fewer, shared)
