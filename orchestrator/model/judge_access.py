"""Choose the judge of a command: the SDK if a model can be reached, otherwise none, with a reason."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from actions.reporting.hints import NOT_ASKED
from orchestrator.errors import Interrupted, WriteFailed, reason
from schemas.issues import Cost
from schemas.options import MAX_COST_USD, REQUIRED_JUDGE, Options
from templates.filters import counted

if TYPE_CHECKING:
    from actions.review.judge import Judge
    from actions.session.judge import SessionJudge
    from orchestrator.model.budget import Budget
    from orchestrator.model.environment import Say
    from orchestrator.model.memory import Memory
    from orchestrator.model.sdk import SdkJudge
    from orchestrator.model.sessions import QuestioningJudge
    from orchestrator.model.waiting import WaitingJudge


class JudgeAccess:
    """The judge of a command, or the reason why there is none."""

    def __init__(
        self,
        judge: "Judge | None" = None,
        why_none: str = "",
        sdk: "SdkJudge | None" = None,
        later: "WaitingJudge | None" = None,
        memory: "Memory | None" = None,
        *,
        is_required: bool = False,
    ) -> None:
        self.judge = sdk or later or judge
        self._later = later
        self._why_none = why_none
        self._is_required = is_required
        self._sdk = sdk
        self._memory = sdk.memory if sdk else memory
        self._session_judge: QuestioningJudge | None = None

    @property
    def name(self) -> str | None:
        """The name of the judge, or None."""
        return self.judge.name if self.judge else None

    @property
    def must_read(self) -> bool:
        """Whether a model was to read the unit: one is available, or the user requires one."""
        return self.judge is not None or self._is_required

    @property
    def reads_sessions(self) -> bool:
        """Whether the judge is asked about sessions. An MCP client is not, because it could run in one of them."""
        return self.judge is not None and self._later is None

    def queue_open_questions(self) -> bool:
        """Queue the unanswered questions for an MCP client. Returns whether there are any; then the run must pause."""
        return self._later is not None and self._later.queue_open_questions()

    @property
    def spent(self) -> float:
        """The cost of the judge so far, in USD."""
        return self._sdk.budget.spent if self._sdk else 0.0

    @property
    def keeps_answers(self) -> bool:
        """Whether the same command would not pay for the answers of this one again."""
        from orchestrator.model.answer_cache import AnswerCache

        return isinstance(self._memory, AnswerCache) and not self._memory.lost

    @contextmanager
    def name_cost_of_failure(self) -> Iterator[None]:
        """After Ctrl-C in the block, or if the output cannot be written, name the cost of the answers.

        Raises Interrupted or WriteFailed if anything was paid.
        """
        try:
            yield
        except (KeyboardInterrupt, OSError) as error:
            if not self.spent or isinstance(error, BrokenPipeError):
                raise
            cost = f"at most about {self.spent:.2f} USD were paid; {self._describe_kept()}"
            if isinstance(error, OSError):
                where = "" if error.filename else "the output or a file: "
                raise WriteFailed(f"{where}{reason(error)}; {cost}") from error
            raise Interrupted(cost) from None

    def _describe_kept(self) -> str:
        """Return whether the answers that were paid for are kept."""
        if self.keeps_answers and self._memory and self._memory.saved:
            return "the same command asks only the missing questions within a day"
        if self._memory and self._memory.saved:
            return f"{counted(self._memory.lost, 'answer')} could not be saved; the others are kept for a day"
        return "no answer is kept"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the report: why no judge is available, or which questions were not asked."""
        if self._why_none:
            return (f"{NOT_ASKED}{self._why_none}",)
        unanswered = self._session_judge.notes if self._session_judge else ()
        return (*unanswered, *(self._sdk.notes if self._sdk else ()), *(self._later.notes if self._later else ()))

    def find_unrecorded_cost(self, cost: Cost) -> Cost:
        """Return the cost that `cost` lacks because a command was stopped before it saved the state."""
        total = self._memory.cost if self._memory else cost
        missing = total - cost
        return replace(missing, queries=0) if self._later else missing  # each answer of the queue counts as a query

    def get_total_cost(self, cost: Cost) -> Cost:
        """Return the cost of the run, with the real cost of questions whose estimate is part of `cost`."""
        total = self._memory.cost if self._memory else cost
        return replace(total, queries=cost.queries) if self._later else total

    def get_session_judge(self) -> "SessionJudge | None":
        """Return the judge for questions about sessions, or None."""
        if self.judge is not None and self._session_judge is None:
            from orchestrator.model.sessions import QuestioningJudge

            self._session_judge = QuestioningJudge(self.judge)
        return self._session_judge

    def limit_for_evidence(self, share: float, *, is_quick: bool = True) -> "AbstractContextManager[Judge]":
        """Return the judge for recorded sessions, limited to a share of the cost limit.

        is_quick: whether to use shorter time limits, because the user is waiting.
        """
        if self.judge is None:
            raise LookupError("there is no judge")
        if self._sdk is None:
            return nullcontext(self.judge)
        from orchestrator.model.sdk import SKILL_LIMITS, get_session_limits

        return self._sdk.limit_to_share(share, get_session_limits() if is_quick else SKILL_LIMITS)


