"""Test that hooks are reported if their paths begin with variables that Claude Code does not set."""

import json

import pytest

from actions.project.project import Project, ProjectFile
from actions.project.unset_roots import find_unset_roots

SETTINGS, PLUGIN_HOOKS = ".claude/settings.json", "hooks/hooks.json"


def list_faults(path, command, files=(), settings=(), **fields):
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command, **fields}]}]}
    texts = {path: json.dumps({"hooks": hooks, **dict(settings)}), **dict(files)}
    if path == PLUGIN_HOOKS:
        texts[".claude-plugin/plugin.json"] = '{"name": "birds"}'
    entries = {name: ProjectFile(name, len(text)) for name, text in texts.items()}
    return find_unset_roots(Project("p", entries, lambda name: texts[name].encode()))


@pytest.mark.parametrize(
    "command",
    [
        "bash $CLAUDE_PLUGIN_DIR/check.sh",
        'node "${CLAUDE_PLUGIN_PATH}/check.js"',
        "bash -c 'cd $CLAUDE_PROJECT_ROOT && sh check.sh'",
    ],
)
def test_folder_that_is_not_set_is_reported(command):
    assert [fault.instead for fault in list_faults(PLUGIN_HOOKS, command)] == ["${CLAUDE_PLUGIN_ROOT}"]
    assert [fault.instead for fault in list_faults(SETTINGS, command)] == ["$CLAUDE_PROJECT_DIR"]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("CLAUDE_PLUGIN_ROT", "${CLAUDE_PLUGIN_ROOT}"),
        ("CLAUD_PLUGIN_ROOT", "${CLAUDE_PLUGIN_ROOT}"),
        ("CLAUDE_PLUGIN_ROOTS", "${CLAUDE_PLUGIN_ROOT}"),
        ("CLAUDE_PROJEKT_DIR", "${CLAUDE_PROJECT_DIR}"),
    ],
)
def test_misspelled_folder_is_reported(name, instead):
    for command in (f"bash ${{{name}}}/check.sh", f'sh "${name}"/check.sh'):
        assert [fault.instead for fault in list_faults(PLUGIN_HOOKS, command)] == [instead]
    assert not list_faults(PLUGIN_HOOKS, f"{name}=.; bash ${name}/check.sh")


@pytest.mark.parametrize(
    "command",
    [
        "bash ${CLAUDE_PLUGIN_ROOT}/check.sh",
        "bash ${CLAUDE_PLUGIN_DIR:-.}/check.sh",
        "CLAUDE_PLUGIN_DIR=.; bash $CLAUDE_PLUGIN_DIR/check.sh",
        '[ -n "$CLAUDE_PLUGIN_DIR" ] && bash $CLAUDE_PLUGIN_DIR/check.sh',
        "echo '$CLAUDE_PLUGIN_DIR'",
        "bash $MY_PLUGIN_DIR/check.sh $HOME $TMPDIR",
        "if then $CLAUDE_PLUGIN_DIR",
    ],
)
def test_folder_with_a_value_or_of_another_name_is_not_reported(command):
    assert not list_faults(PLUGIN_HOOKS, command)


def test_variable_of_plugins_is_reported_in_settings_only():
    for command in ("bash $CLAUDE_PLUGIN_ROOT/check.sh", "bash ${CLAUDE_PLUGIN_ROOT}/check.sh"):
        assert not list_faults(PLUGIN_HOOKS, command)
        assert [fault.is_refused for fault in list_faults(SETTINGS, command)] == ["{" in command]
    assert not list_faults(SETTINGS, "bash ${CLAUDE_PLUGIN_ROOT:-.claude}/check.sh")


def test_braces_are_refused_whatever_sets_the_variable():
    settings = {"env": {"CLAUDE_PLUGIN_ROOT": "/a"}}
    assert list_faults(SETTINGS, "bash ${CLAUDE_PLUGIN_ROOT}/check.sh", settings=settings)
    assert not list_faults(SETTINGS, "bash $CLAUDE_PLUGIN_ROOT/check.sh", settings=settings)


def test_arguments_are_not_expanded():
    assert list_faults(PLUGIN_HOOKS, "node", args=["${CLAUDE_PLUGIN_DIR}/check.js"])
    assert list_faults(SETTINGS, "node", args=["${CLAUDE_PLUGIN_ROOT}/check.js"])
    assert not list_faults(PLUGIN_HOOKS, "node", args=["${CLAUDE_PLUGIN_ROOT}/check.js"])


def test_variable_that_the_project_sets_or_replaces_is_not_reported():
    command = "bash $CLAUDE_PLUGIN_DIR/check.sh"
    assert not list_faults(PLUGIN_HOOKS, command, {"README.md": "Run `export CLAUDE_PLUGIN_DIR=~/birds`.\n"})
    assert list_faults(PLUGIN_HOOKS, command, {"README.md": "`CLAUDE_PLUGIN_DIR` is the folder.\n"})
    braces = "bash ${CLAUDE_PLUGIN_ROOT}/check.sh"
    assert not list_faults(SETTINGS, braces, {"install.sh": 'sed "s|${CLAUDE_PLUGIN_ROOT}|$PWD|" in > out\n'})
    assert not list_faults(SETTINGS, braces, {"i.js": "text.replaceAll('${CLAUDE_PLUGIN_ROOT}', root)\n"})
    assert list_faults(SETTINGS, braces, {"README.md": "Replace `CLAUDE_PLUGIN_ROOT`.\n"})
