"""A manifest or a marketplace has a value that Claude Code refuses.

It is:
- a value of the wrong type in plugin.json, such as `"version": 1.0` or `"hooks": null` (proven)
- an option in `userConfig` without `type`, `title` or `description`, or with an unknown type or key (proven)
- an element of the wrong type in a list of paths, such as an object under `skills` or `agents` (proven)
- a value of the wrong type in marketplace.json, such as an entry with `"author": "Ana"` (proven)
- a marketplace without `name`, `owner` or `plugins`, or whose owner has no name (proven)
- an entry with `"strict": false` and with `skills`, `commands` or the like, of a plugin that has a plugin.json (proven)
- an entry without `source`, or whose relative `source` does not begin with `./` (proven)
It is not:
- a key that Claude Code does not check: in plugin.json, `author` and `repository` may have any type
- an entry with `"strict": false` that has only `mcpServers`, or of a plugin without plugin.json
- a bare name as `source`, if the marketplace has a `metadata.pluginRoot`
- a manifest in a folder of samples, such as `templates`
Why it is bad: The plugin cannot be installed or is not loaded, or nobody can add the marketplace.
Instead: Write the value as the message says.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.conflicting_entries import find_conflicting_entries
from actions.project.manifest_types import find_refused_values

PATTERN = Pattern(id="PRJ-047", impact=("blocks", "easy"), asks_model=False, kinds=(UnitKind.MANIFEST,))
_MANIFEST, _MARKETPLACE = ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"
_OWNED = '{"name": "m", "owner": {"name": "Ana"}, "plugins": [\n  {"name": "birds", %s}]}\n'
_PLUGIN = {f"birds/{_MANIFEST}": '{"name": "birds"}\n'}
BAD = (
    {_MANIFEST: '{"name": "birds",\n "version": 1.0}\n'},
    {_MANIFEST: '{"name": "birds",\n "hooks": null}\n'},
    {_MANIFEST: '{"name": "birds", "userConfig": {\n "sea": {"description": "The sea."}}}\n'},
    {_MANIFEST: '{"name": "birds",\n "skills": [{"name": "count", "path": "./count"}]}\n'},
    {**_PLUGIN, _MARKETPLACE: _OWNED % '"source": "./birds", "author": "Ana"'},
    {**_PLUGIN, _MARKETPLACE: _OWNED % '"source": "./birds", "author": {"email": "ana@example.org"}'},
    {**_PLUGIN, _MARKETPLACE: _OWNED % '"source": "birds"'},
    {**_PLUGIN, _MARKETPLACE: _OWNED % '"source": "./birds", "strict": false, "skills": ["./count"]'},
    {**_PLUGIN, _MARKETPLACE: '{"name": "m", "plugins": [\n  {"name": "birds", "source": "./birds"}]}\n'},
)
GOOD = (
    {_MANIFEST: '{"name": "birds", "author": "Ana", "repository": {"type": "git"}}\n'},
    {_MANIFEST: '{"name": "birds", "userConfig": {"sea": {"type": "string", "title": "Sea", "description": ""}}}\n'},
    {f"templates/{_MANIFEST}": '{"name": "birds", "version": 1}\n'},
    {**_PLUGIN, _MARKETPLACE: _OWNED % '"source": "./birds", "author": {"name": "Ana"}, "keywords": ["gulls"]'},
    {**_PLUGIN, _MARKETPLACE: _OWNED % '"source": "./birds", "skills": ["./count"]'},
    {"birds/a.md": "", _MARKETPLACE: _OWNED % '"source": "./birds", "strict": false, "skills": ["./count"]'},
    {**_PLUGIN, _MARKETPLACE: _OWNED % '"source": {"source": "github", "repo": "ana/birds"}'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the values of this manifest or marketplace that Claude Code refuses."""
    for value in find_refused_values(case.project, case.unit):
        message = f"`{value.key}` {value.fault}; {value.loss}."
        yield Finding(case.unit.path, value.line, message, cause=f"{value.key} {value.fault}")
    for entry in find_conflicting_entries(case.project, case.unit):
        keys = ", ".join(f"`{key}`" for key in entry.keys)
        message = (
            f"Claude Code does not load the plugin: with `strict: false` and {keys} here, it must not have a manifest."
        )
        advice = f"Remove `strict`, or `{entry.manifest}`."
        yield Finding(case.unit.path, entry.line, f"{message} {advice}", cause=entry.manifest)