def choose_judge(
    options: Options, say: "Say", work_dir: Path | None = None, run: str = "", *, anew: bool = False,
    goes_on: bool = False,
) -> JudgeAccess:  # fmt: skip
    """Choose the judge of skills by the options.

    say: called with a message about what will be sent, before it is sent. Answers and their cost are saved in the
    work dir, so that a later command continues with the remaining budget. run: the argument that names the run in
    commands. If answers are saved but no model can be asked, the judge knows only these answers. Without a work dir,
    answers are kept for a day; with `anew`, only new ones are used. goes_on: whether the run goes on with an
    interrupted step; it then stops if too little is left of the cost limit for the first question.
    """
    if options.judge == "mcp" and work_dir is not None:
        from orchestrator.model.memory import FOLDER, Memory
        from orchestrator.model.question_queue import QuestionQueue
        from orchestrator.model.waiting import WaitingJudge

        return JudgeAccess(later=WaitingJudge(QuestionQueue(work_dir)), memory=Memory(work_dir / FOLDER))
    if saved := _find_saved_judge(options, work_dir, run):
        return saved
    why = _find_obstacle(options.judge, say)
    if why is not None:
        return JudgeAccess(why_none=why, is_required=options.judge == REQUIRED_JUDGE)
    from orchestrator.model.answer_cache import RunAnswers, open_answers
    from orchestrator.model.budget import Budget
    from orchestrator.model.memory import FOLDER
    from orchestrator.model.sdk import SdkJudge

    kept = open_answers(os.environ, anew=anew)
    memory = RunAnswers(work_dir / FOLDER, kept) if work_dir else kept
    budget = Budget(_choose_ceiling(options.max_cost_usd), memory.cost.usd)
    at_limit = _explain_limit(budget, run) if goes_on else ""
    return JudgeAccess(sdk=SdkJudge(budget, memory, say=say, at_limit=at_limit))


def _explain_limit(budget: "Budget", run: str) -> str:
    """Return why a run stops whose next question exceeds the cost limit, and how to continue it."""
    from orchestrator.model.budget import describe_spent

    return (
        f"{describe_spent(budget.spent, budget.ceiling)}, too little is left for the next question of a model; "
        f"`tune-skill resume {run} --max-cost-usd N` raises the limit, `tune-skill resume {run} --give-up` continues "
        "with the saved answers"
    )


def describe_used_limit(options: Options, work_dir: Path) -> str:
    """Return how much of its cost limit a run has used, if it has used it up and might ask a model, or ""."""
    from orchestrator.model.budget import describe_spent, estimate_cost
    from orchestrator.model.memory import FOLDER, Memory

    if options.judge in ("none", "mcp"):
        return ""
    spent, ceiling = Memory(work_dir / FOLDER).cost.usd, _choose_ceiling(options.max_cost_usd)
    return describe_spent(spent, ceiling) if spent and ceiling - spent < estimate_cost(0) else ""


def _find_saved_judge(options: Options, work_dir: Path | None, run: str) -> JudgeAccess | None:
    """Return the judge that knows only the saved answers of a run, or None if no such judge is needed.

    It is needed if answers were paid for but no model can be asked, and if the user gave up the missing answers.
    """
    if options.judge == "none" or work_dir is None:
        return None
    from orchestrator.model.environment import MODEL
    from orchestrator.model.memory import FOLDER, Memory
    from orchestrator.model.question_queue import QuestionQueue
    from orchestrator.model.saved import SavedJudge

    memory, given_up = Memory(work_dir / FOLDER), QuestionQueue(work_dir).given_up
    why = _find_obstacle(options.judge, lambda message: None) if memory.cost.queries else None
    if not (why or given_up):
        return None
    advice = (
        f"{memory.cost.usd:.2f} USD were paid for answers of a model, and more are needed, but no model can be asked: "
        f"{why}; then continue with `tune-skill resume {run}`; `tune-skill resume {run} --give-up` continues with the "
        "saved answers"
    )
    return JudgeAccess(SavedJudge(memory, os.environ.get(MODEL, ""), given_up, advice), memory=memory)


def choose_session_judge(choice: str, max_cost_usd: float | None, say: "Say") -> JudgeAccess:
    """Choose the judge of one session. It has less time, and its answers are not saved."""
    why = _find_obstacle(choice, say)
    if why is not None:
        return JudgeAccess(why_none=why)
    from orchestrator.model.budget import Budget
    from orchestrator.model.sdk import SdkJudge, get_session_limits

    return JudgeAccess(sdk=SdkJudge(Budget(_choose_ceiling(max_cost_usd)), limits=get_session_limits(), say=say))


def _find_obstacle(choice: str, say: "Say") -> str | None:
    """Return why no judge is available, or None if one is. The reason is "" if the user chose to have no judge."""
    if choice == "none":
        return ""
    from orchestrator.model.environment import find_access_problem

    why = find_access_problem(os.environ)
    if why and choice == REQUIRED_JUDGE:
        say(f"--judge sdk: {why}. Only proven findings are shown")
    return why or None


def _choose_ceiling(max_cost_usd: float | None) -> float:
    return MAX_COST_USD if max_cost_usd is None else max_cost_usd
