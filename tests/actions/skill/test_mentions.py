"""Test the index of the names of a skill's files."""

import random
from itertools import pairwise

from actions.case import Case
from actions.scoring.scan import scan
from actions.skill import reach
from actions.skill.mentions import _NAME_START, NameIndex, _strip_start
from actions.skill.skill import Skill, SkillFile
from tests.growth import grows_at_most, measure_seconds

PIECES = [*"aab1-_. #/é中文阶2", "phase ", "data", "step1", "\n"]


def make_skill(*texts):
    files = (SkillFile(f"references/{n}.md", text.encode()) for n, text in enumerate(texts))
    return Skill("plover", (SkillFile("SKILL.md", b"# Plover\n"), *files))


def is_mentioned(skill, names, file):
    """Search each line of the other files for each name."""
    lines = [line for other in skill.files if other is not file for line in other.lower.split("\n")]
    starts = [line[match.start() :] for line in lines for match in _NAME_START.finditer(line)]
    known = [name for name in map(_strip_start, names) if name]
    return any(start.startswith(name) for start in starts for name in known)


def test_index_finds_what_a_search_of_each_line_finds():
    choices = random.Random(1)
    for _ in range(300):
        skill = make_skill(*("".join(choices.choices(PIECES, k=choices.randint(0, 40))) for _ in range(4)))
        names = [["".join(choices.choices(PIECES[:-1], k=choices.randint(1, 8))) for _ in range(3)] for _ in range(4)]
        index = NameIndex(skill, {name for group in names for name in group})
        for group in names:
            for file in skill.files:
                assert index.is_any_mentioned(group, file) == is_mentioned(skill, group, file), (skill, group)


def test_index_of_names_with_thousands_of_first_letters_takes_linear_time():
    letters = [chr(0x4E00 + n) for n in range(5_000)]
    names = [f"{first}{second}" for first, second in pairwise(letters)]

    def measure(times):
        skill = make_skill("".join(letters) * times)
        return measure_seconds(lambda: NameIndex(skill, names))

    assert grows_at_most(measure, 20, 40, factor=2.6)


def test_index_is_built_once_if_the_search_in_it_takes_too_long(monkeypatch):
    """DF-010 searches again, in a time of its own."""
    indexes = []

    class Index(NameIndex):
        def __init__(self, *arguments):
            indexes.append(arguments)
            super().__init__(*arguments)

        def is_any_mentioned(self, names, file):
            if not tries:
                tries.append(file)
                raise TimeoutError
            return super().is_any_mentioned(names, file)

    tries = []
    monkeypatch.setattr(reach, "NameIndex", Index)
    skill = make_skill(*(f"# Bird {n}\n\nSing.\n" for n in range(reach._MAX_SEARCHED_FILES + 1)))
    result = scan(Case(skill))
    assert (len(indexes), len(tries), result.failed) == (1, 1, {})
    assert "DF-010" in {finding.pattern.id for finding in result.findings}
