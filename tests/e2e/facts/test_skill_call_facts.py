"""Test that Claude Code resolves called names as trigger tests do, and that a hook ends a session at its first call."""

import json
import time

import pytest

from actions.project.listing import ListedSkill
from actions.trigger.calls import resolve_name
from tests.e2e.facts.claude_cli import run_session, write_tree
from tests.scripted_api import join_text, text_block, tool_call

pytestmark = pytest.mark.xdist_group("skill calls")
SKILL = "---\nname: %s\ndescription: Counts %s.\n---\n\nCount %s.\n"
FILES = {
    ".claude/skills/count/SKILL.md": SKILL % ("count", "gulls", "GULLS"),
    ".claude/skills/census/SKILL.md": SKILL % ("tally", "kites", "KITES"),
    ".claude/skills/slow/SKILL.md": "---\nname: slow\ndescription: Forks.\ncontext: fork\n---\n\nCount TERNS.\n",
    ".claude/skills/bang/SKILL.md": "---\nname: bang\ndescription: Starts.\n---\n\n!`echo ST``ARTED`\n!`echo ON''CE`\n",
}
PLUGIN = {
    ".claude-plugin/plugin.json": {"name": "plug"},
    "skills/count/SKILL.md": SKILL % ("count", "ducks", "DUCKS"),
    "skills/only/SKILL.md": SKILL % ("only", "swans", "SWANS"),
}
LISTED = [
    ListedSkill("count", "", "project", "Counts gulls."),
    ListedSkill("census", "", "project", "Counts kites.", "tally"),
    ListedSkill("plug:count", "", "plugin", "Counts ducks."),
    ListedSkill("plug:only", "", "plugin", "Counts swans."),
]
BODIES = {"count": "GULLS", "census": "KITES", "plug:count": "DUCKS", "plug:only": "SWANS"}
STOP = {"hooks": {"PostToolUse": [{"matcher": "Skill", "hooks": [{"type": "command", "command": "echo '%s'"}]}]}}


NAMES = ("/count", "tally", "plug:count", "only")
CALLS = (*NAMES, "nowhere", "bang", "slow")


def call(tmp_path, names, settings=None):
    """Run a session that calls skills by these names; return the text after each call, and the number of turns."""
    plugin = write_tree(tmp_path / "plugin", PLUGIN)
    files = {**FILES, **({".claude/settings.json": settings} if settings else {})}
    left, shown, seen = iter(names), [], []

    def answer(request):
        messages = [join_text(message["content"]) for message in request["messages"]]
        if "begin" not in messages[0]:  # the turn of an agent
            shown.append("an agent")
            return text_block("Done.")
        shown.append("\n".join(messages[len(seen) :]))
        seen[:] = messages
        name = next(left, None)
        return tool_call("Skill", skill=name) if name else text_block("Done.")

    run_session(files, tmp_path / "home", answer, "--plugin-dir", str(plugin))
    return shown


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Return the text shown after each call by called name; an agent's text belongs to the call that starts it."""
    return dict(zip(CALLS, call(tmp_path_factory.mktemp("calls"), CALLS)[1:], strict=False))


@pytest.mark.parametrize("name", NAMES)
def test_names_are_resolved_as_computed(shown, name):
    assert [body for body in BODIES.values() if f"Count {body}." in shown[name]] == [BODIES[resolve_name(name, LISTED)]]


def test_unknown_name_fails_and_the_session_goes_on(shown):
    assert "Unknown skill: nowhere" in shown["nowhere"]


def test_hook_ends_the_session_at_the_first_call(tmp_path):
    settings = json.loads(json.dumps(STOP).replace("%s", '{\\"continue\\": false}'))
    assert len(call(tmp_path, ("count",), settings)) == 1


def test_body_of_a_called_skill_can_start_commands_and_agents(shown):
    assert "ONCE" in shown["bang"]  # hence trigger tests copy no bodies of skills
    assert shown["slow"] == "an agent"  # the turn of the agent comes before the result


def test_uses_are_read_from_the_config_folder(tmp_path):
    home, files = tmp_path / "home", {}
    for number in range(20):
        files[f".claude/skills/s{number:02}/SKILL.md"] = SKILL % (f"s{number:02}", "y" * 200, "it")
    use = {"skillUsage": {"s19": {"usageCount": 4, "lastUsedAt": int(time.time() * 1000)}}}
    write_tree(home, {".claude.json": use})
    config = home / "config"
    assert "s19: Counts" not in list_first(files, home, CLAUDE_CONFIG_DIR=str(config))
    write_tree(config, {".claude.json": use})
    assert "s19: Counts" in list_first(files, home, CLAUDE_CONFIG_DIR=str(config))


def list_first(files, home, **variables):
    _, _, asked = run_session(files, home, lambda _: "ok", "--model", "claude-haiku-4-5", variables=variables)
    return "\n".join(join_text(message["content"]) for message in asked[0]["messages"])
