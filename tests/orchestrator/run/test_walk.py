"""Test whole runs: their steps in state, journal and log; pauses, resumes and rounds."""

import pytest

from orchestrator.errors import BadInput
from orchestrator.run.store import StateStore
from schemas.vocabulary import Gate, Pause, Phase, Verification
from tests.fakes import (
    SKILL_HEADER,
    Listener,
    install_catalogue,
    make_pattern,
    make_strategy,
    replace_word,
    resume_run,
    start_run,
    write_skill,
)
from tests.runs import ACTIONS_OF_ROUND, list_actions, map_statuses, read_events, read_journal, read_phases

LINES_WITHOUT_FIX = "".join(f"\nThe {n} NOFIX goes by.\n" for n in ("first", "second", "third"))
EXAMPLE = (
    "A tall FIXABLE on the shore.\n\nA grey RISKY in the reeds.\n\nA white UNREAD on the roof.\n" + LINES_WITHOUT_FIX
)


# the steps


def test_run_takes_all_actions_in_order_and_fixes_the_skill(skill, work):
    listener = Listener()
    run = start_run(skill, work, listener, apply="all")
    assert list_actions(run) == [*ACTIONS_OF_ROUND, "action-apply-fix", "action-verify", "action-complete"]
    assert [action for action, _ in listener.steps] == list_actions(run)
    assert read_phases(work) == ["pending", "running", "diagnosis", "verify", "apply-fix", "verify", "completed"]
    state = run.store.state
    assert (state.phase, state.quality_gate, state.quality_score) == (Phase.COMPLETED, Gate.PASS, 100)
    assert (skill / "SKILL.md").read_text() == SKILL_HEADER + "Count each fixable on the shore.\n"
    assert read_journal(work) == [("FIX-001", "closed")]
    assert state.final_report == (work / "report.md").read_text()
    assert state.backup_dir == str(work / "backup")
    assert "FIXABLE" in (work / "backup" / "SKILL.md").read_text()


def test_run_logs_every_step_with_its_history_entry(skill, work):
    run = start_run(skill, work, apply="all")
    actions = [entry["action"] for e in read_events(work) for entry in e["data"].get("action_history", [])]
    assert actions == list_actions(run)


def test_run_with_a_focus_takes_only_its_diagnoses(skill, work):
    run = start_run(skill, work, apply="none", focus_areas=("agent", "docs"))
    assert [a for a in list_actions(run) if "diagnose" in a] == ["action-diagnose-agent", "action-diagnose-docs"]
    assert {i.pattern for i in run.store.state.issues} == {"AGT-001"}


def test_run_records_deep_analysis_without_a_judge_as_skipped(skill, work):
    run = start_run(skill, work, apply="none", deep=True)
    entry = next(e for e in run.store.state.action_history if e.action == "action-deep-analysis")
    assert entry.result == "skipped"
    assert any("skipped" in note for note in run.store.state.notes)


def test_run_with_nothing_to_fix_completes(tmp_path, work):
    run = start_run(write_skill(tmp_path / "clean", "All is well.\n"), work, apply="all")
    assert list_actions(run) == [*ACTIONS_OF_ROUND, "action-complete"]
    assert not (work / "journal.jsonl").exists()


# pauses


def test_run_without_a_user_pauses_and_changes_nothing(skill, work):
    before = (skill / "SKILL.md").read_bytes()
    run = start_run(skill, work, apply="ask")
    state = StateStore(work).load()
    assert (state.pause, state.phase, state.current_action) == (Pause.FIX_SELECTION, Phase.VERIFY, None)
    assert (skill / "SKILL.md").read_bytes() == before
    assert list_actions(run)[-1] == "action-propose-fixes"


def test_paused_run_resumed_without_a_user_pauses_again(skill, work):
    start_run(skill, work, apply="ask")
    for _ in range(3):
        run = resume_run(work)
        assert run.store.state.pause is Pause.FIX_SELECTION
    assert list_actions(run).count("action-propose-fixes") == 1


def test_paused_run_resumed_with_a_user_completes(skill, work):
    start_run(skill, work, apply="ask")
    listener = Listener(can_ask=True, choice=("FIX-001",))
    run = resume_run(work, listener)
    assert len(listener.questions) == 1
    assert (run.store.state.phase, run.store.state.pause) == (Phase.COMPLETED, None)
    assert map_statuses(run) == {"FIX-001": "applied"}


def test_run_pauses_if_the_user_quits_the_selection(skill, work):
    run = start_run(skill, work, Listener(can_ask=True, choice=None), apply="ask")
    assert run.store.state.pause is Pause.FIX_SELECTION


