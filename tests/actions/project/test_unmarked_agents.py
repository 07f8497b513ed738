"""Test which texts without frontmatter in `.claude/agents` the project calls agents."""

import pytest

from actions.project.unmarked_agents import find_list_of_agent
from tests.examples import list_unit_cases, make_project

AGENT = "---\nname: {0}\ndescription: Counts.\n---\n\nCount.\n"
FILES = {f".claude/agents/{name}.md": AGENT.format(name) for name in ("sorter", "walker")}
LIST = "- `counter.md` counts\n- `sorter.md` sorts\n- `walker.md` walks\n"


def find_list(files, path=".claude/agents/counter.md", text="# Counter\n\nCount.\n"):
    cases = [case for case in list_unit_cases(make_project({**FILES, path: text, **files})) if case.unit.path == path]
    return [find_list_of_agent(case.project, case.unit, case.skill) for case in cases]


@pytest.mark.parametrize("path", ["README.md", "CLAUDE.md", ".claude/agents/README.md", ".claude/README.md"])
def test_text_in_a_list_of_agents_is_found(path):
    assert find_list({path: LIST}) == [path]


@pytest.mark.parametrize("text", ["subagent_type: 'counter'", 'Task(subagent_type="counter")'])
def test_text_that_a_unit_calls_is_found(text):
    assert find_list({".claude/commands/count.md": f"{text}\n"}) == [".claude/commands/count.md"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"docs/list.md": LIST},
        {"README.md": "- `counter.md` counts\n- `sorter.md` sorts\n"},
        {"README.md": LIST.replace("counter.md", "my-counter.md")},
        {"CLAUDE.md": "Call counter, or subagent_type: 'encounter'.\n"},
    ],
)
def test_text_that_nothing_calls_an_agent_is_not_found(files):
    assert find_list(files) == [""]


def test_other_texts_are_not_found():
    assert find_list({"README.md": LIST}, text=AGENT.format("counter")) == [""]
    assert find_list({"README.md": LIST}, text="Count $ARGUMENTS.\n") == [""]
    assert find_list({"README.md": LIST.replace("counter", "_counter")}, ".claude/agents/_counter.md") == [""]
    assert find_list({"README.md": LIST}, ".claude/agents/sea/counter.md") == [""]
