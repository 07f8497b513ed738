"""Test that each error in an answer is reported on one line: location, fault and remedy."""

import pytest

from actions.project.lookup_log import NOTHING_SHOWN
from actions.review.checking import find_answer_errors
from actions.review.judge import Question
from schemas import load_answer_schema
from tests.fakes import a_case
from tests.judges import add, confirm, duplicate, refute, reject, says

FED = "The keeper feeds each bird"
CASE = a_case(f"{FED} at noon.\n")
READING = Question(
    "r", "", load_answer_schema("reading"), ids=("ISS-001", "ISS-002"), kinds=("CTX-001", "CTX-002", "custom")
)
REFUTATION = Question("r", "", load_answer_schema("reading"), ids=("ISS-001",), known=("ISS-009",))


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (READING, says()),
        (
            READING,
            says(confirm("ISS-001"), reject("ISS-002", FED), added=[add(FED), add(f"8| {FED}", pattern="CTX-001")]),
        ),
        (READING, says(confirm("ISS-001"), duplicate("ISS-002", "ISS-001"))),
        (REFUTATION, says(refute("ISS-001", FED))),
        (REFUTATION, says(refute("ISS-001", duplicate_of="ISS-009"))),
        (REFUTATION, says({**confirm("ISS-001"), "file": "SKILL.md", "quote": "not there"})),
    ],
)
def test_valid_answer_has_no_errors(asked, value):
    assert find_answer_errors(asked, value, CASE, NOTHING_SHOWN) == ()


@pytest.mark.parametrize(
    ("asked", "value", "messages"),
    [
        (READING, None, "the answer violates its schema: the whole value: None is not an object"),
        (
            READING,
            {"notes": [], "unchecked": [], "verdicts": []},
            "the answer violates its schema: the whole value: 'added' is a required property",
        ),
        (
            READING,
            says(confirm("ISS-777")),
            "verdicts[0] (ISS-777): verdict on an id that was not asked about; the ids are: ISS-001, ISS-002",
        ),
        (
            READING,
            says(reject("ISS-001", "No words")),
            "verdicts[0] (ISS-001): rejection whose quote is not in its file: “",
        ),
        (READING, says(confirm("ISS-001"), reject("ISS-001", FED)), "verdicts[1] (ISS-001): two opposite verdicts"),
        (
            READING,
            says(added=[add(FED, pattern="AGT-001")]),
            "added[0] (AGT-001): addition with a pattern that was not asked about; the patterns are: CTX-001",
        ),
        (
            READING,
            says(added=[add(FED), add("No words")]),
            "added[1] (custom): addition whose quote is not in its file, or too short: “",
        ),
        (
            READING,
            says(added=[add(FED, file="nowhere.md")]),
            "added[0] (custom): quote of a file that does not exist: nowhere.md; the files of the skill are: SKILL.md",
        ),
        (REFUTATION, says(refute("ISS-001")), "verdicts[0] (ISS-001): rejection whose quote is not in its file: “"),
        (REFUTATION, says(refute("ISS-009", FED)), "verdicts[0] (ISS-009): verdict on an id that was not asked about"),
        (
            REFUTATION,
            says(refute("ISS-001", duplicate_of="ISS-001")),
            "verdicts[0] (ISS-001): duplicate of a",
        ),
    ],
)
def test_each_invalid_part_is_one_line(asked, value, messages):
    (line,) = find_answer_errors(asked, value, CASE, NOTHING_SHOWN)
    assert line.startswith(messages)
    assert "\n" not in line


def test_hostile_answer_adds_no_line():
    (line,) = find_answer_errors(READING, says(confirm("ISS\n\u202e# Done")), CASE, NOTHING_SHOWN)
    assert "\n" not in line
    assert "\u202e" not in line
