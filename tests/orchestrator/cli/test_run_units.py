"""Test `run` on units that are not skills, from the command to the rollback, with the real catalogue."""

import json
import os
import shutil
import subprocess

import pytest
from msgspec.structs import replace

from actions.fixes.strategies import get_strategies
from actions.patterns import get_patterns
from actions.scoring.scan import scan
from tests.examples import list_unit_cases, make_project

EXAMPLES = [
    pytest.param(before, after, set(module.STRATEGY.fixes), id=f"{name}-{n}")
    for name, module in get_strategies().items()
    if all(id.startswith("PRJ-") for id in module.STRATEGY.fixes)
    for n, (before, after) in enumerate(zip(module.BEFORE, module.AFTER, strict=True), 1)
]
MANIFEST = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
HOOKS = '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/check"}]}]}}\n'
PLUGIN = {
    **MANIFEST,
    "hooks/hooks.json": HOOKS,
    "bin/check": "#!/bin/sh\nexit 0\n",
    "docs/list.md": "# List\n",
    "agents/counter.md": "---\nname: counter\ndescription: Counts.\n---\n\nCount by the [list](../docs/lists.md).\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def plugin(project):
    write_files(project, PLUGIN)
    (project / "bin/check").chmod(0o640)
    return project


def write_files(folder, files):
    """Write files; a `*` after the path makes a file executable."""
    for name, text in files.items():
        path = folder / name.removesuffix("*")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(0o755 if name.endswith("*") or text.startswith("#!") else 0o644)


def snapshot(folder):
    """Return bytes and mode of each file in a project, except the files of runs."""
    files = (path for path in folder.rglob("*") if path.is_file() and ".workflow" not in path.parts)
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o777) for path in files}


@pytest.mark.parametrize(("before", "after", "patterns"), EXAMPLES)
def test_run_applies_each_strategy_and_rollback_restores_files(tune, project, before, after, patterns):
    write_files(project, before)
    original_files = snapshot(project)
    cases = list_unit_cases(make_project(before))
    unit = next(c.skill.main_path for c in cases if patterns & {f.pattern.id for f in scan(c).findings})
    assert tune("run", unit, "--apply", "all", "--format", "json").as_run["unit"]["path"] == unit
    expected_files = {
        path.removesuffix("*"): (text.encode(), 0o755 if path.endswith("*") or text.startswith("#!") else 0o644)
        for path, text in after.items()
    }
    assert snapshot(project) == expected_files
    assert not [f for row in diagnose(tune) for f in row["issues"] if f["pattern"] in patterns]
    assert tune("rollback", "--all").code == 0
    assert snapshot(project) == original_files


def test_each_fixable_pattern_of_projects_has_an_example():
    patterns_of_examples = {
        f.pattern.id
        for before, *_ in (example.values for example in EXAMPLES)
        for c in list_unit_cases(make_project(before))
        for f in scan(c).findings
    }
    assert {
        id for id, module in get_patterns().items() if id.startswith("PRJ-") and module.PATTERN.strategies
    } - patterns_of_examples == set()


def diagnose(tune):
    rows = tune("diagnose", ".", "--format", "json").json
    return rows if isinstance(rows, list) else [rows]


def test_run_names_a_unit_by_its_name_in_claude_code(tune, plugin):
    run = tune("run", "birds:counter", "--apply", "none", "--format", "json").as_run
    assert run["unit"] == {"kind": "agent", "name": "birds:counter", "path": "agents/counter.md"}
    assert run["skill"]["path"] == str(plugin / "agents/counter.md")
    assert [(i["pattern"], i["location"]["file"]) for i in run["issues"]] == [("PRJ-012", "agents/counter.md")]


@pytest.mark.parametrize(
    ("misspelled", "suggestion"), [("birds:countr", "birds:counter"), ("agents/contr.md", "agents/counter.md")]
)
def test_run_suggests_the_unit_with_a_similar_name(tune, plugin, misspelled, suggestion):
    result = tune("run", misspelled)
    assert result.code == 2
    assert f"did you mean {suggestion}?" in result.err


