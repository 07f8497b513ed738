"""Build questions, ask the judge, and sum up the costs and notes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import schemas
from actions.patterns.page import CUSTOM, PROVEN, find_page, list_clauses
from actions.review.checking import explain_unusable, list_unchecked
from actions.review.judge import Judge, Question, Reply
from actions.review.quotes import flatten
from schemas.issues import Cost, Issue
from schemas.records import State
from templates import render

Answer = Mapping[str, Any] | None
_NUMBER = re.compile(r"\d+")


class Asking:
    """The judge of one step of a run, with the cost and the notes of that step."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.cost = Cost()
        self.notes: list[str] = []

    @property
    def name(self) -> str:
        """The judge's name in the report."""
        return self.judge.name

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Ask questions together. An answer is None where none is usable; a note says why.

        Reasons that differ only in numbers (such as the rest of a budget) give one note. An answer that leaves out a
        part of what it had to look for counts, and a note names that part.
        """
        answers: list[Answer] = []
        failures: dict[str, tuple[str, list[str]]] = {}
        for question, reply in zip(questions, self.judge.ask(questions) if questions else (), strict=True):
            self.cost += _cost_of(reply)
            why = reply.why or "no reason given" if reply.value is None else explain_unusable(question, reply.value)
            answers.append(None if why else reply.value)
            if why:
                failures.setdefault(_NUMBER.sub("", why), (why, []))[1].append(question.name)
            elif missing := list_unchecked(question, reply.value or {}):
                self.notes.append(f"{self.name} on {question.name}: `looked` leaves out {', '.join(missing)}")
        self.notes += (f"{self.name} has not answered ({', '.join(names)}): {why}" for why, names in failures.values())
        return answers

    def record_in(self, state: State) -> State:
        """Return the state with the judge's name, its cost and the notes about it."""
        notes = tuple(dict.fromkeys((*state.notes, *self.notes)))
        return replace(state, judge=self.name, cost=state.cost + self.cost, notes=notes)


def _cost_of(reply: Reply) -> Cost:
    """Return the cost of one reply. A cached one costs nothing; a failed one may have cost tokens."""
    if reply.cached or not (reply.value is not None or reply.tokens or reply.usd):
        return Cost()
    return Cost(reply.usd, reply.tokens, 1, reply.prompt_tokens, reply.cached_tokens)


def render_skill(skill: str) -> str:
    """Return the text that begins every question about a whole skill: the instructions for the judge, and the skill."""
    return render("questions/skill", skill=skill)


def build_question(
    name: str,
    template: str,
    shared: str = "",
    answer: str = "",
    *,
    ids: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    looks: tuple[str, ...] = (),
    **values: object,
) -> Question:
    """Return the question of template `questions/<template>`; its schema is `answer_<answer, or else template>`.

    `shared` is the text with which it begins, as do other questions about the same skill (see `render_skill`).
    """
    prompt = f"{shared}{render(f'questions/{template}', **values)}"
    return Question(name, prompt, schemas.load_answer(answer or template), len(shared), ids, known, kinds, looks)


def describe_pattern(id: str) -> dict[str, Any]:
    """Return the page of a pattern as `questions/patterns` shows it."""
    page = find_page(id)
    parts = [(label, [one.removesuffix(PROVEN) for one in clauses]) for label, clauses in list_clauses(page)]
    return {"id": id, "title": page["title"], "parts": parts}


def describe_patterns(ids: Iterable[str]) -> list[dict[str, Any]]:
    """Return the pages of patterns, each once; `custom` has none."""
    return [describe_pattern(id) for id in dict.fromkeys(ids) if id != CUSTOM]


def format_issue_line(issue: Issue, known: str) -> str:
    """Return a finding as one line for a judge; `known` is its severity, with the grade where it matters."""
    at = issue.location
    return flatten(f"{issue.id} {issue.pattern} {known} {at.file}:{at.line_start or 1} {issue.description}")
