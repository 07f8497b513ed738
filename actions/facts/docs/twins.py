"""Sentences that two files of a skill hold in nearly the same words: definitions, and long plain ones."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice

from actions.facts.docs.passages import are_cards, between_files, is_for_agents, within_files
from actions.facts.docs.senses import senses
from actions.skill.memo import once
from actions.skill.rules import force_of
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import Statement, statements
from actions.skill.text import CJK, is_item

_DEFINES = re.compile(
    r"^\W*[\w ’'-]{2,60}?\b(?:means|is|are|counts? as|refers? to)\b|^\W*\*\*[^*]{2,60}\*\*\s*[:：]"
    r"|^[^。]{0,20}(?:是指|指的是)",
)
_FEWEST, _LONG = 9, 13
_FEWEST_HAN, _LONG_HAN = 12, 22
_WORD = re.compile(r"[a-z]{5,}|[\u3400-\u9fff]{4,}")
_MARKS = 4
_SHORTEST, _SHORTEST_HAN = 80, 24
_ALIKE = 0.8
_RAREST, _CANDIDATES, _MOST = 4, 8, 4000


@dataclass(frozen=True)
class Twin:
    """The sentence at `file:line` stands at `other:at`, nearly so; `defines` tells that it says what a thing is."""

    file: str
    line: int
    text: str
    other: str
    at: int
    defines: bool


@dataclass(frozen=True)
class _Sentence:
    file: SkillFile
    line: int
    text: str
    sense: frozenset[str]
    defines: bool


@once
def twin_sentences(skill: Skill) -> tuple[Twin, ...]:
    """Give the sentences of a file that say again what another says, without those of whole passages."""
    told = list(islice(_shared(skill), _MOST))
    counts = Counter(word for sentence in told for word in sentence.sense)
    places: dict[str, list[_Sentence]] = defaultdict(list)
    covered = {
        (path, n)
        for p in (*between_files(skill), *within_files(skill))
        for path, first, last in ((p.file, p.start, p.end), (p.other, p.at, p.at_end))
        for n in range(first, last + 1)
    }
    found: list[Twin] = []
    for sentence in told:
        rarest = sorted(sentence.sense, key=lambda word: (counts[word], word))[:_RAREST]
        twin = next((other for word in rarest for other in places[word] if _is_twin(sentence, other)), None)
        if twin and (sentence.file.path, sentence.line) not in covered:
            found.append(_twin(sentence, twin))
        for word in rarest:
            if len(places[word]) < _CANDIDATES:
                places[word].append(sentence)
    return tuple(found)


def _shared(skill: Skill) -> Iterator[_Sentence]:
    """Give the long sentences and paragraphs of which another file has one with the same long words, and definitions of
    which another section has one; others have no twin.
    """
    told = [place for file in skill.instructions if not is_for_agents(file.path) for place in _long(file)]
    owners: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for file, said, defines in told:
        place = (file.path, file.doc.section_at(said.line).start if defines else 0)
        for mark in _marks(said.text):
            owners[mark].add(place)
    for file, said, defines in told:
        if any(len(owners[mark]) > 1 for mark in _marks(said.text)):
            sense = senses(said.text)
            if len(sense) >= (_FEWEST_HAN if CJK.search(said.text) else _FEWEST):
                yield _Sentence(file, said.line, said.text, sense, defines)


@lru_cache(maxsize=8192)
def _marks(text: str) -> tuple[str, ...]:
    """Give the longest words of a sentence; of Chinese, its longest clauses."""
    return tuple(sorted(set(_WORD.findall(text.lower())), key=lambda word: (-len(word), word))[:_MARKS])


def _long(file: SkillFile) -> Iterator[tuple[SkillFile, Statement, bool]]:
    """Give the long plain sentences, each with whether it defines something, and the plain paragraphs of several."""
    for _, group in groupby(statements(file), key=lambda said: said.unit):
        told = list(group)
        for said in filter(_is_plain, told):
            if not force_of(said.text):
                yield file, said, bool(_DEFINES.search(said.text))
        whole = Statement(told[0].line, " ".join(said.text for said in told), told[0].unit)
        if len(told) > 1 and _is_plain(whole) and not is_item(file.doc.line(whole.line)):
            yield file, whole, False


def _is_plain(said: Statement) -> bool:
    text = said.text
    if len(text) < _SHORTEST_HAN or (text.isascii() and len(text) < _SHORTEST):
        return False
    return not (text.startswith(("|", ">")) or "://" in text or "](" in text)


def _is_twin(one: _Sentence, other: _Sentence) -> bool:
    defined = one.defines and other.defines
    if one.file is other.file and not (defined and _is_apart(one, other)):
        return False
    alike = len(one.sense & other.sense) >= _ALIKE * len(one.sense | other.sense)
    if not alike or (one.file is not other.file and are_cards(one.file, other.file)):
        return False
    return defined or len(one.sense) >= (_LONG_HAN if CJK.search(one.text) else _LONG)


def _is_apart(one: _Sentence, other: _Sentence) -> bool:
    """Tell whether two sentences of a file stand in two sections, and are no bold entries of lists."""
    sections = {sentence.file.doc.section_at(sentence.line).start for sentence in (one, other)}
    return len(sections) > 1 and not one.text.startswith("**")


def _twin(one: _Sentence, other: _Sentence) -> Twin:
    defines = one.defines and other.defines
    return Twin(one.file.path, one.line, one.text, other.file.path, other.line, defines)
