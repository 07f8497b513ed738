"""Test that Claude Code rejects the reported manifests and sources, and skips missing files that they name."""

import json

import pytest

from actions.patterns import get_patterns
from actions.project.conflicting_entries import PART_KEYS, find_conflicting_entries
from actions.project.find_units import find_units
from actions.project.manifest_paths import find_missing_paths, is_rejected
from actions.project.manifest_types import find_refused_values
from actions.project.marketplace_names import find_name_fault
from actions.project.path_kinds import find_wrong_kinds
from tests.e2e.facts.claude_cli import manage_plugins, run_session, validate, write_tree
from tests.e2e.facts.test_unit_facts import read_project
from tests.examples import list_unit_cases

MANIFEST = {"name": "probe", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}


INVALID_JSON = ('{"hooks": {},}', '{"hooks": {} // none\n}', "", "{'hooks': {}}")
JSON_WITHOUT_HOOKS = ('{"Stop": [{"hooks": []}]}', "[]")


def test_hooks_file_that_is_not_json_or_has_no_hooks_is_an_error(tmp_path):
    files = {f"hooks/{number}.json": text for number, text in enumerate((*INVALID_JSON, *JSON_WITHOUT_HOOKS))}
    manifest = {**MANIFEST, "hooks": [f"./{path}" for path in files]}
    report = validate(write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": manifest, **files}), tmp_path)
    messages = [[error["message"].split(":")[0] for error in part["errors"]] for part in report["contents"]]
    assert messages[: len(INVALID_JSON)] == [["Invalid JSON syntax"]] * len(INVALID_JSON)
    assert all(messages[len(INVALID_JSON) :])
    assert report["success"] is False


@pytest.mark.parametrize("strict", [True, False])
def test_version_of_a_marketplace_entry_is_ignored(tmp_path, strict):
    entry = {"name": "probe", "source": "./plugins/probe", "description": "A probe.", "version": "0.9.0"}
    entry["strict"] = strict
    marketplace = {"name": "m", "description": "A market.", "owner": {"name": "a"}, "plugins": [entry]}
    files = {".claude-plugin/marketplace.json": marketplace, "plugins/probe/.claude-plugin/plugin.json": MANIFEST}
    report = validate(write_tree(tmp_path / "market", files), tmp_path)
    (warning,) = report["manifest"]["warnings"]
    assert "the entry version is silently ignored" in warning["message"]
    manage_plugins(tmp_path, "marketplace", "add", tmp_path / "market")
    manage_plugins(tmp_path, "install", "probe@m")
    assert '"version": "1.0.0"' in manage_plugins(tmp_path, "list", "--json")


def test_reported_names_are_those_that_claude_does_not_install(tmp_path):
    names = ["Birds_2.0", "b-", "b..c", "-b", "_b", ".b", "b/x", "@o/b", "b c", "b:c", "b+c", "bä", "b,c"]
    entries = [{"name": name, "source": f"./p{n}", "description": "A probe."} for n, name in enumerate(names)]
    marketplace = {"name": "m", "description": "A market.", "owner": {"name": "a"}, "plugins": entries}
    plugins = {f"p{n}/.claude-plugin/plugin.json": {**MANIFEST, "name": name} for n, name in enumerate(names)}
    folder = write_tree(tmp_path / "market", {".claude-plugin/marketplace.json": marketplace, **plugins})
    errors = [error["message"] for error in validate(folder, tmp_path)["manifest"]["errors"]]
    refused = [name for name in names if any(f'cannot install plugin "{name}"' in message for message in errors)]
    module, project = get_patterns()["PRJ-045"], read_project(folder)
    messages = [finding.message for case in list_unit_cases(project) for finding in module.check(case)]
    assert [name for name in names if any(f"`{name}`" in message for message in messages)] == refused
    assert refused == names[3:]


REFUSED_MARKETS = [
    "a/b",
    "a b",
    "..",
    "a..b",
    "@x",
    "-x",
    "x:y",
    "ü",
    "",
    "inline",
    "Skills-Dir",
    "claude-plugins",
    "claude_plugins-of-ana",
]
REFUSED_MARKETS += ["claude-directory", "x-claude-official", "agent-skills", "claude-code-plugins", "healthcare"]
ACCEPTED_MARKETS = ["Birds_2.0", "my-claude-plugins", "claude-skills-marketplace", "claude-plugin", "anthropic-skills"]


@pytest.mark.parametrize("name", [*REFUSED_MARKETS, *ACCEPTED_MARKETS])
def test_reported_names_of_marketplaces_are_those_that_claude_does_not_add(tmp_path, name):
    folder = write_market(tmp_path, [], name=name)
    output = manage_plugins(tmp_path, "marketplace", "add", folder)
    reported = bool(find_name_fault(json.loads((folder / ".claude-plugin/marketplace.json").read_text())))
    assert ("Successfully added" not in output) is reported is (name in REFUSED_MARKETS)


REFUSED_IN_PLUGIN = [("version", 1.0), ("hooks", None), ("skills", 3), ("agents", {}), ("commands", True)]
REFUSED_IN_PLUGIN += [("mcpServers", 3), ("lspServers", 3), ("outputStyles", {}), ("dependencies", "x")]
REFUSED_IN_PLUGIN += [("settings", []), ("userConfig", "x")]
REFUSED_IN_PLUGIN += [(key, [{"name": "x", "path": "./x"}]) for key in ("skills", "agents", "commands", "outputStyles")]
REFUSED_IN_PLUGIN += [(key, [3]) for key in ("skills", "hooks", "mcpServers", "lspServers", "dependencies")]
REFUSED_IN_PLUGIN += [("commands", {"go": "./commands/go.md"})]
OPTION = {"type": "string", "title": "Sea", "description": "The sea."}
WRONG_OPTIONS = [{k: v for k, v in OPTION.items() if k != key} for key in OPTION]
WRONG_OPTIONS += [{"description": "The sea.", "default": "2"}, {}, "sea", None]
WRONG_VALUES = [("type", "integer"), ("type", "String"), ("enum", ["a"]), ("required", "yes"), ("sensitive", 1)]
WRONG_VALUES += [("min", "1"), ("max", True), ("multiple", None), ("title", 3), ("default", {}), ("default", [1])]
WRONG_VALUES += [("options", "a")]
WRONG_OPTIONS += [{**OPTION, key: value} for key, value in WRONG_VALUES]
REFUSED_IN_PLUGIN += [("userConfig", {"sea": option}) for option in WRONG_OPTIONS]
REFUSED_IN_PLUGIN += [("userConfig", {name: OPTION}) for name in ("my-sea", "1sea", "a.b", "sea ", "ä")]
ACCEPTED_IN_PLUGIN = [("author", "a"), ("description", 3), ("repository", {}), ("keywords", "a"), ("hooks", {})]
ACCEPTED_IN_PLUGIN += [("commands", {"go": {"source": "./commands/go.md"}}), ("hooks", [{}]), ("keywords", [3])]
RIGHT_VALUES = [("type", "number"), ("type", "boolean"), ("type", "directory"), ("type", "file"), ("default", 2)]
RIGHT_VALUES += [
    ("default", ["a"]),
    ("default", True),
    ("required", True),
    ("min", 1.5),
    ("title", ""),
    ("default", ""),
]
ACCEPTED_IN_PLUGIN += [("userConfig", {"_Sea1": {**OPTION, key: value}}) for key, value in RIGHT_VALUES]
ACCEPTED_IN_PLUGIN += [("userConfig", {"sea": {**OPTION, "options": ["a"], "default": "a"}})]
ACCEPTED_IN_PLUGIN += [("skills", []), ("commands", {}), ("mcpServers", []), ("license", None), ("homepage", "a")]


def find_refused(folder):
    project = read_project(folder)
    return [value for unit in find_units(project) for value in find_refused_values(project, unit)]


def test_reported_types_are_those_with_which_claude_loads_no_plugin(tmp_path):
    text = "---\nname: one\ndescription: Go.\n---\n\nGo.\n"
    cases = [*REFUSED_IN_PLUGIN, *ACCEPTED_IN_PLUGIN]
    folders = [
        write_tree(
            tmp_path / f"p{n}",
            {
                ".claude-plugin/plugin.json": {**MANIFEST, "name": f"p{n}", key: value},
                "skills/one/SKILL.md": text,
                "commands/go.md": text,
            },
        )
        for n, (key, value) in enumerate(cases)
    ]
    options = [option for folder in folders for option in ("--plugin-dir", str(folder))]
    _, start, _ = run_session({}, tmp_path / "home", lambda _: "ok", *options)
    lost = [case for n, case in enumerate(cases) if f"p{n}:one" not in start["slash_commands"]]
    assert lost == REFUSED_IN_PLUGIN
    assert [case for case, folder in zip(cases, folders, strict=True) if find_refused(folder)] == lost


REFUSED_IN_ENTRY = [*REFUSED_IN_PLUGIN, ("author", "a"), ("author", {}), ("tags", "a"), ("strict", "no")]
REFUSED_IN_ENTRY += [(key, 3) for key in ("description", "homepage", "repository", "license", "category", "keywords")]
REFUSED_IN_ENTRY += [("source", "plugins/probe")]


def write_market(folder, entries, **keys):
    market = {"name": "m", "owner": {"name": "a"}, "description": "A market.", "plugins": entries, **keys}
    files = {".claude-plugin/marketplace.json": market, "plugins/probe/.claude-plugin/plugin.json": MANIFEST}
    return write_tree(folder / "market", files)


def test_reported_values_of_entries_are_those_that_claude_refuses(tmp_path):
    right = {"source": "./plugins/probe", "description": "A probe."}
    entries = [{**right, "name": f"p{n}", key: value} for n, (key, value) in enumerate(REFUSED_IN_ENTRY)]
    folder = write_market(tmp_path, [*entries, {**right, "name": "probe"}])
    errors = [error["path"] for error in validate(folder, tmp_path)["manifest"]["errors"]]
    refused = [n for n in range(len(entries) + 1) if any(f"plugins.{n}." in f"{path}." for path in errors)]
    assert refused == [*range(len(entries))]
    assert [value.key.split(".")[0] for value in find_refused(folder)] == [key for key, _ in REFUSED_IN_ENTRY]
    manage_plugins(tmp_path, "marketplace", "add", folder)
    assert "entry is invalid: author" in manage_plugins(tmp_path, "install", f"p{len(REFUSED_IN_PLUGIN)}@m")


@pytest.mark.parametrize(
    "keys", [{"owner": "a"}, {"owner": {"name": ""}}, {"plugins": 3}, {"version": 3}, {"metadata": {"version": 1.0}}]
)
def test_reported_values_of_a_marketplace_prevent_that_it_is_added(tmp_path, keys):
    folder = write_market(tmp_path, [], **keys)
    assert "Failed to add marketplace" in manage_plugins(tmp_path, "marketplace", "add", folder)
    assert [value.loss for value in find_refused(folder)] == ["the marketplace cannot be added"]


def test_bare_name_as_source_needs_a_plugin_root(tmp_path):
    entry = {"name": "probe", "source": "probe", "author": {"name": "a", "url": "b"}, "foo": 1}
    folder = write_market(tmp_path, [entry], metadata={"pluginRoot": "./plugins"}, foo=1)
    manage_plugins(tmp_path, "marketplace", "add", folder)
    assert "Successfully installed" in manage_plugins(tmp_path, "install", "probe@m")
    assert find_refused(folder) == []


def test_reported_missing_paths_are_those_that_claude_misses(tmp_path):
    entries = [{"name": name, "source": f"./plugins/{name}", "description": "A probe."} for name in ("gone", "other")]
    marketplace = {"name": "m", "description": "A market.", "owner": {"name": "a"}, "plugins": entries}
    folder = write_tree(
        tmp_path / "market",
        {
            ".claude-plugin/marketplace.json": marketplace,
            "plugins/other/.claude-plugin/plugin.json": {**MANIFEST, "commands": ["./cmds", "./commands"]},
            "plugins/other/commands/go.md": "---\ndescription: Go.\n---\n\nGo.\n",
        },
    )
    manage_plugins(tmp_path, "marketplace", "add", folder)
    assert "Source path does not exist" in manage_plugins(tmp_path, "install", "gone@m")
    manage_plugins(tmp_path, "install", "other@m")
    plugin = next(row for row in json.loads(manage_plugins(tmp_path, "list", "--json")) if row["id"] == "other@m")
    project = read_project(folder)
    missing = [missing_path.path for unit in find_units(project) for missing_path in find_missing_paths(project, unit)]
    assert missing == ["plugins/gone", "plugins/other/cmds"]
    assert [error["path"] for error in plugin["errorDetails"]] == [str(folder / "plugins/other/cmds")]


@pytest.mark.parametrize(
    ("key", "path", "loaded"),
    [
        ("commands", "./commands/", ["probe:go", "probe:one"]),
        ("skills", ".", ["probe:go", "probe:one"]),
        ("commands", "./../commands", ["probe:one"]),
        ("commands", "../commands/", []),
        ("commands", "commands", []),
        ("skills", "skills/", []),
        ("agents", "./agents", []),
        ("agents", "./agents/owl.md", ["probe:go", "probe:one"]),
    ],
)
def test_rejected_paths_are_those_that_claude_rejects(tmp_path, key, path, loaded):
    text = "---\nname: one\ndescription: Go.\n---\n\nGo.\n"
    files = {
        ".claude-plugin/plugin.json": {**MANIFEST, key: [path]},
        "commands/go.md": text.replace("name: one\n", ""),
        "agents/owl.md": text.replace("one", "owl"),
        "skills/one/SKILL.md": text,
    }
    plugin = write_tree(tmp_path / "probe", files)
    _, start, _ = run_session({}, tmp_path / "home", lambda _: "ok", "--plugin-dir", str(plugin))
    assert sorted(name for name in start["slash_commands"] if "probe:" in name) == loaded
    assert is_rejected(key, path) is ("probe:go" not in loaded)
    assert validate(plugin, tmp_path)["success"] is not is_rejected(key, path)


def test_manifest_with_a_byte_order_mark_names_the_units(tmp_path):
    """The units have the plugin name of the manifest, not of the marketplace entry."""
    files = {
        ".claude-plugin/plugin.json": f"\ufeff{json.dumps(MANIFEST)}",
        "commands/go.md": "---\ndescription: Go.\n---\n\nGo.\n",
    }
    report = validate(write_tree(tmp_path / "entry-name", files), tmp_path)
    assert (report["manifest"]["errors"], report["provides"]["commands"]) == ([], ["probe:go"])


@pytest.mark.parametrize(
    ("key", "path", "loaded"),
    [
        ("skills", "./extra/two.md", ["probe:go", "probe:one"]),
        ("skills", "./extra/three/SKILL.md", ["probe:go", "probe:one"]),
        ("skills", "./loose", ["probe:go", "probe:one"]),
        ("skills", "./extra", ["probe:go", "probe:one", "probe:three"]),
        ("commands", "./extra/run.txt", ["probe:one"]),
        ("commands", "./extra/two.md", ["probe:one", "probe:two"]),
        ("hooks", "./extra/", []),
        ("hooks", "./extra/run.txt", []),
        ("mcpServers", "./extra", []),
        ("lspServers", "./extra/run.txt", []),
        ("mcpServers", "./extra/servers.json", ["probe:go", "probe:one"]),
    ],
)
def test_paths_of_the_wrong_kind_are_those_from_which_claude_loads_nothing(tmp_path, key, path, loaded):
    text = "---\nname: {0}\ndescription: Go.\n---\n\nGo.\n"
    files = {
        ".claude-plugin/plugin.json": {**MANIFEST, key: path},
        "commands/go.md": text.format("go"),
        "skills/one/SKILL.md": text.format("one"),
        **{f"{name}.md": text.format("two") for name in ("extra/two", "loose/two")},
        "extra/three/SKILL.md": text.format("three"),
        "extra/run.txt": "x",
        "extra/servers.json": {"mcpServers": {}},
    }
    plugin = write_tree(tmp_path / "probe", files)
    _, start, _ = run_session({}, tmp_path / "home", lambda _: "ok", "--plugin-dir", str(plugin))
    assert sorted(name for name in start["slash_commands"] if "probe:" in name) == loaded
    project = read_project(plugin)
    wrong = [wrong for unit in find_units(project) for wrong in find_wrong_kinds(project, unit)]
    is_right = {"probe:two", "probe:three"}.intersection(loaded) or path.endswith(".json")
    assert [(kind.word, kind.loses_plugin) for kind in wrong] == ([] if is_right else [(path, loaded == [])])


NOT_STRICT = [("commands", ["./commands/go.md"]), ("agents", []), ("skills", "./skills"), ("hooks", {"Stop": []})]
NOT_STRICT += [("outputStyles", []), ("mcpServers", {"a": {"command": "true"}}), ("lspServers", {}), ("keywords", [])]


@pytest.mark.parametrize(("strict", "has_manifest"), [(False, True), (False, False), (True, True), (None, True)])
def test_reported_entries_are_those_with_which_claude_loads_no_plugin(tmp_path, strict, has_manifest):
    entries = [
        {"name": f"p{n}", "source": f"./p{n}", "description": "A probe.", key: value}
        | ({} if strict is None else {"strict": strict})
        for n, (key, value) in enumerate(NOT_STRICT)
    ]
    market = {"name": "m", "owner": {"name": "a"}, "description": "A market.", "plugins": entries}
    files = {".claude-plugin/marketplace.json": market}
    for n in range(len(NOT_STRICT)):
        files[f"p{n}/commands/go.md"] = "Go.\n"
        files |= {f"p{n}/.claude-plugin/plugin.json": {**MANIFEST, "name": f"p{n}"}} if has_manifest else {}
    folder = write_tree(tmp_path / "market", files)
    manage_plugins(tmp_path, "marketplace", "add", folder)
    for n in range(len(NOT_STRICT)):
        manage_plugins(tmp_path, "install", f"p{n}@m")
    rows = {row["id"]: row.get("errors") for row in json.loads(manage_plugins(tmp_path, "list", "--json"))}
    lost = [key for n, (key, _) in enumerate(NOT_STRICT) if "conflicting manifests" in str(rows[f"p{n}@m"])]
    project = read_project(folder)
    found = [entry for unit in find_units(project) for entry in find_conflicting_entries(project, unit)]
    assert [key for entry in found for key in entry.keys] == lost
    assert lost == ([*PART_KEYS] if strict is False and has_manifest else [])
