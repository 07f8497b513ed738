"""Test which lines of a text a run skipped, or came to too late: commands, skills, headings of a report, sentences."""

import pytest

from actions.history.line_history import read_history
from actions.history.session_table import build_table
from actions.session.example import agent, bash, load, use
from tests.actions.history.berths import LIST_CALL, SUCCESSFUL_CALL, TEXT, list_patterns, make_case

TEXT_WITH_ANNOUNCEMENT = '**Announce at start:** "I moor with the berth skill."\n\n' + TEXT


def test_sentence_that_a_run_did_not_say_is_shown_and_counted():
    session_with_announcement = (load(), agent("I moor with the berth skill."), LIST_CALL, LIST_CALL, SUCCESSFUL_CALL)
    session_without_announcement = (load(), LIST_CALL, LIST_CALL, SUCCESSFUL_CALL)
    table = build_table(make_case(session_with_announcement, session_without_announcement, text=TEXT_WITH_ANNOUNCEMENT))
    (row,) = [row for row in table.rows if row.kind == "words"]
    assert (row.line, row.counts.reached, row.counts.ran) == (6, 2, 1)
    skipped_lines = [event.line for run in table.timelines for event in run.events if event.kind == "skipped"]
    assert skipped_lines == [6]


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
