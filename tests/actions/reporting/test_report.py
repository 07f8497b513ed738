"""Test the report for every outcome of a run; hostile text in it stays text."""

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

from actions.reporting.hints import RUNS, quote_run
from actions.reporting.report import explain_open_issue, render_report
from actions.review.complaints import Complaint
from actions.steps.analyze_requirements import analyze
from actions.steps.outcome import Keep
from actions.steps.propose_fixes import act as propose
from actions.steps.record_rollback import mark_rolled_back, measure_again
from schemas.issues import Measure, SeverityCounts, Tokens
from schemas.layout import Layout, PlacedRule
from schemas.options import Options
from schemas.records import AppliedFix, ErrorEntry, FixEffect, Move, State, TargetSkill
from schemas.requirements import Ambiguity, Coverage, RequirementAnalysis
from schemas.sessions import CompactionRecord, SessionRecord
from schemas.vocabulary import Fate, FixStatus, Gate, IssueStatus, Phase, Verification
from tests.fakes import NOW, install_word_catalogue, make_case, make_diagnosed_state, make_round, make_tools

HOSTILE_TEXT = "<script>x</script> [a](b) `c` *d* \x1b[31m |\n# h\n"
CASE = make_case("A FIXABLE.\n\nA RISKY.\n")
MARKDOWN = MarkdownIt("commonmark").enable("table")


@pytest.fixture
def state(monkeypatch):
    install_word_catalogue(monkeypatch)
    start = make_diagnosed_state(
        CASE, run_id="run-7", work_dir=f"/p/{RUNS}/run-7", backup_dir=f"/p/{RUNS}/run-7/backup", started_at=NOW
    )
    return propose(start, CASE, make_tools()).state


def set_status_of_first_fix(state, status, result=None, reason=None):
    """Return the state with this status for its first fix."""
    first_fix, *other_fixes = state.proposed_fixes
    applied = () if result is None else (
        AppliedFix("FIX-001", NOW, result is Verification.PASS, "/b", result, result is Verification.PASS, reason=reason),
    )  # fmt: skip
    return replace(
        state, proposed_fixes=(replace(first_fix, status=status, reason=reason), *other_fixes), applied_fixes=applied
    )


def count_cells(tokens):
    """Return a list for each table: the number of cells in each of its rows."""
    counts = []
    for token in tokens:
        if token.type == "table_open":
            counts.append([])
        elif token.type == "tr_open":
            counts[-1].append(0)
        elif token.type in ("td_open", "th_open"):
            counts[-1][-1] += 1
    return counts


def split_sections(text):
    parts = text.split("\n## ")
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1] for part in parts[1:]} | {"": parts[0]}


def test_report_says_what_was_fixed_and_how_to_undo_it(state):
    state_after_fix = set_status_of_first_fix(state, FixStatus.APPLIED, Verification.PASS)
    issues = tuple(
        replace(i, status=IssueStatus.RESOLVED) if i.pattern == "AGT-001" else i for i in state_after_fix.issues
    )
    state_after_fix = replace(
        state_after_fix,
        issues=issues,
        rounds=(make_round(score=84, gate=Gate.REVIEW),),
        quality_score=92,
        quality_gate=Gate.PASS,
    )
    text = render_report(state_after_fix)
    parts = split_sections(text)
    assert "The score went from 84 to 92, the gate changed from review to pass." in parts[""]
    assert "`SKILL.md:10`" in parts["Findings"]
    assert "-A FIXABLE.\n+A fixable.\n" in parts["Changes"]
    assert "`tune-skill rollback run-7 FIX-001`" in parts["Changes"]
    assert "FIX-002" in parts["Proposed fixes"]
    assert "FIX-002 is proposed, but was not selected" in parts["Open findings"].replace("\\", "")
    assert "`tune-skill rollback run-7 --all`" in parts["How to undo it"]


def test_report_shows_the_effect_of_an_applied_fix(state):
    state_after_fix = set_status_of_first_fix(state, FixStatus.APPLIED, Verification.PASS)
    before = Measure(84, Gate.REVIEW, SeverityCounts(high=2), Tokens(20, 1200, 300))
    after = Measure(92, Gate.PASS, SeverityCounts(high=1), Tokens(20, 1150, 300))
    effect = FixEffect(before, after, resolved=("ISS-001",), found=("ISS-007",))
    state_after_fix = replace(
        state_after_fix, applied_fixes=(replace(state_after_fix.applied_fixes[0], effect=effect),)
    )
    assert (
        "Effect: ISS-001 resolved, new: ISS-007; score 84 → 92 (+8), gate review → pass; "
        "tokens at every use 1,200 → 1,150 (-50), on demand 300."
    ) in split_sections(render_report(state_after_fix))["Changes"]


