"""Run tasks for an improvement: practice, screening and exam, each within its share of the cost limit."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from actions.improve.sorting import MAX_RECORD, FailedRun
from actions.session.digest import write_digest
from actions.session.record_text import show_text
from orchestrator.guard.transcripts import read_transcript
from orchestrator.model.environment import Say
from orchestrator.tuning.improve.plan import ImprovementPlan
from orchestrator.tuning.trial.change_guard import ChangeGuard
from orchestrator.tuning.trial.consent import Request
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.recording import get_transcript_file
from orchestrator.tuning.trial.statistics import GradedRun, Pairs, pair_runs
from orchestrator.tuning.trial.subject import Subject
from orchestrator.tuning.trial.task_runs import TaskRuns, restore_session
from orchestrator.tuning.trial.versions import Version, VersionFile
from schemas.improvement import Counts, Step

DISK_VERSION = "disk"
"""The name of the version on disk, with its tasks. The versions that runs use have the names `v0`, `v1` and so on."""
_MIN_MEASURED = 4
"""Minimum number of runs before their mean cost replaces the estimate."""

_NO_TRANSCRIPT = "(The transcript of this run is missing. These are its tool calls, texts and answer.)"


def name_version(number: int) -> str:
    """Return the name of the version after step `number`. Step 0 is the unchanged skill."""
    return f"v{number}"


def build_version(base: Version, steps: Sequence[Step]) -> Version:
    """Return the version that results if `steps` are applied to `base`."""
    files = {file.path: file for file in base.files}
    for step in steps:
        for path, text in step.texts.items():
            is_executable = path in files and files[path].is_executable
            files[path] = VersionFile(path, text.encode(), is_executable)
    name = name_version(steps[-1].number if steps else 0)
    return Version(name, tuple(sorted(files.values())))


class TaskRunner(msgspec.Struct, frozen=True):
    """Runs tasks for one improvement in its folder and records every run in the ledger."""

    plan: ImprovementPlan
    folder: Path
    ledger: Ledger
    say: Say
    request: Request
    advice: str

    def run(self, versions: Mapping[str, Version], keys: Iterable[Key], max_cost_usd: float) -> str:
        """Run and grade the runs that have no result yet. Returns why some of them could not run, or "".

        Raises RunFailed if runs keep failing. Raises Refused if a file that a task starts has changed.
        """
        plan = self.plan
        subject = Subject(
            plan.name, plan.root, {**versions, DISK_VERSION: plan.full_version}, DISK_VERSION, plan.tasks,
            plan.settings.model,
        )  # fmt: skip
        runs = TaskRuns(
            "improvement", subject, self.folder, self.ledger, self.say, ChangeGuard(subject, self.request, self.advice),
            reserve=plan.exam_plan.reserve, max_cost_usd=max_cost_usd, jobs=plan.settings.jobs,
        )  # fmt: skip
        runs.prepare()
        runs.run_all(lambda: runs.complete(keys))
        return runs.why

    def count(self, version: str, tasks: Iterable[str]) -> tuple[Counts, ...]:
        """Return the results of a version for each task: whether each of its runs passed.

        Runs without a known result are skipped.
        """
        by_task: dict[str, list[tuple[int, bool]]] = {}
        for key, record in self.ledger.graded.items():
            if key.version == version and record.get("passed") is not None:
                by_task.setdefault(key.task, []).append((key.number, record["passed"]))
        return tuple(Counts(task, tuple(passed for _, passed in sorted(by_task.get(task, ())))) for task in tasks)

    def pair(self, version: str, tasks: Sequence[str]) -> list[Pairs]:
        """Return pairs of runs for each task: `before` with the unchanged text, `after` with the version."""
        names = {name_version(0): "before", version: "after"}
        known = [
            GradedRun(key.task, key.number, names[key.version], bool(record["passed"]))
            for key, record in self.ledger.graded.items()
            if key.task in tasks and key.version in names and record["passed"] is not None
        ]
        return pair_runs(sorted(known, key=lambda run: tasks.index(run.task)))

    def list_failed(self, version: str, tasks: Iterable[str]) -> list[FailedRun]:
        """Return the failed runs of tasks that used a version, in the order of the tasks."""
        order = list(tasks)
        matching = (key for key in self.ledger.graded if key.version == version and key.task in order)
        keys = [key for key in matching if self.ledger.graded[key]["passed"] is False]
        keys.sort(key=lambda key: (order.index(key.task), key.number))
        return [self._describe_run(key) for key in keys]

    def find_passed(self, version: str, task: str) -> str:
        """Return the record of the first successful run of a task with a version, or ""."""
        passed = [
            key
            for key, graded in self.ledger.graded.items()
            if (key.version, key.task) == (version, task) and graded["passed"]
        ]
        return self._describe_run(min(passed, key=lambda key: key.number)).record if passed else ""

    def _describe_run(self, key: Key) -> FailedRun:
        """Describe a run for the model that explains failures. (It also gets a successful run for comparison.)"""
        record, graded = self.ledger.finished[key], self.ledger.graded[key]
        session = restore_session(record["session"])
        calls = (f"{call.tool} {call.given}" for call in session.calls)
        plain_record = show_text("\n".join((_NO_TRANSCRIPT, *calls, *session.texts, session.answer)))
        transcript = get_transcript_file(self.folder, key)
        run_record = write_digest(read_transcript(transcript), MAX_RECORD) if transcript.is_file() else plain_record
        task = self.plan.texts[key.task]
        is_loaded = any(call.succeeded and call.name.rpartition(":")[2] == self.plan.name for call in session.skills)
        is_called = task.prompt.split(maxsplit=1)[:1] == [f"/{self.plan.name}"]
        checks = (f"{check['label']}: {check['why']}" for check in graded["checks"] if check["passed"] is False)
        failed = tuple(map(show_text, checks))
        is_opened = any(call.tool == "Read" and "SKILL.md" in call.given for call in session.calls)
        return FailedRun(str(key), key.task, task.prompt, failed, run_record, is_loaded or is_called, is_opened)

    @property
    def mean_cost(self) -> float:
        """The mean cost so far of a run and its grading in USD, or the estimate if there are too few runs."""
        keys = [key for key in self.ledger.graded if key.task in self.plan.texts]
        if len(keys) < _MIN_MEASURED:
            return self.plan.run_price
        costs = (float(self.ledger.finished[key]["usd"]) + float(self.ledger.graded[key]["usd"]) for key in keys)
        return sum(costs) / len(keys)

    @property
    def exam_reserve(self) -> float:
        """The amount reserved for the exam, in USD."""
        return self.plan.price_exam(self.mean_cost)
