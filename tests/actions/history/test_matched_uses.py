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
from tests.examples import make_messages, make_recorded_case

LIST_LINE, MOOR_LINE = 9, 15
"""The line numbers of the two commands, which follow five lines of frontmatter."""
TEXT = "## Step 1: List\n\n```bash\nberth list --json\n```\n\n## Step 2: Moor\n\n```bash\nberth moor 7\n```\n"
LIST_CALL = bash("berth list --json", "[]")
FAILED_CALL = bash("berth moor 3", '{"success": false, "error": "full"}')
SUCCESSFUL_CALL = bash("berth moor 4", '{"success": true}')


def make_case(*sessions, text=TEXT):
    return make_recorded_case(Recorded(text, sessions))


def count_uses(case):
    return [
        (fact.line, len(fact.reached_uses), len(fact.executed_uses), len(fact.failed_uses))
        for fact in read_history(case)
    ]


def test_counts_are_those_of_runs_that_reached_a_line():
    case = make_case((load(), LIST_CALL, FAILED_CALL), (load(), SUCCESSFUL_CALL), (load(), LIST_CALL, agent("Done.")))
    assert count_uses(case) == [(LIST_LINE, 3, 2, 0), (MOOR_LINE, 2, 2, 1)]


def test_repaired_failure_names_its_repair():
    (match,) = [
        match for fact in read_history(make_case((load(), FAILED_CALL, SUCCESSFUL_CALL))) for match in fact.failures
    ]
    assert match.repaired.call.get("command") == "berth moor 4"


@pytest.mark.parametrize(
    ("following", "failed"),
    [("2. If not moored, moor it.", 0), ("2. Otherwise go on.", 0), ("2. If it fails, tell the user.", 1), ("", 1)],
)
def test_negative_result_that_the_next_line_handles_is_no_failure(following, failed):
    text = f"1. Look: `berth state --deep`\n{following}\n3. Go on.\n"
    state_call = bash("berth state --deep", "Exit code 1\nnot moored", error=True)
    assert sum(len(fact.failures) for fact in read_history(make_case((load(), state_call), text=text))) == failed


def test_copy_of_a_session_is_not_counted():
    case = make_case((load(), LIST_CALL, FAILED_CALL))
    twice = replace(case, sessions=(*case.sessions, structs.replace(case.sessions[0], session_id="copy")))
    assert count_uses(twice) == count_uses(case)


def test_skill_of_the_same_name_with_another_text_is_not_matched():
    other_text = "# Weigh the birds\n\nCatch them at night.\n\n```bash\nscale weigh\n```\n"
    assert count_uses(make_case((load(other_text), FAILED_CALL))) == []


def test_command_that_the_user_asked_for_is_not_matched():
    assert [
        len(fact.matches) for fact in read_history(make_case((load(), user("Please do berth moor 3"), FAILED_CALL)))
    ] == [0, 0]


def test_words_of_the_user_that_quote_the_text_are_not_a_use():
    assert match_uses(make_case((user(f"My skill says:\n{TEXT}"), FAILED_CALL))) == ()


def test_line_of_a_changed_text_is_mapped_to_the_current_one():
    older_text = TEXT.replace("## Step 2", "Ask no one.\n\n## Step 2")
    assert count_uses(make_case((load(older_text), LIST_CALL, FAILED_CALL))) == [
        (LIST_LINE, 1, 1, 0),
        (MOOR_LINE, 1, 1, 1),
    ]


def test_deleted_line_has_no_line_in_the_current_text():
    older_text = TEXT.replace("berth moor 7", "berth tie 7")
    case = make_case((load(older_text), LIST_CALL, bash("berth tie 7", "Exit code 1", error=True)))
    assert count_uses(case) == [(LIST_LINE, 1, 1, 0), (None, 1, 1, 1)]


def test_failure_beside_another_command_is_not_counted():
    call_of_two_commands = bash("make boats && berth moor 3", "Exit code 2", error=True)
    assert count_uses(make_case((load(), LIST_CALL, call_of_two_commands)))[1] == (MOOR_LINE, 1, 1, 0)


