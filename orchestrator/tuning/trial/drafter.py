"""Let a model draft tasks or prompts. A ledger records each answer and its cost, so that none is paid for twice."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import schemas
from orchestrator.errors import BadInput
from orchestrator.fs import durable
from orchestrator.fs.own_folders import list_folders, read_trusted_skill
from orchestrator.fs.paths import resolve_links
from orchestrator.model.environment import Say
from orchestrator.model.loop import deliver_delayed
from orchestrator.model.query import Query, QueryResult
from orchestrator.tuning.trial.folders import FOLDER, PLAN, create_drafts_folder
from orchestrator.tuning.trial.ledger import FILE, Key, Ledger
from orchestrator.tuning.trial.leftovers import remove_leftovers
from orchestrator.tuning.trial.sandbox import choose_folder
from orchestrator.tuning.trial.supervised import charge_killed, send_supervised

TASKS, PROMPTS, _UNUSABLE = "tasks.yaml", "prompts.yaml", "unusable.json"
"""The files for drafts and for unusable answers. If a folder has none of them, its drafting was stopped."""
_DRAFT = "draft"


class Drafter:
    """A model that drafts into a folder, under a cost limit."""

    def __init__(self, folder: Path, ledger: Ledger, max_cost_usd: float) -> None:
        self._folder, self._ledger, self._limit = folder, ledger, max_cost_usd

    @property
    def usd(self) -> float:
        """The cost of all answers in USD, including those of stopped commands.

        An interrupted answer counts with the amount that was reserved for it.
        """
        return self._ledger.spent

    def ask(self, query: Query) -> QueryResult:
        """Return the answer to a query, or the reason why there is none.

        An answer that was paid for before is read from the ledger. Raises BadInput if the cost of the query could
        exceed the limit.
        """
        name = json.dumps([query.prompt, query.schema, query.model], sort_keys=True)
        key = Key(_DRAFT, 1, sha256(name.encode()).hexdigest()[:24])
        if record := self._ledger.finished.get(key):
            return QueryResult(record["value"])
        if self.usd + query.usd > self._limit:
            limit = max(0.0, self._limit - self.usd)
            raise BadInput(f"drafting may cost {query.usd:.2f} USD, above the limit of {limit:.2f}; raise the limit")
        deliver_delayed()  # otherwise it would interrupt this query, whose full cost would be charged
        folder = choose_folder()
        self._ledger.record("began", key, query.usd, folder=str(folder), is_query=True)
        result = send_supervised(query, folder)
        usd = query.usd if result.usd is None else result.usd
        problem = result.why if result.value is None else schemas.find_violation(query.schema, result.value)
        if problem or result.value is None:
            self._ledger.record("lost", key, usd, why=problem)
            return QueryResult(None, problem)
        self._ledger.record("held", key, usd, folder="", value=result.value)
        self._ledger.record("graded", key, 0.0)
        return result

    def save(self, text: str, name: str) -> Path:
        """Save the drafts and return their file. The next command then starts a new draft."""
        durable.write_bytes(self._folder / name, text.encode())
        return self._folder / name

    def save_unusable(self) -> str:
        """Save unusable answers. Returns a note on their cost and their file, or "" if nothing was paid."""
        if not self.usd:
            return ""
        values = [record["value"] for record in self._ledger.finished.values()]
        durable.write_json(self._folder / _UNUSABLE, values)
        return f" (paid: {self.usd:.2f} USD{f'; the answer is in {self._folder / _UNUSABLE}' if values else ''})"


@contextmanager
def open_drafter(skill: Path, now: datetime, max_cost_usd: float, say: Say, kind: str = FOLDER) -> Iterator[Drafter]:
    """Open the folder of a stopped drafting for a skill, or create a new folder.

    Raises Busy if another command is using the folder, and WriteFailed if the disk does not accept it.
    """
    folder = _find_stopped_drafting(skill, kind) or create_drafts_folder(skill, now, kind)
    with Ledger.open(folder) as ledger:
        for key in tuple(ledger.started):
            charge_killed(ledger, key)
        remove_leftovers(say)  # of other commands
        yield Drafter(folder, ledger, max_cost_usd)


def _find_stopped_drafting(skill: Path, kind: str) -> Path | None:
    folders = (path.parent for parent in list_folders(kind) for path in parent.glob(f"*/{FILE}"))
    final_files = (PLAN, TASKS, PROMPTS, _UNUSABLE)
    stopped = (folder for folder in folders if not any((folder / name).exists() for name in final_files))
    return max((folder for folder in stopped if read_trusted_skill(folder) == str(resolve_links(skill))), default=None)
