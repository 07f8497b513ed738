"""Test joining sessions with a text: counts, versions, and cases that must not count."""

import json

import pytest
from msgspec import structs
from msgspec.structs import replace

from actions.history.commit_rules import find_broken_rules
from actions.history.line_history import read_history
from actions.history.matched_uses import match_uses
from actions.history.session_table import build_table
from actions.history.uses import find_uses
from actions.session.example import agent, bash, compact, load, use, user
from actions.session.transcript_parse import parse_transcript
from tests.actions.history.berths import (
    FAILED_CALL,
    LIST_CALL,
    LIST_LINE,
    MOOR_LINE,
    SUCCESSFUL_CALL,
    TEXT,
    count_uses,
    list_patterns,
    make_case,
)
from tests.examples import make_messages


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


def test_failed_git_push_is_not_counted_as_a_failure():
    text = TEXT.replace("berth moor 7", "git push -u origin HEAD")
    case = make_case((load(), bash("git push -u origin HEAD", "rejected", error=True)), text=text)
    assert [(row.line, row.counts.ran, row.counts.failed) for row in build_table(case).rows] == [(MOOR_LINE, 1, 0)]


def test_rule_that_was_moved_before_the_cut_is_no_longer_reported():
    rule, notes = "Never run `berth drop`.\n", "A boat has a rope and a knot for each tide.\n" * 600
    lost = (load(f"{TEXT}\n{notes}\n{rule}"), LIST_CALL, compact(), bash("berth drop 3", "ok"), SUCCESSFUL_CALL)
    assert "SES-005" in list_patterns(make_case(lost, text=f"{TEXT}\n{notes}\n{rule}"))
    assert "SES-005" not in list_patterns(make_case(lost, text=f"{rule}\n{TEXT}\n{notes}"))


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
