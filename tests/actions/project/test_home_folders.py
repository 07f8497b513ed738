"""Test that a folder is meant for `~/.claude` only if its settings or a guide at the root show it."""

import json

import pytest

from actions.patterns import get_patterns
from actions.project.find_units import find_units
from actions.project.home_folders import find_home_folders
from tests.examples import list_unit_cases, make_project

SETTINGS = json.dumps({"permissions": {"deny": ["WebFetch"]}})
STARTS_OWN = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh ~/.claude/hooks/a.sh"}]}]}})
GUIDE = {"README.md": "Copy `config/settings.json` to `~/.claude/settings.json`.\n"}
AGENT = "---\nname: counter\ndescription: Counts.\n---\n\nCount.\n"


@pytest.mark.parametrize(
    ("files", "folders"),
    [
        ({"settings.json": STARTS_OWN, "hooks/a.sh": ""}, [""]),
        ({"x/settings.json": STARTS_OWN.replace("~", "$HOME"), "x/hooks/a.sh": ""}, ["x"]),
        ({"config/settings.json": SETTINGS, **GUIDE}, ["config"]),
        ({"settings.json": SETTINGS, "install.sh": 'ln -s "$PWD/settings.json" "${HOME}/.claude/"\n'}, [""]),
        ({"settings.json": STARTS_OWN, "x/hooks/a.sh": ""}, []),
        ({"settings.json": SETTINGS}, []),
        ({"settings.json": SETTINGS, "README.md": "Edit `settings.json`.\n"}, []),
        ({"other/settings.json": SETTINGS, **GUIDE}, []),
        ({"config/settings.json": '{"editor.tabSize": 2}', **GUIDE}, []),
        ({"config/settings.json": "[]", **GUIDE}, []),
        ({"config/settings.json": '{"env": {"A": "1"}, "permissions": {"users": []}, "hooks": ["a"]}', **GUIDE}, []),
        ({".vscode/settings.json": STARTS_OWN, ".vscode/hooks/a.sh": ""}, []),
        ({"docs/settings.json": STARTS_OWN, "docs/hooks/a.sh": ""}, []),
        ({"settings.json": STARTS_OWN, "hooks/a.sh": "", ".claude-plugin/plugin.json": "{}"}, []),
    ],
)
def test_folder_for_the_home_needs_evidence(files, folders):
    assert [*find_home_folders(make_project(files))] == folders


def test_units_of_a_folder_for_the_home_are_found():
    names = ("agents/a.md", "commands/b.md", "output-styles/c.md", "settings.local.json")
    files = {f"config/{name}": SETTINGS if name.endswith("json") else AGENT for name in names}
    units = find_units(make_project({"config/settings.json": SETTINGS, **files}))
    assert [unit.path for unit in units] == []
    units = find_units(make_project({"config/settings.json": SETTINGS, **files, **GUIDE}))
    assert [unit.path for unit in units] == sorted(["config/settings.json", *files])


def test_paths_in_the_settings_of_a_user_are_not_paths_of_the_project():
    command = "sh .claude/hooks/b.sh; sh $CLAUDE_PROJECT_DIR/.claude/b.sh; sh ${CLAUDE_PLUGIN_ROOT}/b.sh"
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}
    project = make_project({"config/settings.json": json.dumps({"hooks": hooks}), **GUIDE})
    (case,) = list_unit_cases(project)
    messages = {
        key: [finding.message for finding in get_patterns()[key].check(case)]
        for key in ("PRJ-003", "PRJ-009", "PRJ-046")
    }
    assert (messages["PRJ-003"], messages["PRJ-009"]) == ([], [])
    assert ["Write `$HOME/.claude`" in message for message in messages["PRJ-046"]] == [True]
