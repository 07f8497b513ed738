"""Test that each error of an answer is one line: where, what, what to do."""

import pytest

from actions.review.asking import build_question
from actions.review.checking import explain_unusable, find_answer_errors
from tests.fakes import a_case
from tests.judges import add, confirm, duplicate, looking, refute, reject, says

FED = "The keeper feeds each bird"
SKILL = a_case(f"{FED} at noon.\n").skill
NOT_LOOKED = "`looked` says nothing about any id of the question"
VALUES = {
    "elsewhere": "Other kinds",
    "concern": "birds",
    "patterns": [],
    "own": True,
    "catches_all": False,
    "candidates": "",
    "wish": "",
}
DIAGNOSIS = build_question(
    "d",
    "diagnosis",
    ids=("ISS-001", "ISS-002"),
    kinds=("CTX-001", "CTX-002", "custom"),
    looks=("CTX-001", "CTX-002"),
    **VALUES,
)
REFUTATION = build_question(
    "r",
    "refute",
    "",
    "diagnosis",
    ids=("ISS-001",),
    known=("ISS-009",),
    looks=("ISS-001",),
    patterns=[],
    findings="x",
    others="",
)


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (DIAGNOSIS, says()),
        (
            DIAGNOSIS,
            says(confirm("ISS-001"), reject("ISS-002", FED), added=[add(FED), add(f"8| {FED}", pattern="CTX-001")]),
        ),
        (DIAGNOSIS, says(confirm("ISS-001"), duplicate("ISS-002", "ISS-001"))),
        (REFUTATION, says(refute("ISS-001", FED))),
        (REFUTATION, says(refute("ISS-001", duplicate_of="ISS-009"))),
        (REFUTATION, says({**confirm("ISS-001"), "file": "SKILL.md", "quote": "not there"})),
    ],
)
def test_valid_answer_has_no_errors(asked, value):
    assert find_answer_errors(asked, looking(asked, value), SKILL) == ()


@pytest.mark.parametrize(
    ("asked", "value", "messages"),
    [
        (DIAGNOSIS, None, "the answer breaks its schema: the whole value: None is not an object"),
        (
            DIAGNOSIS,
            {"looked": {}, "verdicts": []},
            "the answer breaks its schema: the whole value: 'added' is a required property",
        ),
        (
            DIAGNOSIS,
            says(confirm("ISS-777")),
            "verdicts[0] (ISS-777): verdict on an id that was not asked about; the ids are: ISS-001, ISS-002",
        ),
        (
            DIAGNOSIS,
            says(reject("ISS-001", "No words")),
            "verdicts[0] (ISS-001): rejection whose quote is not in its file: “",
        ),
        (DIAGNOSIS, says(confirm("ISS-001"), reject("ISS-001", FED)), "verdicts[1] (ISS-001): two opposite verdicts"),
        (
            DIAGNOSIS,
            says(added=[add(FED, pattern="AGT-001")]),
            "added[0] (AGT-001): addition with a pattern that was not asked about; the patterns are: CTX-001",
        ),
        (
            DIAGNOSIS,
            says(added=[add(FED), add("No words")]),
            "added[1] (custom): addition whose quote is not in its file: “",
        ),
        (
            DIAGNOSIS,
            says(added=[add(FED, file="nowhere.md")]),
            "added[0] (custom): addition whose quote is not in its file: “",
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
    (line,) = find_answer_errors(asked, looking(asked, value), SKILL)
    assert line.startswith(messages)
    assert "\n" not in line


@pytest.mark.parametrize(
    ("asked", "said", "messages", "why"),
    [
        (DIAGNOSIS, {"CTX-001": "The pond: none", "CTX-002": "none"}, "", ""),
        (DIAGNOSIS, {"CTX-001": "The pond: none", "custom": "none"}, "CTX-002", ""),
        (DIAGNOSIS, {"custom": "none", "CTX-009": "none", "CTX-001": " \n"}, "CTX-001, CTX-002", NOT_LOOKED),
        (DIAGNOSIS, {}, "CTX-001, CTX-002", NOT_LOOKED),
        (REFUTATION, {"ISS-001": "fix"}, "", ""),
        (REFUTATION, {"ISS-009": "fix"}, "ISS-001", NOT_LOOKED),
    ],
)
def test_answer_must_cover_each_id_in_looked(asked, said, messages, why):
    value = says() | {"looked": said}
    wanted = f"looked: {messages} missing; add a line for each of these ids"
    assert find_answer_errors(asked, value, SKILL) == ((wanted,) if messages else ())
    assert explain_unusable(asked, value) == why


def test_hostile_answer_adds_no_line():
    (line,) = find_answer_errors(DIAGNOSIS, looking(DIAGNOSIS, says(confirm("ISS\n\u202e# Done"))), SKILL)
    assert "\n" not in line
    assert "\u202e" not in line
