"""Build questions, ask the judge, and collect the costs and notes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

import schemas
from actions.case import Case
from actions.patterns.page import CUSTOM, PROVEN, find_page, list_clauses
from actions.project.allowance import make_allowance
from actions.project.digest import build_digest
from actions.project.lookup_log import MAX_BYTES, MAX_FILES, NOTHING_SHOWN, LookupLog
from actions.regex import regex
from actions.review.checking import explain_violation, find_library
from actions.review.judge import Judge, Question, Reply
from actions.review.quotes import flatten
from schemas.issues import Cost, Issue
from schemas.records import State
from templates import render

_QUESTION_CHARS = 12_000
"""Approximate number of characters of a question and its schema, besides the unit and the digest."""
_NUMBER = regex(r"\d+")
_NOT_LISTED = "git could not list ignored files, so a model may not look up files of the project"


class Answer(msgspec.Struct, frozen=True):
    """The usable answer to a question, and the look-ups that the model made before it answered."""

    value: Mapping[str, Any]
    looked_up: LookupLog = NOTHING_SHOWN

    def __getitem__(self, key: str) -> Any:
        """Return a field of the value."""
        return self.value[key]


_LOOKED_UP = " looked up for the "


def is_about_lookups(note: str) -> bool:
    """Return whether a note only says which files a model looked up."""
    return _LOOKED_UP in note


class QuestionCounts(msgspec.Struct, frozen=True):
    """How many questions there were, how many got a usable answer, and how many of these were answered earlier."""

    asked: int = 0
    answered: int = 0
    kept: int = 0

    def add(self, *, is_answered: bool, is_kept: bool) -> "QuestionCounts":
        """Return the counts with another question."""
        return QuestionCounts(self.asked + 1, self.answered + is_answered, self.kept + (is_answered and is_kept))


class JudgeClient:
    """Asks a judge in a step of a run, and collects the cost and the notes of that step.

    `case` is the subject of the questions. The judge may look up other files of its project.
    """

    def __init__(self, judge: Judge, case: Case | None = None) -> None:
        self.judge, self.library = judge, find_library(case) if case else None
        self.cost = Cost()
        self.notes: list[str] = [_NOT_LISTED] if case and not case.project.is_listed else []
        self.counts = QuestionCounts()
        self.unread: Sequence[str] | None = None
        """The names of the readings of the unit that have no answer. None before the unit is read."""

    @property
    def has_answer(self) -> bool:
        """Whether any question had a usable answer."""
        return self.counts.answered > 0

    @property
    def name(self) -> str:
        """The judge's name in the report."""
        return self.judge.name

    def ask(self, questions: Sequence[Question]) -> list[Answer | None]:
        """Ask several questions at once and return their answers.

        The answer to a question is None if it is unusable. A note then says why. Reasons that differ only in numbers
        (such as the remaining budget) share one note. Look-ups are noted, too.
        """
        can_look = self.library is not None
        limited_questions = [replace(question, may_look=question.may_look and can_look) for question in questions]
        answers: list[Answer | None] = []
        failures: dict[str, tuple[str, list[str]]] = {}  # (reason, names of questions) by the reason without numbers
        replies = self.judge.ask(limited_questions, self.library) if limited_questions else ()
        for question, reply in zip(limited_questions, replies, strict=True):
            self.cost += _compute_cost(reply)
            why = reply.why or "no reason given" if reply.value is None else explain_violation(question, reply.value)
            answers.append(None if why or reply.value is None else Answer(reply.value, reply.looked_up))
            self.counts = self.counts.add(is_answered=not why, is_kept=reply.cached)
            if why:
                reason = f"{why}; {reply.remedy}" if reply.remedy else why
                failures.setdefault(_NUMBER.sub("", reason), (reason, []))[1].append(question.name)
            self.notes += self._describe_lookups(question, reply)
        self.notes += _describe_kept(zip(limited_questions, replies, strict=True))
        self.notes += (f"{self.name} did not answer ({', '.join(names)}): {why}" for why, names in failures.values())
        return answers

    def record_in(self, state: State) -> State:
        """Return the state with the judge's name, its cost and the notes about it."""
        notes = tuple(dict.fromkeys((*state.notes, *self.notes)))
        return replace(state, judge=self.name, cost=state.cost + self.cost, notes=notes)

    def _describe_lookups(self, question: Question, reply: Reply) -> list[str]:
        lookups = reply.looked_up.describe()
        return [f"{self.name}{_LOOKED_UP}{question.name}: {lookups}"] if lookups else []


