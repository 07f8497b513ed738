"""Test the cache: it returns the row of an unchanged skill, and detects every change that affects a row."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from orchestrator.engine import cache, cache_files, scan, units
from orchestrator.engine.cache import Cache
from orchestrator.engine.scan import scan_units
from orchestrator.engine.units import ScanOptions
from orchestrator.project.skill_reader import read_skill
from tests.fakes import SKILL_HEADER, write_skill

EXAMPLES = Path(__file__).parents[3] / "examples"
BODY = "Call `Task(subagent_type='x', prompt='go')` and use its result.\n"


@pytest.fixture
def skill(tmp_path):
    return write_skill(tmp_path / "plover", BODY, notes="TODO: write this.\n")


@pytest.fixture
def options_with_cache(tmp_path):
    return ScanOptions(cache=Cache(tmp_path / "home" / "rows"))


@pytest.fixture
def scanned_names(monkeypatch):
    """Return a list that collects the names of skills that are scanned in this process."""
    names = []
    run_checks = scan.run_checks
    monkeypatch.setattr(
        scan, "run_checks", lambda unit, *limit: names.append(unit.root.name) or run_checks(unit, *limit)
    )
    return names


def scan_skills(options_with_cache, *paths, jobs=1):
    return scan_units([str(path) for path in paths], options_with_cache, jobs)


def test_unchanged_skill_is_read_from_the_cache(options_with_cache, skill, scanned_names):
    assert (
        scan_skills(options_with_cache, skill)
        == scan_skills(options_with_cache, skill)
        == scan_skills(replace(options_with_cache, cache=None), skill)
    )
    assert scanned_names == ["plover", "plover"]


def test_cached_row_equals_a_new_one(options_with_cache):
    skills = sorted(path.parent for path in EXAMPLES.glob("*/SKILL.md"))
    uncached_rows = scan_skills(replace(options_with_cache, cache=None), *skills)
    assert scan_skills(options_with_cache, *skills) == scan_skills(options_with_cache, *skills) == uncached_rows
    assert any(row.issues for row in uncached_rows)


def test_only_the_changed_skill_is_scanned(options_with_cache, tmp_path, scanned_names):
    skills = [write_skill(tmp_path / f"bird-{n}", BODY + f"Bird {n}.\n") for n in range(20)]
    first = scan_skills(options_with_cache, *skills, jobs=2)
    scanned_names.clear()
    write_skill(skills[3], BODY + "Another bird.\n")
    second = scan_skills(options_with_cache, *skills, jobs=2)
    assert scanned_names == ["bird-3"]
    assert [first_row == second_row for first_row, second_row in zip(first, second, strict=True)].count(False) <= 1
    assert second == scan_skills(replace(options_with_cache, cache=None), *skills)


CHANGES = {
    "the text of a file": lambda skill: (skill / "notes.md").write_text("TODO: write that.\n"),
    "the name of a file": lambda skill: (skill / "notes.md").rename(skill / "note.md"),
    "a new file": lambda skill: (skill / "more.md").write_text("More.\n"),
    "a file that is not read": lambda skill: (skill / "more.md").write_bytes(b"\xff"),
    "its settings": lambda skill: (skill / "tune-skill.toml").write_text('ignore = ["AGT"]\n'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_skill_is_scanned(options_with_cache, skill, scanned_names, change):
    scan_skills(options_with_cache, skill)
    CHANGES[change](skill)
    assert scan_skills(options_with_cache, skill) == scan_skills(replace(options_with_cache, cache=None), skill)
    assert len(scanned_names) == 3


def test_other_selection_is_scanned(options_with_cache, skill, scanned_names):
    scan_skills(options_with_cache, skill)
    (selected_row,) = scan_skills(replace(options_with_cache, select=("SPEC",)), skill)
    assert {issue.pattern.split("-")[0] for issue in selected_row.issues} <= {"SPEC"}
    assert len(scanned_names) == 2


def test_other_version_of_the_code_scans_again(options_with_cache, skill, scanned_names, monkeypatch):
    scan_skills(options_with_cache, skill)
    monkeypatch.setattr(cache, "_hash_code", lambda: "as it will be tomorrow")
    scan_skills(options_with_cache, skill)
    assert len(scanned_names) == 2


def test_code_of_the_engine_is_part_of_the_key(monkeypatch):
    def read(path):
        return b"changed" if path.name == "rows.py" else original(path)

    before, original = cache._hash_code.__wrapped__(), Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", read)
    assert cache._hash_code.__wrapped__() != before


def test_cached_row_has_the_path_of_its_own_skill(options_with_cache, skill, scanned_names, tmp_path):
    scan_skills(options_with_cache, skill)
    (tmp_path / "elsewhere").mkdir()
    moved_skill = skill.rename(tmp_path / "elsewhere" / "plover")
    (row,) = scan_skills(options_with_cache, moved_skill)
    assert (row.path, len(scanned_names)) == (str(moved_skill), 1)


DAMAGE = {
    "cut": lambda file, data: data[: len(data) // 2],
    "a byte": lambda file, data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "empty": lambda file, data: b"",
    "another value": lambda file, data: cache_files._compute_digest(file, b"[]") + b"\n[]",
    "deep": lambda file, data: cache_files._compute_digest(file, b"[" * 10_000) + b"\n" + b"[" * 10_000,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_row_is_replaced(options_with_cache, skill, scanned_names, damage):
    uncached_rows = scan_skills(options_with_cache, skill)
    (file,) = options_with_cache.cache.folder.iterdir()
    file.write_bytes(DAMAGE[damage](file, file.read_bytes()))
    assert scan_skills(options_with_cache, skill) == scan_skills(options_with_cache, skill) == uncached_rows
    assert len(scanned_names) == 2


def test_unusable_cache_folder_is_ignored(skill, tmp_path):
    (tmp_path / "file").write_text("")
    options = ScanOptions(cache=Cache(tmp_path / "file" / "rows"))
    assert scan_skills(options, skill) == scan_skills(ScanOptions(), skill)


def test_row_with_failed_patterns_is_not_cached(options_with_cache, skill, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    monkeypatch.setattr("actions.patterns.agents.agt_001_unguarded_agent.check", lambda case: 1 / 0)
    (row,) = scan_skills(options_with_cache, skill)
    assert any("its findings are unknown" in note for note in row.notes)
    assert not options_with_cache.cache.folder.exists()


def test_cache_deletes_the_oldest_rows(options_with_cache, monkeypatch):
    monkeypatch.setattr(cache, "_MAX_BYTES", 1000)
    options_with_cache.cache.folder.mkdir(parents=True)
    for n in range(20):
        file = options_with_cache.cache.folder / f"{n:064x}"
        file.write_bytes(b"x" * 100)
        os.utime(file, (n, n))
    with options_with_cache.cache.trim_afterwards():
        pass
    assert len(list(options_with_cache.cache.folder.iterdir())) == 20, "rows were deleted although none was added"
    with options_with_cache.cache.trim_afterwards():
        (options_with_cache.cache.folder / f"{0:064x}").unlink()
        os.utime(
            options_with_cache.cache.folder, (1, 1)
        )  # Otherwise the folder could have the time of the files above, within one clock tick.
    assert sorted(file.name for file in options_with_cache.cache.folder.iterdir()) == [
        f"{n:064x}" for n in range(15, 20)
    ]


def test_uncached_skill_is_read_once(options_with_cache, skill, monkeypatch):
    read_roots = []
    monkeypatch.setattr(units, "read_skill", lambda root: read_roots.append(root) or read_skill(root))
    assert scan_skills(options_with_cache, skill) == scan_skills(options_with_cache, skill)
    assert len(read_roots) == 2, "each scan must read the skill once"


def test_cache_folder_is_private_and_follows_xdg(options_with_cache, skill, tmp_path, monkeypatch):
    scan_skills(options_with_cache, skill)
    assert options_with_cache.cache.folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache.get_cache_folder() == tmp_path / "x" / "tune-skill" / "diagnose"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache.get_cache_folder() == Path.home() / ".cache" / "tune-skill" / "diagnose"


def test_odd_yaml_values_do_not_break_a_row(options_with_cache, tmp_path):
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "SKILL.md").write_text(
        SKILL_HEADER.replace("---\n", "---\nextra: 2001-01-01\nname: 12\n", 1) + "A bird \u2028.\n"
    )
    assert (
        scan_skills(options_with_cache, folder)
        == scan_skills(options_with_cache, folder)
        == scan_skills(replace(options_with_cache, cache=None), folder)
    )
