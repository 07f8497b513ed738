"""Give sessions short, unique names."""

from collections.abc import Iterable, Mapping
from string import hexdigits

SHORTEST, WORDS = 8, 24
"""Minimum number of characters of a name if ids are random, as Claude Code's are, and if they are words."""


def name_sessions(ids: Iterable[str]) -> Mapping[str, str]:
    """Return a name for each session: the shortest prefix of its id that is unique."""
    all_ids = list(dict.fromkeys(ids))
    longest = max(map(len, all_ids), default=0)
    is_random = all(set(id[:SHORTEST]) <= set(hexdigits) for id in all_ids)
    lengths = (
        n for n in range(SHORTEST if is_random else WORDS, longest) if len({id[:n] for id in all_ids}) == len(all_ids)
    )
    length = next(lengths, longest)
    return {id: id[:length] for id in all_ids}
