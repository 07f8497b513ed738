"""Test that every command ends with one line and a documented exit code, whatever file of an improvement is damaged."""

import os
import shutil
from pathlib import Path

import pytest

from tests.orchestrator.tuning.improve.test_damaged import passed_improvement, stopped_improvement  # noqa: F401 - fixtures


def replace_by_folder(file):
    file.unlink()
    file.mkdir()


DAMAGES = {
    "cut": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "other value": lambda file: file.write_text("[]"),
    "missing": Path.unlink,
    "folder": replace_by_folder,
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("stage", ["stopped_improvement", "passed_improvement"])
def test_damaged_file_ends_every_command_with_one_line(request, project, command, monkeypatch, tmp_path, stage, damage):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    name = request.getfixturevalue(stage).name
    before = {tmp_path / "copy": project, tmp_path / "notes": Path(os.environ["XDG_STATE_HOME"])}
    for copy, folder in before.items():
        shutil.copytree(folder, copy)  # Hard links become separate files.
    for file in sorted((project / ".workflow").rglob("*.json*")):
        for arguments in (
            ("status",), ("status", name), ("report", name), ("resume", name, "--give-up"), ("rollback", name, "--all"),
        ):  # fmt: skip
            for copy, folder in before.items():
                shutil.rmtree(folder)
                shutil.copytree(copy, folder)
            os.chdir(project)
            DAMAGES[damage](file)
            code, _, err = command(*arguments)
            assert code in (0, 1, 2), (file.name, arguments, err)
            assert not code or err.count("\n") <= 1, (file.name, arguments, err)


@pytest.mark.parametrize("arguments", [("--give-up",), ()])
def test_folder_in_place_of_a_ledger_is_named(stopped_improvement, command, arguments):  # noqa: F811
    replace_by_folder(stopped_improvement / "ledger.jsonl")
    code, _, err = command("resume", stopped_improvement.name, *arguments)
    assert (code, f"{stopped_improvement / 'ledger.jsonl'} cannot be opened" in err) == (2, True)
    (stopped_improvement / "ledger.jsonl").rmdir()
    assert command("resume", stopped_improvement.name, "--give-up")[0] == 1
