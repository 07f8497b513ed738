"""Test `/tune-skill` in Claude Code at a terminal, as people use it: its costs, and actions of the user in between.

Each test has only one or two sessions of the real Claude Code, which do many things, because a start takes seconds.
Problems that users had, and the test that covers each now (one_session, agents, killed_server, refused_server):

| Problem that users had | Behaviour that is tested | Test |
|---|---|---|
| 1 Each agent that ended in the background woke the model | The session waits for all agents in one call | agents |
| 2 Each tool asked for a permission, with raw JSON and tokens | One consent for all; a readable dialog for typed ids | one_session |
| 3 Questions that an agent was answering got a second agent | Only the question of a dead agent is listed again | agents |
| 4 A wrong draft failed only in the next round; right drafts failed | A draft is tried at once, and a rejection says how to correct it; edits of labels, rows and quotes pass | one_session, agents |
| 5 Drafts for adjacent lines collided, and were lost | They are refitted; what cannot be refitted is drafted again | one_session |
| 6 Fixes were offered twice, and rounds started unasked | A further round starts on request only, for any finding | one_session |
| 7 The user was asked what the complaint means; the report omitted it | No such question; findings that explain the complaint come first | one_session |
| 8 Severities of the model were capped | They are kept | one_session |
| 9 Results were long; a diff that contains a fence ended its block | Results have under 8,000 characters; the outer fence is longer | one_session |
| 10 An ended run took no fix; an interrupted one was forgotten | `apply` works later; the run survives Esc and a killed server, and a second session continues it | one_session, killed_server |
| 11 A refused server, an early `report` or a wrong path had no remedy | The message says how to enable the server, names `give_up`, or lists the files | refused_server, agents |
"""

import json
import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.e2e.interactive import DOWN, ENTER, ESC, TAB, UP, Interactive
from tests.e2e.player import CHECKS, RULES, Player
from tests.scripted_api import Reply, ScriptedApi, list_tool_names

pytestmark = pytest.mark.slow
COMPLAINT = "it forgets the rules"
COMMAND = f'/tune-skill release-notes "{COMPLAINT}"'
CONSENT = ("requests your input", "with the login of this Claude Code", "delete that folder")
PERMISSION = ("Do you want to proceed?", "and don't ask again for")
SERVER = ("New MCP server found in this project", "Continue without using this MCP server")


@pytest.fixture
def machine_with_command(machine):
    """Return a machine with the command installed in a git project."""
    subprocess.run(["git", "init", "-q"], cwd=machine.project, check=True)
    assert machine.tune_skill("install").code == 0
    return machine


def read_state(machine):
    """Return the state of the only run."""
    (file,) = (machine.project / ".workflow" / "skill-tuning").glob("*/state.json")
    return json.loads(file.read_text())


def is_waiting_for(player, input_kind):
    """Return a condition for `wait_for`: the player's run waits for this kind of input."""
    return lambda: player.status.get("waits_for") == input_kind


def has_ended(player):
    return is_waiting_for(player, "nothing")


def is_at_findings(player):
    return is_waiting_for(player, "finding_selection")


def is_at_fixes(player):
    return is_waiting_for(player, "fix_selection")


