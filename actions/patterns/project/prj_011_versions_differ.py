"""A marketplace names another version than the plugin's own manifest.

It is:
- a `version` in an entry of marketplace.json that differs from that in the plugin.json of its `source` (proven)
It is not:
- an entry or a manifest without a version, or an entry with `strict: false`
- an entry whose source is outside the repository
Why it is bad: Claude Code uses the version of plugin.json. The one in the entry is ignored, and a release that changes only the entry
updates no one.
Instead: Remove `version` from the entry, or change both with every release.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.plugins import MANIFEST, find_entries

PATTERN = Pattern(id="PRJ-011", impact=("easy",), asked=False, kinds=(UnitKind.MANIFEST,))
_MARKETPLACE = ".claude-plugin/marketplace.json"
_ENTRY = '{"name": "m", "plugins": [\n  {"name": "birds", "source": "%s", "version": "1.0.0"}]}\n'
_PLUGIN = '{"name": "birds", "version": "%s"}\n'
BAD = (
    {_MARKETPLACE: _ENTRY % "./", ".claude-plugin/plugin.json": _PLUGIN % "1.1.0"},
    {_MARKETPLACE: _ENTRY % "./birds", "birds/.claude-plugin/plugin.json": _PLUGIN % "1.0.0-beta"},
)
GOOD = (
    {_MARKETPLACE: _ENTRY % "./", ".claude-plugin/plugin.json": _PLUGIN % "1.0.0"},
    {_MARKETPLACE: _ENTRY % "./birds", "birds/.claude-plugin/plugin.json": '{"name": "birds"}\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the entries of this marketplace whose version differs from that of the plugin."""
    project = case.project
    for entry in find_entries(project):
        if entry.path == case.skill.main_path:
            manifest = f"{entry.root}/{MANIFEST}".lstrip("/")
            there, here = project.read_object(manifest).get("version"), entry.value.get("version")
            is_alone = entry.value.get("strict") is False
            if not is_alone and isinstance(there, str) and isinstance(here, str) and there != here:
                message = f"Claude Code ignores version `{here}` of this entry: `{manifest}` says `{there}`."
                yield Finding(entry.path, entry.find_line("version"), message)