def test_run_suggests_the_units_of_a_folder(tune, plugin):
    result = tune("run", "agents")
    assert (result.code, "name one of them: agents/counter.md" in result.err) == (2, True)


@pytest.mark.parametrize("option", ["--deep", "--judge=auto", "--focus=docs", "--simplify"])
def test_run_refuses_options_of_skills_for_other_units(tune, plugin, option):
    result = tune("run", "agents/counter.md", option)
    assert result.code == 2
    assert "is only for skills" in result.err


def test_run_backs_up_only_the_file_of_the_unit(tune, plugin, work_dirs):
    tune("run", "hooks/hooks.json", "--apply", "all")
    (work,) = work_dirs()
    backup = json.loads((work / "backup.json").read_text())
    assert [row["file"] for row in backup["files"]] == ["hooks/hooks.json"]
    assert (work / "backup/hooks/hooks.json").read_text() == HOOKS


def test_fix_of_another_file_keeps_its_bytes_and_rollback_its_mode(tune, plugin):
    assert tune("run", "hooks/hooks.json", "--apply", "safe").code == 0
    assert snapshot(plugin)["bin/check"] == (b"#!/bin/sh\nexit 0\n", 0o750)
    (plugin / "bin/check").write_text("#!/bin/sh\nexit 1\n")
    assert tune("rollback", "FIX-001").code == 0
    assert snapshot(plugin)["bin/check"] == (b"#!/bin/sh\nexit 1\n", 0o640), "the later edit was lost"


def test_rollback_without_the_unit_names_its_copy(tune, plugin):
    before = snapshot(plugin)
    tune("run", "hooks/hooks.json", "--apply", "all", "--quiet")
    (plugin / "hooks/hooks.json").unlink()
    result = tune("rollback", "--all")
    assert result.code == 2
    copy = result.err.partition("before the run: ")[2].partition(")")[0]
    shutil.copy2(copy, plugin / "hooks/hooks.json")
    assert tune("rollback", "--all").code == 0
    assert snapshot(plugin) == before


def test_rollback_leaves_a_mode_that_was_changed_since(tune, plugin):
    tune("run", "hooks/hooks.json", "--apply", "all")
    (plugin / "bin/check").chmod(0o700)
    result = tune("rollback", "--all")
    assert (result.code, snapshot(plugin)["bin/check"][1]) == (1, 0o700)
    assert "FIX-001 was not rolled back" in result.out


def test_paused_run_of_a_unit_continues_in_another_process(tune, plugin):
    assert tune("run", "birds:counter", "--pause").code == 3
    assert "waits for your choice" in tune("status").out
    assert tune("apply", "--all").code == 0
    assert "[list](../docs/list.md)" in (plugin / "agents/counter.md").read_text()
    report = tune("report").out
    assert "PRJ-012" in report
    assert "SKILL.md" not in report
    assert tune("rollback", "--all").code == 0
    assert snapshot(plugin)["agents/counter.md"][0] == PLUGIN["agents/counter.md"].encode()


def test_fix_of_a_file_that_was_edited_meanwhile_is_refused(tune, plugin):
    assert tune("run", "hooks/hooks.json", "--pause").code == 3
    (plugin / "bin/check").write_text("#!/bin/sh\nexit 2\n")
    tune("apply", "--all")
    (fix,) = tune("status", "--format", "json").as_run["fixes"]
    assert (fix["status"], snapshot(plugin)["bin/check"][1]) == ("refused", 0o640)
    assert "edited meanwhile" in fix["reason"]


def test_run_keeps_line_ends_and_mode_of_the_unit(tune, plugin):
    file = plugin / "agents/counter.md"
    file.write_bytes(b"\xef\xbb\xbf" + PLUGIN["agents/counter.md"].replace("\n", "\r\n").encode())
    file.chmod(0o600)
    original_files = snapshot(plugin)
    tune("run", "agents/counter.md", "--apply", "all")
    changed = original_files["agents/counter.md"][0].replace(b"lists.md", b"list.md")
    assert snapshot(plugin)["agents/counter.md"] == (changed, 0o600)
    tune("rollback", "--all")
    assert snapshot(plugin) == original_files


