"""Define the text of a task, and find text of the exam in other texts, where it must not occur."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import accumulate

import msgspec

from actions.regex import regex

_CHINESE_AND_JAPANESE = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
"""Chinese and Japanese characters, each of which counts as a word, because there are no spaces between words."""
_THAI_AND_SIMILAR = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer characters, each of which also counts as a word."""
_WORD = regex(rf"([{_CHINESE_AND_JAPANESE}])|([{_THAI_AND_SIMILAR}])|[^\W{_CHINESE_AND_JAPANESE}{_THAI_AND_SIMILAR}]+")
_WEIGHTS = {1: 2, 2: 1, None: 3}
"""The weight of a word, by its group in `_WORD`: 8 words weigh as much as 12 Chinese or 24 Thai characters."""
PHRASE_WEIGHT, _MIN_WEIGHT = 24, 12
"""The weight of a sequence of words that identifies a text, and the minimum weight of a text.

A text that weighs less than PHRASE_WEIGHT is compared as a whole. A prompt below the minimum is recognized only as a
separate line or sentence.
"""
_SEGMENT_END = regex(r"[\n\r\"`“”«»「」:：.!?。！？]")
_SEGMENT_LIMIT = 200
"""Minimum length of lines and sentences that are not compared as a whole."""

Phrase = tuple[str, ...]


class TaskText(msgspec.Struct, frozen=True, dict=True):
    """The text of a task. `files` are (name, text) pairs, and `user` is the script of a simulated user."""

    name: str
    prompt: str
    checks: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    user: str = ""

    @cached_property
    def digest(self) -> str:
        """The digest of prompt and files, which does not depend on the name or the checks."""
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
        """The sequences of words that identify the task, from its prompt, checks, files and user."""
        texts = (*self.checks, *(text for _, text in self.files), self.user)
        return self.prompt_phrases.union(*map(list_phrases, texts))

    @cached_property
    def prompt_phrases(self) -> frozenset[Phrase]:
        """The sequences of words that identify the prompt."""
        return frozenset(list_phrases(self.prompt) or {_mark_whole(self.words)} - {_mark_whole(())})


def split_words(text: str) -> list[str]:
    """Return the lowercase words of a text. In a script without spaces between words, each character is a word."""
    return [match[0] for match in _WORD.finditer(text.casefold())]


def list_phrases(text: str) -> set[Phrase]:
    """Return all sequences of words in a text with the weight PHRASE_WEIGHT.

    A lighter text is returned as a whole if its weight is at least _MIN_WEIGHT.
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
    match = _WORD.match(word)
    return _WEIGHTS[match.lastindex if match else None]


def _mark_whole(words: Sequence[str]) -> Phrase:
    """Return the phrase for a line or sentence that consists of these words. "" marks its beginning and its end."""
    return ("", *words, "")


def _list_candidates(text: str, sizes: Iterable[int]) -> Iterator[Phrase]:
    """Yield the sequences of words in a text with one of the sizes, and its short lines and sentences."""
    words = split_words(text)
    for size in sizes:
        yield from (tuple(words[n : n + size]) for n in range(len(words) - size + 1))
    yield from (_mark_whole(split_words(part)) for part in _SEGMENT_END.split(text) if len(part) < _SEGMENT_LIMIT)


class ExamPhrases(msgspec.Struct, frozen=True):
    """The phrases that only exam tasks contain. A model that sorts failures or drafts edits must not see them."""

    phrases: frozenset[Phrase]

    @classmethod
    def build(cls, exam: Iterable[TaskText], practice: Iterable[TaskText]) -> "ExamPhrases":
        """Collect the phrases of the exam tasks that no practice task contains."""
        known = {phrase for task in practice for phrase in task.phrases}
        return cls(frozenset(phrase for task in exam for phrase in task.phrases) - known)

    def find(self, text: str) -> str:
        """Return the first of the phrases that occurs in a text, or "" if none does."""
        found = (phrase for phrase in _list_candidates(text, set(map(len, self.phrases))) if phrase in self.phrases)
        return " ".join(next(found, ())).strip()


def find_leaked_tasks(tasks: Sequence[TaskText], texts: Sequence[str]) -> set[str]:
    """Return the names of the tasks whose prompts occur in one of the skill's texts."""
    sizes = {len(phrase) for task in tasks for phrase in task.prompt_phrases}
    known = {phrase for text in texts for phrase in _list_candidates(text, sizes)}
    return {task.name for task in tasks if task.prompt_phrases & known}
