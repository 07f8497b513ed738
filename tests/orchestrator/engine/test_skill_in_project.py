"""Test that a skill is checked as part of its project, which is read at most once, and only if a check needs it."""

import os
import subprocess

import pytest

from actions.project.find_units import find_units
from actions.project.resolve_path import get_project_path, is_missing
from orchestrator.engine.cache import Cache
from orchestrator.engine.scan import scan_units
from orchestrator.engine.units import ScanOptions, read_unit
from orchestrator.fleet.scan_task import make_task
from orchestrator.project import projects
from tests.fakes import write_skill


@pytest.fixture
def plugin(tmp_path):
    """Return a plugin with a skill and a script, in git."""
    root = tmp_path / "birds"
    write_skill(root / "skills/count", "Count.\n")
    for path, text in {".claude-plugin/plugin.json": '{"name": "birds"}', "scripts/count.py": "print(1)\n"}.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    return root


@pytest.fixture
def listed_roots(monkeypatch):
    """Return a list that collects the roots of listed projects."""
    roots = []
    read = projects.read_project
    monkeypatch.setattr(projects, "read_project", lambda root: roots.append(root) or read(root))
    return roots


def test_skill_has_its_project_and_its_unit(plugin):
    case = read_unit(plugin / "skills/count", ScanOptions()).case
    assert (case.unit.name, case.unit.path, case.unit.plugin_root) == ("birds:count", "skills/count/SKILL.md", "")
    assert case.project.read_bytes("scripts/count.py") == b"print(1)\n"


def test_skill_in_a_hidden_folder_has_its_unit(plugin):
    skill = write_skill(plugin / ".claude/skills/sort", "Sort.\n")
    case = read_unit(skill, ScanOptions()).case
    assert (case.unit.name, case.unit.path) == ("sort", ".claude/skills/sort/SKILL.md")
    assert case.unit in find_units(case.project)


def test_project_is_listed_when_a_check_asks(plugin, listed_roots):
    options = ScanOptions()
    first, second = (read_unit(plugin / "skills/count", options).case for _ in range(2))
    assert listed_roots == []
    assert first.project is second.project
    assert listed_roots == [plugin]


def test_skill_without_a_repository_is_a_project_of_one_unit(tmp_path, listed_roots):
    skill = write_skill(tmp_path / "plover", "Count.\n", notes="Notes.\n")
    case = read_unit(skill, ScanOptions()).case
    assert list(case.project.files) == ["SKILL.md", "notes.md"]
    assert find_units(case.project) == (case.unit,)
    assert listed_roots == []


def test_dead_links_of_a_skill_in_an_ignored_folder_are_found(plugin):
    (plugin / ".gitignore").write_text(".claude/\n*.log\n")
    (plugin / ".claude/skills/other").mkdir(parents=True)
    (plugin / ".claude/skills/other/all.md").write_text("All.\n")
    targets = ["gone.md", "../other/all.md", "run.log", "../../../out.log"]
    skill = write_skill(plugin / ".claude/skills/sort", "".join(f"Read [it]({target}).\n" for target in targets))
    (skill / "steps").mkdir()
    (skill / "steps/one.md").write_text("Read [it](../list.md) and [more](../SKILL.md).\n")
    case = read_unit(skill, ScanOptions()).case
    dead_links = [
        target
        for file, targets in (("SKILL.md", targets), ("steps/one.md", ["../list.md", "../SKILL.md"]))
        for target in targets
        if is_missing(case.project, case.unit, get_project_path(case.unit, file), target)
    ]
    assert dead_links == ["gone.md", "../list.md"]


def test_changes_in_memory_are_in_the_project(plugin):
    case = read_unit(plugin / "skills/count", ScanOptions()).case
    after = case.with_skill(case.skill.with_files({"more.md": b"More.\n", "SKILL.md": b"---\nname: count\n---\n"}))
    assert after.project.read_bytes("skills/count/more.md") == b"More.\n"
    assert after.project.read_bytes("skills/count/SKILL.md") == b"---\nname: count\n---\n"
    assert "skills/count/more.md" not in case.project.files
    before = after.with_skill(after.skill.with_files({"more.md": None}))
    assert "skills/count/more.md" not in before.project.files


def test_unsaved_text_is_in_the_project(plugin):
    text = "---\nname: count\ndescription: Counts.\n---\n"
    case = read_unit(plugin / "skills/count", ScanOptions(), {"SKILL.md": text}).case
    assert case.project.read_bytes("skills/count/SKILL.md") == text.encode()


def test_skill_that_git_ignores_is_in_its_project(plugin):
    (plugin / ".gitignore").write_text("skills/\n")
    case = read_unit(plugin / "skills/count", ScanOptions()).case
    assert case.unit.name == "birds:count"
    assert {"skills/count/SKILL.md", "scripts/count.py"} <= case.project.files.keys()


def test_change_in_the_project_is_not_taken_from_the_cache(plugin, tmp_path):
    skill = plugin / "skills/count"
    options = ScanOptions(cache=Cache(tmp_path / "rows"))
    scan_units([str(skill)], options)
    before = read_unit(skill, ScanOptions()).case
    assert options.cache.get(before) is not None
    tasks = [make_task(skill, ScanOptions())]
    (plugin / "scripts/count.py").write_text("print(22)\n")
    assert options.cache.get(read_unit(skill, ScanOptions()).case) is None
    tasks.append(make_task(skill, ScanOptions()))
    assert len({task.key for task in tasks}) == 2
