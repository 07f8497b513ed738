"""Find which of many phrases occur in texts, in a single pass over the texts."""

from collections.abc import Collection, Iterable, Mapping

from actions.grouping import group_by_key
from actions.regex import regex

Phrase = tuple[str, ...]
"""The first words of a name, a command or a sentence."""

_WORD = regex(r"[\w@+~-]+")
_MAX_WORDS = 8
"""Maximum number of words of a phrase."""


def parse_phrase(text: str) -> Phrase:
    """Return the first words of a name or a command. Parts of paths and file extensions are separate words."""
    return tuple(_WORD.findall(text)[:_MAX_WORDS])


def find_phrases(phrases: Collection[Phrase], texts: Iterable[tuple[int, str]]) -> Mapping[Phrase, int]:
    """Map each phrase that occurs in the texts, given as (record, text), to the first record that contains it."""
    searched = {phrase for phrase in phrases if phrase}
    by_first_word = group_by_key((phrase[0], len(phrase)) for phrase in searched)
    lengths = {word: tuple(set(phrase_lengths)) for word, phrase_lengths in by_first_word.items()}
    found: dict[Phrase, int] = {}
    first_records: dict[str, int] = {}
    for record, text in texts if searched else ():
        if first_records.setdefault(text, record) < record or not any(map(text.__contains__, lengths)):
            continue
        words = _WORD.findall(text)
        for n in [n for n, word in enumerate(words) if word in lengths]:
            for length in lengths[words[n]]:
                phrase = tuple(words[n : n + length])
                if phrase in searched and record < found.get(phrase, record + 1):
                    found[phrase] = record
    return found
