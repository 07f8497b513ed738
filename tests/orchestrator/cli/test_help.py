"""Test that the help of every command has an example, exits with 0 and imports no slow module."""

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from orchestrator.cli import COMMANDS, cli, main

ROOT = Path(__file__).parents[3]


def commands(group=cli, path=()):
    """Return the path of every command, including those in groups."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_help_exits_0(tune, path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = tune(*path, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: tune-skill {' '.join(path)}")
    assert max(map(len, done.out.splitlines())) <= 80, "a terminal of the usual width breaks no line"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example_of_itself(tune, name):
    printed = tune(name, "--help").out
    examples = printed[printed.index("Example") :]
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


HEAVY = (
    "actions.skill actions.patterns actions.fixes.strategies orchestrator.run.run transitions jsonschema jinja2 yaml rich "
    "claude_agent_sdk"
)
ASKING = """
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


def test_help_of_no_command_loads_the_core_or_a_heavy_library():
    paths = "".join(" ".join(path) + "\n" for path in [(), *commands()])
    done = subprocess.run(
        [sys.executable, "-c", ASKING, HEAVY], cwd=ROOT, input=paths, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage: tune-skill") == paths.count("\n")


SLOW = (
    "dataclasses ctypes jsonschema jinja2 rich transitions claude_agent_sdk subprocess tree_sitter_json "
    "actions.history actions.session actions.review.verdicts orchestrator.model.budget orchestrator.fs.git_process "
    "actions.patterns.project.prj_007_not_json actions.patterns.agents.agt_002_unchecked_result"
)
DIAGNOSING = """
import sys
from contextlib import suppress
from orchestrator.cli import main

with suppress(SystemExit):
    main(["diagnose", sys.argv[2], "--no-cache", "--judge", "none"])
sys.exit(str(sorted(set(sys.argv[1].split()) & sys.modules.keys())))
"""


def test_diagnose_of_a_small_skill_loads_nothing_slow(tmp_path):
    skill = shutil.copytree(ROOT / "examples" / "release-notes", tmp_path / "release-notes")
    command = [sys.executable, "-c", DIAGNOSING, SLOW, skill]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "[]"
    assert "gate fail" in done.stdout


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["diagnos"], "diagnose"),
        (["patterns", "DF-0011"], "DF-011"),
        (["strategies", "repair_referenc"], "repair_reference"),
    ],
)
def test_typing_error_suggests_a_name(capsys, words, near):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert f"did you mean {near}?" in capsys.readouterr().err


def test_help_command_and_suggestions_in_groups(tune):
    assert tune("help", "config", "set").out == tune("config", "set", "--help").out
    assert tune("help").out == tune("--help").out
    for slip, meant in ((["diagnos", "x"], "diagnose"), (["events", "histroy"], "history"), (["help", "rum"], "run")):
        printed = tune(*slip)
        assert (printed.code, f"; did you mean {meant}?" in printed.err) == (2, True)
