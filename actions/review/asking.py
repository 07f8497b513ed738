"""Asks the judge and books what it cost. An answer counts only where it can be used, whoever checked it before."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import schemas
from actions.patterns.page import CUSTOM, PROVEN, find_page, list_clauses
from actions.review.checking import explain_unusable, list_unchecked
from actions.review.judge import Judge, Question, Reply
from actions.review.quotes import flatten
from schemas.issues import Cost, Issue
from templates import render

if TYPE_CHECKING:
    from schemas.records import State

Answer = Mapping[str, Any] | None
_NUMBER = re.compile(r"\d+")


class Asking:
    """A judge as one step of a run asks it: what that cost, and what is to be told of it, adds up here."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.cost = Cost()
        self.notes: list[str] = []

    @property
    def name(self) -> str:
        """What the report calls the judge."""
        return self.judge.name

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Ask questions together. Where there is no usable answer (None) a note says why, each reason once.

        Reasons that differ only in their numbers (what is left of a budget) are one. What an answer looked for in part
        counts, and a note says what it left out.
        """
        answers: list[Answer] = []
        silent: dict[str, tuple[str, list[str]]] = {}
        for one, answered in zip(questions, self.judge.ask(questions) if questions else (), strict=True):
            self.cost += _cost_of(answered)
            why = answered.why or "no reason given" if answered.value is None else explain_unusable(one, answered.value)
            answers.append(None if why else answered.value)
            if why:
                silent.setdefault(_NUMBER.sub("", why), (why, []))[1].append(one.name)
            elif left := list_unchecked(one, answered.value or {}):
                self.notes.append(f"{self.name} on {one.name} does not say that it looked for {', '.join(left)}")
        self.notes += (f"{self.name} has not answered ({', '.join(names)}): {why}" for why, names in silent.values())
        return answers

    def booked(self, state: "State") -> dict[str, Any]:
        """Return the changes of the state: who was asked, what it cost in all, what is to be told."""
        notes = tuple(dict.fromkeys((*state.notes, *self.notes)))
        return {"judge": self.name, "cost": state.cost + self.cost, "notes": notes}


def _cost_of(answered: Reply) -> Cost:
    """Return the cost of one answer. What was answered before costs nothing; what failed may have cost tokens."""
    if answered.cached or not (answered.value is not None or answered.tokens or answered.usd):
        return Cost()
    return Cost(answered.usd, answered.tokens, 1, answered.prompt_tokens, answered.cached_tokens)


def render_skill(skill: str) -> str:
    """Return the words with which every question about a whole skill begins: what a judge is to know, and the skill."""
    return render("questions/skill", skill=skill)


def build_question(
    name: str,
    template: str,
    about: str = "",
    answer: str = "",
    *,
    ids: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    looks: tuple[str, ...] = (),
    **values: object,
) -> Question:
    """Return the question that `questions/<template>` words; its answer meets the schema `answer_<answer or template>`.

    `about` are the words that it shares with other questions (see `shown`), and with which it begins.
    """
    words = f"{about}{render(f'questions/{template}', **values)}"
    return Question(name, words, schemas.load_answer(answer or template), len(about), ids, known, kinds, looks)


def describe_pattern(id: str) -> dict[str, Any]:
    """Return the page of a pattern as `questions/patterns` shows it."""
    page = find_page(id)
    parts = [(label, [one.removesuffix(PROVEN) for one in clauses]) for label, clauses in list_clauses(page)]
    return {"id": id, "title": page["title"], "parts": parts}


def describe_patterns(ids: Iterable[str]) -> list[dict[str, Any]]:
    """Return the pages of patterns, each once; `custom` has none."""
    return [describe_pattern(id) for id in dict.fromkeys(ids) if id != CUSTOM]


def format_issue_line(issue: Issue, word: str) -> str:
    """Return a finding as a line for a judge; `word` is what it is to know of it."""
    at = issue.location
    return flatten(f"{issue.id} {issue.pattern} {word} {at.file}:{at.line_start or 1} {issue.description}")
