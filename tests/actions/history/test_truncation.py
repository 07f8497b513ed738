"""Test the detection of command outputs that were too large for the context."""

import pytest

from actions.history.session_table import build_table
from actions.session.example import Recorded, bash, load
from tests.claude_code import CLAUDE
from tests.examples import make_recorded_case

MESSAGE = "Output too large (46.7KB)"
TOO_LARGE = (
    f"<persisted-output>\n{MESSAGE}. Full output saved to: /logs/b1.txt\n\nPreview:\nboat 1\n</persisted-output>"
)
TEXT = """# List of the harbour

- Boats: !`berth boats`

1. Run `berth list --json` first.
2. Write the list into the log of the day.
3. Read the list to the harbour master.
"""
BOATS_LINE, LIST_LINE = 8, 10
"""The line numbers of the commands, which follow five lines of frontmatter."""


def list_events(*session):
    (timeline,) = build_table(make_recorded_case(Recorded(TEXT, (session,)))).timelines
    return [(event.line, event.record, event.text) for event in timeline.events if event.kind == "truncated"]


def test_command_with_an_output_too_large_is_shown_at_its_line():
    assert list_events(load(), bash("berth list --json", TOO_LARGE)) == [(LIST_LINE, 3, MESSAGE)]


@pytest.mark.parametrize("output", ["[]", f"boat 1\n{MESSAGE}", f"boat 1\n{TOO_LARGE}"])
def test_other_output_is_not_reported_as_truncated(output):
    assert list_events(load(), bash("berth list --json", output)) == []


def test_output_of_two_commands_of_the_text_is_shown_at_neither():
    call_of_two_commands = bash("berth log --day && berth list --json", TOO_LARGE)
    text = TEXT.replace("into the log", "into `berth log --day`")
    (timeline,) = build_table(make_recorded_case(Recorded(text, ((load(), call_of_two_commands),)))).timelines
    assert [event.kind for event in timeline.events] == ["loaded", "done", "done", "ended"]


def test_command_that_the_text_does_not_name_is_not_shown():
    assert list_events(load(), bash("berth log", TOO_LARGE)) == []


@pytest.mark.parametrize(("label", "line"), [("- Boats: ", BOATS_LINE), ("- Locks: ", None)])
def test_command_run_at_loading_is_shown_at_its_line(label, line):
    assert list_events(load(TEXT.replace("- Boats: !`berth boats`", f"{label}{TOO_LARGE}"))) == [(line, 1, MESSAGE)]


TEXT_WITH_COMMANDS = "# State of the whole harbour\n\n!`git status`\n\n!`git diff main`\n\n- !`berth boats`\n- !`berth locks`\n- !`berth cranes`\n\nTell the harbour master.\n"
COMMANDS = ("git status", "git diff main", "berth boats", "berth locks", "berth cranes")


@pytest.mark.parametrize(
    ("output", "lines"), [("boat 1", (8, 10, None, 13, 14)), ("boat 1\n", (8, 10, None, None, 14))]
)
def test_output_belongs_to_the_only_command_between_equal_texts(output, lines):
    records = []
    for command in COMMANDS:
        loaded_text = TEXT_WITH_COMMANDS
        for name in COMMANDS:
            loaded_text = loaded_text.replace(f"!`{name}`", TOO_LARGE if name == command else output)
        (timeline,) = build_table(make_recorded_case(Recorded(TEXT_WITH_COMMANDS, ((load(loaded_text),),)))).timelines
        records += [event.line for event in timeline.events if event.kind == "truncated"]
    assert tuple(records) == lines


def test_claude_code_contains_the_expected_phrases():
    program = CLAUDE.read_bytes()
    assert all(phrase in program for phrase in (b"<persisted-output>", b"Output too large ("))
