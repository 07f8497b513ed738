"""Ask a model through the Claude Agent SDK: a few questions at a time, within limits of cost and time."""

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec.structs import replace

from actions.project.lookup import Library
from actions.project.lookup_log import MAX_BYTES
from actions.review.checking import explain_violation
from actions.review.judge import Question, Reply
from actions.skill.text import estimate_tokens
from orchestrator.errors import Refused, TuneSkillError, WriteFailed, reason
from orchestrator.limits import CHECKER_TIMEOUT, PARALLEL_TIMEOUT
from orchestrator.model.booking import Booking
from orchestrator.model.budget import Budget, estimate_cost, limit_answer_tokens
from orchestrator.model.environment import MODEL, Say, describe_recipient
from orchestrator.model.loop import run
from orchestrator.model.memory import Memory, hash_question
from orchestrator.model.query import OVER_LIMIT, Fault, Query, QueryResult
from templates.filters import visible

MAX_CONCURRENT = 2
"""Maximum number of concurrent queries. Each is a process of 200 MB that uses a core when it starts."""

MAX_TOKENS = 150_000
"""Maximum length of a question in tokens (estimated). The smallest context window in use has 200,000."""

_MAX_LOOKUP_TOKENS = estimate_tokens(MAX_BYTES)
"""Maximum number of tokens that look-ups add. If a question leaves less room, it is asked without look-ups."""

_POLL_SECONDS = 0.2
"""Seconds between two checks of whether the judge was stopped."""

MAX_FAILURES = 2
"""Number of consecutive connection failures after which no more questions are sent."""

_RAISE_LIMIT = "--max-cost-usd raises the limit"
_REMEDIES = {
    Fault.ACCESS: "check Claude Code and its key or login, and start a new run",
    Fault.CONNECTION: "a new run asks again",
    Fault.ANSWER: f"{MODEL} chooses another model",
}
"""What the user can do if a query has no answer."""


class Limits(msgspec.Struct, frozen=True):
    """Time limits in seconds: for one question, and for all questions of one call (`total`)."""

    question: float
    total: float


SKILL_LIMITS = Limits(600, 1800)


def get_session_limits() -> Limits:
    """Return the limits for questions about a session, which are shorter because the user waits for it to end."""
    return Limits(CHECKER_TIMEOUT.value, PARALLEL_TIMEOUT.value)


