"""Test that the help of every command has an example, exits with 0 and imports no slow module."""

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from orchestrator.cli import COMMANDS, cli, main

ROOT = Path(__file__).parents[3]


def list_commands(group=cli, path=()):
    """Return the path of every command, including those in groups."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from list_commands(command, (*path, name))


@pytest.mark.parametrize("path", list(list_commands()), ids=" ".join)
def test_help_exits_0(tune, path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = tune(*path, "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: tune-skill {' '.join(path)}")
    assert max(map(len, result.out.splitlines())) <= 80, "a line is wider than 80 columns"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example_of_itself(tune, name):
    printed = tune(name, "--help").out
    examples = printed[printed.index("Example") :]
    assert f"tune-skill {name}" in examples


def test_help_lists_the_commands_and_the_exit_codes(tune):
    result = tune("--help")
    assert result.code == 0
    assert all(f"  {name}" in result.out for name in COMMANDS)
    assert "Exit codes: 0" in result.out
    assert tune("-h").out == result.out


def test_missing_command_prints_the_help_to_stderr_and_exits_2(tune):
    result = tune()
    assert (result.code, result.out) == (2, "")
    assert "Commands:" in result.err


def test_version_is_printed(tune):
    assert tune("--version").out.startswith("tune-skill 0.")


def test_unknown_command_suggests_the_help(tune):
    result = tune("diagnos")
    assert result.code == 2
    assert "diagnos" in result.err
    assert "--help" in result.err


HEAVY_MODULES = (
    "actions.skill actions.patterns actions.fixes.strategies orchestrator.run.run transitions jsonschema jinja2 yaml rich "
    "claude_agent_sdk"
)
HELP_PROGRAM = """
import sys
from contextlib import suppress
from orchestrator.cli import main

for line in sys.stdin:
    with suppress(SystemExit):
        main([*line.split(), "--help"])
    loaded = set(sys.argv[1].split()) & sys.modules.keys()
    if loaded:
        sys.exit(f"{line.strip() or 'the front page'}: {sorted(loaded)}")
"""


def test_help_loads_neither_the_core_nor_a_heavy_library():
    paths = "".join(" ".join(path) + "\n" for path in [(), *list_commands()])
    result = subprocess.run(
        [sys.executable, "-c", HELP_PROGRAM, HEAVY_MODULES],
        cwd=ROOT,
        input=paths,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("Usage: tune-skill") == paths.count("\n")


SLOW_MODULES = (
    "dataclasses ctypes jsonschema jinja2 rich transitions claude_agent_sdk subprocess tree_sitter_json "
    "actions.history actions.session actions.review.verdicts orchestrator.model.budget orchestrator.fs.git_process "
    "actions.patterns.project.prj_007_not_json actions.patterns.agents.agt_002_unchecked_result"
)
DIAGNOSE_PROGRAM = """
import sys
from contextlib import suppress
from orchestrator.cli import main

with suppress(SystemExit):
    main(["diagnose", sys.argv[2], "--no-cache", "--judge", "none"])
sys.exit(str(sorted(set(sys.argv[1].split()) & sys.modules.keys())))
"""


def test_diagnose_of_a_small_skill_loads_no_slow_module(tmp_path):
    skill = shutil.copytree(ROOT / "examples" / "release-notes", tmp_path / "release-notes")
    command = [sys.executable, "-c", DIAGNOSE_PROGRAM, SLOW_MODULES, skill]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stderr.splitlines()[-1] == "[]"
    assert "gate fail" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["diagnos"], "diagnose"),
        (["patterns", "DF-0011"], "DF-011"),
        (["strategies", "repair_referenc"], "repair_reference"),
    ],
)
def test_misspelled_name_suggests_the_right_one(capsys, arguments, suggestion):
    with pytest.raises(SystemExit) as exit_info:
        main(arguments)
    assert exit_info.value.code == 2
    assert f"did you mean {suggestion}?" in capsys.readouterr().err


def test_help_command_and_suggestions_in_groups(tune):
    assert tune("help", "config", "set").out == tune("config", "set", "--help").out
    assert tune("help").out == tune("--help").out
    for misspelled, suggestion in (
        (["diagnos", "x"], "diagnose"),
        (["events", "histroy"], "history"),
        (["help", "rum"], "run"),
    ):
        printed = tune(*misspelled)
        assert (printed.code, f"; did you mean {suggestion}?" in printed.err) == (2, True)
