"""Define the text of a task, and find text of the exam where it must not occur."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import accumulate

import msgspec

from actions.regex import regex

_CHINESE_AND_JAPANESE = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
"""Chinese and Japanese characters. There are no spaces between words, so each character counts as a word."""
_THAI_AND_SIMILAR = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer characters, which have no spaces between words either."""
_WORD = regex(rf"([{_CHINESE_AND_JAPANESE}])|([{_THAI_AND_SIMILAR}])|[^\W{_CHINESE_AND_JAPANESE}{_THAI_AND_SIMILAR}]+")
_WEIGHTS = {1: 2, 2: 1, None: 3}
"""The weight of a word, by its group in `_WORD`: 8 words weigh as much as 12 Chinese or 24 Thai characters."""
PHRASE_WEIGHT, _MIN_WEIGHT = 24, 12
"""The weight of a sequence of words by which a text is recognized, and the minimum weight of a text.

A text that weighs less than PHRASE_WEIGHT is compared as a whole. A prompt below the minimum is recognized only as a
separate line or sentence.
"""
_SEGMENT_END = regex(r"[\n\r\"`“”«»「」:：.!?。！？]")
_SEGMENT_LIMIT = 200
"""Lines and sentences of this many characters or more are not compared as a whole."""

Phrase = tuple[str, ...]


class TaskText(msgspec.Struct, frozen=True, dict=True):
    """The text of a task: its name, its prompt, its checks, its files (name, text) and its scripted user."""

    name: str
    prompt: str
    checks: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    user: str = ""

    @cached_property
    def digest(self) -> str:
        """The digest of prompt and files. It stays the same if the task is renamed or its checks change."""
        return sha256(json.dumps([self.prompt, self.files]).encode()).hexdigest()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the prompt."""
        return tuple(split_words(self.prompt))

    @cached_property
    def counts(self) -> Counter[str]:
        """The number of times that each word occurs in the prompt."""
        return Counter(self.words)

    @cached_property
    def phrases(self) -> frozenset[Phrase]:
        """The sequences of words by which the task is recognized, from its prompt, checks, files and user."""
        texts = (*self.checks, *(text for _, text in self.files), self.user)
        return self.prompt_phrases.union(*map(list_phrases, texts))

    @cached_property
    def prompt_phrases(self) -> frozenset[Phrase]:
        """The sequences of words by which the prompt is recognized."""
        return frozenset(list_phrases(self.prompt) or {_mark_whole(self.words)} - {_mark_whole(())})


def split_words(text: str) -> list[str]:
    """Return the lower-case words of a text.

    In a script that puts no spaces between words, each character is a word.
    """
    return [found[0] for found in _WORD.finditer(text.casefold())]


def list_phrases(text: str) -> set[Phrase]:
    """Return all sequences of words in a text that have the weight PHRASE_WEIGHT.

    A text with less weight is returned as a whole if its weight is at least _MIN_WEIGHT.
    """
    words = split_words(text)
    ends = [0, *accumulate(map(_get_weight, words))]
    if ends[-1] < PHRASE_WEIGHT:
        return {tuple(words)} if ends[-1] >= _MIN_WEIGHT else set()
    phrases = set[Phrase]()
    last = 0
    for first, start_weight in enumerate(ends):
        while last < len(words) and ends[last] < start_weight + PHRASE_WEIGHT:
            last += 1
        if ends[last] < start_weight + PHRASE_WEIGHT:
            break
        phrases.add(tuple(words[first:last]))
    return phrases


def _get_weight(word: str) -> int:
    found = _WORD.match(word)
    return _WEIGHTS[found.lastindex if found else None]


def _mark_whole(words: Sequence[str]) -> Phrase:
    """Return the phrase of a line or sentence of only these words. "" means its beginning and its end."""
    return ("", *words, "")


def _list_candidates(text: str, sizes: Iterable[int]) -> Iterator[Phrase]:
    """Yield the sequences of words in a text that have one of the sizes, and its short lines and sentences."""
    words = split_words(text)
    for size in sizes:
        yield from (tuple(words[n : n + size]) for n in range(len(words) - size + 1))
    yield from (_mark_whole(split_words(part)) for part in _SEGMENT_END.split(text) if len(part) < _SEGMENT_LIMIT)


class Seal(msgspec.Struct, frozen=True):
    """The phrases that only the exam contains. None of them may reach a model that sorts or drafts."""

    phrases: frozenset[Phrase]

    @classmethod
    def build(cls, exam: Iterable[TaskText], practice: Iterable[TaskText]) -> "Seal":
        """Return the seal of the exam's phrases, except the phrases that practice tasks also contain."""
        known = {phrase for task in practice for phrase in task.phrases}
        return cls(frozenset(phrase for task in exam for phrase in task.phrases) - known)

    def find(self, text: str) -> str:
        """Return words of the exam that occur in a text, or "" if there are none."""
        found = (phrase for phrase in _list_candidates(text, set(map(len, self.phrases))) if phrase in self.phrases)
        return " ".join(next(found, ())).strip()


def find_leaked(tasks: Sequence[TaskText], texts: Sequence[str]) -> set[str]:
    """Return the names of the tasks whose prompts occur in one of the skill's texts."""
    sizes = {len(phrase) for task in tasks for phrase in task.prompt_phrases}
    known = {phrase for text in texts for phrase in _list_candidates(text, sizes)}
    return {task.name for task in tasks if task.prompt_phrases & known}
