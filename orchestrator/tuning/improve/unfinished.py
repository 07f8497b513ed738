"""Describe an improvement that has not ended: what was paid for it, how to continue it, and how to end it."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import Any

import msgspec

from orchestrator.fs import nofollow
from orchestrator.fs.own_folders import list_folders
from orchestrator.tuning.improve.history import FOLDER, is_improvement, list_plans_of_skill
from orchestrator.tuning.improve.store import FILE, read_state
from orchestrator.tuning.trial.folders import PLAN
from orchestrator.tuning.trial.ledger import Ledger
from orchestrator.tuning.trial.versions import Version
from schemas.improvement import Improvement


class UnfinishedImprovement(msgspec.Struct, frozen=True):
    """An improvement that has not ended.

    state: the saved state, or None if nothing has been saved yet. usd: the cost so far, in USD. If the ledger of the
    improvement is damaged, this is the minimum cost. is_running: whether a command is running the improvement now.
    reserved: the maximum additional cost, in USD, of runs and questions that have not ended.
    """

    folder: Path
    state: Improvement | None
    usd: float
    is_running: bool
    is_damaged: bool = False
    reserved: float = 0.0

    @property
    def has_passed(self) -> bool:
        """Whether the only remaining work of the improvement is to apply its steps."""
        return self.state is not None and self.state.has_passed

    @property
    def depends_on_text(self) -> bool:
        """Whether the text of the skill must not change, because paid or active runs have tested it.

        After an end by the cost limit the text may change, because the user was informed.
        """
        if self.state is not None and (self.state.has_ended or self.state.is_continuable):
            return False
        return self.has_passed or self.usd + self.reserved > 0 or self.is_damaged or self.is_running

    def is_applied_in(self, work_dir: Path) -> bool:
        """Return whether the improvement applies its steps in the run with this work dir."""
        run = self.state.run if self.state else ""
        return bool(run) and Path(run).resolve() == work_dir.resolve()

    @property
    def sentence(self) -> str:
        """A clause on the progress of the improvement, without a full stop."""
        paid = f"{self.usd:.2f} USD paid"
        if self.is_damaged:
            return f"improvement {self.folder.name} was stopped, and its ledger is damaged (at least {paid})"
        if self.reserved:
            why = "reserved for runs in progress" if self.is_running else "for runs that were cut off"
            paid += f" and up to {self.reserved:.2f} USD {why}"
        if self.is_running:
            return f"improvement {self.folder.name} is running ({paid})"
        where = " while applying its edits" if self.has_passed else ""
        return f"improvement {self.folder.name} was stopped{where} ({paid})"

    @property
    def resume(self) -> str:
        """The command that continues the improvement."""
        return f"tune-skill resume {quote_improvement(self.folder)}"


def read_unfinished(folder: Path) -> UnfinishedImprovement:
    """Read the progress of an improvement. Nothing is locked or changed."""
    state = read_state(folder / FILE)
    usd = state.usd if state else 0.0
    try:
        ledger, is_running = Ledger.peek(folder)
    except OSError:
        return UnfinishedImprovement(folder, state, usd, is_running=False, is_damaged=True)
    is_damaged = ledger.is_damaged or ledger.spent < usd - 0.005
    paid = max(usd, ledger.settled_cost) if is_damaged else ledger.settled_cost
    return UnfinishedImprovement(folder, state, paid, is_running, is_damaged, ledger.reserved_cost)


def find_dependent(skill: Path) -> UnfinishedImprovement | None:
    """Return the newest unfinished improvement that needs a skill to stay as it is, or None."""
    found = (read_unfinished(folder) for folder, _ in list_plans_of_skill(skill))
    return next((improvement for improvement in found if improvement.depends_on_text), None)


def advise_on_lost_plan(folder: Path) -> str:
    """Return what to do about an improvement whose plan cannot be read.

    Returns "" if it has ended, or if the folder is not that of an improvement.
    """
    state = read_state(folder / FILE)
    if not is_improvement(folder) or (state and state.has_ended):
        return ""
    if state is None:
        return f"move {folder} elsewhere, and start a new one"
    return f"end it: `tune-skill resume {quote_improvement(folder)} --give-up`; then start a new one"


def advise_after_interrupt(folder: Path) -> str:
    """Return what to do about the improvement in `folder` after Ctrl-C."""
    name, state = quote_improvement(folder), read_state(folder / FILE)
    if state and state.has_ended:
        return f"the improvement has ended and its work is saved; see `tune-skill report {name}`"
    resume = f"`tune-skill resume {name}`, or " if state else ""
    return f"to continue: {resume}the same command without --draft-tasks; nothing is paid twice"


def quote_improvement(folder: Path) -> str:
    """Return an improvement as an argument of a shell command: its id, or its folder if it is in another project."""
    is_here = folder.resolve().parent in {parent.resolve() for parent in list_folders(FOLDER)}
    return quote(folder.name if is_here else str(folder.resolve()))


def digest_files(version: Version) -> dict[str, str]:
    """Return the digest of each file of a version, by path."""
    return {
        path.encode("utf-8", "backslashreplace").decode(): sha256(data + bytes([is_executable])).hexdigest()
        for path, data, is_executable in version.files
    }


def read_edited_files(folder: Path, version: Version) -> str:
    """Return, for a message, the files of a skill that have changed since an improvement in `folder` began."""
    try:
        plan = json.loads(nofollow.read(str(folder / PLAN)))
    except (OSError, ValueError, RecursionError):
        plan = {}
    return name_edited_files(plan if isinstance(plan, dict) else {}, version) or "the skill"


def name_edited_files(plan: Mapping[str, Any], version: Version) -> str:
    """Return, for a message, the files of a skill that have changed since an improvement began, or "".

    Returns "the skill or a task" for a plan of an earlier version of the program, which has no digests. version:
    the current version of the skill.
    """
    before, now = plan.get("files"), digest_files(version)
    if not isinstance(before, dict):
        return "the skill or a task"
    edited = sorted(path for path in {**before, **now} if before.get(path) != now.get(path))
    more = f" and {len(edited) - 3} more files" if len(edited) > 3 else ""
    return ", ".join(edited[:3]) + more