@pytest.mark.parametrize(
    ("status", "result", "words"),
    [
        (FixStatus.REFUSED, None, "Refused: edited meanwhile"),
        (FixStatus.ROLLED_BACK, Verification.FAIL, "Check failed, not written: edited meanwhile"),
        (FixStatus.ROLLED_BACK, Verification.ROLLED_BACK, "Rolled back: edited meanwhile"),
    ],
)
def test_report_lists_failed_fixes_with_their_reasons(state, status, result, words):
    text = render_report(set_status_of_first_fix(state, status, result, "edited meanwhile"))
    assert words in split_sections(text)["Rolled back or refused"]
    outcome = "All applied fixes were rolled back." if result is Verification.ROLLED_BACK else "Nothing was changed."
    assert f"**{outcome}**" in text


def test_report_lists_the_issues_of_each_complaint(state):
    kinds = ("agent_failure", "error_handling", "custom", "doc_conflict")
    analysis = analyze([Complaint(f"{kind} it is", kind, 0.9) for kind in kinds], NOW)
    first_issue, *other_issues = state.issues
    first_issue = replace(first_issue, status=IssueStatus.RESOLVED)
    custom_issue = replace(other_issues[0], id="ISS-009", pattern="custom")
    suppressed_issue = replace(first_issue, id="ISS-010", status=IssueStatus.SUPPRESSED, suppressed_by="baseline")
    assert (first_issue.pattern, first_issue.type) == ("AGT-001", "agent_failure")
    state_with_complaint = replace(
        state,
        issues=(first_issue, custom_issue, suppressed_issue),
        user_issue_description="It hangs.",
        requirement_analysis=analysis,
    )
    lines = [
        line.partition(": ")[2]
        for line in split_sections(render_report(state_with_complaint))["Your request"].splitlines()
        if "DIM-" in line
    ]
    assert lines[:4] == [
        f"read as `agent_failure`. Findings of that kind: {first_issue.id} (fixed).",
        f"read as `error_handling`. Findings of that kind: {first_issue.id} (fixed).",
        "read as `custom`. Findings of that kind: ISS-009 (open).",
        "read as `doc_conflict`. No finding is of that kind, so the cause is unknown.",
    ]


def test_explain_open_gives_the_reason(state):
    agent, context = (next(i for i in state.issues if i.pattern == p) for p in ("AGT-001", "CTX-001"))
    assert explain_open_issue(replace(state, proposed_fixes=()), agent) == "no automatic fix is certain here"
    assert explain_open_issue(state, replace(agent, id="ISS-099", pattern="DF-001")) == "no automatic fix"
    state_after_full_round = replace(state, proposed_fixes=(), rounds=(make_round(untried=(agent.id,)),))
    assert explain_open_issue(state_after_full_round, agent) == "not tried: the last round reached its limit; run again"
    state_with_other_choice = replace(state, proposed_fixes=(), rounds=(make_round(chosen=("ISS-099",)),))
    assert explain_open_issue(state_with_other_choice, agent) == "not chosen"
    state_with_failed_fix = set_status_of_first_fix(state, FixStatus.ROLLED_BACK, Verification.FAIL, "a rule is lost")
    assert explain_open_issue(state_with_failed_fix, agent) == "FIX-001 failed its check: a rule is lost"
    assert (
        explain_open_issue(set_status_of_first_fix(state, FixStatus.REFUSED, None, "edited"), agent)
        == "FIX-001 was refused: edited"
    )
    assert explain_open_issue(state, context) == "FIX-002 is proposed, but was not selected"
    state_with_applied_fix = set_status_of_first_fix(state, FixStatus.APPLIED, Verification.PASS, None)
    assert explain_open_issue(state_with_applied_fix, agent) == "still found after FIX-001 was applied; run again"


def test_report_shows_looked_up_files_beside_the_verdicts(state):
    note = "a reader looked up for the reading: 1 file (0 KB): tides.py"
    state_with_judge = replace(state, judge="a reader", notes=("it was late", note))
    parts = split_sections(render_report(state_with_judge))
    assert "tides.py" in parts["Verdicts of the judge"]
    assert "it was late" in parts["Not known"]
    assert "tides.py" not in parts["Not known"]


