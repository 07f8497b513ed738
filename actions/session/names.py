"""Name sessions so that their names differ."""

from collections.abc import Iterable, Mapping

SHORTEST = 8
"""Characters of a name, enough for most."""


def name_sessions(ids: Iterable[str]) -> Mapping[str, str]:
    """Return a name for each session: as few characters of its id, from the first, as tell all of them apart."""
    all_ids = list(dict.fromkeys(ids))
    longest = max(map(len, all_ids), default=0)
    lengths = (n for n in range(SHORTEST, longest) if len({id[:n] for id in all_ids}) == len(all_ids))
    length = next(lengths, longest)
    return {id: id[:length] for id in all_ids}
