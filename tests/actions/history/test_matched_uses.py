"""Test joining sessions with a text: counts, versions, and cases that must not count."""

import json

import pytest
from msgspec import structs
from msgspec.structs import replace

from actions.evidence.collect import check_sessions
from actions.history.commit_rules import find_broken_rules
from actions.history.line_history import read_history
from actions.history.matched_uses import match_uses
from actions.history.session_table import build_table
from actions.history.uses import find_uses
from actions.session.example import Recorded, agent, bash, compact, load, use, user
from actions.session.transcript_parse import parse_transcript
from schemas.vocabulary import Family
from tests.examples import messages, recorded_case

LISTED, MOORED = 9, 15
"""The line numbers of the two commands, which follow five lines of frontmatter."""
TEXT = "## Step 1: List\n\n```bash\nberth list --json\n```\n\n## Step 2: Moor\n\n```bash\nberth moor 7\n```\n"
LIST = bash("berth list --json", "[]")
FAILS = bash("berth moor 3", '{"success": false, "error": "full"}')
MOORS = bash("berth moor 4", '{"success": true}')


def case(*sessions, text=TEXT):
    return recorded_case(Recorded(text, sessions))


def counts(case):
    return [
        (one.line, len(one.reached_uses), len(one.executed_uses), len(one.failed_uses)) for one in read_history(case)
    ]


def test_counts_are_those_of_runs_that_reached_a_line():
    found = case((load(), LIST, FAILS), (load(), MOORS), (load(), LIST, agent("Done.")))
    assert counts(found) == [(LISTED, 3, 2, 0), (MOORED, 2, 2, 1)]


def test_failure_that_a_later_try_repairs_names_the_repair():
    (match,) = [match for one in read_history(case((load(), FAILS, MOORS))) for match in one.failures]
    assert match.repaired.call.get("command") == "berth moor 4"


@pytest.mark.parametrize(
    ("following", "failed"),
    [("2. If not moored, moor it.", 0), ("2. Otherwise go on.", 0), ("2. If it fails, tell the user.", 1), ("", 1)],
)
def test_negative_answer_that_the_next_line_handles_is_no_failure(following, failed):
    text = f"1. Look: `berth state --deep`\n{following}\n3. Go on.\n"
    asked = bash("berth state --deep", "Exit code 1\nnot moored", error=True)
    assert sum(len(one.failures) for one in read_history(case((load(), asked), text=text))) == failed


def test_same_session_twice_counts_once():
    one = case((load(), LIST, FAILS))
    twice = replace(one, sessions=(*one.sessions, structs.replace(one.sessions[0], session_id="copy")))
    assert counts(twice) == counts(one)


def test_skill_of_the_same_name_with_another_text_is_not_matched():
    other = "# Weigh the birds\n\nCatch them at night.\n\n```bash\nscale weigh\n```\n"
    assert counts(case((load(other), FAILS))) == []


def test_command_that_the_user_asked_for_is_not_matched():
    assert [len(one.matches) for one in read_history(case((load(), user("Please do berth moor 3"), FAILS)))] == [0, 0]


def test_words_of_the_user_that_quote_the_text_are_no_use():
    assert match_uses(case((user(f"My skill says:\n{TEXT}"), FAILS))) == ()


def test_line_of_a_changed_text_is_mapped_to_todays():
    older = TEXT.replace("## Step 2", "Ask no one.\n\n## Step 2")
    assert counts(case((load(older), LIST, FAILS))) == [(LISTED, 1, 1, 0), (MOORED, 1, 1, 1)]


def test_line_that_is_gone_has_no_line_today():
    older = TEXT.replace("berth moor 7", "berth tie 7")
    found = case((load(older), LIST, bash("berth tie 7", "Exit code 1", error=True)))
    assert counts(found) == [(LISTED, 1, 1, 0), (None, 1, 1, 1)]


