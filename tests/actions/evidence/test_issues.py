"""Test issues with evidence from sessions: lines, confirmations, no effect on the score, and the required cause."""

import pytest
from msgspec.structs import replace

from actions.case import Case
from actions.evidence.issues import add_evidence, collect_evidence, format_unknown_rate, keep_evidence, merge_sessions
from actions.fixes.proposals import sort_by_fix_order
from actions.scoring.issues import make_issues
from actions.scoring.quality import compute_score
from actions.scoring.scan import scan
from actions.session.answer import answer_violated
from actions.session.example import agent, todos, use, user
from actions.session.transcript import Quote
from actions.session.transcript_parse import parse_transcript
from actions.skill import parse_skill
from actions.skill.budget import find_lost_rules
from schemas.considerations import Consideration
from schemas.issues import Location, ReadBy
from schemas.vocabulary import Family
from tests.examples import make_messages
from tests.fakes import SKILL_HEADER

FAMILIES = frozenset(Family)
FILL = "".join(f"The column `w_{n}` of the export holds the sum of week {n} in whole cents.\n\n" for n in range(450))
TODOS = Consideration("todos_complete", "1", "Are all todos done?", "blocker", "_check_todos_complete", ("*",))
GENERIC = Consideration("skill_invocation", "2", "Was the skill used?", "warning", "generic", ("*",))
USE = use("Skill", "Launching skill: plover", skill="plover")
COMPACTED = (
    {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 9}},
    {"isCompactSummary": True, "message": {"role": "user", "content": "Birds were counted."}},
)


def make_session(*parts, id="s1"):
    return parse_transcript(make_messages(*parts), id)


def make_case(text, *sessions, considerations=(), **files):
    texts = {"SKILL.md": SKILL_HEADER + text, **{name.replace("__", "/") + ".md": body for name, body in files.items()}}
    skill = parse_skill("plover", {path: body.encode() for path, body in texts.items()})
    return Case(skill, sessions=sessions, considerations=considerations)


def find_issues(case):
    """Return the issues of a case with the evidence of its sessions."""
    return add_evidence(make_issues(scan(case)), collect_evidence(case, FAMILIES), case, ())


def list_session_issues(case):
    return [(i.pattern, i.location.line_start, i.sessions) for i in find_issues(case) if i.source == "session"]


def test_evidence_missing_path_points_to_its_line():
    failed_read = use("Read", "File does not exist.", error=True, file_path="/home/ann/birds/refs/ages.md")
    (issue,) = [
        i
        for i in find_issues(make_case("Read `refs/ages.md` now.\n", make_session(USE, failed_read)))
        if i.source == "session"
    ]
    assert (issue.pattern, issue.location.file, issue.location.line_start) == ("DF-009", "SKILL.md", 8)
    assert issue.evidence[0] == "Read `refs/ages.md` now."
    assert issue.evidence[1] == "s1 record 4 | File does not exist."
    assert issue.evidence[-1] == "seen in 1 of 1 session (s1 record 4)"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Read `refs/ages.md` if it exists.\n", (USE, use("Read", "File does not exist.", error=True, file_path="/b/refs/ages.md"))),
        ("Read `refs/ages.md` now.\n", (use("Read", "File does not exist.", error=True, file_path="/b/refs/ages.md"),)),
        ("Read `refs/ages.md` now.\n", (USE, use("Read", "File does not exist.", error=True, file_path="/b/other.md"))),
        ("Read `refs/ages.md` now.\n", (USE, use("Read", "exceeds maximum allowed tokens", error=True, file_path="/b/refs/ages.md"))),
        ("Read `refs/ages.md` now.\n", (USE, use("Read", "The user doesn't want to proceed with this", error=True, file_path="/b/refs/ages.md"))),
        ("Keep `out/log.md`.\n", (USE, use("Read", "File does not exist.", error=True, file_path="/b/out/log.md"), use("Write", "ok", file_path="/b/out/log.md", content="x"))),
        ("Start subagent_type=\"counter\" on each file.\n", (USE, use("Task", "The user doesn't want to proceed with this", error=True, subagent_type="counter"))),
    ],
    ids=["may be missing", "skill not in use", "another path", "too large", "refused", "written later", "agent refused"],
)  # fmt: skip
def test_evidence_needs_a_cause(text, parts):
    assert list_session_issues(make_case(text, make_session(*parts))) == []


def test_evidence_unknown_agent_type_points_to_the_call():
    failed_call = use("Agent", "Agent type 'wader-eye' not found.", error=True, subagent_type="wader-eye")
    case = make_case('Use the Task tool with subagent_type="wader-eye" on each file.\n', make_session(USE, failed_call))
    issue = next(i for i in find_issues(case) if i.pattern == "AGT-007")
    assert (issue.location.line_start, issue.grade, issue.sessions) == (8, "proven", 1)
    assert issue.evidence[1] == "s1 record 4 | Agent type 'wader-eye' not found."