def test_run_pauses_if_the_user_answers_a_question_later(skill, work):
    asker = Listener(can_ask=True, answers=None)
    run = start_run(skill, work, asker, apply="none", user_issue_description="make it nicer")
    assert (run.store.state.pause, run.store.state.phase) == (Pause.CLARIFICATION, Phase.RUNNING)
    later_user = Listener(can_ask=True, answers={"DIM-001": "agent_failure"})
    run = resume_run(work, later_user)
    assert run.store.state.phase is Phase.COMPLETED
    analysis = run.store.state.requirement_analysis
    assert analysis.dimensions[0].inferred_category == "agent_failure"
    assert analysis.ambiguities[0].answered_by == "user"


def test_run_without_a_user_reports_the_category_it_took(skill, work):
    run = start_run(skill, work, apply="none", user_issue_description="make it nicer")
    assert run.store.state.phase is Phase.COMPLETED
    assert "the user was not asked" in run.store.state.final_report.lower()


# rounds


def test_run_with_a_failing_fix_and_a_second_round(tmp_path, work):
    """Compare state, journal and log at each step."""
    skill = write_skill(tmp_path / "plover", EXAMPLE)
    observed_states = []

    class StateRecorder(Listener):
        def step(self, state, action, note):
            if action in ("action-select-fixes", "action-apply-fix", "action-verify", "action-begin-round"):
                journal = read_journal(work) if (work / "journal.jsonl").exists() else []
                observed_states.append((action, state.phase.value, {f.id: f.status.value for f in state.proposed_fixes},
                             state.pending_fixes, journal, state.quality_score))  # fmt: skip

    run = start_run(skill, work, StateRecorder(), apply="all")
    all_proposed = {"FIX-001": "selected", "FIX-002": "selected", "FIX-003": "selected"}
    statuses_after_first, statuses_after_second = (
        {**all_proposed, "FIX-001": "applied"},
        {**all_proposed, "FIX-001": "applied", "FIX-002": "applied"},
    )
    statuses_after_third = {**statuses_after_second, "FIX-003": "rolled_back"}
    final_journal = [("FIX-001", "closed"), ("FIX-002", "closed"), ("FIX-003", "rolled_back")]
    scores = [s for *_, s in observed_states]
    assert [row[:5] for row in observed_states] == [
        ("action-begin-round", "diagnosis", {}, (), []),
        ("action-verify", "verify", {}, (), []),
        ("action-select-fixes", "verify", all_proposed, ("FIX-001", "FIX-002", "FIX-003"), []),
        ("action-apply-fix", "verify", statuses_after_first, ("FIX-002", "FIX-003"), [("FIX-001", "closed")]),
        ("action-verify", "verify", statuses_after_first, ("FIX-002", "FIX-003"), [("FIX-001", "closed")]),
        (
            "action-apply-fix",
            "verify",
            statuses_after_second,
            ("FIX-003",),
            [("FIX-001", "closed"), ("FIX-002", "closed")],
        ),
        (
            "action-verify",
            "verify",
            statuses_after_second,
            ("FIX-003",),
            [("FIX-001", "closed"), ("FIX-002", "closed")],
        ),
        ("action-apply-fix", "verify", statuses_after_third, (), final_journal),
        ("action-begin-round", "diagnosis", statuses_after_third, (), final_journal),
        ("action-verify", "verify", statuses_after_third, (), final_journal),
        ("action-select-fixes", "verify", statuses_after_third, (), final_journal),
    ]
    assert scores == [0, 52, 52, 52, 60, 60, 68, 68, 68, 68, 68]

    state = run.store.state
    assert [(a.fix_id, a.verification_result.value, a.success) for a in state.applied_fixes] == [
        ("FIX-001", "pass", True),
        ("FIX-002", "pass", True),
        ("FIX-003", "rolled_back", False),
    ]
    assert "unread.md does not exist" in state.applied_fixes[2].reason
    assert [c.file for c in state.applied_fixes[2].changes_made] == ["SKILL.md", "node_modules/unread.md"]
    assert [(r.iteration, r.fixes_kept) for r in state.rounds] == [(1, ("FIX-001", "FIX-002")), (2, ())]
    assert (state.phase, state.quality_gate, state.iteration_count) == (Phase.COMPLETED, Gate.REVIEW, 2)
    assert map_statuses(run) == statuses_after_third, "the failed fix was proposed again"
    text = (skill / "SKILL.md").read_text()
    assert text == SKILL_HEADER + EXAMPLE.replace("FIXABLE", "fixable").replace("RISKY", "risky")
    assert not (skill / "node_modules").exists(), "the folder of the failed fix was not removed"
    assert read_phases(work) == [
        "pending", "running", "diagnosis", "verify", "apply-fix", "verify", "apply-fix", "verify", "apply-fix",
        "verify", "diagnosis", "verify", "completed",
    ]  # fmt: skip
    fix_events = [(e["event"], e["data"]["fix"]) for e in read_events(work) if e["event"].startswith("fix_")]
    assert fix_events == [
        *(("fix_proposed", f"FIX-00{n}") for n in (1, 2, 3)),
        *(("fix_selected", f"FIX-00{n}") for n in (1, 2, 3)),
        ("fix_applied", "FIX-001"),
        ("fix_applied", "FIX-002"),
        ("fix_rolled_back", "FIX-003"),
    ]
    assert "FIX-003" in state.final_report.replace("\\", "")
    assert "Rolled back: " in state.final_report


