"""A reader that remembers works once for each file, and anew for a changed one."""

from actions.example import example_case
from actions.skill.memo import once, once_among


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


def test_a_reader_of_a_file_and_the_paths_works_again_only_where_the_paths_change():
    seen = []

    @once_among
    def known(file, skill):
        seen.append(file.path)
        return sorted(skill.paths)

    skill = example_case({"SKILL.md": "One.", "more.md": "Two."}).skill
    same = skill.replaced({"SKILL.md": skill.main.raw, "more.md": b"Three."})
    assert same.main is skill.main, "what reads as before stays parsed"
    for each in (skill, same, skill):
        assert known(each.main, each) == ["SKILL.md", "more.md"]
    more = skill.replaced({"new.md": b"New."})
    assert known(more.main, more) == ["SKILL.md", "more.md", "new.md"]
    assert seen == ["SKILL.md", "SKILL.md"]