def test_failure_beside_another_command_is_not_counted():
    both = bash("make boats && berth moor 3", "Exit code 2", error=True)
    assert counts(case((load(), LIST, both)))[1] == (MOORED, 1, 1, 0)


def test_sidechain_without_its_parent_is_matched():
    records = messages(load(), FAILS)
    case_ = case((load(),))
    first = {
        "type": "user",
        "isMeta": True,
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": f"Base directory for this skill: /s/example\n\n{TEXT}"}],
        },
    }
    lines = [
        first,
        *({"type": one["role"], "isSidechain": True, "agentId": "a1", "message": one} for one in records[1:]),
    ]
    found = replace(case_, sessions=(parse_transcript(lines, "side"),))
    assert counts(found)[1] == (MOORED, 1, 1, 1)


@pytest.mark.parametrize(("by_agent", "broken"), [(False, 1), (True, 0)])
def test_commit_of_a_sub_agent_breaks_no_rule_of_the_text(by_agent, broken):
    """The text prescribes the message of its own commit; the sub-agents that it starts have their own instructions."""
    text = "Commit with:\n\n```\nMoor a boat\n\nCo-Authored-By: Claude <noreply@host.example>\n```\n"
    other = 'git commit -m "Moor 3" -m "Co-Authored-By: Claude Opus <noreply@host.example>"'
    sessions = case((load(), bash(other, "\n[main 1a2b3c4] Moor 3")), text=text)
    (use_,) = find_uses(sessions)
    steps = tuple(
        step._replace(call=replace(step.call, agent="a7" if by_agent else step.call.agent)) for step in use_.steps
    )
    assert len(list(find_broken_rules(replace(use_, steps=steps)))) == broken


def test_calls_of_a_sub_agent_in_progress_records_are_matched():
    call, result = messages(FAILS)
    first = {
        "type": "user",
        "isMeta": True,
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": f"Base directory for this skill: /s/example\n\n{TEXT}"}],
        },
    }
    task, end = messages(use("Task", "ok", prompt="moor"), prefix="task")
    relayed = [
        {
            "type": "progress",
            "data": {"type": "agent_progress", "agentId": "a7", "message": {"type": one["role"], "message": one}},
        }
        for one in (call, result)
    ]
    transcript = parse_transcript([first, task, *relayed, end], "side")
    assert {one.agent for one in transcript.calls} == {"", "a7"}
    assert counts(replace(case((load(),)), sessions=(transcript,)))[1] == (MOORED, 1, 1, 1)


def test_hostile_transcript_costs_nothing_but_its_own_claims():
    odd = [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "x", "name": "Bash", "input": {"command": ["berth"]}}],
        },
        {"type": "progress", "data": {"type": "agent_progress", "message": "boom", "agentId": 7}},
        {"type": "attachment", "attachment": {"type": "invoked_skills", "skills": [None, {"content": 3}, "x"]}},
        {"type": "queue-operation", "operation": "enqueue", "content": {"a": 1}},
        {"version": 7, "type": "user", "message": {"role": "user", "content": "hi"}},
    ]
    found = case((load(), LIST, FAILS, *odd, user("berth moor 3 failed 100 times with <script>alert(1)</script>")))
    assert counts(found)[1] == (MOORED, 1, 1, 1)


def test_table_has_rows_timeline_and_quotes_without_secrets():
    secret = bash("berth moor 3", '{"success": false, "error": "bad token: password=hunter2000"}')
    table = build_table(case((user("Go."), load(), LIST, secret, compact(), MOORS, agent("Done. Which next?"))))
    (row,) = [row for row in table.rows if row.line == MOORED]
    assert (row.counts.reached, row.counts.ran, row.counts.failed, row.counts.never) == (1, 1, 1, 0)
    assert row.first.record == 6
    assert "hunter2000" not in repr(table)
    kinds = [event.kind for event in table.timelines[0].events]
    assert kinds == ["loaded", "done", "failed", "compacted", "repaired", "done", "asked"]


