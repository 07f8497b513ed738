"""Test building the plugin for Claude Code."""

import json
import subprocess
import tomllib

from orchestrator.guard.hooks.dispatch import HANDLERS
from orchestrator.installation.generate import ROOT, generate_files
from orchestrator.installation.plugin import build_hook_command, build_plugin_files
from orchestrator.version import version

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_plugin_is_up_to_date():
    folder = ROOT / "plugin"
    files_of_plugin = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert files_of_plugin.pop(".claude-plugin/icon.png").startswith(b"\x89PNG")
    assert files_of_plugin == build_plugin_files(PROJECT), "run ./dev generate"


def test_generated_files_are_up_to_date():
    files = generate_files()
    assert "schemas/considerations.json" in files
    for name, content in files.items():
        assert (ROOT / name).read_bytes() == content, f"{name}: run ./dev generate"


def test_package_and_plugin_have_one_version():
    files = build_plugin_files({**PROJECT, "version": "7.8.9"})
    manifest, market = (json.loads(files[f".claude-plugin/{name}.json"]) for name in ("plugin", "marketplace"))
    assert manifest["version"] == market["plugins"][0]["version"] == "7.8.9"
    assert b"generator: tune-skill 7.8.9" in files["skills/tune-skill/SKILL.md"]
    assert version() == PROJECT["version"]


def test_plugin_hooks_do_nothing_without_the_program(tmp_path):
    for event in HANDLERS:
        result = subprocess.run(
            ["/bin/sh", "-c", build_hook_command(event)], env={"PATH": str(tmp_path)}, capture_output=True, check=False
        )
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
