"""Test which relative paths of hooks count as files, and from which folder they are taken."""

import json

import pytest

from actions.project.find_units import find_units
from actions.project.project import Project, ProjectFile
from actions.project.started_files import find_misplaced_files, find_missing_home_files, find_started_files

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
        f"bash ~/{SCRIPT}",
        f"bash /{SCRIPT}",
        "bash scripts/check.sh",
        "npx prettier --write .claude/a.md",
        "bash .claude/$NAME.sh",
    ],
)
def test_other_relative_path_does_not_count(command):
    assert not list_files(find_started_files, SETTINGS, command)


@pytest.mark.parametrize(
    "command",
    [
        f'if [[ "$1" == *.py ]]; then python3 {SCRIPT}; fi',
        f"make && {SCRIPT} || true",
        f"(sh {SCRIPT})",
        f"sh {SCRIPT}; exit 0",
        f"bash -c 'sh {SCRIPT}'",
        f'cd "$CLAUDE_PROJECT_DIR" && sh {SCRIPT}',
        f"sh {SCRIPT} || sh {SCRIPT} --again",
        f'sh "$CLAUDE_PROJECT_DIR"/{SCRIPT}; exit 0',
        f'node "${{CLAUDE_PROJECT_DIR:-.}}/{SCRIPT}"',
        f'sh "$(git rev-parse --show-toplevel)/{SCRIPT}" | tail -1',
    ],
)
def test_file_inside_a_compound_command_counts(command):
    files = list_files(find_started_files, SETTINGS, command)
    assert {(file.path, file.exists) for file in files} == {(SCRIPT, False)}
    assert list_files(find_started_files, SETTINGS, command, SCRIPT)[0].exists


@pytest.mark.parametrize(
    "command",
    [
        "[ -f {0} ] && sh {0}",
        "if test -x {0}; then {0}; fi",
        "[ -d $CLAUDE_PROJECT_DIR/.claude/hooks ] || exit 0; sh {0}",
        "ls {0} && sh {0}",
        "sh {0} || npx check",
    ],
)
def test_missing_file_that_a_hook_tests_first_does_not_count(command):
    command = command.format(f'"$CLAUDE_PROJECT_DIR"/{SCRIPT}')
    assert not list_files(find_started_files, SETTINGS, command)
    assert {file.path for file in list_files(find_started_files, SETTINGS, command, SCRIPT)} == {SCRIPT}


@pytest.mark.parametrize("command", ["date >> {0}", "mkdir -p {0}", "touch {0} && date", "F={0}; date", "rm -f {0}"])
def test_file_that_a_hook_creates_or_removes_does_not_count(command):
    assert not list_files(find_started_files, SETTINGS, command.format("$CLAUDE_PROJECT_DIR/log"))


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


HOME_SETTINGS, KEPT = "claude/settings.json", "claude/hooks/count.sh"


@pytest.mark.parametrize("folder", ["~", "$HOME", "${HOME}"])
def test_missing_file_of_the_home_folder_counts_if_another_one_is_kept(folder):
    command = f'sh {folder}/.claude/hooks/count.sh && "{folder}/.claude/hooks/check.sh"'
    (file,) = list_files(find_missing_home_files, HOME_SETTINGS, command, KEPT)
    assert (file.path, file.exists, file.is_program) == ("claude/hooks/check.sh", False, True)
    assert not list_files(find_missing_home_files, HOME_SETTINGS, command, KEPT, "claude/hooks/check.sh")
    assert not list_files(find_missing_home_files, HOME_SETTINGS, command, KEPT, "bin/check.sh")
    assert not list_files(find_missing_home_files, HOME_SETTINGS, command, KEPT, **{"a.sh": "ln -s x ~/check.sh\n"})
    for test in ("[ -x {0} ] && {0}", "{0} || npx check", "cat {0}", "sh ~/.claude/bin/check.sh"):
        other = f"sh {folder}/.claude/hooks/count.sh; {test.format(f'{folder}/.claude/hooks/check.sh')}"
        assert not list_files(find_missing_home_files, HOME_SETTINGS, other, KEPT)