def test_covered_finding_is_in_the_report_with_its_sentence(state):
    suppressed_issue = replace(
        state.issues[0], status=IssueStatus.SUPPRESSED, suppressed_by="ISS-005", description="Two races."
    )
    text = render_report(replace(state, issues=(suppressed_issue,)))
    assert f"- {suppressed_issue.id} {suppressed_issue.pattern} (ISS-005): Two races." in text


def test_report_of_a_clean_skill_says_so(monkeypatch):
    install_word_catalogue(monkeypatch)
    case = make_case("All is well.\n")
    text = render_report(make_diagnosed_state(case, quality_score=100, quality_gate=Gate.PASS, started_at=NOW))
    assert "**Nothing to fix.**" in text
    assert "There is nothing to undo." in text


def test_report_does_not_praise_a_skill_below_the_gate(monkeypatch):
    install_word_catalogue(monkeypatch)
    case = make_case("All is well.\n")
    text = render_report(make_diagnosed_state(case, quality_score=100, quality_gate=Gate.REVIEW, started_at=NOW))
    assert "Nothing to fix" not in text
    assert "The score is 100; the gate is review." in text


def test_report_without_a_backup_names_no_folder(state):
    assert "No backup was made." in render_report(replace(state, backup_dir=None))
    assert f"The full backup is in `/p/{RUNS}/run-7/backup`." in render_report(state)


def test_report_of_a_failed_run_lists_its_errors(state):
    errors = tuple(ErrorEntry("action-verify", f"OSError: disk {n} <b>", NOW, True) for n in range(3))
    text = render_report(replace(state, error_count=3, errors=errors))
    assert "**The run failed** after 3 errors." in text
    assert split_sections(text)["Not known"].count("action-verify: OSError: disk") == 3


def test_report_works_before_any_diagnosis(monkeypatch):
    install_word_catalogue(monkeypatch)
    assert "**No diagnosis was made.**" in render_report(State(run_id="r", started_at=NOW))


def test_report_after_a_rollback_describes_the_current_skill(state):
    state_after_fix = set_status_of_first_fix(state, FixStatus.APPLIED, Verification.PASS)
    issues = tuple(
        replace(i, status=IssueStatus.RESOLVED) if i.pattern == "AGT-001" else i for i in state_after_fix.issues
    )
    state_after_fix = replace(state_after_fix, issues=issues, quality_score=92, rounds=(make_round(score=84),))
    state_after_rollback = mark_rolled_back(state_after_fix, ["FIX-001"])
    state_after_rollback = measure_again(state_after_rollback, CASE)
    assert state_after_rollback.quality_score == 84
    assert {i.status for i in state_after_rollback.issues} == {IssueStatus.OPEN}
    (entry,) = state_after_rollback.applied_fixes
    assert (entry.verification_result, entry.rollback_available) == (Verification.ROLLED_BACK, False)
    assert state_after_rollback.target_skill.files == {f.path: f.sha256 for f in CASE.skill.files}
    text = render_report(state_after_rollback)
    assert "Rolled back: by the user" in text
    assert "There is nothing to undo." in text


