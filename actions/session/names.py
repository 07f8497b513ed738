"""Give sessions short, unique names."""

from collections.abc import Iterable, Mapping
from string import hexdigits

MIN_LENGTH, MIN_WORDS_LENGTH = 8, 24
"""Minimum lengths of a name in characters: for random ids, such as those of Claude Code, and for ids made of words."""


def name_sessions(ids: Iterable[str]) -> Mapping[str, str]:
    """Map session ids to unique prefixes of the ids, as short as possible and of equal length."""
    all_ids = list(dict.fromkeys(ids))
    longest = max(map(len, all_ids), default=0)
    is_random = all(set(id[:MIN_LENGTH]) <= set(hexdigits) for id in all_ids)
    shortest = MIN_LENGTH if is_random else MIN_WORDS_LENGTH
    lengths = (n for n in range(shortest, longest) if len({id[:n] for id in all_ids}) == len(all_ids))
    length = next(lengths, longest)
    return {id: id[:length] for id in all_ids}
