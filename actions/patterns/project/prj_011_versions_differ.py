"""A marketplace and the plugin's own manifest give different versions.

It is:
- a `version` in an entry of marketplace.json that differs from the one in the plugin.json of its `source` (proven)
It is not:
- an entry or a manifest without a version, or with an empty one
- an entry whose source is outside the repository
Why it is bad: Claude Code uses the version in plugin.json and ignores the one in the entry. A release that changes only the entry
reaches no user.
Instead: Remove `version` from the entry, or change both with every release.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.plugins import MANIFEST, find_entries

PATTERN = Pattern(id="PRJ-011", impact=("easy",), asks_model=False, kinds=(UnitKind.MANIFEST,))
_MARKETPLACE = ".claude-plugin/marketplace.json"
_ENTRY = '{"name": "m", "plugins": [\n  {"name": "birds", "source": "%s", "version": "1.0.0"}]}\n'
_LOOSE = '{"name": "m", "plugins": [{"name": "birds", "source": "./", "version": "1.0.0", "strict": false}]}\n'
_PLUGIN = '{"name": "birds", "version": "%s"}\n'
BAD = (
    {_MARKETPLACE: _ENTRY % "./", ".claude-plugin/plugin.json": _PLUGIN % "1.1.0"},
    {_MARKETPLACE: _ENTRY % "./birds", "birds/.claude-plugin/plugin.json": _PLUGIN % "1.0.0-beta"},
    {_MARKETPLACE: _LOOSE, ".claude-plugin/plugin.json": _PLUGIN % "1.1.0"},
)
GOOD = (
    {_MARKETPLACE: _ENTRY % "./", ".claude-plugin/plugin.json": _PLUGIN % "1.0.0"},
    {_MARKETPLACE: _ENTRY % "./birds", "birds/.claude-plugin/plugin.json": '{"name": "birds"}\n'},
    {_MARKETPLACE: _ENTRY % "./", ".claude-plugin/plugin.json": _PLUGIN % ""},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the entries of this marketplace whose version differs from the plugin's version."""
    project = case.project
    for entry in find_entries(project):
        if entry.path == case.skill.main_path:
            manifest = f"{entry.root}/{MANIFEST}".lstrip("/")
            plugin_version, entry_version = project.read_object(manifest).get("version"), entry.value.get("version")
            if (
                plugin_version != entry_version
                and isinstance(plugin_version, str)
                and isinstance(entry_version, str)
                and "" not in (plugin_version, entry_version)
            ):
                message = (
                    f"Claude Code ignores version `{entry_version}` of this entry: `{manifest}` has `{plugin_version}`."
                )
                yield Finding(entry.path, entry.find_line("version"), message)
