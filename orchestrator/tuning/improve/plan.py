"""Plan an improvement: its split, runs and cost, which are printed before the first run."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from actions.improve.split import Split, split_tasks
from actions.improve.task_texts import ExamPhrases, TaskText, find_leaked_tasks
from orchestrator.errors import call_all
from orchestrator.project.skill_finder import find_skill
from orchestrator.tuning.improve.history import History, find_stopped, read_history
from orchestrator.tuning.improve.unfinished import digest_files
from orchestrator.tuning.trial.conduct import find_trial_name, get_default_model
from orchestrator.tuning.trial.plan import Plan, name_price_list
from orchestrator.tuning.trial.tasks import Task, hash_tasks, read_tasks
from orchestrator.tuning.trial.versions import Version, read_version
from templates.filters import counted

_EVALS = "evals"
_QUESTIONS_PER_STEP = 6
"""Estimated number of questions per step (sorting, draft, review). Each costs as much as a question about criteria."""


class Settings(msgspec.Struct, frozen=True):
    """The user's settings. exam: the share of tasks for the exam. reopen: whether to allow tasks of earlier exams."""

    tasks: str | None = None
    exam: float = 0.5
    steps: int = 4
    practice_runs: int = 3
    exam_runs: int = 5
    max_cost_usd: float = 5.0
    model: str = ""
    jobs: int = 1
    reopen: bool = False


class ImprovementPlan(msgspec.Struct, frozen=True, dict=True):
    """The plan of an improvement.

    full_version: the skill as it is on disk, with its tasks. hidden: the paths of its files with tasks.
    """

    settings: Settings
    name: str
    root: Path
    full_version: Version
    tasks: tuple[Task, ...]
    hidden: tuple[str, ...]
    split: Split
    history: History

    @property
    def key(self) -> str:
        """The digest that identifies this improvement, so that a stopped one can be continued."""
        settings = replace(self.settings, max_cost_usd=0.0, jobs=1, tasks=None)
        parts = (str(self.root.resolve()), self.full_version.digest, hash_tasks(self.tasks), repr(settings))
        return sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()

    @property
    def version(self) -> Version:
        """The skill without the files that contain tasks. Otherwise a run could read the answers in these files."""
        return Version("v0", tuple(file for file in self.full_version.files if file.path not in self.hidden))

    @cached_property
    def texts(self) -> Mapping[str, TaskText]:
        """The texts of the tasks by name."""
        return {task.name: read_text(task) for task in self.tasks}

    @cached_property
    def exam_phrases(self) -> ExamPhrases:
        """The phrases that occur in the exam tasks, but not in the practice tasks. No drafting model sees them."""
        exam, practice = ([self.texts[name] for name in side] for side in (self.split.exam, self.split.practice))
        return ExamPhrases.build(exam, practice)

    @property
    def exam_digest(self) -> str:
        """The digest of the exam tasks."""
        return sha256("".join(sorted(self.texts[name].digest for name in self.split.exam)).encode()).hexdigest()

    @property
    def openings(self) -> int:
        """How many earlier exams used the same tasks: the highest number over the tasks of this exam."""
        return max((self.history.opened.get(self.texts[name].digest, 0) for name in self.split.exam), default=0)

    @cached_property
    def exam_plan(self) -> Plan:
        """The exam as a trial of two versions."""
        exam = tuple(task for task in self.tasks if task.name in self.split.exam)
        settings = self.settings
        return Plan(self.name, self.root, self.version, self.version, exam, settings.exam_runs, settings.max_cost_usd,
                    settings.model, settings.jobs)  # fmt: skip

    @property
    def run_price(self) -> float:
        """The estimated price of one run with its grading, in USD."""
        return self.exam_plan.run_estimate + self.exam_plan.question_estimate

    @property
    def practice_price(self) -> float:
        """The estimated price of the unchanged skill's practice runs, in USD."""
        return len(self.split.practice) * self.settings.practice_runs * self.run_price

    def price_exam(self, usd_per_run: float) -> float:
        """Return the amount in USD to reserve for the exam: the price of its runs and the reserve of one active run."""
        return self.exam_plan.runs * usd_per_run + self.exam_plan.reserve


