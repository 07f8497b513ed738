"""Send a query under the supervisor of a sandbox, which ends the query's process if this process is killed."""

from pathlib import Path

from orchestrator.model.loop import run
from orchestrator.model.query import Query, QueryResult
from orchestrator.tuning.trial import recording
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.sandbox import Sandbox, create_bare_sandbox


def send_supervised(query: Query, place: Path) -> QueryResult:
    """Send a query from a new sandbox at `place`, and remove the sandbox."""
    from orchestrator.model.agent import find_claude_code
    from orchestrator.model.client import send_query

    sandbox = Sandbox(place)
    try:
        create_bare_sandbox(place, ())
        launcher = sandbox.write_reader_launcher(find_claude_code(), int(query.seconds))
        return run(send_query(query, within=place, claude=launcher))
    finally:
        sandbox.remove()


def count_killed(ledger: Ledger, key: Key) -> None:
    """Count the full amount reserved for each query of a killed command, because its cost is unknown."""
    if reserved := ledger.started.get(key):
        recording.remove_leftover(Sandbox(Path(reserved["folder"])))
        ledger.record("lost", key, reserved["usd"], why="it was killed")