def test_habit_needs_two_sessions_and_no_line():
    drops = bash("berth sound --depth", "3 m")
    one = build_table(case((load(), LIST, drops, MOORS)))
    two = build_table(case((load(), LIST, drops, MOORS), (load(), drops, MOORS)))
    assert one.habits == ()
    assert [(habit.text, habit.uses) for habit in two.habits] == [("berth sound", 2)]


@pytest.mark.parametrize("cut", [1, 40, 200, 500])
def test_transcript_that_is_cut_off_is_read_up_to_there(cut):
    lines = [json.dumps(one).encode() for one in messages(LIST, FAILS, MOORS)]
    data = b"\n".join(lines)
    transcript = parse_transcript(data[:-cut].split(b"\n"), "cut")
    assert transcript.records >= 1


def test_texts_are_loaded_by_the_user_the_agent_and_claude_code():
    meta = {"type": "user", "isMeta": True, "message": {"role": "user", "content": [{"type": "text", "text": TEXT}]}}
    called = use("Skill", "Launching skill: harbour:moor", skill="harbour:moor")
    failed = use("Skill", "Unknown skill: gone", error=True, skill="gone")
    again = {"type": "invoked_skills", "skills": [{"name": "moor", "path": "/s/moor", "content": "cut"}]}
    command = user("<command-message>x</command-message>\n<command-name>/harbour:moor</command-name>")
    parts = [*messages(called), meta, *messages(agent("On it."), prefix="b"), meta, command, meta]
    records = [*parts, *messages(failed, prefix="c"), meta, {"type": "attachment", "attachment": again}]
    loads = parse_transcript(records).loads
    assert [(load.record, load.name, load.is_reattached) for load in loads] == [
        (2, "harbour:moor", False), (6, "harbour:moor", False), (10, "moor", True),
    ]  # fmt: skip


def patterns(found):
    return {one.pattern.id for one in check_sessions(found, frozenset(Family), "a model").findings}


def test_fault_that_a_new_text_fixed_is_not_reported():
    older, failed = TEXT.replace("List\n", "Lists\n", 1), (load(TEXT.replace("List\n", "Lists\n", 1)), LIST, FAILS)
    assert older != TEXT
    once, twice = ((load(), LIST, MOORS),), ((load(), LIST, MOORS),) * 2
    assert "SES-001" in patterns(case(failed, failed, *once))
    assert "SES-001" not in patterns(case(failed, failed, *twice))
    rare = ((load(older), LIST, MOORS),) * 3
    assert "SES-001" in patterns(case(failed, *rare, *twice)), "two runs prove nothing of a fault in one of four"
    assert "SES-001" in patterns(case(*once, *twice, failed, failed))


def test_counts_by_version_of_the_text():
    older = TEXT.replace("List\n", "Lists\n", 1)
    table = build_table(case((load(older), LIST, FAILS), (load(), LIST, MOORS), (load(), LIST, MOORS)))
    (row,) = [row for row in table.rows if row.line == MOORED]
    assert {number: counts.failed for number, counts in row.by_text.items()} == {"1": 1, "2": 0}
    assert [(text.uses, text.is_today) for text in table.loaded_texts] == [(1, False), (2, True)]
    assert [one.text for one in table.timelines] == [1, 2, 2]


def test_arguments_make_no_version_of_a_text():
    text = TEXT.replace("moor 7", "moor $ARGUMENTS")

    def called(boat, more=""):
        loaded = text.replace("$ARGUMENTS", boat) + more
        body = {"type": "text", "text": f"Base directory for this skill: /skills/example\n\n{loaded}"}
        record = {"type": "user", "isMeta": True, "message": {"role": "user", "content": [body]}}
        return [*messages(use("Skill", "ok", skill="example", args=boat), prefix=boat), record]

    sessions = [parse_transcript(called(boat), boat) for boat in ("7", "12", "a boat")]
    table = build_table(replace(case(text=text), sessions=tuple(sessions)))
    assert [(one.uses, one.is_today) for one in table.loaded_texts] == [(3, True)]
    changed = [*sessions, parse_transcript(called("9", "\n\nUntie it.\n"), "changed")]
    table = build_table(replace(case(text=text), sessions=tuple(changed)))
    assert [(one.uses, one.is_today) for one in table.loaded_texts] == [(3, True), (1, False)]


