"""A reader that remembers works once for each file, and anew for a changed one."""

from actions.example import example_case
from actions.model.memo import once


def test_a_reader_works_once_for_each_file_and_again_for_a_changed_one():
    seen = []

    @once
    def length(file):
        seen.append(file.path)
        return len(file.raw)

    skill = example_case({"SKILL.md": "One.", "more.md": "Two."}).skill
    for _ in range(3):
        assert [length(file) for file in skill.files] == [len(file.raw) for file in skill.files]
    changed = skill.replaced({"more.md": b"Three"})
    assert [length(file) for file in changed.files][1] == 5
    assert seen == ["SKILL.md", "more.md", "more.md"]
