"""Test that regular expressions take only about twice the time for twice as long a line of hostile text."""

import pytest

from orchestrator.engine import git_changes
from orchestrator.guard import transcripts
from orchestrator.tuning.trial import grants
from tests.growth import grows_at_most, measure_seconds

READERS_AND_HOSTILE_TEXTS = {
    "names of changed files": (git_changes._WORD.findall, "-"),
    "folders of a session": (lambda text: transcripts._CWD_FIELD.search(text.encode()), '"cwd":"\\'),
    "commands of a skill": (lambda text: grants.find_started_command(f"```!{text}".encode()), "\n"),
}


@pytest.mark.parametrize("name", READERS_AND_HOSTILE_TEXTS)
def test_hostile_line_takes_linear_time(name):
    read, piece = READERS_AND_HOSTILE_TEXTS[name]

    def measure(size):
        text = piece * (size // len(piece)) + "\0"
        return measure_seconds(lambda: read(text))

    assert grows_at_most(measure, 20_000, 40_000, factor=2.6)


def test_possible_file_names_are_found_in_changed_lines():
    assert git_changes._WORD.findall("--a.md -- (b-c.py), @x/y_z. +") == ["--a.md", "b-c.py", "@x", "y_z"]
