"""Test that a better description is written only over the text that was tested."""

import pytest

from orchestrator.errors import Refused
from orchestrator.tuning.trigger.writing import find_change, write_description


def test_description_is_not_written_over_an_edit_made_meanwhile(tmp_path):
    file = tmp_path / "SKILL.md"
    tested_text = "---\nname: x\ndescription: Old\n---\n# X\n"
    file.write_text(tested_text)
    change = find_change(file, tested_text, "New")
    file.write_text(f"{tested_text}\nMine.\n")
    with pytest.raises(Refused, match="has just changed, so nothing was written"):
        write_description(change, tmp_path)
    assert (file.read_text(), list(tmp_path.iterdir())) == (f"{tested_text}\nMine.\n", [file])


def test_description_of_a_text_in_another_encoding_is_not_written(tmp_path):
    file = tmp_path / "SKILL.md"
    file.write_bytes(b"---\nname: x\ndescription: Old\n---\ncaf\xe9\n")
    with pytest.raises(Refused, match="is not UTF-8"):
        find_change(file, file.read_bytes().decode("utf-8", "replace"), "New")