def test_run_does_not_follow_a_link_to_a_unit(tune, plugin, tmp_path):
    (tmp_path / "secret.md").write_text(PLUGIN["agents/counter.md"])
    (plugin / "agents/link.md").symlink_to(tmp_path / "secret.md")
    assert tune("run", "agents/link.md", "--apply", "all").code == 2
    assert (tmp_path / "secret.md").read_text() == PLUGIN["agents/counter.md"]


def test_skill_file_that_git_tracks_is_renamed(tune, plugin):
    write_files(plugin, {"skills/count/skill.md": "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"})
    environment = {"PATH": os.environ["PATH"], "HOME": str(plugin.parent)}
    for command in ("init -q", "add ."):
        subprocess.run(["git", *command.split()], cwd=plugin, check=True, env=environment)
    original_files = snapshot(plugin)
    preview = tune("run", ".claude-plugin/plugin.json", "--apply", "none", "--pause").out
    assert tune("run", ".claude-plugin/plugin.json", "--apply", "all").code == 0
    names = "rename from skills/count/skill.md\nrename to skills/count/SKILL.md\n"
    for text in (preview, tune("report").out, tune("report", "--format", "html").out):
        assert names.splitlines()[1] in text
        assert "Count.\n" not in text
    assert f"similarity index 100%\n{names}" in preview
    assert [path.name for path in (plugin / "skills/count").iterdir()] == ["SKILL.md"]
    tune("rollback", "--all")
    assert snapshot(plugin) == original_files


def test_run_that_changes_the_unit_locks_it(tune, plugin, tmp_path):
    from orchestrator.run.workspace.workspace import Workspace

    with Workspace(plugin, tmp_path / "w", "agents/counter.md").hold("other-run"):
        result = tune("run", "agents/counter.md", "--apply", "all")
        assert tune("run", "hooks/hooks.json", "--apply", "none").code == 0, (
            "another unit of the project must not be locked"
        )
    assert (result.code, "is changing this file" in result.err) == (2, True)


@pytest.mark.parametrize("field", ["project", "path"])
def test_state_cannot_name_another_unit_or_project(tune, plugin, work_dirs, field):
    assert tune("run", "hooks/hooks.json", "--pause").code == 3
    state = work_dirs()[-1] / "state.json"
    values = json.loads(state.read_text())
    target = values["target_skill"]
    target[field] = {"project": str(plugin.parent), "path": str(plugin / "agents/counter.md")}[field]
    state.write_text(json.dumps(values))
    original_files = snapshot(plugin)
    result = tune("apply", "--all")
    assert (result.code, snapshot(plugin)) == (2, original_files)
    assert "start a new run" in result.err


def test_state_of_a_unit_from_a_clone_is_not_trusted(tune, plugin, monkeypatch, tmp_path):
    assert tune("run", "hooks/hooks.json", "--pause").code == 3
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another-user"))
    original_files, (run,) = snapshot(plugin), (plugin / ".workflow/skill-tuning").glob("*-hooks.json")
    assert (tune("apply", run.name, "--all").code, snapshot(plugin)) == (2, original_files)
    assert tune("trust", run.name).code == 0
    assert tune("apply", run.name, "--all").code == 0
    assert snapshot(plugin)["bin/check"][1] == 0o750


def test_run_changes_no_text_of_another_file(tune, plugin, monkeypatch):
    module = get_strategies()["make_executable"]
    propose = module.propose

    def rewrite(issue, case):
        draft = propose(issue, case)
        return draft and replace(draft, writes={"bin/check": b"#!/bin/sh\nrm -rf /\n"})

    monkeypatch.setattr(module, "propose", rewrite)
    original_files = snapshot(plugin)
    run = tune("run", "hooks/hooks.json", "--apply", "all", "--format", "json").as_run
    assert "changes the text of another file" in run["fixes"][0]["reason"]
    assert snapshot(plugin) == original_files