def test_evidence_unread_phase_needs_two_sessions():
    text = "1. Read `phases/01-see.md`.\n2. Read `phases/02-ring.md`.\n"
    files = {"phases__01-see": "# See\n\nLook.\n", "phases__02-ring": "# Ring\n\nRing.\n"}
    read = use("Read", "# See", file_path="/s/plover/phases/01-see.md")
    sessions = make_session(USE, read), make_session(USE, read, id="s2")
    assert list_session_issues(make_case(text, *sessions, **files)) == [("DF-010", 9, 2)]
    assert list_session_issues(make_case(text, sessions[0], **files)) == [], "one session may have ended early"
    command = use("Bash", "# Ring", command="cat /s/plover/phases/*.md")
    assert list_session_issues(make_case(text, sessions[0], make_session(USE, command, id="s2"), **files)) == []


def test_add_evidence_marks_a_confirmed_issue_once():
    case = make_case(
        FILL + "Never send the list to an outside address.\n", make_session(USE, *COMPACTED, agent("Done."))
    )
    (rule,) = find_lost_rules(case.skill)
    long_issue = next(i for i in make_issues(scan(case)) if i.pattern == "CTX-005")
    location = Location("SKILL.md", rule.line, rule.line)
    issue_without_evidence = replace(long_issue, pattern="CTX-006", location=location, locations=())
    issues_with_evidence = add_evidence([issue_without_evidence], collect_evidence(case, FAMILIES), case, ())
    assert [(i.pattern, i.grade, i.sessions) for i in issues_with_evidence] == [
        ("CTX-006", issue_without_evidence.grade, 1)
    ]
    assert issues_with_evidence[0].evidence[-1] == "seen in 1 of 1 session (s1 record 3)"
    assert (
        keep_evidence([issue_without_evidence], issues_with_evidence)[0].evidence == issues_with_evidence[0].evidence
    ), "the evidence of sessions stays after a fix"
    assert not [i for i in find_issues(make_case("Count.\n", make_session(USE, *COMPACTED))) if i.pattern == "CTX-006"]
    late_use = make_session(*COMPACTED, USE, agent("Done."))
    assert collect_evidence(replace(case, sessions=(late_use,)), FAMILIES).confirming == (), (
        "the skill was loaded after the compaction"
    )


def test_consideration_counts_over_sessions_and_deducts_nothing():
    work = (user("Implement the counter."), use("Edit", "ok", file_path="a.py", new_string="x = 1", old_string=""))
    bad_sessions = [
        make_session(USE, *work, todos(Count_the_terns="pending"), agent("Done."), id=f"s{n}") for n in (1, 2)
    ]
    good_session = make_session(USE, *work, todos(Count_the_terns="completed"), agent("Done."), id="s3")
    case = make_case("Count each bird.\n", *bad_sessions, good_session, considerations=(TODOS, GENERIC))
    evidence = collect_evidence(case, FAMILIES)
    (issue,) = [i for i in find_issues(case) if i.source == "session"]
    assert (issue.pattern, issue.severity, issue.type, issue.sessions) == ("todos_complete", "high", Family.MEMORY, 2)
    assert issue.evidence[-1].startswith("seen in 2 of 3 sessions (s1 record ")
    assert [row.found for row in evidence.rows] == [("todos_complete",), ("todos_complete",), ()]
    assert format_unknown_rate(evidence.rows) == "3 of 6 answers are unknown (50%)"
    assert compute_score(find_issues(case)) == compute_score(make_issues(scan(case)))
    assert issue not in sort_by_fix_order(find_issues(case)), "no fix claims a finding from sessions"


def test_evidence_is_proven_by_a_checker_and_read_by_a_judge():
    work = (user("Implement the counter."), use("Edit", "ok", file_path="a.py", new_string="x = 1", old_string=""))
    answer = answer_violated("No one counts.", Quote(1, "Implement the counter."))
    for state, grade, reader in (
        ("pending", "proven", None),
        ("completed", "read by a wise model", ReadBy("a wise model", "No one counts.")),
    ):
        case = make_case(
            "Count.\n", make_session(USE, *work, todos(Count_the_terns=state), agent("Done.")), considerations=(TODOS,)
        )
        case = replace(case, judged={"s1": {"todos_complete": answer}})
        evidence = collect_evidence(case, FAMILIES, "a wise model")
        (issue,) = add_evidence((), evidence, case, ())
        assert (issue.how_known, issue.read_by) == (grade, reader)


