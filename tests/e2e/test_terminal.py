"""`/tune-skill` in Claude Code at a terminal, as people use it: what each way costs, and what a person may do in between."""

import json
import subprocess

import pytest

from tests.e2e.interactive import DOWN, ENTER, ESC, Interactive
from tests.e2e.player import Player
from tests.scripted_api import Reply, ScriptedApi, tool, tools_of

pytestmark = pytest.mark.slow
WORDS = "it forgets the rules"
COMMAND = f'/tune-skill release-notes "{WORDS}"'
CONSENT, PERMISSION = "requests your input", "Do you want to proceed?"
FINDINGS, FIXES = "Which findings should be fixed", "Which fixes should be applied"


@pytest.fixture
def ready(machine):
    """Return a machine with the command installed in a project of git."""
    subprocess.run(["git", "init", "-q"], cwd=machine.project, check=True)
    assert machine.tune_skill("install").code == 0
    return machine


def states(machine):
    return [
        json.loads(file.read_text()) for file in (machine.project / ".workflow" / "skill-tuning").glob("*/state.json")
    ]


def has_ended(player):
    return lambda: player.standing.get("waits_for") == "nothing"


def choose_first(terminal, player):
    """Choose the first option of both dialogs."""
    terminal.wait_for(FINDINGS)
    terminal.read(1)
    terminal.type(ENTER)
    terminal.wait_for(FIXES)
    terminal.read(1)
    terminal.type(ENTER)
    terminal.wait_for(has_ended(player))


@pytest.mark.parametrize(
    ("answer", "turns", "requests", "tokens"),
    [(ENTER, 7, 14, 180_000), (DOWN + ENTER, 16, 34, 420_000)],
    ids=["the server asks", "agents"],
)
def test_whole_review_takes_few_turns_and_one_dialog(ready, answer, turns, requests, tokens):
    player = Player(WORDS)
    with ScriptedApi(player) as api, Interactive(ready, api) as terminal:
        terminal.say(COMMAND)
        terminal.wait_for(CONSENT)
        terminal.read(1)
        for key in (DOWN, ENTER) if DOWN in answer else (ENTER,):
            terminal.type(key)
        choose_first(terminal, player)
        assert "".join(PERMISSION.split()) not in terminal.screen, "the consent is the only dialog"
    (state,) = states(ready)
    assert (state["status"], state["pause"]) == ("completed", None)
    assert [fix["status"] for fix in state["proposed_fixes"]] == ["applied"]
    explaining = [issue for issue in state["issues"] if (issue["read_by"] or {}).get("explains_complaint")]
    assert [issue["status"] for issue in explaining] == ["resolved"]
    assert player.requests["session"] <= turns
    assert sum(player.requests.values()) <= requests
    assert sum(player.tokens.values()) <= tokens
    assert (player.requests["agent"] > 0, player.requests["server"] > 0) == (DOWN in answer, DOWN not in answer)
    assert all(len(heard) < 10_000 for heard in player.heard[1:]), "each result is small"
    assert all(wait["questions"] == [] for wait in player.waits), "no claimed question is listed again"


def test_consent_is_remembered_for_the_next_review(ready):
    for number in range(2):
        player = Player(
            WORDS, first=lambda: tool("mcp__tune-skill__diagnose", skill="release-notes", issue=WORDS, anew=True)
        )
        with ScriptedApi(player) as api, Interactive(ready, api) as terminal:
            terminal.say(COMMAND)
            if number == 0:
                terminal.wait_for(CONSENT)
                terminal.read(1)
                terminal.type(ENTER)
            terminal.wait_for(FINDINGS)
            assert ("".join(CONSENT.split()) in terminal.screen) == (number == 0)


def test_esc_while_the_model_reads_loses_nothing(ready):
    """The second command goes on with the same run; the question is asked once more, and no process is left."""
    player, slow = Player(WORDS), [Reply(delay=60.0)]

    def script(request):
        is_question = "StructuredOutput" in tools_of(request)
        return slow.pop() if is_question and slow else player(request)

    with ScriptedApi(script) as api, Interactive(ready, api) as terminal:
        terminal.say(COMMAND)
        terminal.wait_for(CONSENT)
        terminal.read(1)
        terminal.type(ENTER)
        terminal.wait_for(lambda: not slow)
        terminal.read(2)
        terminal.type(ESC)
        terminal.wait_for("Interrupted")
        terminal.say(COMMAND)
        choose_first(terminal, player)
    assert [state["status"] for state in states(ready)] == ["completed"], "one run"


def test_typed_words_choose_as_well_as_options(ready):
    player = Player(WORDS)
    with ScriptedApi(player) as api, Interactive(ready, api) as terminal:
        terminal.say(COMMAND)
        terminal.wait_for(CONSENT)
        terminal.read(1)
        terminal.type(ENTER)
        terminal.wait_for(FINDINGS)
        terminal.read(1)
        for key in (*[DOWN] * 3, "only ISS-010 and ISS-001", ENTER):
            terminal.type(key)
        terminal.wait_for(FIXES)
    (state,) = states(ready)
    assert set(state["rounds"][-1]["chosen"]) == {"ISS-001", "ISS-010"}
