"""Paragraphs that go round in circles: a few words of meaning, said again and again."""

import re
from collections import Counter
from collections.abc import Iterator

from actions.facts.docs.senses import senses, stem
from actions.skill.skill import SkillFile
from actions.skill.statements import paragraphs
from actions.skill.text import CJK, sentences, words

_SHORTEST, _SHORTEST_HAN = 240, 60
_NEW = 0.62
"""Of 100 words of plain English some 70 differ; of 100 Han characters some 65."""
_NEW_HAN = 0.55
_POOR = 0.7
"""Variety above which a look at the meaning is not worth while."""
_SENTENCES, _FIRST, _BARE = 4, 2, 2
_LITTLE = 0.6
"""In well-kept skills two of three words of a later sentence, and mostly four of five, are new to its paragraph."""
_OFTEN = 3
_SHARE, _SHARE_HAN = 0.5, 0.35
_FEWEST = 18
_FEWEST_OFTEN = 2
_NAMED = re.compile(r"\d+|`[^`]+`|\"[^\"]{1,60}\"|[甲乙丙丁]|第.")
_HAN = re.compile(r"[\u3400-\u9fff]+")


def circles(file: SkillFile) -> Iterator[tuple[int, int, str]]:
    """Give first line, last line and text of each paragraph of which half the words that carry meaning come three
    times and more, or whose sentences say little that those before did not.
    """
    for first, last, text in paragraphs(file):
        if text.startswith("|"):
            continue
        variety = _variety(text)
        if variety >= _POOR or len(set(_NAMED.findall(text))) >= _OFTEN:
            continue  # words enough, or sentences of one shape about several things
        if _adds_little(text) or (variety < (_NEW_HAN if CJK.search(text) else _NEW) and _goes_round(text)):
            yield first, last, text


def _variety(text: str) -> float:
    """Give the share of the words, or of the characters, that differ; 1 for a text that is too short to tell."""
    han = not text.isascii() and CJK.search(text)
    told = text if han else text.lower().split()
    return len(set(told)) / len(told) if len(text) >= (_SHORTEST_HAN if han else _SHORTEST) else 1.0


def _adds_little(text: str) -> bool:
    """Tell whether, from the third sentence on, most of what a sentence speaks of was spoken of before."""
    told = [sense for sense in map(senses, sentences(text)) if len(sense) > _BARE]
    if len(told) < _SENTENCES:
        return False
    known, new = set[str]().union(*told[:_FIRST]), 0.0
    for sense in told[_FIRST:]:
        new += len(sense - known) / len(sense)
        known |= sense
    return new < _LITTLE * (len(told) - _FIRST)


def _goes_round(text: str) -> bool:
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
