"""Every command has help with an example, exits 0, and the front page loads nothing that it does not need."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from orchestrator.cli import COMMANDS, cli

ROOT = Path(__file__).parents[3]


def commands(group=cli, path=()):
    """Give the path of every command, those in groups too."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_help_exits_0(tune, path):
    done = tune(*path, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: tune-skill {' '.join(path)}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example_of_itself(tune, name):
    told = tune(name, "--help").out
    examples = told[told.index("Example") :]
    assert f"tune-skill {name}" in examples


def test_the_front_page_lists_the_commands_and_the_exit_codes(tune):
    done = tune("--help")
    assert done.code == 0
    assert all(f"  {name}" in done.out for name in COMMANDS)
    assert "Exit codes: 0" in done.out
    assert tune("-h").out == done.out


def test_without_a_command_the_help_goes_to_stderr_with_exit_2(tune):
    done = tune()
    assert (done.code, done.out) == (2, "")
    assert "Commands:" in done.err


def test_the_version_is_printed(tune):
    assert tune("--version").out.startswith("tune-skill 0.")


def test_an_unknown_command_suggests_where_to_look(tune):
    done = tune("diagnos")
    assert done.code == 2
    assert "diagnos" in done.err
    assert "--help" in done.err


def test_help_loads_neither_actions_nor_the_heavy_libraries():
    code = (
        "import sys; from orchestrator.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'jsonschema', 'jinja2', 'transitions', 'yaml', 'rich', 'claude_agent_sdk', 'actions.patterns'}\n"
        "print(sorted(heavy & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