def _describe_kept(pairs: Iterable[tuple[Question, Reply]]) -> Iterator[str]:
    """Yield a note for each model and time of which kept answers were used, with the names of the questions."""
    names: dict[tuple[str, str], list[str]] = {}
    for question, reply in pairs:
        if reply.kept_since:
            names.setdefault((reply.model, reply.kept_since), []).append(question.name)
    for (model, since), known in names.items():
        yield f"not asked again, because answers of {model or 'the model'} are kept since {since}: {', '.join(known)}"


def _compute_cost(reply: Reply) -> Cost:
    """Return the cost of a reply. A cached reply costs nothing; a failed reply may have cost tokens."""
    if reply.cached or not (reply.value is not None or reply.tokens or reply.usd):
        return Cost()
    return Cost(reply.usd, reply.tokens, 1, reply.prompt_tokens, reply.cached_tokens)


def render_skill(case: Case, skill: str) -> str:
    """Return the text that begins every question about a whole unit: the judge's instructions, the unit, the digest.

    `skill` is the text of the unit; see `skill_view`.
    """
    library = find_library(case)
    digest = build_digest(case.project, case.unit) if library else ""
    allowance = make_allowance(f"{skill}{digest}{' ' * _QUESTION_CHARS}", {}, library.size if library else 0)
    kilobytes = min(allowance.get_room([]), MAX_BYTES) // 5_000 * 5
    return render(
        "questions/skill", skill=skill, digest=digest, kind=case.skill.kind, files=MAX_FILES, kilobytes=kilobytes
    )


def build_question(
    name: str,
    template: str,
    shared: str = "",
    answer: str = "",
    *,
    ids: tuple[str, ...] = (),
    known: tuple[str, ...] = (),
    pattern_ids: tuple[str, ...] = (),
    drafts: tuple[tuple[str, ...], ...] = (),
    **values: object,
) -> Question:
    """Return the question that `questions/<template>` renders.

    The schema of the answer is `answer_<answer>`, or `answer_<template>` if `answer` is not given. `shared` is the text
    with which all questions about the same skill begin (see `render_skill`). It explains how to look up files, so only
    a question that contains it allows lookups. For the other arguments, see `Question`; `values` are the variables of
    the template.
    """
    prompt = f"{shared}{render(f'questions/{template}', **values)}"
    return Question(
        name,
        prompt,
        schemas.load_answer_schema(answer or template),
        len(shared),
        ids,
        known,
        pattern_ids,
        bool(shared),
        drafts,
    )


def describe_pattern(id: str) -> dict[str, Any]:
    """Return the page of a pattern as `questions/patterns` shows it."""
    page = find_page(id)
    parts = [(label, [clause.removesuffix(PROVEN) for clause in clauses]) for label, clauses in list_clauses(page)]
    return {"id": id, "title": page["title"], "parts": parts}


def describe_patterns(ids: Iterable[str]) -> list[dict[str, Any]]:
    """Return the pages of patterns, without duplicates. `custom` has no page."""
    return [describe_pattern(id) for id in dict.fromkeys(ids) if id != CUSTOM]


def format_issue_line(issue: Issue, known: str) -> str:
    """Return a finding as one line for a judge.

    `known` is the severity or, if both are shown, the grade and the severity.
    """
    place = f"{issue.location.file}:{issue.location.line_start or 1}"
    return flatten(f"{issue.id} {issue.pattern} {known} {place} {issue.description}")
