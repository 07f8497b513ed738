"""Test which folders are plugins: those with a manifest, and those that a marketplace lists as a source."""

from actions.project.plugins import find_plugin, find_plugins
from tests.examples import make_project

MARKETPLACE = '{"name": "m", "plugins": [{"name": "birds", "source": "./plugins/birds"}, {"name": "far", "source": {"source": "github"}}]}'


def test_repository_can_be_a_plugin_itself():
    assert {
        p.root: p.name for p in find_plugins(make_project({".claude-plugin/plugin.json": '{"name": "a"}'})).values()
    } == {"": "a"}


def test_marketplace_makes_folders_plugins():
    project = make_project({".claude-plugin/marketplace.json": MARKETPLACE, "plugins/birds/agents/a.md": "x"})
    plugin = find_plugin(project, "plugins/birds/agents/a.md")
    assert plugin and (plugin.root, plugin.name) == ("plugins/birds", "birds")
    assert find_plugin(project, "docs/a.md") is None


def test_entry_of_a_marketplace_completes_a_manifest():
    entry = '{"plugins": [{"name": "b", "source": "./", "skills": ["./more"]}]}'
    project = make_project({".claude-plugin/marketplace.json": entry, ".claude-plugin/plugin.json": '{"name": "a"}'})
    (plugin,) = find_plugins(project).values()
    assert (plugin.root, plugin.name, plugin.list_paths("skills")) == ("", "a", ("more",))


def test_source_outside_the_project_is_not_a_plugin():
    project = make_project({".claude-plugin/marketplace.json": '{"plugins": [{"name": "b", "source": "../../etc"}]}'})
    assert find_plugins(project) == {}
