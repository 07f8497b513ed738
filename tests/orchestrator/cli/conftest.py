"""Call the command in this process, in a separate project, with the catalogue of the tests."""

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from click import unstyle

import schemas
from orchestrator.cli import main
from tests.fakes import SKILL_HEADER, install_word_catalogue, write_skill


@dataclass(frozen=True)
class Result:
    """The output of a command and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def as_run(self):
        """Return the parsed result of a run, validated against its schema."""
        schemas.check("run", self.json)
        return self.json


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """Return a project with a skill `plover`, as the working directory."""
    install_word_catalogue(monkeypatch)
    folder = tmp_path / "project"
    write_skill(folder / "plover")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def tune(project, capsysbinary):
    """Return a function that calls the command and returns its output and exit code."""

    def run_command(*arguments: str) -> Result:
        capsysbinary.readouterr()
        with pytest.raises(SystemExit) as exit_info:
            main(list(arguments))
        sys.stdout.flush()
        out, err = capsysbinary.readouterr()
        return Result(int(exit_info.value.code or 0), out.decode(), err.decode())

    return run_command


@pytest.fixture
def work_dirs(project):
    """Return the work dirs of the project, oldest first."""
    return lambda: sorted(p.parent for p in project.glob(".workflow/skill-tuning/*/state.json"))


@pytest.fixture
def project_of_three_skills(tmp_path, monkeypatch):
    """Return a project with a skill with two findings (one is suppressed), a skill without findings, and a broken one."""
    install_word_catalogue(monkeypatch)
    (tmp_path / ".git").mkdir()
    texts = {
        "plover": SKILL_HEADER + "FIXABLE walks.\n\nRISKY waits. <!-- tune-skill: ignore CTX-001 known -->\n",
        "gull": SKILL_HEADER.replace("plover", "gull") + "All is well.\n",
    }
    for name, text in texts.items():
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(text)
    (tmp_path / "skills" / "wreck").mkdir()
    (tmp_path / "skills" / "wreck" / "SKILL.md").write_bytes(b"---\nname: \xff\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def diagnose(capsys):
    """Return a function that calls `diagnose` and returns its exit code and output."""

    def run_diagnose(*arguments):
        with pytest.raises(SystemExit) as exit_info:
            main(["diagnose", *map(str, arguments)])
        out, err = capsys.readouterr()
        return int(exit_info.value.code), out, err

    return run_diagnose


class Screen(io.StringIO):
    """A terminal that records its output."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def run_in_terminal(project, monkeypatch):
    """Return a function that calls the command in a terminal of a given width and returns the printed lines."""

    def run_command(columns: int, *arguments: str) -> list[str]:
        screen = Screen()
        with monkeypatch.context() as patch, pytest.raises(SystemExit):
            patch.setenv("COLUMNS", str(columns))
            patch.setattr("sys.stdout", screen)
            main([*arguments])
        return unstyle(screen.getvalue()).splitlines()

    return run_command
