"""Define the text of a task, and find text of the exam in places where it may not be."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

_WORD = re.compile(r"\w+")
RUN = 8
"""The number of words in a row by which the text of a task is recognized; a shorter text is compared as a whole."""
_LEAST = 4
"""A text with fewer words is too common to be recognized."""

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class TaskText:
    """The text of a task: its name, its prompt, its checks and its files (name, text)."""

    name: str
    prompt: str
    checks: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()

    @cached_property
    def digest(self) -> str:
        """The digest of prompt and files; it stays the same if the task is renamed or its checks change."""
        return sha256(json.dumps([self.prompt, self.files]).encode()).hexdigest()

    @cached_property
    def phrases(self) -> frozenset[Phrase]:
        """The sequences of words by which the task is recognized: of its prompt, its checks and its files."""
        texts = (self.prompt, *self.checks, *(text for _, text in self.files))
        return frozenset(phrase for text in texts for phrase in list_phrases(text))


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.casefold())


def list_phrases(text: str) -> set[Phrase]:
    """Return all sequences of eight words; the whole text if it has four to seven words; nothing if it has fewer."""
    words = split_words(text)
    if len(words) < RUN:
        return {tuple(words)} if len(words) >= _LEAST else set()
    return {tuple(words[n : n + RUN]) for n in range(len(words) - RUN + 1)}


@dataclass(frozen=True)
class Seal:
    """The phrases that only the exam has; none may reach a model that sorts or drafts."""

    phrases: frozenset[Phrase]

    @classmethod
    def build(cls, exam: Iterable[TaskText], practice: Iterable[TaskText]) -> "Seal":
        """Return the seal of the exam's phrases, except those that practice tasks have too."""
        known = {phrase for task in practice for phrase in task.phrases}
        return cls(frozenset(phrase for task in exam for phrase in task.phrases) - known)

    def find(self, text: str) -> str:
        """Return words of the exam that are in a text, or "" if there are none."""
        words = split_words(text)
        for size in {len(phrase) for phrase in self.phrases}:
            for n in range(len(words) - size + 1):
                if tuple(words[n : n + size]) in self.phrases:
                    return " ".join(words[n : n + size])
        return ""


def find_leaked(tasks: Sequence[TaskText], texts: Sequence[str]) -> set[str]:
    """Return the names of the tasks whose prompt is in one of the texts of the skill."""
    known = {phrase for text in texts for phrase in _list_all(text)}
    return {task.name for task in tasks if list_phrases(task.prompt) & known}


def _list_all(text: str) -> set[Phrase]:
    words = split_words(text)
    return {tuple(words[n : n + size]) for size in range(_LEAST, RUN + 1) for n in range(len(words) - size + 1)}