class SdkJudge:
    """A judge that uses the SDK. unavailable: the reason why no more questions are sent, or "".

    is_stopped: whether to end all processes; it is called often. is_needed: whether the answers are still needed; it is
    called before each question is sent. at_limit: the error of the first question if it exceeds the cost limit; if "",
    it has no answer then.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        memory: Memory | None = None,
        limits: Limits = SKILL_LIMITS,
        say: Say = lambda message: None,
        is_stopped: Callable[[], bool] = lambda: False,
        is_needed: Callable[[], bool] = lambda: True,
        at_limit: str = "",
    ) -> None:
        self.budget = budget or Budget()
        self._whole_budget, self._at_limit = self.budget, at_limit
        self.limits = limits
        self.unavailable = ""
        self._remedies: dict[str, str] = {}
        self.over_budget = False
        self._warm: set[str] = set()
        self.memory = memory or Memory()
        self._say, self._is_stopped, self._is_needed = say, is_stopped, is_needed
        self._model = os.environ.get(MODEL, "")
        self._answered_by = ""
        self._failures = 0
        self._max_usd = self.budget.ceiling

    @property
    def name(self) -> str:
        """The name in the report: the SDK and the model that answered."""
        model = self._answered_by or self._model
        return f"Claude Agent SDK ({model})" if model else "Claude Agent SDK"

    @property
    def notes(self) -> tuple[str, ...]:
        """Why some questions have no answer."""
        unavailable = f"the judge became unavailable ({self.unavailable}); from then on only proven findings are shown"
        over_budget = f"some questions exceed the cost limit of {self.budget.ceiling:.2f} USD; --max-cost-usd raises it"
        return (*([unavailable] if self.unavailable else []), *([over_budget] if self.over_budget else []))

    @contextmanager
    def limit_to_share(self, share: float, limits: Limits) -> "Iterator[SdkJudge]":
        """Temporarily use different time limits and only a share of the cost limit."""
        full_budget, full_limits = self.budget, self.limits
        self.budget, self.limits = full_budget.split(share), limits
        try:
            yield self
        finally:
            full_budget.spent += self.budget.spent
            self.budget, self.limits = full_budget, full_limits

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return replies to questions, in the same order.

        If `is_stopped` returns True, ends all processes, saves the answers so far, and raises CancelledError.
        """
        by_name = {hash_question(question, self._model): question for question in questions}
        known = {name: self.memory.find(question, self._model, library) for name, question in by_name.items()}
        new = {name: question for name, question in by_name.items() if known[name] is None}
        self._answered_by = self._answered_by or next((reply.model for reply in known.values() if reply), "")
        answers: dict[str, Reply] = {}
        if new and not self.unavailable:
            answers = run(self._ask_all(new, library))
        return [self._get_reply(question, known, answers, library) for question in questions]

    def _get_reply(
        self, question: Question, known: Mapping[str, Reply | None], answers: dict[str, Reply], library: Library | None
    ) -> Reply:
        """Return the known or new reply to a question. If a new question is repeated, return the saved reply."""
        name = hash_question(question, self._model)
        reply = known[name] or answers.pop(name, None) or self.memory.find(question, self._model, library)
        return reply or self._refuse(self.unavailable or "the same question was asked before and got no answer")

    def _refuse(self, why: str) -> Reply:
        """Return the reply to a question that is not sent, with the remedy that is known for the reason."""
        return Reply(None, why, remedy=self._remedies.get(why, ""))

    def _announce(self) -> None:
        """Tell the user, before the first query, who receives the texts and what the cost limit is."""
        self._say(
            "texts of the skill and its sessions, a digest of its project, and files of it that the model asks for, "
            f"are sent to {describe_recipient(os.environ)} through Claude Code, for at most {self._max_usd:.2f} USD; "
            "--judge none sends nothing, --max-cost-usd sets the limit"
        )
        self._say = lambda message: None
        self._at_limit = ""

    async def _ask_all(self, questions: Mapping[str, Question], library: Library | None) -> dict[str, Reply]:
        """First ask the questions that fill the provider's cache, then the others."""
        watcher = asyncio.create_task(self._watch(asyncio.current_task()))
        try:
            return await self._ask_in_order(questions, library)
        finally:
            watcher.cancel()
            self.memory.release_room()

    async def _watch(self, task: asyncio.Task[Any] | None) -> None:
        while not self._is_stopped():
            await asyncio.sleep(_POLL_SECONDS)
        if task is not None:
            task.cancel()

    async def _ask_in_order(self, questions: Mapping[str, Question], library: Library | None) -> dict[str, Reply]:
        deadline = asyncio.get_running_loop().time() + self.limits.total
        warming = _find_cache_warmers(questions, self._warm)
        first = await self._ask_concurrently({name: questions[name] for name in warming}, deadline, library)
        rest = {name: question for name, question in questions.items() if name not in warming}
        return first | await self._ask_concurrently(rest, deadline, library)

    async def _ask_concurrently(
        self, questions: Mapping[str, Question], deadline: float, library: Library | None
    ) -> dict[str, Reply]:
        """Ask questions concurrently. If cancelled (Ctrl-C), wait until every process has ended."""
        slots = _Slots(min(MAX_CONCURRENT, len(questions)))
        queries = (self._ask_one(question, slots, deadline, library) for question in questions.values())
        replies = await asyncio.gather(*queries, return_exceptions=True)  # otherwise a cancelled gather would not wait
        for reply in replies:
            if isinstance(reply, BaseException):
                raise reply
        return {name: reply for name, reply in zip(questions, replies, strict=True) if isinstance(reply, Reply)}

    async def _ask_one(self, question: Question, slots: "_Slots", deadline: float, library: Library | None) -> Reply:
        async with slots.semaphore:
            shared = visible(question.prompt[: question.shared_chars])
            prompt = shared + visible(question.prompt[question.shared_chars :])
            size, grant = _count_tokens(prompt), None
            cached = _count_tokens(shared) if _get_cache_key(question) in self._warm else 0
            estimate = estimate_cost(size, cached, question.answer_tokens)
            if not (why := self._check_end(deadline) or self.unavailable or _check_length(size)):
                grant = await self._reserve(estimate, slots)
                why = self._check_end(deadline) or self.unavailable if grant else self._explain_cost(estimate)
            if grant is None or why:
                self.budget.settle(grant or 0.0, 0.0)
                return self._refuse(why)
            seconds = min(self.limits.question, deadline - asyncio.get_running_loop().time())
            tokens = limit_answer_tokens(size, grant)
            available = library if question.may_look and size + _MAX_LOOKUP_TOKENS <= MAX_TOKENS else None
            booking = Booking(self.memory)
            query = Query(prompt, question.schema, self._model, grant, seconds, tokens, shared, available,
                          book=booking.raise_to)  # fmt: skip
            if why := self._book(booking, query.first_turn_usd):
                self.budget.settle(grant, 0.0)
                return self._refuse(why)
            self._announce()
            slots.free -= 1
            result = None
            try:
                result = await self._send(query)
            finally:
                spent = result.usd if result is not None and result.usd is not None else query.max_usd
                booking.settle(spent, result.usage if result is not None else query.bill.usage)
                slots.free += 1
                self.budget.settle(grant, spent)
                slots.settled.set()
            return self._check_result(question, result, spent)

    async def _reserve(self, usd: float, slots: "_Slots") -> float | None:
        """Reserve at least `usd` for a query. Return the reserved amount, or None if too little is left.

        If running queries have reserved too much, wait until they release what they do not need. Waiting queries
        keep their order.
        """
        async with slots.reserving:
            while (grant := self.budget.grant(usd, slots.free)) is None and slots.free < slots.count:
                slots.settled.clear()
                await slots.settled.wait()
            return grant

    def _book(self, booking: Booking, usd: float) -> str:
        """Book the most that a query may cost before it is sent. Returns why the query must not be sent, or "".

        Raises WriteFailed if other answers were paid for, so that the run can continue with them later.
        """
        try:
            booking.begin(usd)
        except (TuneSkillError, OSError) as error:
            self.unavailable = f"the cost of a question cannot be saved, so it is not sent: {reason(error)}"
            if self.memory.cost.queries:
                raise WriteFailed(self.unavailable) from error
        return self.unavailable

    async def _send(self, query: Query) -> QueryResult:
        from orchestrator.model.client import send_query  # imported late: importing the SDK takes 0.6 s

        return await send_query(query)

    def _check_result(self, question: Question, result: QueryResult, usd: float) -> Reply:
        """Convert a result to a reply. A failure is recorded, and can stop later questions."""
        usage = result.usage
        reply = Reply(
            None, result.why, usd, usage.total, prompt_tokens=usage.prompt, cached_tokens=usage.cached,
            looked_up=result.looked_up, model=result.model, remedy=_find_remedy(result),
        )  # fmt: skip
        if result.value is None:
            self._record_failure(result)
            return reply
        self._failures, self._answered_by = 0, result.model
        self._warm.add(_get_cache_key(question))
        if why := explain_violation(question, result.value):
            return replace(reply, why=why)
        answer = replace(reply, value=result.value, why="", remedy="")
        self.memory.save(question, "", answer)
        return answer

    def _record_failure(self, result: QueryResult) -> None:
        self._failures = self._failures + 1 if result.fault is Fault.CONNECTION else 0
        if result.fault is Fault.ACCESS or self._failures >= MAX_FAILURES:
            self.unavailable = self.unavailable or result.why
            self._remedies.setdefault(self.unavailable, _find_remedy(result))

    def _check_end(self, deadline: float) -> str:
        """Return why no more questions of this call are sent, or ""."""
        if asyncio.get_running_loop().time() >= deadline:
            return f"not asked within {self.limits.total:g} s, which is the time limit for all questions"
        return "" if self._is_needed() else "the answer is no longer needed"

    def _explain_cost(self, usd: float) -> str:
        if self._at_limit and usd > self._whole_budget.remaining:
            raise Refused(self._at_limit)
        self.over_budget = True
        remaining, ceiling = self.budget.remaining, self.budget.ceiling
        why = f"the question would cost about {usd:.2f} USD, but only {remaining:.2f} of {ceiling:.2f} USD are left"
        self._remedies[why] = _RAISE_LIMIT
        return why