def test_sidechain_without_its_parent_is_matched():
    records = make_messages(load(), FAILED_CALL)
    case = make_case((load(),))
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
        *(
            {"type": message["role"], "isSidechain": True, "agentId": "a1", "message": message}
            for message in records[1:]
        ),
    ]
    case = replace(case, sessions=(parse_transcript(lines, "side"),))
    assert count_uses(case)[1] == (MOOR_LINE, 1, 1, 1)


@pytest.mark.parametrize(("by_agent", "broken"), [(False, 1), (True, 0)])
def test_commit_of_a_sub_agent_breaks_no_rule_of_the_text(by_agent, broken):
    """The text prescribes the message of its own commit; the sub-agents that it starts have their own instructions."""
    text = "Commit with:\n\n```\nMoor a boat\n\nCo-Authored-By: Claude <noreply@host.example>\n```\n"
    command = 'git commit -m "Moor 3" -m "Co-Authored-By: Claude Opus <noreply@host.example>"'
    sessions = make_case((load(), bash(command, "\n[main 1a2b3c4] Moor 3")), text=text)
    (run,) = find_uses(sessions)
    steps = tuple(
        step._replace(call=replace(step.call, agent="a7" if by_agent else step.call.agent)) for step in run.steps
    )
    assert len(list(find_broken_rules(replace(run, steps=steps)))) == broken


def test_calls_of_a_sub_agent_in_progress_records_are_matched():
    call, result = make_messages(FAILED_CALL)
    first = {
        "type": "user",
        "isMeta": True,
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": f"Base directory for this skill: /s/example\n\n{TEXT}"}],
        },
    }
    task, end = make_messages(use("Task", "ok", prompt="moor"), prefix="task")
    progress_records = [
        {
            "type": "progress",
            "data": {
                "type": "agent_progress",
                "agentId": "a7",
                "message": {"type": message["role"], "message": message},
            },
        }
        for message in (call, result)
    ]
    transcript = parse_transcript([first, task, *progress_records, end], "side")
    assert {message.agent for message in transcript.calls} == {"", "a7"}
    assert count_uses(replace(make_case((load(),)), sessions=(transcript,)))[1] == (MOOR_LINE, 1, 1, 1)


def test_hostile_transcript_changes_only_its_own_counts():
    malformed_records = [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "x", "name": "Bash", "input": {"command": ["berth"]}}],
        },
        {"type": "progress", "data": {"type": "agent_progress", "message": "boom", "agentId": 7}},
        {"type": "attachment", "attachment": {"type": "invoked_skills", "skills": [None, {"content": 3}, "x"]}},
        {"type": "queue-operation", "operation": "enqueue", "content": {"a": 1}},
        {"version": 7, "type": "user", "message": {"role": "user", "content": "hi"}},
    ]
    case = make_case(
        (
            load(),
            LIST_CALL,
            FAILED_CALL,
            *malformed_records,
            user("berth moor 3 failed 100 times with <script>alert(1)</script>"),
        )
    )
    assert count_uses(case)[1] == (MOOR_LINE, 1, 1, 1)


def test_table_has_rows_timeline_and_quotes_without_secrets():
    secret = bash("berth moor 3", '{"success": false, "error": "bad token: password=hunter2000"}')
    table = build_table(
        make_case((user("Go."), load(), LIST_CALL, secret, compact(), SUCCESSFUL_CALL, agent("Done. Which next?")))
    )
    (row,) = [row for row in table.rows if row.line == MOOR_LINE]
    assert (row.counts.reached, row.counts.ran, row.counts.failed, row.counts.never) == (1, 1, 1, 0)
    assert row.first.record == 6
    assert "hunter2000" not in repr(table)
    kinds = [event.kind for event in table.timelines[0].events]
    assert kinds == ["loaded", "done", "failed", "compacted", "repaired", "done", "asked"]


