"""What a file says more than once, measured on its statements."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from actions.skill.skill import SkillFile
from actions.skill.text import CJK, FILLER, plain, sentences, strip_list_mark, tokens_of, words

_FILLER = FILLER | frozenset("or do not you your if when then each all any".split())
_LEAST_WORDS = 6
_LEAST_SHARED = 5
"""Words without which two statements of six cannot be alike."""
_ALIKE = 0.7
_HELD = 0.85
_APART = 12
_NEAR = 4
_PARALLEL = 8
_VOTES = 3
_MOST_POSTINGS = 12
_PATH = re.compile(r"(?<![\w.*<>{}$-])[\w.*<>{}$-]*(?:/[\w.*<>{}$-]+)+\.\w{1,5}\b")
_NAMED = re.compile(r"`[^`\n]{1,120}`|\d+(?:[.-]\d+)*|[A-Za-z][\w.]{0,80}(?:[-:/][\w.]{1,80}){2,}")
_QUOTED = re.compile(_NAMED.pattern + r"|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|「[^」\n]{1,60}」")
_LONGEST = 4000
_SHORT = 120
"""Letters below which a statement is about the values in it: some 20 words of English."""
_POINTER_COST = 20
"""Tokens that a sentence with a link to the other place costs: below, nothing is won by saying it once."""
_ALONE = 30
"""Tokens below which a statement that is repeated by itself, far from any other, is not worth a change."""
_BOX = re.compile(r"^(?:[-*+•]|\d+[.)、])\s+\[[ xX]\]\s")
_POINTS = re.compile(r"[(（]\s*(?:see|per|as in|见|详见|参见)\s?[^()（）]{2,80}[)）]", re.IGNORECASE)
_REMINDS = re.compile(
    r"\bcheck-?point\b|\bre-?read\b[^.]{0,80}\b(?:now|again|before)\b|\bin (?:active|working) memory\b"
    r"|\bstill in context\b|\bcompact(?:ed|ion)\b|检查点|重新(?:阅读|读取)|压缩[后前]",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\W*(?:when|if|once|after|before|while|unless|until)\b[^.;]{4,200}?,\s|\W*(?:当|如果|若|一旦)[^。；]{2,60}?[，,]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Repetition:
    """The statements of lines `start` to `end` stand already from line `first` on; `tokens` is what they cost."""

    start: int
    end: int
    first: int
    tokens: int
    count: int


@dataclass(frozen=True)
class Repeated:
    """The statement `text` of a line stands, in nearly the same words, in line `twin`."""

    line: int
    text: str
    twin: int


def repetitions(file: SkillFile) -> list[Repetition]:
    """Give the groups of neighbouring statements that stand, in nearly the same words, more than 12 lines above.

    Groups that cost no more than a pointer in their place are left out, and a short statement that is repeated alone.
    """
    groups: list[Repetition] = []
    for found in repeated(file):
        line, first, tokens = found.line, found.twin, tokens_of(weight(found.text))
        last = groups[-1] if groups else None
        if last and line - last.end <= _NEAR and abs((line - last.start) - (first - last.first)) <= 2 * _NEAR:
            groups[-1] = Repetition(last.start, line, last.first, last.tokens + tokens, last.count + 1)
        else:
            groups.append(Repetition(line, line, first, tokens, 1))
    return [group for group in groups if group.tokens >= _POINTER_COST and _is_worth_it(group, groups)]


def _is_worth_it(group: Repetition, groups: list[Repetition]) -> bool:
    """Tell whether a group has several statements, a long one, or another group in the very next line."""
    if group.count > 1 or group.tokens >= _ALONE:
        return True
    return any(abs(group.start - other.end) == 1 or abs(other.start - group.end) == 1 for other in groups)


def weight(text: str) -> int:
    """Give the length of a text in letters of English: a Han character says as much as three."""
    return len(text) if text.isascii() else len(text) + 2 * len(CJK.findall(text))


def repeated(file: SkillFile) -> Iterator[Repeated]:
    """Give each statement that stands already further above.

    Statements that are like one just above them, or that differ in nothing but a name or number, are parallel lines,
    not repeats; the words of a path do not count, for a pointer may stand wherever it is needed; a check list and a
    checkpoint say what was said on purpose. Words of a dozen statements find no twins: three rarer ones must.
    """
    known: list[tuple[int, frozenset[str], str]] = []
    postings: dict[str, list[int]] = {}
    statements = [
        (n, text, frozenset(words(_PATH.sub(" ", text) if "/" in text else text)) - _FILLER)
        for n, text in _statements(file)
    ]
    statements = [statement for statement in statements if len(statement[2]) >= _LEAST_WORDS]
    counts = Counter(chain.from_iterable(sense for _, _, sense in statements))
    common = {word for word, count in counts.items() if count > 1}
    for line, text, sense in statements:
        shareable = sense & common
        likely = _likely(shareable, postings) if len(shareable) >= _LEAST_SHARED else []
        found = (known[i] for i in likely if line - known[i][0] > _APART)
        alike = (place for place, other, told in found if _alike(sense, other) and _says_the_same(text, told))
        twin = next(alike, None)
        near = (other for place, other, _ in known[-_PARALLEL:] if line - place <= _APART)
        if twin is not None and not any(_alike(sense, other) for other in near) and not _reminds(file, line, twin):
            yield Repeated(line, text, twin)
        for word in shareable:
            places = postings.setdefault(word, [])
            if len(places) < _MOST_POSTINGS:
                places.append(len(known))
        known.append((line, sense, text))


def _likely(sense: frozenset[str], postings: Mapping[str, list[int]]) -> list[int]:
    """Give the earlier statements that three words of a statement point to."""
    votes = Counter(chain.from_iterable([postings[word] for word in sense if word in postings]))
    return sorted([i for i, shared in votes.items() if shared >= _VOTES])


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Nearly the same words, or a statement of seven words and more that the other holds nearly whole."""
    shared, shorter = len(one & other), min(len(one), len(other))
    whole = shorter > _LEAST_WORDS and shared >= _HELD * shorter
    return whole or shared >= _ALIKE * (len(one) + len(other) - shared)


