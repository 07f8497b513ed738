"""Send a query under a supervisor, which ends the process of the query if this process is killed."""

from pathlib import Path

from orchestrator.model.loop import run
from orchestrator.model.query import Query, QueryResult
from orchestrator.tuning.trial import recording
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.sandbox import Sandbox, create_bare_sandbox


def send_supervised(query: Query, folder: Path) -> QueryResult:
    """Send a query from a new sandbox in `folder`, and remove the sandbox."""
    return run(ask_supervised(query, folder))


async def ask_supervised(query: Query, folder: Path) -> QueryResult:
    """Send a query like `send_supervised`, for callers that run in an event loop."""
    from orchestrator.model.client import send_query
    from orchestrator.model.program import find_claude_code

    sandbox = Sandbox(folder)
    try:
        create_bare_sandbox(folder, ())
        launcher = sandbox.write_question_launcher(find_claude_code(), int(query.seconds))
        return await send_query(query, within=folder, claude=launcher)
    finally:
        sandbox.remove()


def charge_killed(ledger: Ledger, key: Key) -> None:
    """Record the cost of a query that a command left open, because it was killed or could not write the ledger.

    The real cost is unknown, so it is the full amount that was reserved for the query.
    """
    if reserved := ledger.started.get(key):
        recording.remove_leftover(Sandbox(Path(reserved["folder"])))
        ledger.record("lost", key, reserved["usd"], why=recording.NOT_RECORDED)
