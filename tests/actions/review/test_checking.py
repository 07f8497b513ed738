"""Test that each error in an answer is reported on one line: location, fault and remedy."""

import pytest

from actions.project.lookup_log import NOTHING_SHOWN
from actions.review.checking import find_answer_errors
from actions.review.judge import Question
from schemas import load_answer_schema
from tests.fakes import make_case
from tests.judges import add_finding, confirm_finding, make_reading, refute_finding, reject_as_duplicate, reject_finding

QUOTE = "The keeper feeds each bird"
CASE = make_case(f"{QUOTE} at noon.\n")
READING = Question(
    "r", "", load_answer_schema("reading"), ids=("ISS-001", "ISS-002"), pattern_ids=("CTX-001", "CTX-002", "custom")
)
REFUTATION = Question("r", "", load_answer_schema("reading"), ids=("ISS-001",), known=("ISS-009",))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (READING, make_reading()),
        (
            READING,
            make_reading(
                confirm_finding("ISS-001"),
                reject_finding("ISS-002", QUOTE),
                added=[add_finding(QUOTE), add_finding(f"8| {QUOTE}", pattern="CTX-001")],
            ),
        ),
        (READING, make_reading(confirm_finding("ISS-001"), reject_as_duplicate("ISS-002", "ISS-001"))),
        (REFUTATION, make_reading(refute_finding("ISS-001", QUOTE))),
        (REFUTATION, make_reading(refute_finding("ISS-001", duplicate_of="ISS-009"))),
        (REFUTATION, make_reading({**confirm_finding("ISS-001"), "file": "SKILL.md", "quote": "not there"})),
    ],
)
def test_valid_answer_has_no_errors(question, value):
    assert find_answer_errors(question, value, CASE, NOTHING_SHOWN) == ()


@pytest.mark.parametrize(
    ("question", "value", "message"),
    [
        (READING, None, "the answer violates its schema: the whole value: None is not an object"),
        (
            READING,
            {"notes": [], "unchecked": [], "verdicts": []},
            "the answer violates its schema: the whole value: 'added' is a required property",
        ),
        (
            READING,
            make_reading(confirm_finding("ISS-777")),
            "verdicts[0] (ISS-777): verdict on an id that was not asked about; the ids are: ISS-001, ISS-002",
        ),
        (
            READING,
            make_reading(reject_finding("ISS-001", "No words")),
            "verdicts[0] (ISS-001): rejection whose quote is not in its file: “",
        ),
        (
            READING,
            make_reading(confirm_finding("ISS-001"), reject_finding("ISS-001", QUOTE)),
            "verdicts[1] (ISS-001): two opposite verdicts",
        ),
        (
            READING,
            make_reading(added=[add_finding(QUOTE, pattern="AGT-001")]),
            "added[0] (AGT-001): addition with a pattern that was not asked about; the patterns are: CTX-001",
        ),
        (
            READING,
            make_reading(added=[add_finding(QUOTE), add_finding("No words")]),
            "added[1] (custom): addition whose quote is not in its file, or too short: “",
        ),
        (
            READING,
            make_reading(added=[add_finding(QUOTE, file="nowhere.md")]),
            "added[0] (custom): quote of a file that does not exist: nowhere.md; the files of the skill are: SKILL.md",
        ),
        (
            REFUTATION,
            make_reading(refute_finding("ISS-001")),
            "verdicts[0] (ISS-001): rejection whose quote is not in its file: “",
        ),
        (
            REFUTATION,
            make_reading(refute_finding("ISS-009", QUOTE)),
            "verdicts[0] (ISS-009): verdict on an id that was not asked about",
        ),
        (
            REFUTATION,
            make_reading(refute_finding("ISS-001", duplicate_of="ISS-001")),
            "verdicts[0] (ISS-001): duplicate of a",
        ),
    ],
)
def test_each_invalid_part_gives_one_line(question, value, message):
    (line,) = find_answer_errors(question, value, CASE, NOTHING_SHOWN)
    assert line.startswith(message)
    assert "\n" not in line


def test_hostile_answer_adds_no_line():
    (line,) = find_answer_errors(READING, make_reading(confirm_finding("ISS\n\u202e# Done")), CASE, NOTHING_SHOWN)
    assert "\n" not in line
    assert "\u202e" not in line
