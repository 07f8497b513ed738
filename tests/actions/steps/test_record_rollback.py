"""Test the state after a rollback: a finding that was not checked stays open, and the gate does not pass."""

import pytest
from msgspec.structs import replace

from actions.steps.record_rollback import add_files_left, mark_rolled_back, mark_unmeasured, measure_again
from schemas.records import ChangeMade
from schemas.vocabulary import Gate, IssueStatus
from tests.fakes import install_catalogue, install_word_catalogue, make_case, make_diagnosed_state, make_pattern

CASE = make_case("A FIXABLE.\n\nA RISKY.\n")


@pytest.fixture
def state(monkeypatch):
    install_word_catalogue(monkeypatch)
    return make_diagnosed_state(CASE, quality_gate=Gate.PASS, quality_score=100)


def map_statuses(state):
    return {i.pattern: i.status for i in state.issues}


def test_measure_again_does_not_pass_when_a_pattern_fails(monkeypatch, state):
    failing_pattern = make_pattern("AGT-001", "FIXABLE")
    failing_pattern.check = lambda case: 1 / 0
    install_catalogue(monkeypatch, [failing_pattern, make_pattern("CTX-001", "RISKY")], [])
    after = measure_again(state, make_case("Nothing.\n"))
    assert map_statuses(after) == {"AGT-001": IssueStatus.OPEN, "CTX-001": IssueStatus.RESOLVED}
    assert after.quality_gate is Gate.REVIEW
    assert "AGT-001 failed when the skill was measured again: ZeroDivisionError" in after.notes[-1]


def test_mark_unmeasured_opens_resolved_issues_again(state):
    resolved_state = replace(state, issues=tuple(replace(i, status=IssueStatus.RESOLVED) for i in state.issues))
    after = mark_unmeasured(resolved_state, "SKILL.md is not UTF-8")
    assert set(map_statuses(after).values()) == {IssueStatus.OPEN}
    assert (after.quality_gate, after.quality_score) == (Gate.FAIL, 84)
    assert "SKILL.md is not UTF-8" in after.notes[-1]
    assert mark_unmeasured(after, "SKILL.md is not UTF-8").notes == after.notes


def test_add_files_left_adds_nothing_without_files(state):
    assert add_files_left(state, "FIX-001", ()) is state


def test_mark_rolled_back_updates_known_hashes_only(state):
    file, other_file = "SKILL.md", "references/more.md"
    state_with_hashes = replace(
        state, target_skill=replace(state.target_skill, files={file: "2" * 64, other_file: "5" * 64})
    )
    changes_made = (
        ChangeMade(file, "modify", 0o644, "2" * 64, "1" * 64),
        ChangeMade(other_file, "modify", 0o644, "edited", "also edited"),
        ChangeMade("references/new.md", "delete", 0o644, "3" * 64, None),
    )
    after = mark_rolled_back(state_with_hashes, ["FIX-001"], changes_made)
    assert after.target_skill.files == {file: "1" * 64, other_file: "5" * 64}
    assert measure_again(after, CASE).target_skill == after.target_skill
