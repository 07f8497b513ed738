"""Test in which words of commands a `~` is found that nothing replaces, and what is proposed."""

import json

import pytest

from actions.project.find_units import find_units
from actions.project.unexpanded_homes import find_unexpanded_homes, find_unexpanded_server_homes
from tests.actions.project.test_started_files import HOOKS_FILE, SETTINGS
from tests.examples import make_project


def find_in(path, value, find=find_unexpanded_homes):
    plugin = {".claude-plugin/plugin.json": '{"name": "birds"}'} if path == HOOKS_FILE else {}
    project = make_project({path: json.dumps(value), **plugin})
    return [home for unit in find_units(project) if unit.path == path for home in find(project, unit)]


def find_in_hook(command, path=SETTINGS, **settings):
    hook = {"type": "command", "command": command, **settings}
    return find_in(path, {"hooks": {"Stop": [{"hooks": [hook]}]}})


@pytest.mark.parametrize(
    ("command", "word", "intended"),
    [
        ('"~/check.sh"', '"~/check.sh"', '"$HOME/check.sh"'),
        ("bash '~/a b/check.sh' --all", "'~/a b/check.sh'", '"$HOME/a b/check.sh"'),
        ('A=1 node "~/birds"/check.js', '"~/birds"/check.js', '"$HOME/birds"/check.js'),
        ('make && python3 "~/check.py"', '"~/check.py"', '"$HOME/check.py"'),
    ],
)
@pytest.mark.parametrize("path", [SETTINGS, HOOKS_FILE])
def test_file_that_a_hook_starts_in_quotes_is_found(command, word, intended, path):
    (home,) = find_in_hook(command, path)
    assert (home.word, home.intended, home.disables_hook) == (word, intended, not command.startswith("make"))


@pytest.mark.parametrize(
    "command",
    [
        "~/check.sh",
        'bash ~/"check.sh"',
        "bash -c '~/check.sh'",
        'bash check.sh "~/birds"',
        '"$HOME/check.sh"',
        '[ -f "~/check.sh" ] && "~/check.sh"',
        '"~/check.sh" || sh check.sh',
        'echo "~/check.sh"',
        "'~/$birds/check.sh'",
        "eval '~/check.sh'",
    ],
)
def test_other_word_with_a_tilde_is_not_found(command):
    assert find_in_hook(command) == []


def test_hook_for_another_shell_is_left_out():
    assert find_in_hook('"~/check.ps1"', shell="powershell") == []


@pytest.mark.parametrize(("command", "args"), [("~/check.sh", []), ("bash", ["~/check.sh"])])
def test_hook_with_args_has_no_correct_word(command, args):
    (home,) = find_in_hook(command, args=args)
    assert (home.word, home.intended) == ("~/check.sh", "")
    assert find_in_hook("afplay", args=["~/birds.mp3"]) == []


@pytest.mark.parametrize("key", ["statusLine", "subagentStatusLine"])
def test_status_line_is_found_in_settings_only(key):
    value = {key: {"type": "command", "command": 'bash "~/status.sh"'}}
    (home,) = find_in(SETTINGS, value)
    assert (home.intended, home.disables_hook) == ('"$HOME/status.sh"', False)
    assert find_in(HOOKS_FILE, value) == []


@pytest.mark.parametrize(
    ("server", "intended"),
    [
        ({"command": "~/serve"}, ["${HOME}/serve"]),
        ({"command": "node", "args": ["~/serve.js"]}, ["${HOME}/serve.js"]),
        ({"command": "npx", "args": ["~/birds"]}, []),
        ({"command": "node", "args": ["${HOME}/serve.js", "~/birds"]}, []),
        ({"command": "bash", "args": ["-c", "~/serve"]}, []),
        ({"args": []}, []),
    ],
)
def test_program_and_script_of_a_server_are_found(server, intended):
    homes = find_in(".mcp.json", {"mcpServers": {"birds": server}}, find_unexpanded_server_homes)
    assert [home.intended for home in homes] == intended
