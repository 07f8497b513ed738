"""What a file says more than once, measured on its statements."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from actions.model import regex as re
from actions.model.skill import SkillFile
from actions.model.text import CJK, plain, sentences, strip_list_mark, tokens_of, words

_FILLER = frozenset(
    "the a an of to in and or is are be it this that for on with as at by from do not you your if when then each all"
    " any its".split()
)
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
_BOX = re.compile(r"^(?:[-*+•]|\d+[.)、])\s+\[[ xX]\]\s")
_POINTS = re.compile(r"[(（]\s*(?:see|per|as in|见|详见|参见)\s?[^()（）]{2,80}[)）]", re.IGNORECASE)
LONG = 900
"""Letters above which a paragraph is too long to find a rule in: some 150 words of English."""


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

    Groups that cost no more than a pointer in their place are left out.
    """
    groups: list[Repetition] = []
    for found in repeated(file):
        line, first, tokens = found.line, found.twin, tokens_of(weight(found.text))
        last = groups[-1] if groups else None
        if last and line - last.end <= _NEAR and abs((line - last.start) - (first - last.first)) <= 2 * _NEAR:
            groups[-1] = Repetition(last.start, line, last.first, last.tokens + tokens, last.count + 1)
        else:
            groups.append(Repetition(line, line, first, tokens, 1))
    return [group for group in groups if group.tokens >= _POINTER_COST]


def weight(text: str) -> int:
    """Give the length of a text in letters of English: a Han character says as much as three."""
    return len(text) if text.isascii() else len(text) + 2 * len(CJK.findall(text))


def repeated(file: SkillFile) -> Iterator[Repeated]:
    """Give each statement that stands already further above.

    Statements that are like one just above them, or that differ in nothing but a name or number, are parallel lines,
    not repeats; the words of a path do not count, for a pointer may stand wherever it is needed; a check list says what
    was said on purpose. Words of a dozen statements find no twins: three rarer ones must.
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
        alike = (place for place, other, told in found if _alike(sense, other) and not _names_differ(text, told))
        twin = next(alike, None)
        near = (other for place, other, _ in known[-_PARALLEL:] if line - place <= _APART)
        if twin is not None and not any(_alike(sense, other) for other in near):
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
