"""A plugin or a marketplace has a name that Claude Code does not accept.

It is:
- a `name` of an entry in marketplace.json with a character other than `A-Z`, `a-z`, `0-9`, `.`, `_` and `-` (proven)
- a `name` that does not begin with a letter or a digit (proven)
- such a `name` in a plugin.json that no marketplace of the repository lists (proven)
- a `name` of a marketplace with such a character, that is reserved, such as `agent-skills`, or that looks official, such as `claude-plugins` (proven)
It is not:
- capital letters, dots or `_`: Claude Code accepts them
- a plugin.json for whose folder a marketplace gives a valid name
- a placeholder of a scaffold, such as `__NAME__` or `{{name}}`, which a program fills
- a reserved name of a marketplace whose owner is Anthropic
Why it is bad: Nobody can install the plugin, or add the marketplace: Claude Code says that its name is invalid.
Instead: Use lowercase letters, digits and hyphens, such as `bird-tools`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.marketplace_names import find_name_fault
from actions.project.plugins import MANIFEST, MARKETPLACE, find_entries
from actions.regex import regex

PATTERN = Pattern(id="PRJ-045", impact=("blocks", "easy"), asks_model=False, kinds=(UnitKind.MANIFEST,))
_VALID_NAME = regex(r"(?a)[A-Za-z0-9][\w.-]*")
"""Source: `claude plugin install` of the CLI 2.1.332; `tests/e2e/facts/test_manifest_facts.py` asks it."""
_NAMED = '{"name": "%s", "owner": {"name": "%s"}, "plugins": []}\n'
_ENTRY = '{"name": "m", "plugins": [\n  {"name": "%s", "source": "./birds"}]}\n'
_PLUGIN = "birds/.claude-plugin/plugin.json"
BAD = (
    {MARKETPLACE: _ENTRY % "@meadow/birds", _PLUGIN: '{"name": "birds"}\n'},
    {MARKETPLACE: _ENTRY % "-birds", _PLUGIN: '{"name": "birds"}\n'},
    {_PLUGIN: '{"name": "birds and bees"}\n'},
    {MARKETPLACE: _NAMED % ("shore/birds", "Ana")},
    {MARKETPLACE: _NAMED % ("claude-plugins", "Ana")},
    {MARKETPLACE: _NAMED % ("agent-skills", "Ana")},
)
GOOD = (
    {MARKETPLACE: _ENTRY % "Birds_2.0", _PLUGIN: '{"name": "Birds_2.0"}\n'},
    {MARKETPLACE: _ENTRY % "birds", _PLUGIN: '{"name": "@meadow/birds"}\n'},
    {_PLUGIN: '{"name": "__BIRD_NAME__"}\n'},
    {_PLUGIN: '{"name": "<birds>"}\n'},
    {MARKETPLACE: _ENTRY % "{{birds}}", _PLUGIN: '{"name": "${birds}"}\n'},
    {MARKETPLACE: _NAMED % ("my-claude-plugins", "Ana")},
    {MARKETPLACE: _NAMED % ("agent-skills", "Anthropic")},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the invalid names of this marketplace and its entries, or of this plugin if no marketplace lists it."""
    entries = [*find_entries(case.project)]
    names = [(entry.value.get("name"), entry.find_line("name")) for entry in entries if entry.path == case.unit.path]
    document = case.project.read_json(case.unit.path)
    is_listed = any(entry.root == case.unit.plugin_root for entry in entries)
    if case.unit.path.endswith(MANIFEST) and document and not is_listed:
        names.append((case.project.read_object(case.unit.path).get("name"), document.find_line("name")))
    for name, line in names:
        if isinstance(name, str) and name and not _VALID_NAME.fullmatch(name):
            message = f"Claude Code does not install a plugin with the name `{name[:80]}`."
            yield Finding(case.unit.path, line, message)
    marketplace = case.project.read_object(case.unit.path) if case.unit.path.endswith(MARKETPLACE) else {}
    if document and (fault := find_name_fault(marketplace)):
        message = f"The name of the marketplace {fault}: nobody can add the marketplace."
        yield Finding(case.unit.path, document.find_line("name"), message)