def test_evidence_and_id_stay_after_a_fix():
    failed_read = use("Read", "File does not exist.", error=True, file_path="/b/refs/ages.md")
    case = make_case("Read `refs/ages.md` now.\n", make_session(USE, failed_read))
    first = find_issues(case)
    second_issues = add_evidence(make_issues(scan(case), first), collect_evidence(case, FAMILIES), case, first)
    assert {i.fingerprint: i.id for i in second_issues} == {i.fingerprint: i.id for i in first}
    kept_issues = keep_evidence(make_issues(scan(case), first), first)
    assert {i.id: (i.sessions, i.grade) for i in kept_issues} == {i.id: (i.sessions, i.grade) for i in first}


def test_merge_sessions_makes_one_row_per_session():
    case = make_case("Count.\n", make_session(USE, agent("Done.")), considerations=(TODOS, GENERIC))
    memory, agents = (collect_evidence(case, [family]).rows for family in (Family.MEMORY, Family.AGENT))
    (row,) = merge_sessions(memory, agents)
    assert row.asked == memory[0].asked + agents[0].asked


def test_confirmed_issue_quotes_the_session():
    failed_call = use("Task", "The counter broke: no such bird.", error=True, subagent_type="counter")
    text = '```js\nconst list = Task({ subagent_type: "counter", prompt: "Count." })\nshow(list.length)\n```\n'
    case = make_case(text, make_session(USE, failed_call), make_session(USE, failed_call, id="s2"))
    (issue,) = [i for i in find_issues(case) if i.pattern == "AGT-001" and i.sessions == 2]
    assert issue.evidence[-3:] == (
        "s1 record 4 | The counter broke: no such bird.",
        "s2 record 4 | The counter broke: no such bird.",
        "seen in 2 of 2 sessions (s1 record 4, s2 record 4)",
    )
    scanned_issue = next(i for i in make_issues(scan(case)) if i.pattern == "AGT-001")
    kept_issue = next(i for i in keep_evidence([scanned_issue], [issue]) if i.id == issue.id)
    assert kept_issue.evidence == issue.evidence


LONG_TEXT = "tern " * 600
WRITE_CALL = use("Write", "ok", file_path="/b/out/list.md", content=LONG_TEXT)
READ_CALL = use("Read", LONG_TEXT, file_path="/b/out/list.md")


def test_evidence_of_a_reread_file_points_to_its_line():
    case = make_case(
        "Count the birds.\nKeep the list in `out/list.md`.\n", make_session(USE, WRITE_CALL, READ_CALL, READ_CALL)
    )
    assert list_session_issues(case) == [("TKN-005", 9, 1)]
    (issue,) = [i for i in find_issues(case) if i.source == "session"]
    assert (issue.type, issue.severity) == (Family.TOKENS, "low")
    assert "about 750 tokens twice" in issue.description


@pytest.mark.parametrize(
    "parts",
    [
        (WRITE_CALL, use("Bash", "ok", command="sort -o out/list.md out/list.md"), READ_CALL),
        (WRITE_CALL, use("Edit", "ok", file_path="/b/out/list.md", old_string="tern", new_string="gull"), READ_CALL),
        (WRITE_CALL, *COMPACTED, READ_CALL),
        (WRITE_CALL, use("Read", LONG_TEXT, file_path="/b/out/list.md", offset=3, limit=9)),
        (use("Write", "ok", file_path="/b/out/list.md", content="tern"), READ_CALL),
        (use("Write", "denied", error=True, file_path="/b/out/list.md", content=LONG_TEXT), READ_CALL),
    ],
    ids=["a command between", "an edit between", "a compaction between", "only a part", "short", "not written"],
)
def test_evidence_allows_reading_back_with_a_reason(parts):
    assert list_session_issues(make_case("Keep the list in `out/list.md`.\n", make_session(USE, *parts))) == []


def test_session_row_counts_the_uncached_tokens():
    usage = {"input_tokens": 3, "output_tokens": 5, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 900}
    answer = {"type": "assistant", "message": {"role": "assistant", "id": "m1", "content": "Done.", "usage": usage}}
    case = make_case("Count.\n", make_session(USE, answer))
    assert collect_evidence(case, FAMILIES).rows[0].tokens == 48


def test_session_row_lists_the_losses_of_each_compaction():
    work = (user("Write an exporter of ringing tables."), todos(Add_the_golden_test="pending"))
    lost = make_session(USE, *work, *COMPACTED, agent("Done."))
    case = make_case(FILL + "Never send the list to an outside address.\n", lost)
    (row,) = merge_sessions(collect_evidence(case, [Family.AGENT]).rows, collect_evidence(case, [Family.MEMORY]).rows)
    (moment,) = row.moments
    assert (moment.trigger, moment.tokens, moment.rules) == ("auto", 9, 1)
    assert moment.lost[0] == "TODO items lost after the compaction: Add the golden test"
    assert row.used == 0
    case_without_use = make_case(
        FILL + "Never send the list to an outside address.\n", make_session(*work, *COMPACTED, USE)
    )
    (row,) = collect_evidence(case_without_use, FAMILIES).rows
    assert row.moments[0].rules == 0, "the skill was loaded after the compaction"