def test_report_escapes_a_hostile_skill(state):
    ambiguity = Ambiguity("DIM-001", "vague_description", HOSTILE_TEXT, ("a",), True, HOSTILE_TEXT, "default")
    first_fix, *other_fixes = state.proposed_fixes
    evil_fix = replace(
        first_fix,
        description=HOSTILE_TEXT,
        rationale=HOSTILE_TEXT,
        estimated_impact=HOSTILE_TEXT,
        status=FixStatus.REFUSED,
        reason=HOSTILE_TEXT,
    )
    evil_change = replace(other_fixes[0].changes[0], diff="+```\n+</code>\n+# h\n\x1b[2J" + HOSTILE_TEXT)
    hostile = replace(
        state,
        run_id=HOSTILE_TEXT,
        work_dir=f"/tmp/{HOSTILE_TEXT}",
        backup_dir=f"/tmp/{HOSTILE_TEXT}",
        target_skill=TargetSkill(name=HOSTILE_TEXT, path=HOSTILE_TEXT),
        user_issue_description=HOSTILE_TEXT,
        requirement_analysis=RequirementAnalysis(
            "completed", NOW, (), (), Coverage(0, 0, 0, 100.0, "satisfied"), (ambiguity,)
        ),
        issues=tuple(
            replace(
                i,
                description=HOSTILE_TEXT,
                evidence=(HOSTILE_TEXT,),
                location=replace(i.location, file=HOSTILE_TEXT),
                suppressed_by=HOSTILE_TEXT,
            )
            for i in state.issues
        ),
        proposed_fixes=(
            evil_fix,
            replace(other_fixes[0], changes=(evil_change,), description=HOSTILE_TEXT, rationale=HOSTILE_TEXT),
        ),
        notes=(HOSTILE_TEXT,),
        errors=(ErrorEntry("action-x", HOSTILE_TEXT, NOW, True),),
        options=Options(judge="none"),
    )
    text = render_report(hostile)
    assert text.replace("\n", "").replace("\t", "").isprintable()
    tokens = MARKDOWN.parse(text)
    inline = {child.type for t in tokens for child in t.children or ()}
    assert not {t.type for t in tokens} & {"html_block", "code_block", "hr"}
    assert not inline & {"html_inline", "link_open", "image", "em_open"}
    titles = [tokens[n + 1].content for n, t in enumerate(tokens) if t.type == "heading_open" and t.tag in ("h1", "h2")]
    assert [t for t in titles if t.startswith("h")] == []
    assert all(len(set(table)) == 1 for table in count_cells(tokens)), "no text adds a cell"


@pytest.mark.parametrize(
    ("work_dir", "run_id", "expected"),
    [
        (f"/p/{RUNS}/20260301-plover", "20260301-plover", "20260301-plover"),
        ("/elsewhere/work", "work", "/elsewhere/work"),
        ("/else where/wörk", "wörk", "'/else where/wörk'"),
        (f"/p/{RUNS}/it's", "it's", "'it'\"'\"'s'"),
    ],
)
def test_quote_run_gives_a_name_to_paste(work_dir, run_id, expected):
    assert quote_run(State(run_id=run_id, work_dir=work_dir)) == expected


def test_proposal_contents_are_effects_not_state(state):
    outcome = propose(make_diagnosed_state(CASE), CASE, make_tools())
    assert isinstance(outcome.effect, Keep)


def test_report_shows_what_a_compaction_keeps_rule_by_rule(state):
    lost_rule, kept_rule = (
        PlacedRule(700, 6000, "Never ring | a chick.", Fate.LOST),
        PlacedRule(9, 60, "Never ring | a chick.", Fate.SURVIVES),
    )
    state_with_layouts = replace(state, layout_before=Layout(1, (lost_rule,)), layout=Layout(1, (kept_rule,)))
    parts = split_sections(render_report(state_with_layouts))["What a compaction keeps of SKILL.md"]
    assert "| Never ring \\| a chick. | lost, line 700, token 6,000 | survives, line 9, token 60 |" in parts
    state_without_losses = replace(state, layout_before=Layout(1, (kept_rule,)), layout=Layout(1, (kept_rule,)))
    assert "1 binding rule, before and now within the first 5,000 tokens" in render_report(state_without_losses)
    assert "what a compaction keeps is unknown" in render_report(state)
    assert split_sections(render_report(state_without_losses))["Not known"].strip() == "Nothing."


def test_report_draws_the_walk_and_the_sessions(state):
    walk = [Move(Phase.VERIFY, Phase.APPLY_FIX, NOW), Move(Phase.APPLY_FIX, Phase.VERIFY, NOW)] * 2
    moments = (CompactionRecord(40, "2026-03-01T10:30:00Z", "auto", 9, 2, ("TODO items lost: ring <b>",)),)
    session = SessionRecord("];%%{init", "2026-03-01", "SIMPLE", 1, records=90, moments=moments)
    text = render_report(replace(state, walk=tuple(walk), sessions=(session,)))
    diagrams = [token.content for token in MARKDOWN.parse(text) if token.type == "fence" and token.info == "mermaid"]
    assert (
        "    2026-03-01 : session init, 90 records : compaction at record 41, 1 lost, 2 rules cut off\n" in diagrams[0]
    )
    assert "    verify --> apply_fix : 2 times\n    apply_fix --> verify : 2 times\n" in diagrams[1]
    assert "lost at record 41 (2026-03-01 10:30): 2 rules of the skill after the cut; TODO items lost: ring" in text