SAYS = '**Announce at start:** "I moor with the berth skill."\n\n' + TEXT


def test_sentence_that_a_run_did_not_say_is_shown_and_counted():
    said = (load(), agent("I moor with the berth skill."), LIST, LIST, MOORS)
    silent = (load(), LIST, LIST, MOORS)
    table = build_table(case(said, silent, text=SAYS))
    (row,) = [row for row in table.rows if row.kind == "words"]
    assert (row.line, row.counts.reached, row.counts.ran) == (6, 2, 1)
    skipped = [event.line for run in table.timelines for event in run.events if event.kind == "skipped"]
    assert skipped == [6]


def test_git_of_a_session_shows_no_later_step():
    text = TEXT.replace("berth moor 7", "git push -u origin HEAD")
    found = case((load(), bash("git push -u origin HEAD", "rejected", error=True)), text=text)
    assert [(row.line, row.counts.ran, row.counts.failed) for row in build_table(found).rows] == [(MOORED, 1, 0)]


def test_rule_that_was_moved_before_the_cut_is_no_longer_reported():
    rule, notes = "Never run `berth drop`.\n", "A boat has a rope and a knot for each tide.\n" * 600
    lost = (load(f"{TEXT}\n{notes}\n{rule}"), LIST, compact(), bash("berth drop 3", "ok"), MOORS)
    assert "SES-005" in patterns(case(lost, text=f"{TEXT}\n{notes}\n{rule}"))
    assert "SES-005" not in patterns(case(lost, text=f"{rule}\n{TEXT}\n{notes}"))


def test_update_of_a_task_is_no_creation_of_the_list():
    update = use("TaskUpdate", "No such task", error=True, taskId="1", status="completed")
    made = use("TaskCreate", "Task #1 created", subject="Moor")
    found = case((load(), made, update), text=f"Create TodoWrite.\n\n{TEXT}")
    assert [(one.fact.key, len(one.matches)) for one in read_history(found) if one.kind == "tool"] == [
        (("TodoWrite",), 1)
    ]


PASSES = "".join(
    f"## Step {n}: {name}\n\n```bash\nberth {name}\n```\n\n"
    for n, name in enumerate(("list", "sound", "moor", "free"), 1)
)


def list_late(*commands, text=PASSES):
    """Return the late commands of a run of `commands`, each of which calls `berth`."""
    steps = [bash(" && ".join(f"berth {name}" for name in command.split()), "ok") for command in commands]
    table = build_table(case((load(), *steps), text=text))
    return [event.text for run in table.timelines for event in run.events if event.kind == "late"]


def test_command_of_a_new_pass_is_not_late():
    """The first pass failed early and was cleaned up with the last step. The second pass did all steps in order."""
    assert list_late("list", "free", "list", "sound", "moor", "free") == []
    assert list_late("list", "free list", "free list", "sound", "moor", "free") == []


@pytest.mark.parametrize(
    ("commands", "late"),
    [
        (("list", "moor", "sound"), ["berth sound"]),
        (("list", "moor", "sound", "moor"), ["berth sound"]),  # the step that came too early was only repeated
        (("list", "moor", "list", "sound"), ["berth sound"]),  # the later step was not done again
        (("list", "sound", "free", "sound", "moor", "free"), ["berth moor"]),  # it did not begin again
        (("list", "free", "list", "moor", "sound", "free"), ["berth sound"]),  # the new pass has the wrong order, too
        (("moor", "free", "sound", "list", "moor", "free"), ["berth sound", "berth list"]),
    ],
)
def test_command_after_a_later_step_of_its_pass_is_late(commands, late):
    assert sorted(list_late(*commands)) == sorted(late)


