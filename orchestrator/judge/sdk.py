"""SdkJudge: asks a model through the Claude Agent SDK, a few questions at a time, within a budget and a time."""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from actions.judge import Answered, Question
from actions.model.text import tokens_of
from orchestrator.errors import one_line
from orchestrator.judge.budget import Budget, guessed
from orchestrator.judge.choice import MODEL, Say, receiver
from orchestrator.judge.memory import Memory, unmet
from templates.filters import visible

if TYPE_CHECKING:
    from orchestrator.judge.client import Result

AT_ONCE = 2
"""Queries side by side: each is a process of 200 MB and, when it starts, of a core."""

MOST_TOKENS = 150_000
"""Estimated tokens of the longest question: the smallest window of a model in use holds 200,000."""

IN_A_ROW = 2
"""Failures of the way to the model, without an answer between them, after which it is not tried again."""


@dataclass(frozen=True)
class Limits:
    """Seconds for one question, and for all that are asked together."""

    query: float
    in_all: float


OF_SKILLS, OF_SESSIONS = Limits(120, 300), Limits(25, 60)
"""A run takes minutes anyway; at the end of a session the user waits for nothing else."""


class SdkJudge:
    """A judge by the SDK. `away` says why it is asked no more; every further question is answered so at once."""

    def __init__(
        self,
        budget: Budget | None = None,
        memory: Memory | None = None,
        limits: Limits = OF_SKILLS,
        say: Say = lambda sentence: None,
    ) -> None:
        self.budget = budget or Budget()
        self.limits = limits
        self.away = ""
        self.unpaid = 0
        self._memory = memory or Memory()
        self._say = say
        self._model = os.environ.get(MODEL, "")
        self._answered_by = ""
        self._in_a_row = 0
        self._running = 0

    @property
    def name(self) -> str:
        """What the report calls it: the SDK, and the model as soon as one answered."""
        model = self._answered_by or self._model
        return f"Claude Agent SDK ({model})" if model else "Claude Agent SDK"

    @property
    def notes(self) -> tuple[str, ...]:
        """What kept it from answering all."""
        away = f"the judge was not asked to the end: {self.away}; the heuristics served from then on"
        unpaid = (f"{self.unpaid} question{'s' * (self.unpaid != 1)} did not fit into the ceiling of "
                  f"{self.budget.ceiling:.2f} USD; --max-cost-usd raises it")  # fmt: skip
        return (*([away] if self.away else []), *([unpaid] if self.unpaid else []))

    @contextmanager
    def sharing(self, share: float) -> "Iterator[SdkJudge]":
        """Be a judge of sessions for a while: with their limits of time, and a share of the ceiling."""
        whole, limits = self.budget, self.limits
        self.budget, self.limits = whole.part(share), OF_SESSIONS
        try:
            yield self
        finally:
            whole.spent += self.budget.spent
            self.budget, self.limits = whole, limits

    def ask(self, questions: Sequence[Question]) -> Sequence[Answered]:
        """Answer questions, in their order. Whatever stops it, no process is left and what was answered is kept."""
        answers: dict[int, Answered] = {}
        for number, question in enumerate(questions):
            if known := self._memory.get(question, self._model):
                answers[number] = known
        new = {number: question for number, question in enumerate(questions) if number not in answers}
        if new and not self.away:
            self._tell()
            answers |= asyncio.run(self._all(new))
        return [answers.get(number) or Answered(None, self.away) for number in range(len(questions))]

    def _tell(self) -> None:
        """Say once, before anything is sent, what is sent to whom and what it may cost."""
        self._say(
            f"texts of the skill and its sessions are sent to {receiver(os.environ)} through Claude Code, "
            f"for at most {self.budget.ceiling:.2f} USD; --judge none sends nothing, --max-cost-usd sets the ceiling"
        )
        self._say = lambda sentence: None

    async def _all(self, questions: Mapping[int, Question]) -> dict[int, Answered]:
        slots = asyncio.Semaphore(AT_ONCE)
        tasks = {asyncio.create_task(self._one(q, slots, len(questions))): n for n, q in questions.items()}
        try:
            done, _ = await asyncio.wait(tasks, timeout=self.limits.in_all)
            late = Answered(None, f"not answered within {self.limits.in_all:g} s, the time for all questions")
            return {number: task.result() if task in done else late for task, number in tasks.items()}
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, question: Question, slots: asyncio.Semaphore, asked: int) -> Answered:
        async with slots:
            prompt = visible(question.prompt)
            tokens = tokens_of(len(prompt.encode()))
            if tokens > MOST_TOKENS:
                return Answered(None, f"the question is too long: about {tokens:,} tokens, at most {MOST_TOKENS:,}")
            grant = self.budget.grant(guessed(tokens), max(1, min(AT_ONCE, asked) - self._running))
            if self.away or grant is None:
                self.unpaid += grant is None and not self.away
                return Answered(None, self.away or self._too_dear(guessed(tokens)))
            usd = guessed(tokens)  # what is counted when the query is cut off: its prompt was sent
            self._running += 1
            try:
                result = await self._query(prompt, question, grant)
                usd = usd if result.usd is None else result.usd
            finally:
                self._running -= 1
                self.budget.settle(grant, usd)
            return self._checked(question, result, usd)

    async def _query(self, prompt: str, question: Question, grant: float) -> "Result":
        from orchestrator.judge.client import Asking, query

        return await query(Asking(prompt, question.schema, self._model, grant, self.limits.query))

    def _checked(self, question: Question, result: "Result", usd: float) -> Answered:
        """Give the answer if it meets the schema; learn what a failure means for the questions that follow."""
        if result.value is None:
            self._failed(result)
            return Answered(None, result.why, usd, result.tokens)
        self._in_a_row, self._answered_by = 0, result.model
        problem = unmet(question.schema, result.value)
        if problem:
            return Answered(None, f"the answer does not meet its schema: {one_line(problem)[:200]}", usd, result.tokens)
        answer = Answered(result.value, "", usd, result.tokens)
        self._memory.keep(question, self._model, answer)
        return answer

    def _failed(self, result: "Result") -> None:
        from orchestrator.judge.client import Fault

        self._in_a_row = self._in_a_row + 1 if result.fault is Fault.WAY else 0
        if result.fault is Fault.ACCESS or self._in_a_row >= IN_A_ROW:
            self.away = self.away or result.why

    def _too_dear(self, usd: float) -> str:
        left = self.budget.left
        return f"it would cost about {usd:.2f} USD, and {left:.2f} of {self.budget.ceiling:.2f} USD are left"
