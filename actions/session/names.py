"""Name sessions so that their names differ."""

from collections.abc import Iterable, Mapping
from string import hexdigits

SHORTEST, WORDS = 8, 24
"""Characters of a name where ids are random, as Claude Code's are; and where they are words."""


def name_sessions(ids: Iterable[str]) -> Mapping[str, str]:
    """Return a name for each session: as few characters of its id, from the first, as tell all of them apart."""
    all_ids = list(dict.fromkeys(ids))
    longest = max(map(len, all_ids), default=0)
    is_random = all(set(id[:SHORTEST]) <= set(hexdigits) for id in all_ids)
    lengths = (
        n for n in range(SHORTEST if is_random else WORDS, longest) if len({id[:n] for id in all_ids}) == len(all_ids)
    )
    length = next(lengths, longest)
    return {id: id[:length] for id in all_ids}
