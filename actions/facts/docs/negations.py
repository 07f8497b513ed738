"""Pairs of rules that say the opposite: the same act, once demanded and once forbidden, both without a condition."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.model.places import prose_naming
from actions.model.rules import Force, force_of
from actions.model.skill import Skill
from actions.model.text import plain, sentences, strip_list_mark, words

_NEVER = (
    "never",
    "not ",
    "n't",
    "n’t",
    "forbidden",
    "prohibited",
    "禁止",
    "不得",
    "不要",
    "不能",
    "不可",
    "严禁",
    "切勿",
    "请勿",
)
_MUST = ("must", "always", "mandatory", "必须", "务必", "一定要", "始终")
_SIGNS = (*_NEVER, *_MUST)
_MARKS = re.compile(
    r"\b(?:must|shall|always|never|not|do|does|don['’]?t|mustn['’]?t|is|are|be|it|you|we|please|mandatory|required|forbidden|prohibited"
    r"|critical|important|rule|to)\b|必须|务必|一定要|始终|应当|禁止|不得|不要|不能|不可|严禁|切勿|绝不|请勿|请|你",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|when|unless|until|except|while|where|only|before|after|during|without|instead|but|in case|mode"
    r"|other than|for|here|this|either|alone)\b"
    r"|如果|当|时|除非|除了|只有|仅|之前|之后|情况|模式|直接|单独|[,，;；:：(（]",
    re.IGNORECASE,
)
_LEAST_WORDS = 3


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
    """Give each pair of unconditional rules about one act that bind in opposite ways."""
    demanded: dict[tuple[str, ...], tuple[str, int, str]] = {}
    forbidden: list[tuple[tuple[str, ...], str, int, str]] = []
    for path, number, sentence, force in _rules(skill):
        act = tuple(words(_MARKS.sub(" ", plain(sentence))))
        if len(act) < _LEAST_WORDS + (not sentence.isascii()):
            continue
        if force is Force.NEVER:
            forbidden.append((act, path, number, sentence))
        elif force is Force.MUST:
            demanded.setdefault(act, (path, number, sentence))
    for act, path, number, sentence in forbidden:
        if act in demanded:
            yield Opposites(path, number, sentence, *demanded[act])


def _rules(skill: Skill) -> Iterator[tuple[str, int, str, Force]]:
    for file in skill.instructions:
        for number, line in prose_naming(file, _SIGNS):
            if len(line) > 1000:
                continue
            for sentence in sentences(strip_list_mark(line)):
                force = force_of(sentence) if len(sentence) < 200 and not _CONDITION.search(sentence) else None
                if force and not file.doc.is_counterexample(number):
                    yield file.path, number, sentence, force