class _Slots(msgspec.Struct):
    """`count` slots for concurrent queries. free: the number not in use. settled: set when a query has ended."""

    count: int
    free: int = -1
    semaphore: asyncio.Semaphore = msgspec.field(default_factory=lambda: asyncio.Semaphore(MAX_CONCURRENT))
    reserving: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
    settled: asyncio.Event = msgspec.field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.free = self.count


def _find_cache_warmers(questions: Mapping[str, Question], warm: Collection[str]) -> list[str]:
    """Return the names of the questions to ask first: one for each shared prefix that is not cached yet."""
    first: dict[str, str] = {}
    counts = Counter(_get_cache_key(question) for question in questions.values())
    for name, question in questions.items():
        prefix = _get_cache_key(question)
        if question.shared_chars and counts[prefix] > 1 and prefix not in warm:
            first.setdefault(prefix, name)
    return list(first.values())


def _get_cache_key(question: Question) -> str:
    """Return the parts of a request that the provider's cache compares: the schema and the shared prefix."""
    return json.dumps(question.schema) + question.prompt[: question.shared_chars]


def _find_remedy(result: QueryResult) -> str:
    return _RAISE_LIMIT if result.why == OVER_LIMIT else _REMEDIES[result.fault]


def _count_tokens(text: str) -> int:
    return estimate_tokens(len(text.encode()))


def _check_length(tokens: int) -> str:
    return f"the question is too long: about {tokens:,} tokens, at most {MAX_TOKENS:,}" if tokens > MAX_TOKENS else ""
