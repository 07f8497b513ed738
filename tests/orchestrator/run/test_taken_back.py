"""What a rollback means for the state: what could not be looked at is not mended and passes nothing."""

from dataclasses import replace

import pytest

from actions.steps.rollback import measured, named, not_put_back, unmeasured
from schemas.records import ChangeMade
from schemas.vocabulary import Gate, IssueStatus
from tests.fakes import a_case, a_pattern, birds, in_verify, install

CASE = a_case("A CRANE.\n\nA HERON.\n")


@pytest.fixture
def state(monkeypatch):
    birds(monkeypatch)
    return in_verify(CASE, quality_gate=Gate.PASS, quality_score=100)


def statuses(changes):
    return {i.pattern: i.status for i in changes["issues"]}


def test_a_pattern_that_fails_has_not_looked_and_nothing_passes(monkeypatch, state):
    broken = a_pattern("AGT-001", "CRANE")
    broken.check = lambda case: 1 / 0
    install(monkeypatch, [broken, a_pattern("CTX-001", "HERON")], [])
    changes = measured(state, a_case("Nothing.\n"))
    assert statuses(changes) == {"AGT-001": IssueStatus.OPEN, "CTX-001": IssueStatus.RESOLVED}
    assert changes["quality_gate"] is Gate.REVIEW
    assert "AGT-001 failed when the skill was measured anew: ZeroDivisionError" in changes["notes"][-1]


def test_what_was_mended_is_open_again_when_the_skill_cannot_be_read(state):
    mended = replace(state, issues=tuple(replace(i, status=IssueStatus.RESOLVED) for i in state.issues))
    changes = unmeasured(mended, "SKILL.md is not UTF-8")
    assert set(statuses(changes).values()) == {IssueStatus.OPEN}
    assert (changes["quality_gate"], changes["quality_score"]) == (Gate.FAIL, 84)
    assert "SKILL.md is not UTF-8" in changes["notes"][-1]
    assert unmeasured(replace(mended, **changes), "SKILL.md is not UTF-8")["notes"] == changes["notes"]


def test_with_all_put_back_nothing_more_is_told(state):
    assert not_put_back(state, {"quality_score": 7}, "FIX-001", ()) == {"quality_score": 7}


def test_what_the_rollback_made_is_known_and_what_someone_edited_is_not(state):
    file, other = "SKILL.md", "references/more.md"
    known = replace(state, target_skill=replace(state.target_skill, files={file: "2" * 64, other: "5" * 64}))
    made = (
        ChangeMade(file, "modify", 0o644, "2" * 64, "1" * 64),
        ChangeMade(other, "modify", 0o644, "edited", "also edited"),
        ChangeMade("references/new.md", "delete", 0o644, "3" * 64, None),
    )
    assert named(known, ["FIX-001"], made)["target_skill"].files == {file: "1" * 64, other: "5" * 64}
    assert "target_skill" not in measured(known, CASE)
