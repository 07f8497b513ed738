"""Test that Claude Code does not accept the misspelled tools, models and keys that the patterns report."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from actions.agent_types import normalize_agent_type
from actions.patterns import get_patterns
from actions.patterns.pattern import Severity
from actions.project.agent_faults import find_agent_fault
from actions.project.agent_skills import find_unknown_skills
from actions.project.facts.agents import AGENT_KEYS
from actions.project.facts.tools import REMOVED, TOOLS
from actions.project.late_frontmatter import find_late_frontmatter
from actions.project.misspelled_names import find_prompt_key
from actions.project.model_names import find_misspelled_model
from actions.skill.agents import BUILT_IN_TYPES
from tests.e2e.facts.claude_cli import run_session, write_tree
from tests.e2e.facts.test_unit_facts import read_project
from tests.examples import list_unit_cases, make_project
from tests.scripted_api import Reply, list_tool_names, tool_call

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
AGENT_MARK = re.compile(r"I am a(\d+)\.")
SKILL = "---\nname: {0}\ndescription: A probe.\ncontext: fork\nagent: {1}\n---\n\nGo.\n"
SKILLS = {"meant": "forked", "slip": "froked", "respelled": "LOW_er"}
RESPELLED, MISSPELLED = "Sem_i Colo-n", "semi-colom"
"""Agent types that differ from `semicolon`: in case and separators, and in a letter."""


@dataclass(frozen=True)
class SessionRecord:
    """The record of one session: tools at the start, the requests of each agent, all requests, and the log lines."""

    tools: set[str]
    requests_by_agent: dict[str, list[Any]]
    requests: list[Any]
    log: list[str]


@pytest.fixture(scope="module")
def session_record(tmp_path_factory) -> SessionRecord:
    """Run a session that starts each agent and then calls each skill."""
    home: Path = tmp_path_factory.mktemp("home")
    tool_calls = [
        *(
            tool_call("Agent", subagent_type=n, description="probe", prompt="go", run_in_background=False)
            for n in (*AGENTS, RESPELLED, MISSPELLED)
        ),
        *(tool_call("Skill", skill=name) for name in SKILLS),
    ]
    remaining_calls = iter(tool_calls)

    def script(request):
        return (
            next(remaining_calls, "ok")
            if "Agent" in list_tool_names(request) and "I am " not in str(request["system"])
            else "ok"
        )

    files = {
        **{f".claude/agents/{name}.md": AGENT.format(name, keys) for name, keys in AGENTS.items()},
        ".claude/agents/keys.md": AGENT.format("keys", f"{KEYS}\nallowed-tools: Read\ndisalowedTools: Bash"),
        **{f".claude/skills/{name}/SKILL.md": SKILL.format(name, agent) for name, agent in SKILLS.items()},
    }
    _, start, requests = run_session(files, home, script, "--debug-file", str(home / "log"))
    requests_by_agent = {
        name: [request for request in requests if f"I am {name}." in str(request["system"])] for name in AGENTS
    }
    return SessionRecord(set(start["tools"]), requests_by_agent, requests, (home / "log").read_text().splitlines())


def test_tools_of_an_agent_need_their_exact_names(session_record):
    offered = {
        name: set(list_tool_names(session_record.requests_by_agent[name][0]))
        for name in ("exact", "lower", "semicolon")
    }
    assert offered == {"exact": {"Read", "Write"}, "lower": {"Write"}, "semicolon": {"Write"}}


def test_allowed_tools_do_not_restrict_an_agent(session_record):
    assert "Write" in list_tool_names(session_record.requests_by_agent["allowed"][0])
    assert session_record.tools <= TOOLS | REMOVED


def test_unknown_keys_of_an_agent_are_logged(session_record):
    (line,) = [
        line for line in session_record.log if "does not recognize or apply" in line and "disalowedTools" in line
    ]
    assert line.rpartition(": ")[2] == (
        '"allowed-tools" (did you mean "tools"?), "disalowedTools" (did you mean "disallowedTools"?)'
    )


def test_misspelled_model_is_sent_to_the_api_unchanged(session_record):
    assert {request["model"] for request in session_record.requests_by_agent["model"]} == {"sonet"}
    assert find_misspelled_model(make_project({}), "sonet") == "sonnet"


def test_only_names_of_models_that_are_sent_unchanged_are_misspelled(tmp_path):
    aliases = ("Sonnet", "OPUS", "haiku", "sonnet[1m]", "best", "opusplan", "inherit")
    models = {"opus4.6": "claude-opus-4-6", "claude-opus": "opus", "sonnet-4": "sonnet", "claude-4-sonnet": "sonnet"}
    models |= {"claude-opus-4.6": "claude-opus-4-6", "claude-haiku-4-5": None, "gpt-4": None, "fast": None}
    names = [*aliases, *models]
    files = {f".claude/agents/a{n}.md": AGENT.format(f"a{n}", f"model: {name}") for n, name in enumerate(names)}
    options = {"description": "x", "prompt": "go", "run_in_background": False}
    calls = iter([tool_call("Agent", subagent_type=f"a{n}", **options) for n in range(len(names))])

    def script(request):
        if request["model"] == "opus4.6":
            return Reply(status=404, error={"type": "not_found_error", "message": "model: opus4.6"})
        return next(calls, "ok") if "I am " not in str(request["system"]) else "ok"

    _, _, requests = run_session(files, tmp_path, script)
    sent = {match[1]: request["model"] for request in requests if (match := AGENT_MARK.search(str(request["system"])))}
    assert {name for n, name in enumerate(names) if sent[str(n)] == name} == models.keys()
    assert {name: find_misspelled_model(make_project({}), name) for name in names} == {
        **dict.fromkeys(aliases),
        **models,
    }
    assert "Agent terminated early due to an API error: There's an issue with the selected model" in str(requests[-1])


def test_misspelled_agent_of_a_skill_is_replaced_silently(session_record):
    started_agent_request, forked_skill_request = session_record.requests_by_agent["forked"]
    assert ("go" in str(started_agent_request["messages"]), "Go." in str(forked_skill_request["messages"])) == (
        True,
        True,
    )
    requests_of_another_agent = [
        request
        for request in session_record.requests
        if "Go." in str(request["messages"][0]) and "I am " not in str(request["system"])
    ]
    assert requests_of_another_agent, "no other agent followed the skill"
    assert "'skill': 'respelled'" in str(session_record.requests[-1]["messages"]) + str(requests_of_another_agent)
    assert len(session_record.requests_by_agent["lower"]) == 1, "only the call must start it, not the skill `respelled`"


def test_agent_type_is_compared_without_case_and_separators(session_record):
    names_by_type = {normalize_agent_type(name): name for name in AGENTS}
    assert [names_by_type.get(normalize_agent_type(name)) for name in (RESPELLED, MISSPELLED)] == ["semicolon", None]
    assert len(session_record.requests_by_agent["semicolon"]) == 2, (
        "the exact and the respelled call must both start it"
    )
    assert f"Agent type '{MISSPELLED}' not found" in str(session_record.requests[-1]["messages"])


def test_prompt_in_the_frontmatter_of_an_agent_is_not_read(tmp_path):
    keys = ("system-prompt", "prompt", "instructions")
    text = "---\nname: {0}\ndescription: A probe.\n{0}: I am {0}.\n---\n"
    files = {f".claude/agents/{key}.md": text.format(key) for key in keys}
    calls = iter(
        [tool_call("Agent", subagent_type=k, description="x", prompt=f"go {k}", run_in_background=False) for k in keys]
    )

    def script(request):
        return next(calls, "ok") if "go " not in str(request["messages"][0]) else "ok"

    project, _, requests = run_session(files, tmp_path, script)
    assert not [request for request in requests if "I am " in str(request["system"])]
    assert [key for key in keys if any(f"go {key}" in str(request["messages"][0]) for request in requests)] == [*keys]
    cases = [case for case in list_unit_cases(read_project(project)) if case.unit.name in keys]
    assert {case.unit.name: find_prompt_key(case.skill) for case in cases} == {key: key for key in keys}


def test_agent_gets_the_skills_that_are_not_reported(tmp_path):
    skills = [
        "named",
        "folder",
        "hidden",
        "tally",
        "sea:sort",
        "plugged",
        "probe:plugged",
        "Named",
        "/named",
        "missing",
        "filed",
    ]
    text = "---\nname: {0}\ndescription: A probe.\n---\n\nBODY-{0}-\n"
    files = {
        ".claude/agents/lister.md": AGENT.format("lister", f"skills: {json.dumps(skills)}"),
        ".claude/agents/texts.md": AGENT.format("texts", "skills: tally, missing"),
        ".claude/skills/folder/SKILL.md": text.format("named"),
        "archive/skills/filed/SKILL.md": text.format("filed"),
        ".claude/skills/hidden/SKILL.md": text.format("hidden\ndisable-model-invocation: true"),
        ".claude/commands/tally.md": text.format("tally"),
        ".claude/commands/sea/sort.md": text.format("sort"),
        "plug/.claude-plugin/plugin.json": {"name": "probe", "version": "1.0.0", "description": "x"},
        "plug/skills/plugged/SKILL.md": text.format("plugged"),
    }
    agents = ("lister", "texts")
    calls = iter(
        [tool_call("Agent", subagent_type=n, description="x", prompt="go", run_in_background=False) for n in agents]
    )

    def script(request):
        return next(calls, "ok") if "I am " not in str(request["system"]) else "ok"

    log = tmp_path / "log"
    project, _, requests = run_session(files, tmp_path, script, "--plugin-dir", "plug", "--debug-file", str(log))
    got = {
        name: re.findall(r"BODY-(\w+)", str(request["messages"]))
        for name in agents
        for request in requests
        if f"I am {name}." in str(request["system"])
    }
    assert got == {"lister": ["named", "named", "tally", "sort", "plugged", "plugged"], "texts": ["tally"]}
    missing = re.findall(r"\[Agent: (\w+)\] Warning: Skill '([^']+)' specified in frontmatter was not", log.read_text())
    cases = [case for case in list_unit_cases(read_project(project)) if case.unit.name in agents]
    reported = [
        (case.unit.name, skill.name)
        for case in cases
        for skill in find_unknown_skills(case.project, case.unit, case.skill)
    ]
    assert sorted(missing) == sorted(reported)


def test_agent_of_whose_tools_none_is_known_is_not_started(tmp_path):
    agents = {
        "low": "tools: read, edit",
        "half": "tools: read, Edit",
        "foreign": "tools: eslint, semgrep",
        "words": "tools: All tools",
        "partly": "tools: eslint, Read",
        "empty": "tools: []",
    }
    files = {f".claude/agents/{name}.md": AGENT.format(name, keys) for name, keys in agents.items()}
    calls = iter(
        [tool_call("Agent", subagent_type=n, description="x", prompt="go", run_in_background=False) for n in agents]
    )

    def script(request):
        return next(calls, "ok") if "I am " not in str(request["system"]) else "ok"

    _, _, requests = run_session(files, tmp_path, script)
    messages = str(requests[-1]["messages"])
    refused = {name for name in agents if f"'{name}' would be spawned with zero tools" in messages}
    started = {name for name in agents if any(f"I am {name}." in str(request["system"]) for request in requests)}
    assert refused == agents.keys() - started == {"low", "foreign", "words"}
    check = get_patterns()["PRJ-017"].check
    findings = [finding for case in list_unit_cases(make_project(files)) for finding in check(case)]
    assert [finding.file for finding in findings if "does not start" in finding.message] == [
        f".claude/agents/{name}.md" for name in sorted(refused)
    ]
    assert {finding.severity for finding in findings} == {Severity.MEDIUM}


NOT_LOADED = (
    "description: A.",
    "name: lost",
    "name: lost\ndescription:",
    "name: lost\ndescription: 3",
    "name: lost\ndescription: [a]",
    "name: lost\nwhen_to_use: A.",
    "name: 12\ndescription: A.",
    "name: true\ndescription: A.",
    "name: a:lost\ndescription: A.",
    "name: -lost\ndescription: A.",
    f"name: {'x' * 257}\ndescription: A.",
    "Name: lost\nDescription: A.\ncolor: red",
)
LOADED = (
    "name: found0\ndescription: 2024-01-01",
    "name: found1\ndescription: Use: [a] b",
    'name: found2\ndescription: " "',
    "name: found3/slash\ndescription: |\n  A.",
    "name: found4 space\ndescription: A.",
)


def test_agents_reported_as_not_loaded_are_those_that_claude_does_not_load(tmp_path):
    texts = [f"---\n{block}\n---\n\nGo.\n" for block in (*NOT_LOADED, *LOADED)]
    files = {f".claude/agents/a{n}.md": text for n, text in enumerate(texts)}
    files[".claude/agents/found9.md"] = "Without frontmatter.\n"
    plugin = {".claude-plugin/plugin.json": {"name": "probe"}, "agents/a0.md": texts[0], "agents/a1.md": texts[1]}
    plugin |= {"agents/plain.md": "Go.\n", "agents/README.md": "# Agents\n"}
    folder = write_tree(tmp_path / "plugin", plugin)
    _, start, _ = run_session(files, tmp_path / "home", lambda _: "ok", "--plugin-dir", str(folder))
    names = [name for name in start["agents"] if name not in BUILT_IN_TYPES]
    assert {"probe:a0", "probe:lost", "probe:plain", "probe:README"} <= set(names)
    assert sorted(name[:6] for name in names if ":" not in name) == [f"found{n}" for n in range(len(LOADED))]
    lost = [case.unit.path for case in list_unit_cases(make_project(files)) if find_agent_fault(case.unit, case.skill)]
    assert lost == sorted([*files][: len(NOT_LOADED)])


LATE = {"heading": "# Title\n\n", "comment": "<!-- A. -->\n", "blank": "\n", "space": " ", "fence": "```markdown\n"}


def test_frontmatter_below_other_text_is_not_read(tmp_path):
    text = "---\nname: {0}\ndescription: FOUND {0}.\n---\n\nI am {0}.\n"
    prefixes = {**LATE, "mark": "\ufeff"}
    files = {f".claude/agents/{kind}.md": prefix + text.format(kind) for kind, prefix in prefixes.items()}
    files |= {f".claude/commands/c-{kind}.md": prefix + text.format(kind) for kind, prefix in prefixes.items()}
    plugin = {".claude-plugin/plugin.json": {"name": "probe"}}
    plugin |= {f"agents/p-{kind}.md": prefix + text.format(kind) for kind, prefix in prefixes.items()}
    folder = write_tree(tmp_path / "plugin", plugin)
    _, start, requests = run_session(files, tmp_path / "home", lambda _: "ok", "--plugin-dir", str(folder))
    listing = str(requests[0])
    loaded = {kind for kind in prefixes if kind in start["agents"]}
    assert loaded == {kind for kind in prefixes if f"probe:{kind}: FOUND" in listing} == {"mark"}
    assert {kind for kind in prefixes if f"c-{kind}: FOUND" in listing} == loaded
    assert {f"probe:p-{kind}" for kind in LATE} <= set(start["agents"])
    late = {kind for kind, prefix in prefixes.items() if find_late_frontmatter(prefix + text.format(kind))}
    assert late == prefixes.keys() - loaded
