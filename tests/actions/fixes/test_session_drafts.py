"""Test that the session events of a line are in the report and in the question for a draft of its fix."""

from msgspec.structs import replace

from actions.reporting.report import render_html, render_report
from actions.session.example import Recorded, agent, bash, compact, load, use
from schemas.options import Options
from schemas.vocabulary import FixStatus
from tests.examples import make_recorded_case
from tests.judges import ScriptedJudge, make_draft, make_reading, run_in_memory

SKILL_TEXT = (
    "## Step 1: Moor\n\n```bash\nberth moor --fast <BOAT>\n```\n\n## Step 2: Log\n\n```bash\nberth log --all\n```\n"
)
FAILED_CALL = bash("berth moor --fast 4", "Exit code 2\nno option --fast", error=True)
SUCCESSFUL_CALL, LOG_CALL = bash("berth moor --slow 4", "ok"), bash("berth log --all", "ok")


def run_with_draft(text, sessions, *edits, **answer):
    """Run a judge that drafts one fix for a finding from sessions; return the state and the judge."""
    case = make_recorded_case(Recorded(text, sessions))
    judge = ScriptedJudge({"reading": make_reading(), "draft": make_draft(*edits, **answer)})
    state, case = run_in_memory(case, judge, options=Options(apply="all", judge="sdk"))
    return state, case, judge


def test_draft_question_has_a_failing_command_and_its_repair():
    edit = ("SKILL.md", "berth moor --fast <BOAT>", "berth moor --slow <BOAT>")
    state, case, judge = run_with_draft(
        SKILL_TEXT, ((load(), FAILED_CALL, SUCCESSFUL_CALL, LOG_CALL, agent("Done.")),) * 2, edit
    )
    prompt = judge.prompt("draft")
    assert "no option --fast" in prompt
    assert "worked afterwards: berth moor --slow 4" in prompt
    (fix,) = state.proposed_fixes
    assert fix.status is FixStatus.APPLIED
    assert "berth moor --slow <BOAT>" in case.skill.main.text


def test_draft_question_suggests_removing_or_moving_a_skipped_step():
    text = SKILL_TEXT.replace("## Step 1: Moor\n", "## Step 1: Moor\n\nLoad the `tide-tables` skill.\n")
    removing_edit = ("SKILL.md", "Load the `tide-tables` skill.\n\n", "")
    runs = ((load(), LOG_CALL, agent("Done.")),) * 2
    runs = tuple((*run[:1], bash("berth moor --fast 4", "ok"), *run[1:]) for run in runs)
    state, case, judge = run_with_draft(text, runs, removing_edit, removes=["Load the `tide-tables` skill."])
    assert "Remove the line, correct the name, or move the instruction to where the step begins." in judge.prompt(
        "draft"
    )
    assert [fix.status for fix in state.proposed_fixes] == [FixStatus.APPLIED]
    assert "tide-tables" not in case.skill.main.text


def test_rule_lost_in_a_compaction_is_moved_before_the_cut():
    rule = "Never run `berth drop`."
    text = f"# Berth\n\nMoor each boat.\n\n{SKILL_TEXT}\n## Rules\n\n{rule}\n"
    runs = ((load(), bash("berth moor --fast 4", "ok"), compact(), bash("berth drop 3", "ok"), LOG_CALL),) * 2
    edits = (("SKILL.md", "Moor each boat.", f"Moor each boat.\n\n{rule}"), ("SKILL.md", f"## Rules\n\n{rule}\n", ""))
    state, case, judge = run_with_draft(text, runs, *edits, removes=["## Rules", rule])
    assert "was lost in a compaction" in judge.prompt("draft")
    assert "Move the rule before the place where Claude Code cuts the text" in judge.prompt("draft")
    assert [fix.status for fix in state.proposed_fixes] == [FixStatus.APPLIED]
    assert case.skill.main.text.index(rule) < case.skill.main.text.index("Step 1")


def test_reports_have_a_table_of_the_events_of_each_line():
    state, _, _ = run_with_draft(
        SKILL_TEXT, ((load(), FAILED_CALL, use("Read", "x", file_path="<b>"), LOG_CALL, agent("Done.")),) * 2
    )
    text, page = render_report(state), render_html(state)
    assert "| Line | What runs did there | Sessions | Seen | Now |" in text
    assert "failed in 2 of 2 runs" in text
    assert "What runs did there" in page
    assert "seen in 2 of 2 sessions" in page
    state_without_sessions = replace(state, issues=(), sessions=())
    assert "What runs did there" not in render_report(state_without_sessions) + render_html(state_without_sessions)
