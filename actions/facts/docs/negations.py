"""Pairs of rules that say the opposite: the same act, once demanded and once forbidden, both without a condition."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.rules import Force, force_of
from actions.skill.skill import Skill
from actions.skill.stems import Stems
from actions.skill.text import plain, sentences, strip_list_mark, words

_SIGNS = Stems(
    *"never not don mustn forbidden prohibited must always mandatory".split(),
    *"禁止 不得 不要 不能 不可 严禁 切勿 请勿 必须 务必 一定要 始终".split(),
)
_MARKS = re.compile(
    r"\b(?:must|shall|always|never|not|do|does|don['’]?t|mustn['’]?t|is|are|be|it|you|we|please|mandatory|required|forbidden|prohibited"
    r"|critical|important|rule|to)\b|必须|务必|一定要|始终|应当|禁止|不得|不要|不能|不可|严禁|切勿|绝不|请勿|请|你",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|when|unless|until|except|while|where|only|instead|but|in case|mode"
    r"|other than|for|here|this|either|alone)\b"
    r"|如果|当|时|除非|除了|只有|仅|情况|模式|直接|单独|[,，;；:：(（]",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"\b(?:if|when|unless|except|whether|only|instead|rather|may|can|would|could)\b|如果|当|除非|仅|可以", re.IGNORECASE
)
_CLAUSE = re.compile(r"[,;，；、]|\b(?:and|then)\b|然后", re.IGNORECASE)
_REASON = re.compile(r"[;；]|\s[—–]\s")
_LEAST_WORDS = 3
_LONG, _LONG_HAN = 5, 8
_GOES_ON = frozenset({"before", "after", "so", "first", "again", "now"})

Act = tuple[str, ...]
"""What a rule is about: its words without those that bind."""


@dataclass(frozen=True)
class Opposites:
    """`file:line` forbids what `other:at` demands."""

    file: str
    line: int
    text: str
    other: str
    at: int
    demand: str


def opposites(skill: Skill) -> Iterator[Opposites]:
    """Give each pair of unconditional rules about one act that bind in opposite ways.

    A long act that is forbidden, and ordered in the same words by a plain imperative elsewhere, is such a pair too.
    """
    demanded: dict[Act, tuple[str, int, str]] = {}
    forbidden: list[tuple[Act, str, int, str]] = []
    for path, number, sentence, force in _rules(skill):
        act = _act_of(sentence)
        if len(act) < _LEAST_WORDS + (not sentence.isascii()):
            continue
        if force is Force.NEVER:
            forbidden.append((act, path, number, sentence))
        elif force is Force.MUST:
            demanded.setdefault(act, (path, number, sentence))
    shortest = {act: _LONG if act[0].isascii() else _LONG_HAN for act, *_ in forbidden if act not in demanded}
    demanded |= _ordered(skill, [act for act, least in shortest.items() if len(act) >= least])
    for act, path, number, sentence in forbidden:
        if act in demanded:
            yield Opposites(path, number, sentence, *demanded[act])


def _act_of(sentence: str) -> Act:
    return tuple(words(_MARKS.sub(" ", plain(sentence))))


def _ordered(skill: Skill, acts: list[Act]) -> dict[Act, tuple[str, int, str]]:
    """Give the places where a plain imperative orders one of the acts, in a clause of its own and whatever the case."""
    found: dict[Act, tuple[str, int, str]] = {}
    for file in skill.instructions if acts else ():
        near = [act for act in acts if act[0] in file.lower and act[-1] in file.lower]
        for number, line in file.doc.prose if near else ():
            low = line.lower()
            if len(line) > 1000 or low.startswith("#") or not any(a[0] in low and a[-1] in low for a in near):
                continue
            for sentence in sentences(strip_list_mark(line)):
                if force_of(sentence) or _CASE.search(sentence) or file.doc.is_counterexample(number):
                    continue
                said = [_act_of(clause) for clause in _CLAUSE.split(sentence)]
                found |= {act: (file.path, number, sentence) for act in acts if any(_orders(s, act) for s in said)}
    return found


def _orders(said: Act, act: Act) -> bool:
    """Tell whether a clause is an act and no more, or the act with its place in the order of work."""
    return said[: len(act)] == act and (len(said) == len(act) or said[len(act)] in _GOES_ON)


def _rules(skill: Skill) -> Iterator[tuple[str, int, str, Force]]:
    for file in skill.instructions:
        for number, line in _SIGNS.prose(file):
            for sentence in filter(force_of, sentences(strip_list_mark(line)) if len(line) <= 1000 else ()):
                rule, *why = _REASON.split(sentence, maxsplit=1)
                force = force_of(rule) if len(sentence) < 200 else None
                bound = any(map(_CONDITION.search, (rule, *why))) if force else True
                if force and not bound and not file.doc.is_counterexample(number):
                    yield file.path, number, rule, force
