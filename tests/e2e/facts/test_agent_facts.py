"""Claude Code does not accept the misspelled tools, models and keys that are reported."""

import pytest

from actions.project.facts.agents import AGENT_KEYS
from actions.project.facts.tools import REMOVED, TOOLS
from actions.project.misspelled_names import find_misspelled_model
from tests.e2e.facts.claude_cli import run_session
from tests.scripted_api import tool, tools_of

AGENT = "---\nname: one\ndescription: A probe.\n%s\n---\n\nAnswer.\n"


@pytest.mark.parametrize(
    ("tools", "offered"), [("Read, Write", {"Read", "Write"}), ("read, Write", {"Write"}), ("Read; Write", {"Write"})]
)
def test_tools_of_an_agent_need_their_exact_names(tmp_path, tools, offered):
    _, start, _ = run_session(
        {".claude/agents/one.md": AGENT % f"tools: {tools}"}, tmp_path, lambda _: "ok", "--agent", "one"
    )
    assert set(start["tools"]) == offered


def test_allowed_tools_do_not_restrict_an_agent(tmp_path):
    files = {".claude/agents/one.md": AGENT % "allowed-tools: Read"}
    _, start, _ = run_session(files, tmp_path, lambda _: "ok", "--agent", "one")
    assert "Write" in start["tools"]
    assert set(start["tools"]) <= TOOLS | REMOVED


def test_unknown_keys_of_an_agent_are_logged(tmp_path):
    keys = "\n".join(f"{key}: x" for key in sorted(AGENT_KEYS - {"name", "description"}))
    files = {".claude/agents/one.md": AGENT % f"{keys}\nallowed-tools: Read\ndisalowedTools: Bash"}
    run_session(files, tmp_path, lambda _: "ok", "--debug-file", str(tmp_path / "log"))
    (line,) = [line for line in (tmp_path / "log").read_text().splitlines() if "does not recognize or apply" in line]
    assert line.rpartition(": ")[2] == (
        '"allowed-tools" (did you mean "tools"?), "disalowedTools" (did you mean "disallowedTools"?)'
    )


def test_misspelled_model_goes_to_the_api_as_it_stands(tmp_path):
    def script(request):
        if "Agent" in tools_of(request) and len(request["messages"]) < 3:
            return tool("Agent", subagent_type="one", description="probe", prompt="go", run_in_background=False)
        return "ok"

    files = {".claude/agents/one.md": AGENT % "model: sonet"}
    _, _, asked = run_session(files, tmp_path, script)
    assert "sonet" in {request["model"] for request in asked}
    assert find_misspelled_model("sonet") == "sonnet"


@pytest.mark.parametrize(("agent", "is_meant"), [("one", True), ("oen", False)])
def test_misspelled_agent_of_a_skill_is_replaced_silently(tmp_path, agent, is_meant):
    skill = f"---\nname: go\ndescription: A probe.\ncontext: fork\nagent: {agent}\n---\n\nGo.\n"
    files = {
        ".claude/skills/go/SKILL.md": skill,
        ".claude/agents/one.md": AGENT.replace("Answer.", "I am ONE.") % "color: red",
    }
    _, _, asked = run_session(files, tmp_path, prompt="/go")
    assert ["I am ONE." in str(request["system"]) for request in asked] == [is_meant]
