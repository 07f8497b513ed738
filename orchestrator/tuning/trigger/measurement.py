"""Run the prompts of a trigger test.

Each prompt is run once, and again if the wrong skill was called. If it stays wrong, it is also run in the other
arms. An arm defines which skills are installed and how they are listed: among all others, alone, or without a size
limit.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from actions.project.listing import ListedSkill
from actions.trigger.causes import Arm
from actions.trigger.listed_text import reduce_to_listing
from actions.trigger.matrix import MeasuredPrompt
from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun, Verdict, needs_run
from orchestrator.listing.layout import list_variables, write_layout
from orchestrator.model.agent import Session
from orchestrator.model.environment import Say
from orchestrator.tuning.trial import recording
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.paid_runs import MAX_TURN_TOKENS, PaidRuns, PaidSession
from orchestrator.tuning.trial.sandbox import Sandbox, create_bare_sandbox
from orchestrator.tuning.trial.tasks import Task
from orchestrator.tuning.trigger.plan import MAX_TURNS, SECONDS, TriggerPlan
from orchestrator.tuning.trigger.readings import read_run, restore_run
from schemas.codec import to_json

_MAX_ATTEMPTS = 2


class Measurement(PaidRuns):
    """A trigger test in its folder, whose ledger has one run per combination of prompt, run number and arm."""

    def __init__(self, plan: TriggerPlan, folder: Path, ledger: Ledger, say: Say) -> None:
        super().__init__("test", ledger, say, plan.reserve, plan.max_cost_usd)
        self.plan, self.folder = plan, folder
        self._claude = ""

    def run(self) -> None:
        """Run the runs that are missing. Raises BadInput if nothing can run here, RunFailed if runs keep failing."""
        from orchestrator.model.program import find_claude_code

        self._claude = find_claude_code()
        self.save_missing_transcripts()
        for key in self.ledger.finished.keys() - self.ledger.graded.keys():
            self.ledger.record("graded", key, 0.0)
        self.run_all(self._measure)

    async def _measure(self) -> None:
        await self.measure(self.plan.prompts, self.plan.arm)
        if not (self.why or self.failure):
            await self.complete(self._list_other_arms())

    async def measure(self, prompts: Sequence[Prompt], version: str) -> None:
        """Run each prompt with a version once, then repeat it until its verdict is certain.

        version: an arm, or a description.
        """
        for number in range(1, self.plan.runs + 1):
            await self.complete(self._list_missing_runs(prompts, version, number))
            if self.why or self.failure:
                return

    async def complete(self, runs: Iterable[tuple[Prompt, Key]]) -> None:
        """Run each prompt under its key, several at a time. Skips keys whose run has finished."""
        slots = asyncio.Semaphore(self.plan.jobs)
        await self.gather(lambda run: self._complete(*run, slots), runs)

    def _list_missing_runs(self, prompts: Sequence[Prompt], version: str, number: int) -> Iterator[tuple[Prompt, Key]]:
        for prompt in prompts:
            runs = self.list_runs(prompt, version)
            if len(runs) == number - 1 and needs_run(prompt, runs, self.plan.runs):
                yield prompt, Key(prompt.name, number, version)

    def _list_other_arms(self) -> Iterator[tuple[Prompt, Key]]:
        """Yield the runs in the other arms. They explain the faults in the arm `among`, which lists all skills."""
        if self.plan.arm is Arm.AMONG:
            is_cut = any(entry.state in ("cut", "dropped") for entry in self.plan.entries)
            for measured in self.measured:
                if measured.verdict is Verdict.FAULT:
                    arms = (Arm.ALONE, *((Arm.UNCUT,) if is_cut else ()))
                    yield from ((measured.prompt, Key(measured.prompt.name, 1, arm)) for arm in arms)

    @property
    def measured(self) -> list[MeasuredPrompt]:
        """The prompts with their runs so far."""
        return self.judge(self.plan.prompts, self.plan.arm)

    def judge(self, prompts: Sequence[Prompt], version: str) -> list[MeasuredPrompt]:
        """Return each prompt with its runs so far with a version, and the verdict on them."""
        return [MeasuredPrompt.judge(prompt, self.list_runs(prompt, version), self.plan.runs) for prompt in prompts]

    def list_runs(self, prompt: Prompt, version: str) -> list[TriggerRun]:
        """Return the finished runs of a prompt with a version (an arm or a description), in order."""
        keys = sorted(key for key in self.ledger.finished if key.task == prompt.name and key.version == version)
        return [restore_run(self.ledger.finished[key]["found"]) for key in keys]

    async def _complete(self, prompt: Prompt, key: Key, slots: asyncio.Semaphore) -> None:
        async with slots:
            for _ in range(_MAX_ATTEMPTS):
                if key in self.ledger.finished or self.why or self.failure:
                    return
                await self._run_prompt(prompt, key)

    async def _run_prompt(self, prompt: Prompt, key: Key) -> None:
        """Run a prompt once if the cost limit allows it, and record which skill was called."""
        arm, skills = self._choose_skills(prompt, key.version)
        plugins: list[Path] = []

        def create(folder: Path) -> Sandbox:
            sandbox = create_bare_sandbox(folder, prompt.files)
            project = sandbox.project / ".claude"
            project.mkdir(exist_ok=True)
            reduced = [replace(skill, text=reduce_to_listing(skill)) for skill in skills]
            home, settings = sandbox.home / ".claude", self.plan.get_settings(arm)
            plugins.extend(write_layout(reduced, settings, home, project, folder / "plugins"))
            return sandbox

        def describe(paid: PaidSession) -> dict[str, Any]:
            run = read_run(paid.session, skills)
            return {"found": to_json(run), "model": paid.session.model, "transcript": paid.transcript}

        paid = await self.run_within_limit(
            key, create, lambda sandbox: self._run_session(prompt, arm, sandbox, plugins), describe
        )
        if paid is None:
            return
        self.ledger.record("graded", key, 0.0)
        recording.remove_leftover(paid.sandbox)
        self._say(self._describe_run(prompt, key, restore_run(self.ledger.finished[key]["found"])))

    def _choose_skills(self, prompt: Prompt, version: str) -> tuple[Arm, Sequence[ListedSkill]]:
        """Return the arm of a version, and the skills that are installed."""
        arm = Arm(version)
        return arm, self.plan.list_skills(arm, prompt.expected or self._choose_lone_skill(prompt))

    def _choose_lone_skill(self, prompt: Prompt) -> str | None:
        """Return the only skill of the arm `alone`: the skill that was called, or the first measured skill."""
        called = next((run.called for run in self.list_runs(prompt, self.plan.arm) if run.called), None)
        return called or self.plan.skills.targets[0]

    async def _run_session(self, prompt: Prompt, arm: Arm, sandbox: Sandbox, plugins: list[Path]) -> Session:
        from orchestrator.model.agent import SessionRequest, run_session

        task = Task(prompt.name, prompt.text, (), prompt.where, seconds=SECONDS, max_turns=MAX_TURNS)
        launcher = sandbox.write_launcher(self._claude, task, list_variables(self.plan.get_settings(arm)))
        return await run_session(SessionRequest(
            prompt=prompt.text, folder=sandbox.project, claude=launcher, tools=task.tools, refused_tools=(),
            model=self.plan.model, usd=self.plan.reserve / 2, tokens=MAX_TURN_TOKENS, seconds=SECONDS,
            max_turns=MAX_TURNS, plugins=tuple(plugins), ends_after="Skill",
        ))  # fmt: skip

    def _describe_run(self, prompt: Prompt, key: Key, run: TriggerRun) -> str:
        spent = f"{self.ledger.settled_cost:.2f} USD in all"
        if run.why:
            return f"{key}: not known: {run.why} ({spent})"
        verdict = "right" if prompt.allows(run.called) else f"wrong, expected {prompt.expectation}"
        return f"{key}: called {run.called or 'no skill'}: {verdict} ({spent})"
