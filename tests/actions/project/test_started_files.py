"""Test which relative paths of hooks count as files, and from which folder they are taken."""

import json

import pytest

from actions.project.find_units import find_units
from actions.project.project import Project, ProjectFile
from actions.project.started_files import find_misplaced_files, find_started_files

SETTINGS, HOOKS_FILE = ".claude/settings.json", "hooks/hooks.json"
SCRIPT = ".claude/hooks/check.sh"


def make_project(path, command, *others, **texts):
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}
    files = {path: json.dumps({"hooks": hooks}), **dict.fromkeys(others, '{"name": "birds"}'), **texts}
    entries = {name: ProjectFile(name, len(text)) for name, text in sorted(files.items())}
    return Project("p", entries, lambda name: files[name].encode())


def list_files(find, path, *arguments, **texts):
    project = make_project(path, *arguments, **texts)
    return [file for unit in find_units(project) if unit.path == path for file in find(project, unit)]


@pytest.mark.parametrize(
    ("command", "is_program"),
    [(SCRIPT, True), (f"./{SCRIPT} --all", True), (f"A=1 bash '{SCRIPT}'", False), (f"/bin/sh {SCRIPT}", False)],
)
def test_relative_path_in_settings_is_below_the_project(command, is_program):
    for path, folder in ((SETTINGS, ""), (f"sub/{SETTINGS}", "sub/")):
        for others in ((), (f"{folder}{SCRIPT}",)):
            (file,) = list_files(find_started_files, path, command, *others)
            assert (file.path, file.exists, file.is_program) == (f"{folder}{SCRIPT}", bool(others), is_program)


@pytest.mark.parametrize(
    "command",
    [
        f"cd sub && bash {SCRIPT}",
        f"[ -f {SCRIPT} ] && bash {SCRIPT}",
        f"test -x {SCRIPT} && {SCRIPT}",
        f"bash -c 'sh {SCRIPT}'",
        f"bash ~/{SCRIPT}",
        f"bash /{SCRIPT}",
        "bash scripts/check.sh",
        "npx prettier --write .claude/a.md",
        "bash .claude/$NAME.sh",
    ],
)
def test_other_relative_path_does_not_count(command):
    assert not list_files(find_started_files, SETTINGS, command)


def test_relative_path_to_a_file_of_the_plugin_is_misplaced():
    manifest = ".claude-plugin/plugin.json"
    for command in ("python3 hooks/check.py", "./hooks/check.py --all"):
        (file,) = list_files(find_misplaced_files, HOOKS_FILE, command, manifest, "hooks/check.py")
        assert file.path == "hooks/check.py"
        assert not list_files(find_misplaced_files, HOOKS_FILE, command, manifest)
        assert not list_files(find_misplaced_files, HOOKS_FILE, f"cd x && {command}", manifest, "hooks/check.py")
        script = {"setup.sh": "cp ours.py hooks/check.py\n"}
        assert not list_files(find_misplaced_files, HOOKS_FILE, command, manifest, "hooks/check.py", **script)
    rooted = "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/check.py"
    assert not list_files(find_misplaced_files, HOOKS_FILE, rooted, manifest, "hooks/check.py")
    assert not list_files(find_misplaced_files, SETTINGS, f"sh {SCRIPT}", SCRIPT)