def test_one_session_reads_drafts_applies_and_continues_on_request(machine_with_command):
    """The server queries the model. The user presses Esc, types words into a dialog, and later asks for more fixes."""
    machine_with_command.write_program("import tests.question_shortcut; tests.question_shortcut.install()")
    player, slow_replies = Player(COMPLAINT), [Reply(delay=60.0)]
    main_file, checks_file = (
        machine_with_command.skill / "SKILL.md",
        machine_with_command.skill / "references" / "checks.md",
    )
    main_file.write_text(
        main_file.read_text().replace(
            "(references/style.md).", "(references/style.md), [checks](references/checks.md)."
        )
    )
    checks_file.write_text(CHECKS)

    def script(request):
        return (
            slow_replies.pop() if slow_replies and "StructuredOutput" in list_tool_names(request) else player(request)
        )

    with ScriptedApi(script) as api, Interactive(machine_with_command, api) as terminal:
        terminal.say(COMMAND)
        terminal.answer(CONSENT, ENTER)
        terminal.wait_for(lambda: not slow_replies)
        terminal.read(1)
        terminal.type(ESC)
        terminal.wait_for("Interrupted")
        terminal.say(COMMAND)
        terminal.answer(is_at_findings(player), *[DOWN] * 3, "only the first two", ENTER)
        findings_shown = player.status["show"]
        terminal.wait_for(is_at_fixes(player))
        fixes_shown = player.status["show"]
        terminal.answer(is_at_fixes(player), ENTER, DOWN, ENTER, TAB, ENTER)
        terminal.wait_for(has_ended(player))
        first_report = player.status["show"]
        assert not terminal.shows(PERMISSION), "a dialog other than the consent and the choices appeared"
        assert player.requests["session"] <= 8
        assert sum(player.requests.values()) <= 14
        assert sum(player.tokens.values()) <= 198_000

        terminal.wait_for("The end.")
        screen_length = len(terminal.screen)
        terminal.say("fix ISS-002, ISS-011, ISS-012, ISS-013, ISS-014, ISS-015, ISS-016 and ISS-017, too")
        terminal.answer(PERMISSION, ENTER, since=screen_length)
        terminal.wait_for(is_at_fixes(player))
        screen_length, fixes_of_second_round = len(terminal.screen), player.status["show"]
        (unchosen_fix,) = re.findall(r"\*\*(FIX-\d+)\*\* for ISS-015,", fixes_of_second_round)
        terminal.answer(
            is_at_fixes(player), *[DOWN] * len(player.status["ask"]["options"]), f"all but {unchosen_fix}", ENTER
        )
        terminal.answer(PERMISSION, ENTER, since=screen_length)
        terminal.wait_for(lambda: is_at_fixes(player)() and player.status["show"] != fixes_of_second_round)
        screen_length, redrafted_fixes = len(terminal.screen), player.status["show"]
        terminal.answer(is_at_fixes(player), ENTER)
        terminal.answer(PERMISSION, ENTER, since=screen_length)
        terminal.wait_for(has_ended(player))
        second_report = player.status["show"]
        terminal.wait_for("The end.", since=screen_length)
        screen_length = len(terminal.screen)
        terminal.say(f"apply {unchosen_fix} after all")
        terminal.answer(PERMISSION, ENTER, since=screen_length)
        terminal.wait_for(lambda: has_ended(player)() and player.status["show"] != second_report)
        assert terminal.shows(('"ISS-002"', '"ISS-011"', '"ISS-012"')), (
            "the permission dialog for typed words must show the ids"
        )
        assert not terminal.shows("token:")

    state = read_state(machine_with_command)
    assert (state["status"], state["pause"]) == ("completed", None), "Esc or typed words did not continue the one run"
    severities = {issue["id"]: issue["severity"] for issue in state["issues"]}
    assert (severities["ISS-010"], severities["ISS-011"]) == ("high", "medium"), (
        "the severities of the model were changed"
    )
    assert (
        findings_shown.index("ISS-010") < findings_shown.index("Other findings:") < findings_shown.index("ISS-001")
    ), "findings that explain the complaint must come first"
    assert fixes_shown.index("for ISS-010") < fixes_shown.index("for ISS-001")
    assert "forbids. (ISS-010, `SKILL.md`) Fixed by FIX-" in first_report
    chosen_per_round = [item["chosen"] for item in state["rounds"] if item["chosen"]]
    assert list(map(len, chosen_per_round)) == [2, 8, 1], (
        "a further round must start only on request, or for what must be drafted again"
    )
    drafts = [prompt for prompt in player.prompts if "## The faults" in prompt]
    repaired_drafts = [prompt for prompt in drafts if "It was rejected: " in prompt]
    assert (len(drafts), len(repaired_drafts)) == (7, 2), (
        "the drafts of a file must be tried at once, and those of checks.md must pass"
    )
    assert all("name the whole of it in `removes` or `rewords`" in prompt for prompt in repaired_drafts)
    assert re.findall(r"\*\*FIX-\d+\*\* for (ISS-\d+),", redrafted_fixes) == ["ISS-012"], (
        "only the finding whose text another fix changed must be drafted again"
    )
    assert "In place of FIX-" in redrafted_fixes
    status_by_issue = {id: fix["status"] for fix in state["proposed_fixes"] for id in fix["issue_ids"]}
    chosen = ("ISS-001", "ISS-002", *(f"ISS-{n:03d}" for n in range(10, 18)))
    assert status_by_issue == dict.fromkeys(chosen, "applied"), "not all fixes of adjacent lines were applied"
    assert not any(rule in main_file.read_text() for rule in RULES)
    assert "- internal\n- translation\n" in checks_file.read_text()
    assert "it is fine; if not, correct it. Then tell the team and delete the old drafts." in checks_file.read_text()
    assert f"Not chosen: {unchosen_fix}" in second_report
    assert any("````diff" in result for result in player.inputs), "a diff that contains a fence needs a longer fence"
    assert all(len(result) < 8_000 for result in player.inputs[1:] if "<arguments>" not in result), (
        "a result is too long"
    )


