"""Test the setting `exclude`: the syntax of .gitignore, in linear time."""

import random
import time

import pytest
from pathspec import GitIgnoreSpec

from orchestrator.errors import BadInput
from orchestrator.project.exclusion import read_exclusion
from orchestrator.project.settings import ProjectSettings, read_project_settings


def read_lines(folder, *lines):
    return read_exclusion(ProjectSettings(folder, {"exclude": list(lines)}))


HOSTILE = {
    "*a" * 99 + "*b": "a" * 255,
    "**/" + "*a" * 60 + "b": "/".join(["a" * 250] * 16),
    "a/**/" + "*a" * 60 + "b": "a/" * 2000 + "c",
    "**/a/a/a/a/a/a/a/a/b": "a/" * 2000 + "c",
    "*a" * 60 + "/b": "/".join(["a" * 250] * 16),
    "[a-z]*" * 30 + "[!a-z]": "a" * 255,
    "?*" * 99 + "b": "a" * 255,
    "[(?:/.+)?a]*" * 15 + "b": "a" * 255,
    "[a/]*" * 39 + "b": "a" * 255,
    "[]a/]*" * 33 + "b": "a" * 255,
    "[(?:/.+)?a]*b*" + "a*" * 90 + "b": "a" * 255,
    "a**" * 1 + "*b" * 60: "a" + "b" * 254 + "/c",
}


@pytest.mark.parametrize(("line", "path"), HOSTILE.items())
def test_hostile_exclude_pattern_takes_linear_time(tmp_path, line, path):
    spec = read_lines(tmp_path, line).spec
    start = time.process_time()
    for _ in range(100):
        spec.match_file(path)
    assert time.process_time() - start < 30


def test_exclude_pattern_matches_as_in_git(tmp_path):
    source = random.Random(7)
    for _ in range(5_000):
        line = "".join(source.choices("ab*?/!", k=source.randint(1, 8)))
        path = "/".join("".join(source.choices("ab", k=source.randint(1, 4))) for _ in range(source.randint(1, 3)))
        try:
            spec = read_lines(tmp_path, line).spec
        except BadInput:
            continue
        assert spec.match_file(path) == GitIgnoreSpec.from_lines([line]).match_file(path), (line, path)


@pytest.mark.parametrize(
    "line", ["!", "\\", "a\\", "**/a/**/b", "a/**/b/**/c", "**/**/**/a", "***a***a", "{a,b}!" * 1_000]
)
def test_invalid_exclude_line_is_refused(tmp_path, line):
    with pytest.raises(BadInput, match=r"tune-skill\.toml: exclude"):
        read_lines(tmp_path, line)


@pytest.mark.parametrize("value", ['"drafts"', "[1]", '[""]', f'["{"a" * 201}"]', str(["a"] * 101)])
def test_invalid_exclude_value_is_refused(tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tune-skill.toml").write_text(f"exclude = {value}\n")
    with pytest.raises(BadInput, match="exclude"):
        read_project_settings(tmp_path)


def test_paths_outside_of_the_project_are_not_excluded(tmp_path):
    (tmp_path / "inside").mkdir()
    assert not read_lines(tmp_path / "inside", "*").covers(tmp_path / "outside")
    assert read_lines(tmp_path) is None