def test_habit_needs_two_sessions_and_no_line():
    sound_call = bash("berth sound --depth", "3 m")
    table = build_table(make_case((load(), LIST_CALL, sound_call, SUCCESSFUL_CALL)))
    two = build_table(
        make_case((load(), LIST_CALL, sound_call, SUCCESSFUL_CALL), (load(), sound_call, SUCCESSFUL_CALL))
    )
    assert table.habits == ()
    assert [(habit.text, habit.uses) for habit in two.habits] == [("berth sound", 2)]


@pytest.mark.parametrize("cut", [1, 40, 200, 500])
def test_truncated_transcript_is_read_up_to_its_end(cut):
    lines = [json.dumps(record).encode() for record in make_messages(LIST_CALL, FAILED_CALL, SUCCESSFUL_CALL)]
    data = b"\n".join(lines)
    transcript = parse_transcript(data[:-cut].split(b"\n"), "cut")
    assert transcript.records >= 1


def test_texts_are_loaded_by_the_user_the_agent_and_claude_code():
    meta = {"type": "user", "isMeta": True, "message": {"role": "user", "content": [{"type": "text", "text": TEXT}]}}
    skill_call = use("Skill", "Launching skill: harbour:moor", skill="harbour:moor")
    failed_skill_call = use("Skill", "Unknown skill: gone", error=True, skill="gone")
    invoked_skills = {"type": "invoked_skills", "skills": [{"name": "moor", "path": "/s/moor", "content": "cut"}]}
    command = user("<command-message>x</command-message>\n<command-name>/harbour:moor</command-name>")
    parts = [*make_messages(skill_call), meta, *make_messages(agent("On it."), prefix="b"), meta, command, meta]
    records = [
        *parts,
        *make_messages(failed_skill_call, prefix="c"),
        meta,
        {"type": "attachment", "attachment": invoked_skills},
    ]
    loads = parse_transcript(records).loads
    assert [(load.record, load.name, load.is_reattached) for load in loads] == [
        (2, "harbour:moor", False), (6, "harbour:moor", False), (10, "moor", True),
    ]  # fmt: skip


def list_patterns(case):
    return {finding.pattern.id for finding in check_sessions(case, frozenset(Family), "a model").findings}


def test_fault_that_a_new_text_fixed_is_not_reported():
    older_text, failed = (
        TEXT.replace("List\n", "Lists\n", 1),
        (load(TEXT.replace("List\n", "Lists\n", 1)), LIST_CALL, FAILED_CALL),
    )
    assert older_text != TEXT
    once, twice = ((load(), LIST_CALL, SUCCESSFUL_CALL),), ((load(), LIST_CALL, SUCCESSFUL_CALL),) * 2
    assert "SES-001" in list_patterns(make_case(failed, failed, *once))
    assert "SES-001" not in list_patterns(make_case(failed, failed, *twice))
    rare = ((load(older_text), LIST_CALL, SUCCESSFUL_CALL),) * 3
    assert "SES-001" in list_patterns(make_case(failed, *rare, *twice)), (
        "two successful runs prove nothing about a fault in one of four runs"
    )
    assert "SES-001" in list_patterns(make_case(*once, *twice, failed, failed))


def test_counts_by_version_of_the_text():
    older_text = TEXT.replace("List\n", "Lists\n", 1)
    table = build_table(
        make_case(
            (load(older_text), LIST_CALL, FAILED_CALL),
            (load(), LIST_CALL, SUCCESSFUL_CALL),
            (load(), LIST_CALL, SUCCESSFUL_CALL),
        )
    )
    (row,) = [row for row in table.rows if row.line == MOOR_LINE]
    assert {number: counts.failed for number, counts in row.by_text.items()} == {"1": 1, "2": 0}
    assert [(text.uses, text.is_today) for text in table.loaded_texts] == [(1, False), (2, True)]
    assert [timeline.text for timeline in table.timelines] == [1, 2, 2]