REPORT = f"{TEXT}\n## Step 3: Show the user\n\nPresent it to the user:\n\n```\n## Boats\n\n## Ropes\n\n## Tides\n```\n"


def skipped(found):
    return [e.text for run in build_table(found).timelines for e in run.events if e.kind == "skipped"]


def test_heading_of_a_report_that_a_run_left_out_is_shown():
    whole, short = agent("## Boats\n3\n\n## Ropes\n2\n\n**Tides**\nlow"), agent("## Boats\n3\n\n### Ropes\n2")
    assert skipped(case((load(), LIST, MOORS, whole), text=REPORT)) == []
    assert skipped(case((load(), LIST, MOORS, short), text=REPORT)) == ["Tides"]
    assert skipped(case((load(), LIST, MOORS, agent("## Boats\n3")), text=REPORT)) == [], "it is another report"
    assert "SES-002" in patterns(case((load(), short), (load(), short), text=REPORT))
    choice = f"{REPORT}\nThe long form:\n\n```\n## Boats\n\n## Ropes\n\n## Winds\n```\n"
    assert skipped(case((load(), LIST, MOORS, short), text=choice)) == [], "two templates with the same headings"


def test_heading_in_a_file_counts_if_the_report_is_not_for_the_user():
    made = use("Write", "created", file_path="a.md", content="## Boats\n\n## Ropes\n\n## Tides\n")
    short = agent("## Boats\n3\n\n## Ropes\n2")
    filed = REPORT.replace("Present it to the user", "The structure").replace("Show the user", "Write")
    assert skipped(case((load(), LIST, made, short), text=filed)) == []
    assert skipped(case((load(), LIST, made, short), text=REPORT)) == ["Tides"]


def test_heading_in_the_middle_of_a_long_report_is_kept():
    filler = "A boat lies at each berth.\n" * 200
    long = agent(f"## Boats\n{filler}\n## Tides\n{filler}\n## Ropes\nend")
    assert skipped(case((load(), LIST, MOORS, long), text=REPORT)) == []


def test_skill_that_a_sub_agent_calls_missing_failed():
    text = f"Invoke the `knots` skill in a sub-agent.\n\n{TEXT}"
    missing = use("Task", "Note: the skill `knots` does not exist here. I tied it by hand.", prompt="Load `knots`.")
    found = case((load(), missing, LIST), (load(), missing, LIST), text=text)
    assert [one.line for one in read_history(found) if one.failures] == [6]
    assert "SES-001" in patterns(found)
    fine = use("Task", "I loaded `knots`. The boat does not exist.", prompt="Load `knots`.")
    assert not any(one.failures for one in read_history(case((load(), fine), text=text)))


def test_skill_required_before_the_work_is_missed_after_three_calls():
    text = f"{TEXT}\n## Needs\n\n- **harbour:knots** - REQUIRED: tie it before starting\n"
    assert skipped(case((load(), LIST, LIST, LIST), text=text)) == ["harbour:knots"]
    assert skipped(case((load(), LIST), text=text)) == []
    assert skipped(case((load(), use("Skill", "ok", skill="harbour:knots"), LIST, LIST, LIST), text=text)) == []


def test_condition_of_another_step_does_not_hold_for_a_command():
    text = "## Steps\n\n1. If no boat is given, ask.\n2. List:\n   ```bash\n   berth list --json\n   ```\n3. Moor:\n   ```bash\n   berth moor 7\n   ```\n"
    assert skipped(case((load(), MOORS), text=text)) == ["berth list --json"]


def test_command_that_most_runs_use_elsewhere_is_not_missing_after_a_line():
    way = bash("berth fetch-rope --long", "ok")
    before, after = (load(), way, LIST), (load(), LIST, way)
    assert "SES-009" in patterns(case(after, after, before))
    assert "SES-009" not in patterns(case(before, before, after))
