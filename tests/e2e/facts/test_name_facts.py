"""Test the names by which Claude Code calls a skill: its folder and the name in its (even malformed) frontmatter."""

from tests.e2e.facts.claude_cli import run_session
from tests.scripted_api import tool_call

SKILL = "---\n%sdescription: A probe.\n---\n\nProbe.\n"
FILES = {
    ".claude/skills/bare/SKILL.md": SKILL % "",
    ".claude/skills/alpha/SKILL.md": SKILL % "name: beta\n",
    ".claude/skills/gamma/SKILL.md": SKILL % "name: Gamma Ray!\n",
    "plug/.claude-plugin/plugin.json": {"name": "plug"},
    "plug/skills/bare/SKILL.md": SKILL % "",
    "plug/skills/delta/SKILL.md": SKILL % "name: epsilon\n",
}

NAMES = ("bare", "alpha", "beta", "gamma", "Gamma Ray!", "plug:bare", "plug:delta", "plug:epsilon")
UNKNOWN = ("ALPHA", "plug:beta")


def test_skill_is_called_by_folder_and_by_name(tmp_path):
    skill_names = iter((*NAMES, *UNKNOWN))

    def script(request):
        name = next(skill_names, None)
        return tool_call("Skill", skill=name) if name else "ok"

    _, _, requests = run_session(FILES, tmp_path, script, "--plugin-dir", "plug")
    answers = str(requests[-1]["messages"])
    assert [name for name in NAMES if f"Launching skill: {name}" not in answers] == []
    assert [name for name in UNKNOWN if f"Unknown skill: {name}" not in answers] == []


def test_command_of_a_plugin_is_not_called_by_a_part_of_its_name(tmp_path):
    files = {"plug/.claude-plugin/plugin.json": {"name": "qt-suite"}, "plug/commands/run.md": "Do the probing.\n"}
    for name in ("qt-suite", "qt", "suite"):
        home = tmp_path / name
        home.mkdir()
        _, _, requests = run_session(files, home, lambda request: "ok", "--plugin-dir", "plug", prompt=f"/{name}:run")
        assert ("Do the probing." in str(requests[-1]["messages"])) == (name == "qt-suite")