def test_arguments_do_not_make_another_version_of_a_text():
    text = TEXT.replace("moor 7", "moor $ARGUMENTS")

    def skill_call(boat, more=""):
        loaded_text = text.replace("$ARGUMENTS", boat) + more
        body = {"type": "text", "text": f"Base directory for this skill: /skills/example\n\n{loaded_text}"}
        record = {"type": "user", "isMeta": True, "message": {"role": "user", "content": [body]}}
        return [*make_messages(use("Skill", "ok", skill="example", args=boat), prefix=boat), record]

    sessions = [parse_transcript(skill_call(boat), boat) for boat in ("7", "12", "a boat")]
    table = build_table(replace(make_case(text=text), sessions=tuple(sessions)))
    assert [(loaded.uses, loaded.is_today) for loaded in table.loaded_texts] == [(3, True)]
    sessions_with_change = [*sessions, parse_transcript(skill_call("9", "\n\nUntie it.\n"), "changed")]
    table = build_table(replace(make_case(text=text), sessions=tuple(sessions_with_change)))
    assert [(loaded.uses, loaded.is_today) for loaded in table.loaded_texts] == [(3, True), (1, False)]


TEXT_WITH_ANNOUNCEMENT = '**Announce at start:** "I moor with the berth skill."\n\n' + TEXT


def test_sentence_that_a_run_did_not_say_is_shown_and_counted():
    session_with_announcement = (load(), agent("I moor with the berth skill."), LIST_CALL, LIST_CALL, SUCCESSFUL_CALL)
    session_without_announcement = (load(), LIST_CALL, LIST_CALL, SUCCESSFUL_CALL)
    table = build_table(make_case(session_with_announcement, session_without_announcement, text=TEXT_WITH_ANNOUNCEMENT))
    (row,) = [row for row in table.rows if row.kind == "words"]
    assert (row.line, row.counts.reached, row.counts.ran) == (6, 2, 1)
    skipped_lines = [event.line for run in table.timelines for event in run.events if event.kind == "skipped"]
    assert skipped_lines == [6]


def test_failed_git_push_is_not_counted_as_a_failure():
    text = TEXT.replace("berth moor 7", "git push -u origin HEAD")
    case = make_case((load(), bash("git push -u origin HEAD", "rejected", error=True)), text=text)
    assert [(row.line, row.counts.ran, row.counts.failed) for row in build_table(case).rows] == [(MOOR_LINE, 1, 0)]


def test_rule_that_was_moved_before_the_cut_is_no_longer_reported():
    rule, notes = "Never run `berth drop`.\n", "A boat has a rope and a knot for each tide.\n" * 600
    lost = (load(f"{TEXT}\n{notes}\n{rule}"), LIST_CALL, compact(), bash("berth drop 3", "ok"), SUCCESSFUL_CALL)
    assert "SES-005" in list_patterns(make_case(lost, text=f"{TEXT}\n{notes}\n{rule}"))
    assert "SES-005" not in list_patterns(make_case(lost, text=f"{rule}\n{TEXT}\n{notes}"))


def test_update_of_a_task_does_not_count_as_creating_the_list():
    update = use("TaskUpdate", "No such task", error=True, taskId="1", status="completed")
    created_call = use("TaskCreate", "Task #1 created", subject="Moor")
    case = make_case((load(), created_call, update), text=f"Create TodoWrite.\n\n{TEXT}")
    assert [(line.fact.key, len(line.matches)) for line in read_history(case) if line.kind == "tool"] == [
        (("TodoWrite",), 1)
    ]


TEXT_WITH_PASSES = "".join(
    f"## Step {n}: {name}\n\n```bash\nberth {name}\n```\n\n"
    for n, name in enumerate(("list", "sound", "moor", "free"), 1)
)


def list_late(*commands, text=TEXT_WITH_PASSES):
    """Return the late commands of a run. commands: one call each, as names of `berth` commands."""
    steps = [bash(" && ".join(f"berth {name}" for name in command.split()), "ok") for command in commands]
    table = build_table(make_case((load(), *steps), text=text))
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


def list_skipped(case):
    return [e.text for run in build_table(case).timelines for e in run.events if e.kind == "skipped"]


