"""A marketplace and the plugin's own manifest give the plugin different names.

It is:
- a `name` in an entry of marketplace.json that differs from the one in the plugin.json of its `source` (proven)
It is not:
- several entries with one source
- an entry whose source is outside the repository
Why it is bad: The plugin is installed and updated under one name, and its skills, commands and agents are called by another.
Instead: Give both the same name.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.plugins import MANIFEST, find_entries

PATTERN = Pattern(id="PRJ-023", impact=("easy",), asks_model=False, kinds=(UnitKind.MANIFEST,))
_MARKETPLACE = ".claude-plugin/marketplace.json"
_ENTRY = '{"name": "m", "plugins": [\n  {"name": "birds", "source": "%s"}]}\n'
BAD = (
    {_MARKETPLACE: _ENTRY % "./", MANIFEST: '{"name": "bird-tools"}\n'},
    {_MARKETPLACE: _ENTRY % "./plugins/birds", f"plugins/birds/{MANIFEST}": '{"name": "bird"}\n'},
)
GOOD = (
    {_MARKETPLACE: _ENTRY % "./", MANIFEST: '{"name": "birds"}\n'},
    {_MARKETPLACE: _ENTRY % "./plugins/birds", f"plugins/birds/{MANIFEST}": '{"version": "1.0.0"}\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the entries of this marketplace whose name differs from the plugin's."""
    entries = [entry for entry in find_entries(case.project) if entry.path == case.unit.path]
    roots = [entry.root for entry in entries]
    for entry in entries:
        plugin_name = case.project.read_object(f"{entry.root}/{MANIFEST}".lstrip("/")).get("name")
        entry_name = entry.value.get("name")
        if (
            isinstance(plugin_name, str)
            and isinstance(entry_name, str)
            and plugin_name != entry_name
            and roots.count(entry.root) == 1
        ):
            message = f"This entry installs `{entry_name}`, but its units are called `{plugin_name}:...`, as in its plugin.json."
            yield Finding(entry.path, entry.find_line("name"), message)
