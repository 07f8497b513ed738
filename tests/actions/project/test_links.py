"""Test which links lead to a file of the project, and which units are found behind them."""

import pytest
from msgspec.structs import replace

from actions.project.find_units import find_units
from actions.project.links import resolve_links
from actions.project.units import UnitKind
from tests.examples import make_project

AGENT = "---\nname: counter\ndescription: Counts.\n---\n\nCount.\n"
PLUGIN = '{"name": "birds", "agents": ["./agents/count.md"]}'


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("../shared/a.md", "shared/a.md"),
        (".././/../p/shared/a.md", None),
        ("./chain.md", "shared/a.md"),
        ("loop.md", None),
        ("link.md", None),
        ("/shared/a.md", None),
        ("../../shared/a.md", None),
        ("folder/../../shared/a.md", None),
        ("../shared", None),
        ("../shared/gone.md", None),
        ("../shared/a.md\n", None),
    ],
)
def test_link_leads_to_a_file_of_the_project(text, path):
    texts = {"agents/link.md": text, "agents/chain.md": "../shared/a.md", "agents/loop.md": "link.md"}
    assert resolve_links(texts, {"shared/a.md"}).get("agents/link.md") == path


def test_long_chain_of_links_leads_nowhere():
    texts = {f"{n}.md": f"{n + 1}.md" for n in range(20)}
    assert "0.md" not in resolve_links(texts, {"20.md"})
    assert resolve_links(texts, {"20.md"})["15.md"] == "20.md"


def list_found(files, links):
    project = replace(make_project(files), links=links)
    units = [unit for unit in find_units(project) if unit.kind is not UnitKind.MANIFEST]
    return [(unit.path, unit.name, unit.is_loaded) for unit in units]


def test_agent_behind_a_link_in_claude_is_a_unit():
    links = {".claude/agents/link.md": "shared/a.md"}
    assert list_found({"shared/a.md": AGENT}, links) == [("shared/a.md", "counter", True)]


def test_command_behind_a_link_has_the_name_of_the_link():
    links = {".claude/commands/group/count.md": "shared/a.md"}
    assert list_found({"shared/a.md": AGENT}, links) == [("shared/a.md", "group:count", True)]


@pytest.mark.parametrize(("link", "count"), [("agents/count.md", 1), ("agents/other.md", 0)])
def test_link_of_a_plugin_is_a_unit_only_if_the_manifest_names_it(link, count):
    found = list_found({".claude-plugin/plugin.json": PLUGIN, "shared/a.md": AGENT}, {link: "shared/a.md"})
    assert found == [("shared/a.md", "birds:counter", True)][:count]


def test_file_with_a_unit_of_its_own_is_found_once():
    files = {"skills/count/SKILL.md": AGENT, ".claude/agents/own.md": AGENT}
    links = {".claude/commands/count.md": "skills/count/SKILL.md", ".claude/agents/two.md": ".claude/agents/own.md"}
    assert list_found(files, links) == [
        (".claude/agents/own.md", "counter", True),
        ("skills/count/SKILL.md", "count", False),
    ]