def build_plan(skill: str, settings: Settings) -> ImprovementPlan:
    """Build the plan of a requested improvement, before it is checked (see `plan_checks`).

    Raises BadInput if the skill or its tasks cannot be read.
    """
    root = find_skill(skill)
    full_version, tasks = call_all(lambda: read_version(root, "today"), lambda: read_tasks(root, settings.tasks))
    settings = replace(settings, model=settings.model or get_default_model())
    task_paths = _find_task_paths(root, settings.tasks)
    hidden = tuple(path for path, _, _ in full_version.files if _is_below(path, task_paths))
    plan = ImprovementPlan(settings, find_trial_name(root), root, full_version, tasks, hidden, Split((), ()), History())
    plan = replace(plan, history=read_history(root, find_stopped(root, plan.key)))
    return replace(plan, split=_split(plan))


def describe_settings(plan: ImprovementPlan) -> dict[str, Any]:
    """Return the settings that are saved in the folder of an improvement, so that `resume` can rebuild its plan."""
    tasks = str(Path(plan.settings.tasks).absolute()) if plan.settings.tasks else None
    digests = {name: text.digest for name, text in plan.texts.items()}
    return {
        "key": plan.key, "skill": str(plan.root.resolve()), "digests": digests,
        "files": digest_files(plan.full_version),
        "settings": {**asdict(plan.settings), "tasks": tasks},
    }  # fmt: skip


def read_text(task: Task) -> TaskText:
    """Convert a task to the texts by which `actions.improve` splits tasks and finds phrases of the exam."""
    checks = tuple(json.dumps(check.argument, ensure_ascii=False) for check in task.checks)
    files = tuple((name, data.decode("utf-8", "replace")) for name, data in task.files)
    user = "\n".join(f"{rule.when}\n{rule.say}" for rule in task.stage.user)
    return TaskText(task.name, task.prompt, checks, files, user)


def _find_task_paths(root: Path, tasks: str | None) -> list[str]:
    """Return the folders and files of the skill that contain tasks, relative to it."""
    found = [_EVALS]
    if tasks and (path := Path(tasks).resolve()).is_relative_to(root.resolve()):
        tasks_path = path.relative_to(root.resolve()).as_posix()
        folder = tasks_path.rpartition("/")[0]
        found += [tasks_path, folder] if folder else [tasks_path]
    return found


def _is_below(path: str, parents: Sequence[str]) -> bool:
    return any(path == parent or path.startswith(f"{parent}/") for parent in parents)


def _split(plan: ImprovementPlan) -> Split:
    skill_texts = [data.decode("utf-8", "replace") for path, data, _ in plan.version.files]
    task_texts = list(plan.texts.values())
    opened = set() if plan.settings.reopen else plan.history.opened.keys()
    leaked = find_leaked_tasks(task_texts, skill_texts)
    return split_tasks(task_texts, plan.settings.exam, plan.history.practice | opened, leaked)


def describe_plan(plan: ImprovementPlan) -> tuple[str, ...]:
    """Describe the runs, their cost, and the difference that the exam can detect, before anything is paid."""
    settings, exam = plan.settings, plan.exam_plan
    step_price = plan.practice_price + _QUESTIONS_PER_STEP * exam.question_estimate
    lines = [
        f"improve {plan.name}: {counted(len(plan.split.practice), 'task')} for practice, {settings.practice_runs} runs "
        f"of each; {len(plan.split.exam)} unseen for the exam, {settings.exam_runs} runs of each with and without edits"
        f"; at most {counted(settings.steps, 'step')}",
        f"the improvement costs at most {settings.max_cost_usd:.2f} USD; estimate: practice {plan.practice_price:.2f}, "
        f"each step at most {step_price:.2f}, exam {exam.runs * plan.run_price:.2f} (reserved first), at the list "
        f"price of {name_price_list(settings.model)}",
        f"the exam detects an improvement of {100 * min(1.0, exam.smallest_difference):.0f} points or more with 80 % "
        "probability; if an edit makes no difference, it passes by chance in at most "
        f"{2.5 / (plan.openings + 1):.2g} % of exams. To detect smaller improvements, add tasks or raise --exam-runs",
        "an edit that passes the exam is applied; `tune-skill rollback` undoes it byte for byte",
    ]
    if plan.openings:
        earlier = counted(plan.openings, "earlier exam")
        lines.append(f"tasks of this exam were used in {earlier}, so the result is less reliable")
    return (*lines, *plan.split.notes)
