"""Asks the judge and books what it cost. An answer counts only where it meets its schema, whoever checked it before."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import schemas
from actions.judging.judge import Answered, Judge, Question
from schemas.issues import Cost
from templates import render

if TYPE_CHECKING:
    from schemas.records import State

_ABOUT_SCHEMAS = ("$schema", "$id", "title", "description")
_NOTHING = Cost()
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Heard:
    """What came back: for each question the answer or None, what it cost, and why there is no answer."""

    answers: tuple[Mapping[str, Any] | None, ...] = ()
    cost: Cost = _NOTHING
    notes: tuple[str, ...] = ()


def shown(skill: str) -> str:
    """Return the words with which every question about a whole skill begins: what a judge is to know, and the skill."""
    return render("questions/skill", skill=skill)


def question(
    name: str,
    template: str,
    about: str = "",
    answer: str = "",
    *,
    ids: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    **values: object,
) -> Question:
    """Return the question that `questions/<template>` words; its answer meets the schema `answer_<answer or template>`.

    `about` are the words that it shares with other questions (see `shown`), and with which it begins.
    """
    schema = {
        key: part for key, part in schemas.load(f"answer_{answer or template}").items() if key not in _ABOUT_SCHEMAS
    }
    words = f"{about}{render(f'questions/{template}', **values)}"
    return Question(name, words, schema, len(about), ids, known, kinds)


def ask(judge: Judge, questions: Sequence[Question], template: str) -> Heard:
    """Ask questions of one kind together. What has no usable answer is told in a note, once for each reason.

    Reasons that differ only in their numbers (what is left of a budget) are one.
    """
    if not questions:
        return Heard()
    came = [_checked(one, template) for one in judge.ask(questions)]
    cost = _NOTHING
    silent: dict[str, tuple[str, list[str]]] = {}
    for one, answered in zip(questions, came, strict=True):
        cost = plus(cost, _cost_of(answered))
        if answered.value is None:
            why = answered.why or "no reason given"
            silent.setdefault(_NUMBER.sub("", why), (why, []))[1].append(one.name)
    notes = tuple(f"{judge.name} has not answered ({', '.join(names)}): {why}" for why, names in silent.values())
    return Heard(tuple(answered.value for answered in came), cost, notes)


def plus(one: Cost, other: Cost) -> Cost:
    """Add two costs."""
    return Cost(
        round(one.usd + other.usd, 6),
        one.tokens + other.tokens,
        one.queries + other.queries,
        one.prompt_tokens + other.prompt_tokens,
        one.cached_tokens + other.cached_tokens,
    )


def minus(one: Cost, other: Cost) -> Cost:
    """Return what of a cost is left without another, nothing below zero."""
    return Cost(
        max(0.0, one.usd - other.usd),
        max(0, one.tokens - other.tokens),
        max(0, one.queries - other.queries),
        max(0, one.prompt_tokens - other.prompt_tokens),
        max(0, one.cached_tokens - other.cached_tokens),
    )


def booked(state: "State", judge: Judge | None, cost: Cost, notes: Iterable[str]) -> dict[str, Any]:
    """Give the changes of the state that asking makes: who was asked, what it cost in all, what is to be told."""
    if judge is None:
        return {}
    told = tuple(dict.fromkeys((*state.notes, *notes)))
    return {"judge": judge.name, "cost": plus(state.cost, cost), "notes": told}


def _checked(answered: Answered, template: str) -> Answered:
    if answered.value is None:
        return answered
    try:
        schemas.check(f"answer_{template}", answered.value)
    except schemas.Invalid as error:
        return replace(answered, value=None, why=f"the answer breaks its schema: {error}")
    return answered


def _cost_of(answered: Answered) -> Cost:
    """Give the cost of one answer. What was answered before costs nothing; what failed may have cost tokens."""
    if answered.cached or not (answered.value is not None or answered.tokens or answered.usd):
        return _NOTHING
    return Cost(answered.usd, answered.tokens, 1, answered.prompt_tokens, answered.cached_tokens)
