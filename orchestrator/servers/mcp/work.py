"""What each tool does, in a thread that may block. Arguments have met their schema; errors are TuneSkillErrors."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actions.reporting.report import render_report as rendered
from orchestrator.errors import BadInput, Refused, reason
from orchestrator.model.question_queue import Desk
from orchestrator.project.skill_reader import read_skill
from orchestrator.run.create import begin
from orchestrator.run.decisions import meaning, selection
from orchestrator.run.run import Run
from orchestrator.run.store import StateStore
from orchestrator.run.work_dirs import newest_run, run_named
from orchestrator.run.workspace.pending import inspect
from orchestrator.servers.mcp.listener import Watching
from orchestrator.servers.mcp.records import Asked, Standing, Taken, TakenBack, Told
from orchestrator.servers.mcp.status import standing
from schemas.options import Options
from schemas.records import State
from schemas.vocabulary import Pause, Phase

MOST = 1_000_000
"""Characters of an answer: the largest that meets a schema has about a tenth of that."""

Given = Mapping[str, Any]
_ENDED = (Phase.COMPLETED, Phase.FAILED)


@dataclass(frozen=True)
class Client:
    """Who calls: how it is told of progress, and what it calls itself."""

    listener: Watching
    name: str = ""


def diagnose(given: Given, client: Client) -> Standing:
    """Start a run that asks the model of the client, or go on with one, up to its next pause."""
    if given.get("run"):
        Desk(run_named(given["run"])).free()
        return _gone_on(given["run"], client, lambda state: _meant(state, given.get("meant") or {}))
    if not given.get("skill"):
        raise BadInput("give `skill` (a folder or a name) to start a run, or `run` to go on with one")
    options = Options(judge="mcp", apply="ask", sessions="discover" if given.get("sessions", True) else "none")
    run = begin(given["skill"], options, client.listener, issue=given.get("issue") or "")
    return _standing(run, client)


def question(given: Given, client: Client) -> Asked:
    """Hand out the named question, or the next one that nobody is at."""
    work_dir, _ = _read(given["run"])
    desk = Desk(work_dir)
    one, left = desk.claim(given.get("id")), len(desk.waiting())
    if one is None:
        told = "others are at what is open: name the `id` that you were given, or wait for them"
        return Asked(work_dir.name, "", "", "", "", {}, left, told if left else "none is open: call `fixes`")
    if client.listener.gone:
        desk.release(one.id, one.token)
    told = "answer with the tool `answer`: `token`, and an object that meets `schema`, with quotes copied exactly"
    what = one.question
    return Asked(work_dir.name, one.id, what.name, one.token, what.prompt, dict(what.schema), left, told)


def release(given: Given, client: Client) -> None:
    """Let a question be handed out to others again."""
    work_dir, _ = _read(given["run"])
    Desk(work_dir).release(given["id"], given["token"])


def answer(given: Given, client: Client) -> Taken:
    """Check an answer and keep it."""
    work_dir, state = _read(given["run"])
    value, desk = _value(given["answer"]), Desk(work_dir)
    id = given["id"]
    if state.phase in _ENDED and any(one.id == id for one in desk.waiting()):
        raise Refused(f"{id}: run {state.run_id} has ended; it takes no more answers")
    desk.ensure_claimed(id, given["token"])
    wrong = desk.answer(id, value, read_skill(Path(state.target_skill.path or "")), client.name)
    return Taken(work_dir.name, id, not wrong, wrong, len(desk.waiting()))


def fixes(given: Given, client: Client) -> Standing:
    """Go on with a run whose questions are answered, or given up."""
    work_dir, state = _read(given["run"])
    waiting = Desk(work_dir).waiting() if state.pause is Pause.QUESTIONS else []
    give_up = bool(given.get("give_up"))
    Desk(work_dir).free()
    if (waiting and not give_up) or state.pause in (Pause.CLARIFICATION, Pause.FIX_SELECTION):
        return standing(state, work_dir)
    return _gone_on(given["run"], client, lambda state: _given_up(work_dir) if give_up else {})


def apply(given: Given, client: Client) -> Standing:
    """Apply the chosen fixes, each proven or put back, and go on."""
    return _gone_on(given["run"], client, lambda state: selection(state, given["fixes"]), must=True)


def report(given: Given, client: Client) -> Told:
    """Return the final report."""
    _, state = _read(given["run"])
    if state.final_report is None:
        raise BadInput(f"run {state.run_id} has no report yet; `status` says what it waits for")
    return Told(state.run_id, rendered(state), f"tune-skill://report/{state.run_id}")


def rollback(given: Given, client: Client) -> TakenBack:
    """Take back the named fixes, or all."""
    names, run = given.get("fixes"), Run.opened(run_named(given["run"]), client.listener)
    if not (names or given.get("all")) or (names and given.get("all")):
        raise BadInput("name `fixes` of the run, or say `all`")
    with run.held():
        if not run.workspace.standing():
            return TakenBack(given["run"], (), ())
        done = run.take_back(names or None)
    return TakenBack(run.store.state.run_id, done.fixes, tuple(done.left))


def status(given: Given, client: Client) -> Standing:
    """Say where a run stands, the newest when none is named."""
    work_dir, state = _read(given.get("run"))
    waiting = inspect(Path(state.target_skill.path or ""))
    return standing(state, work_dir, (waiting.sentence,) if waiting else ())


def _read(id: str | None) -> tuple[Path, State]:
    work_dir = run_named(id) if id else newest_run()
    return work_dir, StateStore(work_dir).load(read_only=True)


def _gone_on(
    id: str, client: Client, decided: Callable[[State], dict[str, Any]], *, must: bool = False
) -> Standing:  # fmt: skip
    """Go on with a run. must: a run that has ended has nothing left to decide, and the decision says so."""
    run = Run.opened(run_named(id), client.listener)
    if run.store.state.phase in _ENDED:
        if must:
            decided(run.store.state)
        return _standing(run, client)
    with run.held():
        changes = decided(run.store.state)
        if changes:
            run.store.update(**changes)
        run.go()
    return _standing(run, client)


def _given_up(work_dir: Path) -> dict[str, Any]:
    Desk(work_dir).give_up("nobody answered, and it was given up")
    return {}


def _meant(state: State, given: Mapping[str, str]) -> dict[str, Any]:
    return meaning(state, given) if given else {}


def _standing(run: Run, client: Client) -> Standing:
    return standing(run.store.state, run.store.path.parent, tuple(client.listener.said))


def _value(given: Any) -> Any:
    """Return the answer that was given, as an object or as the text of one. Raises Refused for one that is too long."""
    if _size(given) > MOST:
        raise Refused(f"the answer is longer than {MOST:,} characters; say less")
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the answer is {reason(error)}; give an object that meets the schema") from None


def _size(value: Any) -> int:
    """Return about how many characters a value has; it is not looked at further than needed."""
    size, rest = 0, [value]
    while rest and size <= MOST:
        one = rest.pop()
        size += len(one) if isinstance(one, str) else 4
        if isinstance(one, dict):
            rest.extend(one.values())
            size += sum(map(len, one))
        elif isinstance(one, list):
            rest.extend(one)
    return size