def _reminds(file: SkillFile, *lines: int) -> bool:
    """Tell whether each of the lines is a checkpoint, which must be repeated to work."""
    return all(_REMINDS.search(file.doc.line(number)[:_LONGEST]) for number in lines)


def _says_the_same(one: str, other: str) -> bool:
    """Tell whether two statements of much the same words differ in no name, and in more than their "When …," too."""
    if one.startswith("|") and other.startswith("|") and not _about(one) & _about(other):
        return False
    mine, theirs = _OPENING.match(one), _OPENING.match(other)
    if mine and theirs:
        rests = (frozenset(words(text[opening.end() :])) - _FILLER for text, opening in ((one, mine), (other, theirs)))
        if not _mostly_alike(*rests):
            return False
    return not _names_differ(one, other)


def _about(row: str) -> frozenset[str]:
    """Give the words of the first cell of a table's row, which say what the row is about."""
    return frozenset(words(row[1:].partition("|")[0])) - _FILLER


def _mostly_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return 2 * len(one & other) >= len(one | other)


def _names_differ(one: str, other: str) -> bool:
    """Tell whether two statements are the same but for names in code spans, compounds and numbers.

    Of two short ones it is enough that each has a name, a number or a quoted value that the other lacks.
    """
    (names, rest), (others, other_rest) = _parted(one), _parted(other)
    if rest == other_rest:
        return names != others
    mine, theirs = _values(one), _values(other)
    return bool(mine - theirs and theirs - mine)


@lru_cache(maxsize=8192)
def _values(text: str) -> frozenset[str]:
    """Give the names, numbers and quoted values of a short statement; nothing for a long one, which says more."""
    if weight(text) >= _SHORT:
        return frozenset()
    return frozenset(value.strip('`"“”「」') for value in _QUOTED.findall(text))


@lru_cache(maxsize=8192)
def _parted(text: str) -> tuple[list[str], str]:
    """Give the names in a statement, and what it says without them."""
    return _NAMED.findall(text), plain(_NAMED.sub("", text))


def _statements(file: SkillFile) -> Iterator[tuple[int, str]]:
    for number, line in file.doc.prose:
        text = line.lstrip()
        if text.startswith("#") or "](" in text or "references/" in text or len(text) > _LONGEST or _BOX.match(text):
            continue
        yield from ((number, part) for part in sentences(strip_list_mark(line)) if not _POINTS.search(part))
