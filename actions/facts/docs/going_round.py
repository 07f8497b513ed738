"""Paragraphs that go round in circles: a few words of meaning, said again and again."""

from collections import Counter
from collections.abc import Iterator

from actions.facts.docs.senses import senses, stem
from actions.model import regex as re
from actions.model.skill import SkillFile
from actions.model.statements import paragraphs
from actions.model.text import CJK, words

_SHORTEST, _SHORTEST_HAN = 240, 60
_NEW = 0.62
"""Of 100 words of plain English some 70 differ; of 100 Han characters some 65."""
_NEW_HAN = 0.55
_OFTEN = 3
_SHARE, _SHARE_HAN = 0.5, 0.35
_FEWEST = 18
_FEWEST_OFTEN = 2
_NAMED = re.compile(r"\d+|`[^`]+`|[甲乙丙丁]|第.")
_HAN = re.compile(r"[\u3400-\u9fff]+")


def circles(file: SkillFile) -> Iterator[tuple[int, int, str]]:
    """Give first line, last line and text of each paragraph of which half the words that carry meaning come three
    times and more.
    """
    for first, last, text in paragraphs(file):
        if not text.startswith("|") and _is_poor(text) and _goes_round(text):
            yield first, last, text


def _is_poor(text: str) -> bool:
    """Tell by a count of words, or of characters, whether a look at their meaning is worth while."""
    if text.isascii() or not CJK.search(text):
        if len(text) < _SHORTEST:
            return False
        told = text.lower().split()
        return len(set(told)) < _NEW * len(told)
    return len(text) >= _SHORTEST_HAN and len(set(text)) < _NEW_HAN * len(text)


def _goes_round(text: str) -> bool:
    if len(set(_NAMED.findall(text))) >= _OFTEN:
        return False  # sentences of one shape about several things
    share = _SHARE
    if CJK.search(text):
        share = _SHARE_HAN
        told = [run[i : i + 2] for run in _HAN.findall(text) for i in range(len(run) - 1)]
    else:
        meant = senses(text)
        told = [found for word in words(text) if (found := stem(word)) in meant]
    counts = Counter(told)
    often = [count for count in counts.values() if count >= _OFTEN]
    return len(told) >= _FEWEST and len(often) >= _FEWEST_OFTEN and sum(often) >= share * len(told)
