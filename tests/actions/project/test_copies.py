"""Test which findings are left out in a copy that the project does not own."""

from actions.review.scan_notes import list_scan_notes
from actions.scoring.scan import scan
from tests.examples import list_unit_cases, make_project

MARK = "# wingkit:managed v2 bundled\n"
AGENT = "---\n{}name: counter\ndescription: Counts birds.\nallowed-tools: Read\nmodel: claude-opus\n---\n\nCount.\n"
HOOKED = "---\n{}name: counter\ndescription: Counts birds.\ndescription: Sorts.\n---\n\nCount.\n"


def list_patterns(text):
    files = {".claude/agents/counter.md": text, ".claude/agents/other.md": AGENT.format("").replace("counter", "other")}
    cases = [case for case in list_unit_cases(make_project(files)) if case.unit.path.endswith("counter.md")]
    return {finding.pattern.id for case in cases for finding in scan(case).findings}


def test_fault_in_a_managed_file_is_left_out():
    assert "PRJ-020" in list_patterns(AGENT.format(""))
    assert "PRJ-020" not in list_patterns(AGENT.format(MARK))


def test_a_note_says_in_which_files_faults_were_left_out():
    files = {".claude/agents/counter.md": AGENT.format(MARK)}
    (case,) = list_unit_cases(make_project(files))
    (note,) = list_scan_notes(scan(case), ())
    assert note.startswith(f"{case.skill.main_path}: marked as copied or installed from elsewhere")


def test_heading_with_the_words_of_a_mark_is_no_mark():
    assert "PRJ-020" in list_patterns(AGENT.format("") + f"\n{MARK}")


def test_fault_that_blocks_a_run_is_reported_in_a_managed_file():
    assert "PRJ-006" in list_patterns(HOOKED.format(""))
    assert "PRJ-006" in list_patterns(HOOKED.format(MARK))
