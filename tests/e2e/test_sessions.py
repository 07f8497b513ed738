"""Test sessions with every hook installed: records, recovery after a compaction, and blocked stops."""

import json

import pytest

from tests.e2e.machine import Model, reply_with
from tests.scripted_api import get_last_user_text, join_text, tool_call

pytestmark = pytest.mark.slow

NO_SERVER = "--strict-mcp-config"
"""The installed MCP server is tested in test_agents.py; each start of it takes a second of CPU."""
PERMISSIONS = (NO_SERVER, "--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Agent,Skill,TodoWrite")
PROMPT = "Count the gulls and never disturb them."


def call_todo_tool(**states):
    """Return a call of the todo tool; each keyword is a todo, with _ for spaces."""
    rows = [
        {"content": name.replace("_", " "), "status": state, "activeForm": "On it"} for name, state in states.items()
    ]
    return tool_call("TodoWrite", todos=rows)


def join_all_messages(request):
    return "\n".join(join_text(message["content"]) for message in request["messages"])


@pytest.fixture
def machine_with_hooks(machine):
    """Yield a machine whose project has the hooks installed; afterwards, ensure that no hook has failed."""
    assert machine.tune_skill("install", "--hooks").code == 0
    yield machine
    assert machine.tune_skill("hooks", "logs", "--json").json == []


def test_hooks_record_every_tool_and_recover_a_compaction(machine_with_hooks):
    machine = machine_with_hooks

    def turns(inputs):
        yield call_todo_tool(Count_the_gulls="in_progress", Write_the_tally="pending")
        yield tool_call("Bash", command="echo 9 > gulls.txt", description="count")
        yield tool_call("Read", file_path=str(machine.project / "gulls.txt"))
        yield tool_call("Edit", file_path=str(machine.project / "gulls.txt"), old_string="9", new_string="10")
        yield tool_call(
            "Agent",
            description="look",
            prompt="Look at the far shore.",
            subagent_type="general-purpose",
            run_in_background=False,
        )
        yield tool_call("Skill", skill="release-notes", args="")
        yield "Ten gulls; the tally is still to be written."

    model = Model(turns, {"Look at the far shore.": "The far shore is empty."})
    result, _ = machine.run_claude(PROMPT, model, *PERMISSIONS)
    session = result["session_id"]
    assert (machine.project / "gulls.txt").read_text() == "10\n"
    log = machine.project / ".maceff" / "agent_events_log.jsonl"
    records = [json.loads(line) for line in log.read_text().splitlines()]
    for event in ("tool_call_started", "tool_call_completed"):
        tools = [record["hook_input"]["tool_name"] for record in records if record["event"] == event]
        assert sorted(tools) == sorted(["TodoWrite", "Bash", "Read", "Edit", "Agent", "Skill"])
    assert [record["event"] for record in records if "tool_call" not in record["event"]] == [
        "session_started", "dev_drv_started", "delegation_completed", "dev_drv_ended", "session_ended",
    ]  # fmt: skip
    assert {record["hook_input"]["session_id"] for record in records} == {session}

    _, requests = machine.run_claude(
        "/compact",
        reply_with("<summary>Gulls were counted.</summary>", "<summary>Gulls.</summary>"),
        "--resume",
        session,
        NO_SERVER,
    )
    assert '{"continue"' not in get_last_user_text(requests[0]), (
        "an answer of a hook is in the instructions of the summary"
    )
    runtime = machine.project / ".claude" / "runtime" / "power-steering"
    (event,) = json.loads((runtime / "compaction_events.json").read_text())
    assert event["session_id"] == session
    assert {"compaction_started", "compaction_detected"} <= set(machine.events())

    _, requests = machine.run_claude("Go on.", reply_with("Gladly."), "--resume", session, NO_SERVER)
    first_messages = join_all_messages(requests[0])
    assert "Look at the far shore." not in first_messages, "the history was not replaced by the summary"
    recovery = first_messages.partition("The conversation was compacted: cycle 2 begins")[2]
    assert PROMPT in recovery
    assert "- Count the gulls\n- Write the tally" in recovery
    hooks_status = json.loads(machine.tune_skill("hooks", "status", "--json").out)
    assert all(hook["last_run"] for hook in hooks_status["hooks"])
    (session_row,) = json.loads(machine.tune_skill("events", "sessions-list", "--json").out)
    assert session_row["session_id"] == session


SESSION = "00000000-0000-4000-8000-0000000000aa"


def stop_with_open_todo(machine, *, last_message="Done."):
    """Let a development session try to stop with an open todo; return the inputs of its model."""
    assert machine.tune_skill("config", "set", "hooks.power_steering", "true").code == 0

    def turns(inputs):
        yield tool_call("Write", file_path=str(machine.project / "gulls.txt"), content="10\n")
        yield call_todo_tool(Write_the_tally="pending")
        yield "Done."
        if last_message != "Done.":
            yield call_todo_tool(Write_the_tally="completed")
            yield last_message
        yield "Done."
        yield "Done."

    model = Model(turns)
    prompt = "Implement the count of the gulls."
    result, _ = machine.run_claude(
        prompt, model, *PERMISSIONS, "--session-id", SESSION, AMPLIHACK_SESSION_TYPE="DEVELOPMENT"
    )
    assert result["result"] == last_message
    return model.inputs


def test_stop_is_blocked_until_todos_are_done(machine_with_hooks):
    inputs = stop_with_open_todo(machine_with_hooks, last_message="Done, really.")
    refusals = [text for text in inputs if "Stop hook feedback:" in text]
    assert len(refusals) == machine_with_hooks.events().count("stop_blocked") == 1
    assert "1 of 1 todo items are open: Write the tally" in refusals[0]
    assert "To do: Finish the open items" in refusals[0]
    assert machine_with_hooks.events()[-2:] == ["dev_drv_ended", "session_ended"]


def test_stop_is_allowed_when_the_same_findings_repeat(machine_with_hooks):
    stop_with_open_todo(machine_with_hooks)
    assert machine_with_hooks.events().count("stop_blocked") == 2
    folder = machine_with_hooks.project / ".claude" / "runtime" / "power-steering" / SESSION
    assert "may stop although" in "".join(path.read_text() for path in folder.glob("*.md"))


BROKEN_PROGRAMS = {
    "an exception": "import orchestrator.guard.steering.checker as s\ndef check(*given): raise RuntimeError('no gulls')\n"
    "s.PowerSteeringChecker.check = check\n",
    "nonsense": "import sys\nif sys.argv[1] == 'hook': print('{nonsense'); sys.exit(0)\n",
}


@pytest.mark.parametrize("fault", BROKEN_PROGRAMS)
def test_stop_is_allowed_if_the_hook_fails(machine, fault):
    assert machine.tune_skill("install", "--hooks").code == 0
    script = machine.bin / "tune-skill"
    script.write_text(script.read_text().replace("main()\n", f"{BROKEN_PROGRAMS[fault]}main()\n"))
    inputs = stop_with_open_todo(machine)
    assert not any("Stop hook feedback" in text for text in inputs)
    if fault == "an exception":
        assert "Stop: RuntimeError: no gulls" in machine.tune_skill("hooks", "logs").out
