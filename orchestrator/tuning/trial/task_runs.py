"""Run tasks with versions of a skill, and grade each run by the checks of its task."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from orchestrator.model.agent import Call, Session, SkillCall
from orchestrator.model.environment import Say
from orchestrator.model.query import Fault, Usage
from orchestrator.tuning.trial import checks, recording, rubric
from orchestrator.tuning.trial.change_guard import ChangeGuard
from orchestrator.tuning.trial.fixtures import ScriptedUser
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.outcomes import find_outcomes
from orchestrator.tuning.trial.paid_runs import MAX_TURN_TOKENS, PaidRuns
from orchestrator.tuning.trial.proof import (
    PROOF_NUMBER,
    Proof,
    judge_proofs,
    list_proof_keys,
    list_vacuous,
    select_tasks,
)
from orchestrator.tuning.trial.sandbox import Sandbox, create_sandbox, find_offline_command, is_run_folder
from orchestrator.tuning.trial.staging import read_calls, set_stage
from orchestrator.tuning.trial.subject import Subject
from orchestrator.tuning.trial.tasks import Task
from schemas.codec import to_json

_MAX_ATTEMPTS = 2


class TaskRuns(PaidRuns):
    """The runs of a subject under one cost limit, recorded in a folder.

    what: the word for these runs in messages. original: the name of the version that must fail the tasks in which a
    fault causes harm.
    """

    def __init__(
        self, what: str, subject: Subject, folder: Path, ledger: Ledger, say: Say, guard: ChangeGuard,
        *, reserve: float, max_cost_usd: float, jobs: int, original: str = "before",
    ) -> None:  # fmt: skip
        super().__init__(what, ledger, say, reserve, max_cost_usd)
        self.subject, self.folder = subject, folder
        self.original = original
        self._guard, self._jobs = guard, jobs
        self._tasks = {task.name: task for task in subject.tasks}
        self._claude = ""

    def prepare(self) -> None:
        """Find the programs of the runs. Raises BadInput if nothing can run here."""
        from orchestrator.model.program import find_claude_code

        if any(not task.network for task in self.subject.tasks):
            find_offline_command()
        self._claude = find_claude_code()

    @property
    def proofs(self) -> list[Proof]:
        """For each finding, whether the original version fails the tasks in which the fault causes harm."""
        return judge_proofs(self.subject.tasks, self.ledger.graded, self.original)

    @property
    def tasks(self) -> list[Task]:
        """The tasks that are compared. The tasks of a finding without a valid test are left out."""
        return select_tasks(self.subject.tasks, self.proofs)

    def list_compared(self) -> list[Key]:
        """Return the keys of the graded runs that are compared, without those of `run_proofs`."""
        names = {task.name for task in self.tasks}
        return sorted(key for key in self.ledger.graded if key.number != PROOF_NUMBER and key.task in names)

    async def run_proofs(self) -> None:
        """Run the tasks in which a fault causes harm with the original, and report which findings have a valid test."""
        await self.complete(list_proof_keys(self.subject.tasks, self.original))
        for proof in self.proofs:
            self._say(f"left out: {proof.finding}: {proof.why}" if proof.why else f"proven: {proof.finding}")

    async def complete(self, keys: Iterable[Key]) -> None:
        """Run and grade the runs in `keys` that have no result yet, in order, several at the same time."""
        slots = asyncio.Semaphore(self._jobs)
        await self.gather(lambda key: self._complete(key, slots), keys)

    async def _complete(self, key: Key, slots: asyncio.Semaphore) -> None:
        async with slots:
            for _ in range(_MAX_ATTEMPTS):
                if key in self.ledger.graded or self.failure:
                    return
                self._guard.ensure_unchanged(self._tasks[key.task])
                if key not in self.ledger.finished and not self.why:
                    await self._run_key(key)
                if key in self.ledger.finished:
                    await self._grade(key)

    async def _run_key(self, key: Key) -> None:
        task = self._tasks[key.task]
        await self.run_within_limit(
            key,
            lambda folder: create_sandbox(folder, task, self.subject.versions[key.version], self.subject.name),
            lambda sandbox: self._run_session(task, sandbox),
            lambda paid: {"session": {**to_json(paid.session), "fault": None, "transcript": paid.transcript}},
        )

    async def _run_session(self, task: Task, sandbox: Sandbox) -> Session:
        from orchestrator.model.agent import SessionRequest, run_session

        if why := await set_stage(task.stage, sandbox, network=task.network):
            return Session().fail(why, Fault.CONNECTION)
        return await run_session(SessionRequest(
            prompt=task.prompt, folder=sandbox.project, claude=sandbox.write_launcher(self._claude, task),
            tools=task.tools, refused_tools=task.refused_tools, model=self.subject.model,
            usd=self._reserve / 2, tokens=MAX_TURN_TOKENS, seconds=task.seconds, max_turns=task.max_turns,
            verbatim=not task.calls(self.subject.name),
            user=ScriptedUser(task.stage.user).reply if task.stage.user else None,
        ))  # fmt: skip

    async def _grade(self, key: Key) -> None:
        """Evaluate the checks of a finished run, and remove its sandbox."""
        record, task = self.ledger.finished[key], self._tasks[key.task]
        sandbox, session = Sandbox(Path(record["folder"])), restore_session(record["session"])
        if not (is_run_folder(sandbox.base) and sandbox.base.is_dir() and not sandbox.base.is_symlink()):
            results, usd = [_build_run_result(None, "killed before its checks, and its files are gone")], 0.0
        elif session.why and not session.was_answered:  # then it says nothing about the skill
            results, usd = [_build_run_result(None, session.why)], 0.0
        else:
            results, usd = await self._get_results(key, task, session, sandbox)
            results = [*([_build_run_result(False, session.why)] if session.why else []), *results]
        vacuous = list_vacuous(task, self.proofs) if key.number != PROOF_NUMBER else ()
        passed = checks.decide_success([result.passed for result in results if result.label not in vacuous])
        claim = task.fixture.claim if task.fixture else ""
        self.ledger.record(
            "graded", key, usd, passed=passed, used=checks.is_skill_used(task, session, self.subject.name),
            checks=to_json(results), commands=read_calls(sandbox.base),
            outcomes=list(find_outcomes(task.checks, results, claim, session.answer)),
        )  # fmt: skip
        recording.remove_leftover(sandbox)
        self._say(_describe_run(key, passed, results, session, self.ledger.settled_cost))

    async def _get_results(
        self, key: Key, task: Task, session: Session, sandbox: Sandbox
    ) -> tuple[list[checks.CheckResult], float]:
        """Return the results of all checks, and the cost in USD of the question to a model."""
        self._guard.ensure_unchanged(task)
        rewritten = self._guard.find_rewritten(key.version, sandbox.skill(self.subject.name))
        results = await checks.run_checks(task, session, sandbox, self.subject.name, rewritten)
        query = rubric.build_query(task, session, sandbox, self.subject.model)
        if query is None or any(result.passed is False for result in results):
            return results, 0.0
        if self.ledger.spent + query.usd > self._max_cost_usd:
            why = f"the cost limit of {self._max_cost_usd:.2f} USD leaves no budget for this check"
            undecided = [checks.CheckResult(check.label, None, why) for check in rubric.list_criteria(task)]
            return [*results, *undecided], 0.0
        self.ledger.record("asked", key, query.usd)
        graded, usd = await rubric.ask_model(task, query, sandbox, self._claude)
        return [*results, *graded], usd


def restore_session(record: dict[str, Any]) -> Session:
    """Restore a session from its record in the ledger."""
    values = {name: value for name, value in record.items() if name in Session.__struct_fields__}
    values["calls"] = [Call(**call) for call in record["calls"]]
    values["skills"] = [SkillCall(**call) for call in record.get("skills", ())]
    values["usage"] = Usage(**record["usage"])
    return Session(**values)


def _build_run_result(passed: bool | None, why: str) -> checks.CheckResult:
    """Return the result of a run that ended early, which precedes those of its checks."""
    return checks.CheckResult("the run itself", passed, why)


def _describe_run(
    key: Key, passed: bool | None, results: list[checks.CheckResult], session: Session, spent: float
) -> str:
    word = {True: "succeeded", False: "failed", None: "has no known result"}[passed]
    why = next((f": {result.label}: {result.why}" for result in results if not result.passed), "")
    return f"{key} {word} ({session.seconds:.0f} s, {spent:.2f} USD in all){why[:200]}"
