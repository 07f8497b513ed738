"""Test that an install without extras diagnoses and fixes, and that other commands print how to install their extra."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from orchestrator import extras

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "release-notes"
PROGRAM = """
import sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))
import tune_skill
tune_skill.main()
"""


def tune_without(missing, *args, cwd):
    """Run the command without some modules, as in an install without the extra."""
    command = [sys.executable, "-c", PROGRAM, ",".join(missing), *args]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), "PYTHONPATH": str(ROOT), "ANTHROPIC_API_KEY": "none"}
    return subprocess.run(command, cwd=cwd, env=env, input="", capture_output=True, text=True)


def test_extras_are_those_of_the_project_file():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {*extras.EXTRAS, "all"} == project["optional-dependencies"].keys()


def test_plain_install_diagnoses_fixes_and_rolls_back(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "release-notes")
    before = {p: p.read_bytes() for p in sorted((tmp_path / "release-notes").rglob("*")) if p.is_file()}
    missing = {module for modules in extras.EXTRAS.values() for module in modules}
    assert tune_without(missing, "diagnose", "release-notes", cwd=tmp_path).returncode == 1
    run = tune_without(missing, "run", "release-notes", "--apply", "all", "--yes", cwd=tmp_path)
    assert run.returncode in (0, 1), run.stderr
    assert {p: p.read_bytes() for p in before} != before
    assert tune_without(missing, "rollback", "--all", cwd=tmp_path).returncode == 0
    assert {p: p.read_bytes() for p in before} == before


@pytest.mark.parametrize(
    ("args", "extra"),
    [
        (("lsp",), "editor"),
        (("mcp",), "mcp"),
        (("install",), "mcp"),
        (("trial", "release-notes", "--against", "backup"), "trial"),
        (("fleet", ".", "--scheduler", "tcp://127.0.0.1:1"), "fleet"),
    ],
)
def test_command_without_its_extra_says_the_install_line(tmp_path, args, extra):
    shutil.copytree(EXAMPLE, tmp_path / "release-notes")
    for module in extras.EXTRAS[extra]:
        result = tune_without([module], *args, cwd=tmp_path)
        assert result.returncode == 2
        assert f"needs the extra '{extra}', which is not installed; run: " in " ".join(result.stderr.split())


def test_question_without_the_model_extra_says_the_install_line(tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "release-notes")
    result = tune_without(["claude_agent_sdk"], "diagnose", "release-notes", "--judge", "sdk", cwd=tmp_path)
    assert "the extra 'model' is not installed; run: " in " ".join(result.stderr.split())


class FakeDistribution:
    def __init__(self, source):
        self.source = source

    def read_text(self, name):
        return json.dumps(self.source) if self.source else None


@pytest.mark.parametrize(
    ("marker", "source", "line"),
    [
        ("", None, "{python} -m pip install 'tune-skill[{extras}]'"),
        ("uv-receipt.toml", {"url": "file:///a b", "dir_info": {}},
         "uv tool install --force 'tune-skill[{extras}] @ file:///a b'"),
        ("pipx_metadata.json", {"url": "https://h/r", "vcs_info": {"vcs": "git", "commit_id": "c0"}},
         "pipx install --force 'tune-skill[{extras}] @ git+https://h/r@c0'"),
        ("", {"url": "file:///src", "dir_info": {"editable": True}}, "{python} -m pip install -e '/src[{extras}]'"),
    ],
)  # fmt: skip
def test_install_line_fits_the_installer_and_keeps_other_extras(tmp_path, monkeypatch, marker, source, line):
    if marker:
        (tmp_path / marker).touch()
    monkeypatch.setattr(extras.sys, "prefix", str(tmp_path))
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: FakeDistribution(source))
    installed = ",".join(sorted(e for e in extras.EXTRAS if extras.is_installed(e)))
    assert extras.build_install_command("editor") == line.format(python=sys.executable, extras=installed)