def test_heading_of_a_report_that_a_run_left_out_is_shown():
    full_report, report_without_heading = (
        agent("## Boats\n3\n\n## Ropes\n2\n\n**Tides**\nlow"),
        agent("## Boats\n3\n\n### Ropes\n2"),
    )
    assert list_skipped(make_case((load(), LIST_CALL, SUCCESSFUL_CALL, full_report), text=REPORT)) == []
    assert list_skipped(make_case((load(), LIST_CALL, SUCCESSFUL_CALL, report_without_heading), text=REPORT)) == [
        "Tides"
    ]
    assert list_skipped(make_case((load(), LIST_CALL, SUCCESSFUL_CALL, agent("## Boats\n3")), text=REPORT)) == [], (
        "the run wrote another report"
    )
    assert "SES-002" in list_patterns(
        make_case((load(), report_without_heading), (load(), report_without_heading), text=REPORT)
    )
    choice = f"{REPORT}\nThe long form:\n\n```\n## Boats\n\n## Ropes\n\n## Winds\n```\n"
    assert list_skipped(make_case((load(), LIST_CALL, SUCCESSFUL_CALL, report_without_heading), text=choice)) == [], (
        "another template lacks this heading"
    )


def test_heading_in_a_file_counts_for_a_report_not_for_the_user():
    created_call = use("Write", "created", file_path="a.md", content="## Boats\n\n## Ropes\n\n## Tides\n")
    report_without_heading = agent("## Boats\n3\n\n## Ropes\n2")
    text_for_a_file = REPORT.replace("Present it to the user", "The structure").replace("Show the user", "Write")
    assert (
        list_skipped(make_case((load(), LIST_CALL, created_call, report_without_heading), text=text_for_a_file)) == []
    )
    assert list_skipped(make_case((load(), LIST_CALL, created_call, report_without_heading), text=REPORT)) == ["Tides"]


def test_heading_in_the_middle_of_a_long_report_is_kept():
    filler = "A boat lies at each berth.\n" * 200
    long_report = agent(f"## Boats\n{filler}\n## Tides\n{filler}\n## Ropes\nend")
    assert list_skipped(make_case((load(), LIST_CALL, SUCCESSFUL_CALL, long_report), text=REPORT)) == []


def test_skill_that_a_sub_agent_reports_missing_has_failed():
    text = f"Invoke the `knots` skill in a sub-agent.\n\n{TEXT}"
    sub_agent_call = use(
        "Task", "Note: the skill `knots` does not exist here. I tied it by hand.", prompt="Load `knots`."
    )
    case = make_case((load(), sub_agent_call, LIST_CALL), (load(), sub_agent_call, LIST_CALL), text=text)
    assert [fact.line for fact in read_history(case) if fact.failures] == [6]
    assert "SES-001" in list_patterns(case)
    successful_call = use("Task", "I loaded `knots`. The boat does not exist.", prompt="Load `knots`.")
    assert not any(fact.failures for fact in read_history(make_case((load(), successful_call), text=text)))


def test_required_skill_counts_as_skipped_after_three_calls():
    text = f"{TEXT}\n## Needs\n\n- **harbour:knots** - REQUIRED: tie it before starting\n"
    assert list_skipped(make_case((load(), LIST_CALL, LIST_CALL, LIST_CALL), text=text)) == ["harbour:knots"]
    assert list_skipped(make_case((load(), LIST_CALL), text=text)) == []
    assert (
        list_skipped(
            make_case((load(), use("Skill", "ok", skill="harbour:knots"), LIST_CALL, LIST_CALL, LIST_CALL), text=text)
        )
        == []
    )


def test_condition_of_another_step_does_not_hold_for_a_command():
    text = "## Steps\n\n1. If no boat is given, ask.\n2. List:\n   ```bash\n   berth list --json\n   ```\n3. Moor:\n   ```bash\n   berth moor 7\n   ```\n"
    assert list_skipped(make_case((load(), SUCCESSFUL_CALL), text=text)) == ["berth list --json"]


def test_command_that_most_runs_use_elsewhere_is_not_missing():
    other_call = bash("berth fetch-rope --long", "ok")
    before, after = (load(), other_call, LIST_CALL), (load(), LIST_CALL, other_call)
    assert "SES-009" in list_patterns(make_case(after, after, before))
    assert "SES-009" not in list_patterns(make_case(before, before, after))
