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
STOP_SETTINGS = {
    "hooks": {"PostToolUse": [{"matcher": "Skill", "hooks": [{"type": "command", "command": "echo '%s'"}]}]}
}
NAMES = ("/count", "tally", "plug:count", "only")
CALLS = (*NAMES, "nowhere", "bang", "slow")


def call_skills(tmp_path, names, settings=None):
    """Run a session that calls skills by these names; return the new text of each request, or "an agent" for an agent's."""
    plugin = write_tree(tmp_path / "plugin", PLUGIN)
    files = {**FILES, **({".claude/settings.json": settings} if settings else {})}
    remaining_names, new_texts, seen_messages = iter(names), [], []

    def script(request):
        messages = [join_text(message["content"]) for message in request["messages"]]
        if "begin" not in messages[0]:  # This is the request of an agent.
            new_texts.append("an agent")
            return text_block("Done.")
        new_texts.append("\n".join(messages[len(seen_messages) :]))
        seen_messages[:] = messages
        name = next(remaining_names, None)
        return tool_call("Skill", skill=name) if name else text_block("Done.")

    run_session(files, tmp_path / "home", script, "--plugin-dir", str(plugin))
    return new_texts


@pytest.fixture(scope="module")
def texts_by_name(tmp_path_factory):
    """Return the text after each call by called name; an agent's request counts for the call that starts it."""
    return dict(zip(CALLS, call_skills(tmp_path_factory.mktemp("calls"), CALLS)[1:], strict=False))


@pytest.mark.parametrize("name", NAMES)
def test_names_are_resolved_as_computed(texts_by_name, name):
    assert [body for body in BODIES.values() if f"Count {body}." in texts_by_name[name]] == [
        BODIES[resolve_name(name, LISTED)]
    ]


def test_unknown_name_fails_and_the_session_goes_on(texts_by_name):
    assert "Unknown skill: nowhere" in texts_by_name["nowhere"]


def test_hook_ends_the_session_at_the_first_call(tmp_path):
    settings = json.loads(json.dumps(STOP_SETTINGS).replace("%s", '{\\"continue\\": false}'))
    assert len(call_skills(tmp_path, ("count",), settings)) == 1


def test_body_of_a_called_skill_can_start_commands_and_agents(texts_by_name):
    assert "ONCE" in texts_by_name["bang"]  # Hence trigger tests do not copy bodies of skills.
    assert texts_by_name["slow"] == "an agent"  # The request of the agent comes before the result.


def test_uses_are_read_from_the_config_folder(tmp_path):
    home, files = tmp_path / "home", {}
    for number in range(20):
        files[f".claude/skills/s{number:02}/SKILL.md"] = SKILL % (f"s{number:02}", "y" * 200, "it")
    use = {"skillUsage": {"s19": {"usageCount": 4, "lastUsedAt": int(time.time() * 1000)}}}
    write_tree(home, {".claude.json": use})
    config = home / "config"
    assert "s19: Counts" not in read_first_request(files, home, CLAUDE_CONFIG_DIR=str(config))
    write_tree(config, {".claude.json": use})
    assert "s19: Counts" in read_first_request(files, home, CLAUDE_CONFIG_DIR=str(config))


def read_first_request(files, home, **variables):
    _, _, requests = run_session(files, home, lambda _: "ok", "--model", "claude-haiku-4-5", variables=variables)
    return "\n".join(join_text(message["content"]) for message in requests[0]["messages"])