def test_fix_that_fails_in_rehearsal_is_not_written(tmp_path, work):
    skill = write_skill(tmp_path / "plover", "A black LOSSY that knows its way home.\n")
    run = start_run(skill, work, apply="all")
    assert map_statuses(run) == {"FIX-001": "rolled_back"}
    assert run.store.state.applied_fixes[0].verification_result is Verification.FAIL
    assert not (work / "journal.jsonl").exists()
    assert "LOSSY" in (skill / "SKILL.md").read_text()


def test_run_ends_when_the_gate_is_passed(monkeypatch, tmp_path, work):
    """The fix of a critical fault leaves a minor fault, which the gate allows."""
    install_catalogue(
        monkeypatch,
        [
            make_pattern("AGT-001", "FIXABLE", "calm", impact=("blocks", "loses")),
            make_pattern("AGT-002", "Risky", "hush", impact=("easy",)),
        ],
        [
            make_strategy("calm", replace_word("FIXABLE", "Risky of 2 years")),
            make_strategy("hush", replace_word("Risky", "bird")),
        ],
    )
    skill = write_skill(
        tmp_path / "plover", "The first tall grey FIXABLE rests all day long on the shore of the sea.\n"
    )
    run = start_run(skill, work, apply="all")
    state = run.store.state
    assert (state.phase, state.quality_gate, state.iteration_count) == (Phase.COMPLETED, Gate.PASS, 1)
    assert map_statuses(run) == {"FIX-001": "applied"}, "the gate is passed: no second round fixes the minor fault"
    assert [i.pattern for i in state.issues if i.status == "open"] == ["AGT-002"]


def test_run_ends_at_max_iterations(monkeypatch, tmp_path, work):
    """Each fix uncovers another fault; without a limit the run would never end."""
    words = [f"W{n:02d}" for n in range(30)]
    patterns = [make_pattern(f"AGT-{n:03d}", w, f"next{n:02d}", impact=("easy",)) for n, w in enumerate(words)]
    strategies = [make_strategy(f"next{n:02d}", replace_word(w, words[n + 1])) for n, w in enumerate(words[:-1])]
    lines_without_pattern = "\n".join(f"An old stone number {n}.\n" for n in range(3))
    install_catalogue(
        monkeypatch, [*patterns, make_pattern("CTX-001", "stone", impact=("blocks", "loses"))], strategies
    )
    skill = write_skill(
        tmp_path / "plover", f"The word is W00 and nothing else on this whole line.\n\n{lines_without_pattern}"
    )
    run = start_run(skill, work, apply="all", max_iterations=3)
    assert run.store.state.iteration_count == 3
    assert [r.fixes_kept for r in run.store.state.rounds] == [("FIX-001",), ("FIX-002",), ("FIX-003",)]
    assert run.store.state.phase is Phase.COMPLETED


def test_fixes_not_chosen_are_not_offered_again(tmp_path, work):
    skill = write_skill(tmp_path / "plover", EXAMPLE)
    start_run(skill, work, apply="ask")
    listener = Listener(can_ask=True, choice=("FIX-001",))
    run = resume_run(work, listener)
    assert run.store.state.phase is Phase.COMPLETED
    assert run.store.state.iteration_count == 2, "one fix was kept and the gate is not passed"
    assert len(listener.questions) == 1
    assert map_statuses(run) == {"FIX-001": "applied", "FIX-002": "proposed", "FIX-003": "proposed"}


# files that change during a run


def test_fix_is_refused_if_its_file_was_edited_during_the_pause(skill, work):
    start_run(skill, work, apply="ask")
    edited_text = (skill / "SKILL.md").read_text() + "\nMy own words.\n"
    (skill / "SKILL.md").write_text(edited_text)
    run = resume_run(work, Listener(can_ask=True, choice=("FIX-001",)))
    assert map_statuses(run) == {"FIX-001": "refused"}
    assert run.store.state.proposed_fixes[0].reason.startswith("a file that the fix changes was edited meanwhile: ")
    assert (skill / "SKILL.md").read_text() == edited_text


def test_resume_without_a_readable_skill_is_bad_input(skill, work):
    start_run(skill, work, apply="ask")
    readable_bytes = (skill / "SKILL.md").read_bytes()
    (skill / "SKILL.md").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="not UTF-8"):
        resume_run(work)
    (skill / "SKILL.md").write_bytes(readable_bytes)
    assert resume_run(work, Listener(can_ask=True, choice=("FIX-001",))).store.state.phase is Phase.COMPLETED
