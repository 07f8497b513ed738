"""Test which texts without frontmatter in `.claude/agents` the project calls agents."""

import pytest

from actions.project.unmarked_agents import find_list_of_agent, has_title_of_agent
from schemas.vocabulary import Severity, UnitKind
from tests.actions.patterns.rows import find_rows
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


LISTED = "## Agents (`.claude/agents/`)\n\n- `counter` counts\n- **feeder**: feeds\n"
UNMARKED = {".claude/agents/feeder.md": "# Feeder\n"}


@pytest.mark.parametrize(
    "text",
    [
        "## Sub-agents disponibles\n\n| `@counter` | counts |\n| `@feeder` | feeds |\n",
        "### Agents\n\n- `counter.md`: counts\n- `feeder.md`: feeds\n",
        "**Agents** (`.claude/agents/`):\n- eater, counter,\n- feeder\n",
        "- **Agents:** `counter`, `feeder`, all in `.claude/agents/`\n",
    ],
)
def test_text_in_a_list_of_agents_of_the_folder_is_found(text):
    assert find_list({"README.md": text, **UNMARKED}) == ["README.md"]
    assert find_list({"README.md": text.replace("gents", "ides"), **UNMARKED}) == [""]
    assert find_list({"README.md": text.replace("feeder", "eater"), **UNMARKED}) == [""]


def test_text_whose_path_is_given_may_be_read():
    def find_severity(text):
        files = {".claude/agents/counter.md": "# Counter\n", **UNMARKED, "CLAUDE.md": text}
        return [severity for _, severity, _ in find_rows("PRJ-048", files, UnitKind.AGENT)]

    assert find_severity(LISTED) == [Severity.MEDIUM, Severity.MEDIUM]
    assert find_severity(f"{LISTED}\nRead `.claude/agents/counter.md`.\n") == [Severity.LOW, Severity.MEDIUM]


def test_text_below_a_heading_with_the_folder_is_found():
    assert find_list({"CLAUDE.md": LISTED, **UNMARKED}) == ["CLAUDE.md"]
    table = LISTED.replace("- `counter` counts", "| `counter` | counts |\n")
    assert find_list({"CLAUDE.md": table, **UNMARKED}) == ["CLAUDE.md"]


@pytest.mark.parametrize(
    "text",
    [
        LISTED.replace(".claude/agents", "docs"),
        LISTED.replace("- **feeder**: feeds\n", ""),
        LISTED.replace("`counter`", "counter"),
        LISTED.replace("Agents (`.claude/agents/`)", "Counting"),
        f"{LISTED.splitlines()[0]}\n\n# Birds\n\n- `counter` counts\n- `feeder` feeds\n",
    ],
)
def test_text_in_another_list_is_not_found(text):
    assert find_list({"CLAUDE.md": text, **UNMARKED}) == [""]


def has_title(title, stem="gull-counter", others=None):
    path = f".claude/agents/{stem}.md"
    files = {**FILES, path: f"# {title}\n\nCount.\n", **(others or {})}
    (case,) = [case for case in list_unit_cases(make_project(files)) if case.unit.path == path]
    return has_title_of_agent(case.project, case.unit, case.skill)


def test_title_of_an_agent_is_found_beside_loaded_agents():
    sibling = {".claude/agents/tern-counter.md": AGENT.format("tern-counter")}
    assert has_title("Gull Counter Agent")
    assert has_title("Gull-Counter", others=sibling)
    assert has_title("Gull Counter Agent — Counts gulls and terns")
    assert has_title("Gull Counter Agent (for gulls)")
    assert not has_title("Counter - Gull Agent")
    assert not has_title("Gull Counter")
    assert not has_title("Gull Counter Agents", others=sibling)
    assert not has_title("Counter", "counter", sibling)
    assert not has_title("Gull Counter Agent", others={".claude/agents/walker.md": "# Walker\n"})
