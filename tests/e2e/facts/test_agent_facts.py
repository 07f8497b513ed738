"""Test that Claude Code does not accept the misspelled tools, models and keys that the patterns report."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from actions.project.facts.agents import AGENT_KEYS
from actions.project.facts.tools import REMOVED, TOOLS
from actions.project.misspelled_names import find_misspelled_model
from tests.e2e.facts.claude_cli import run_session
from tests.scripted_api import tool, tools_of

pytestmark = pytest.mark.xdist_group("agent facts")
AGENT = "---\nname: {0}\ndescription: A probe.\n{1}\n---\n\nI am {0}.\n"
KEYS = "\n".join(f"{key}: x" for key in sorted(AGENT_KEYS - {"name", "description"}))
AGENTS = {
    "exact": "tools: Read, Write",
    "lower": "tools: read, Write",
    "semicolon": "tools: Read; Write",
    "allowed": "allowed-tools: Read",
    "model": "model: sonet",
    "forked": "color: red",
}
SKILL = "---\nname: {0}\ndescription: A probe.\ncontext: fork\nagent: {1}\n---\n\nGo.\n"
SKILLS = {"meant": "forked", "slip": "froked"}


@dataclass(frozen=True)
class Answers:
    """The record of one session: tools at the start, the requests of each agent, all requests, and the log lines."""

    tools: set[str]
    of_agents: dict[str, list[Any]]
    asked: list[Any]
    log: list[str]


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> Answers:
    """Run a session that starts each agent and then calls each skill."""
    home: Path = tmp_path_factory.mktemp("home")
    calls = [
        *(tool("Agent", subagent_type=n, description="probe", prompt="go", run_in_background=False) for n in AGENTS),
        *(tool("Skill", skill=name) for name in SKILLS),
    ]
    left = iter(calls)

    def script(request):
        return next(left, "ok") if "Agent" in tools_of(request) and "I am " not in str(request["system"]) else "ok"

    files = {
        **{f".claude/agents/{name}.md": AGENT.format(name, keys) for name, keys in AGENTS.items()},
        ".claude/agents/keys.md": AGENT.format("keys", f"{KEYS}\nallowed-tools: Read\ndisalowedTools: Bash"),
        **{f".claude/skills/{name}/SKILL.md": SKILL.format(name, agent) for name, agent in SKILLS.items()},
    }
    _, start, asked = run_session(files, home, script, "--debug-file", str(home / "log"))
    of_agents = {name: [one for one in asked if f"I am {name}." in str(one["system"])] for name in AGENTS}
    return Answers(set(start["tools"]), of_agents, asked, (home / "log").read_text().splitlines())


def test_tools_of_an_agent_need_their_exact_names(answers):
    offered = {name: set(tools_of(answers.of_agents[name][0])) for name in ("exact", "lower", "semicolon")}
    assert offered == {"exact": {"Read", "Write"}, "lower": {"Write"}, "semicolon": {"Write"}}


def test_allowed_tools_do_not_restrict_an_agent(answers):
    assert "Write" in tools_of(answers.of_agents["allowed"][0])
    assert answers.tools <= TOOLS | REMOVED


def test_unknown_keys_of_an_agent_are_logged(answers):
    (line,) = [line for line in answers.log if "does not recognize or apply" in line and "disalowedTools" in line]
    assert line.rpartition(": ")[2] == (
        '"allowed-tools" (did you mean "tools"?), "disalowedTools" (did you mean "disallowedTools"?)'
    )


def test_misspelled_model_goes_to_the_api_as_it_stands(answers):
    assert {request["model"] for request in answers.of_agents["model"]} == {"sonet"}
    assert find_misspelled_model("sonet") == "sonnet"


def test_misspelled_agent_of_a_skill_is_replaced_silently(answers):
    started, forked = answers.of_agents["forked"]
    assert ("go" in str(started["messages"]), "Go." in str(forked["messages"])) == (True, True)
    others = [one for one in answers.asked if "Go." in str(one["messages"][0]) and "I am " not in str(one["system"])]
    assert len(others) == 1, "another agent has followed the skill"