def test_agents_answer_within_one_turn_although_one_dies(machine_with_command):
    """The server may not query the model, so agents run in the background and the session waits in one call."""
    machine_with_command.write_program("import orchestrator.servers.mcp.tool_calls as calls; calls.CLAIM_SECONDS = 4.0")
    dead_questions = []

    def kill_first_agent(request, id):
        if not dead_questions or (dead_questions == [id] and len(player.started) == 1):
            dead_questions[:] = [id]
            return Reply(status=400)
        return None

    player = Player(COMPLAINT, agent=kill_first_agent, path="SKILL.mdx", is_early=True)
    with ScriptedApi(player) as api, Interactive(machine_with_command, api) as terminal:
        terminal.say(COMMAND)
        terminal.answer(CONSENT, DOWN, ENTER)
        terminal.answer(is_at_findings(player), ENTER)
        terminal.answer(is_at_fixes(player), ENTER)
        terminal.wait_for(has_ended(player))
        assert not terminal.shows(PERMISSION)
    assert player.started[:2] == dead_questions * 2, "the question of the dead agent must get one more agent"
    assert player.listed_again == dead_questions, "a question of a living agent was listed again"
    assert player.requests["session"] <= 12
    assert any("or with `give_up` to skip the answers" in result for result in player.inputs), (
        "the early call of `report` was not refused"
    )
    assert any(
        "that does not exist: SKILL.mdx; the files of the skill are: SKILL.md," in prompt for prompt in player.prompts
    )
    assert sum(player.requests.values()) <= 45
    assert sum(player.tokens.values()) <= 450_000
    drafts = [prompt for prompt in player.prompts if "## The faults" in prompt]
    assert "token for token" not in drafts[0].partition("## The faults")[2].partition("\n## ")[0]
    assert len(drafts) == 2, "a draft must be tried when it is answered, and repaired by the same agent"
    state = read_state(machine_with_command)
    assert [fix["status"] for fix in state["proposed_fixes"]] == ["applied"]
    assert not any("second draft" in note for note in state["notes"])


def test_killed_server_and_second_session_continue_the_same_run(machine_with_command):
    """The model is slow; Claude Code moves calls of over ten seconds to the background, so ours return earlier."""
    machine_with_command.write_program("import orchestrator.servers.mcp as s, orchestrator.servers.mcp.claude_code_model, orchestrator.servers.mcp.wait; "
                     "s.claude_code_model.MAX_CALL_SECONDS = s.wait.MAX_CALL_SECONDS = 3.0")  # fmt: skip
    player, second_player, slow_replies = Player(COMPLAINT), Player(COMPLAINT), [Reply(delay=14.0)]

    def script(request):
        if slow_replies and "StructuredOutput" in list_tool_names(request):
            return replace(slow_replies.pop(), content=(player(request),))
        return player(request)

    environment = {"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS": "10000"}
    with ScriptedApi(script) as api, Interactive(machine_with_command, api, **environment) as terminal:
        terminal.say(COMMAND)
        terminal.answer(CONSENT, ENTER)
        terminal.wait_for(is_at_findings(player))
        assert any('"waits_for":"answers"' in result for result in player.inputs), (
            "no call returned before the reading ended"
        )
        assert not any("moved to the background" in result for result in player.inputs)
        assert (player.started, terminal.shows(PERMISSION)) == ([], False)
        os.kill(find_server(terminal), signal.SIGKILL)
        terminal.read(1)
        terminal.answer(is_at_findings(player), ENTER)
        terminal.wait_for("has disconnected")
        assert "`/mcp reconnect tune-skill`" in player.inputs[0], "the command must say what the user can do"
        terminal.say("/mcp reconnect tune-skill")
        terminal.wait_for("Reconnected")
        prompt_count, player.status = len(player.prompts), {}
        terminal.say(COMMAND)
        terminal.wait_for(is_at_findings(player))
        assert len(player.prompts) == prompt_count, "a question was answered twice"
        with ScriptedApi(second_player) as api, Interactive(machine_with_command, api) as second_terminal:
            second_terminal.say(COMMAND)
            second_terminal.answer(is_at_findings(second_player), *[DOWN] * 3, "that is enough", ENTER)
            second_terminal.wait_for(has_ended(second_player))
            assert not second_terminal.shows(CONSENT), "the consent was asked for again"
        terminal.answer(is_at_findings(player), ENTER)
        terminal.wait_for(is_at_fixes(player))
    assert second_player.prompts == []
    assert "continuing the unfinished run" in second_player.inputs[1]
    assert read_state(machine_with_command)["rounds"][-1]["chosen"] == ["ISS-010"], (
        "the choice of the first session did not start a round"
    )


def test_refused_server_can_be_enabled_again(machine_with_command):
    player = Player(COMPLAINT, retries=0)
    with ScriptedApi(player) as api, Interactive(machine_with_command, api, is_allowed=False) as terminal:
        terminal.answer(SERVER, ENTER)
        terminal.wait_for("for agents")
        terminal.say(COMMAND)
        terminal.wait_for("No such tool available")
        assert "`claude mcp reset-project-choices`" in player.inputs[0]
    check_result = machine_with_command.tune_skill("install", "--check")
    assert check_result.code == 1
    assert "run `claude mcp reset-project-choices`" in " ".join(check_result.out.split())
    assert machine_with_command.run_claude_command("mcp", "reset-project-choices").code == 0
    player.retries = 15
    with ScriptedApi(player) as api, Interactive(machine_with_command, api, is_allowed=False) as terminal:
        terminal.answer(SERVER, UP, UP, ENTER)
        terminal.wait_for("for agents")
        terminal.say(COMMAND)
        terminal.wait_for(CONSENT)
    assert machine_with_command.tune_skill("install", "--check").code == 0


def find_server(terminal):
    """Return the id of the MCP server process that Claude Code started."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if parent == str(terminal.process.pid) and (folder / "cmdline").read_bytes().endswith(b"\0mcp\0"):
                return int(folder.name)
    raise AssertionError("no server")
