"""Test that joining sessions with a text takes about twice the time for twice the text or twice the records."""

import re

import pytest

from actions.evidence.collect import check_sessions
from actions.history.session_table import build_table
from actions.session.example import Recorded, bash, edit, load, use
from schemas.vocabulary import Family
from tests.examples import make_recorded_case
from tests.growth import grows_at_most, measure_seconds

SHAPES = {
    "code spans": ("{n}. Run `gull count-{n}`.\n", lambda n: bash(f"gull count-{n}", "ok")),
    "steps": (
        "## Step {n}: Count\n\nLoad the `tide-{n}` skill\n\n```bash\ngull count-{n} --all\n```\n\n",
        lambda n: bash(f"gull count-{n}", "ok"),
    ),
    "skipped steps": ("## Step {n}\n\nRead `docs/a{n}.md`.\n\n", lambda n: bash(f"gull note-{n} docs/b.md", "ok")),
    "files": ("Read `docs/a{n}.md`.\n", lambda n: edit(f"/quay/docs/a{n}.md", "word " * 800)),
    "files of one name": ("Read `docs/a{n}/b.md`.\n", lambda n: edit(f"/quay/docs/a{n}/b.md", "word " * 100)),
    "one command that fails": (
        "```bash\ngull count --all\n```\n",
        lambda n: bash("gull count --all", "Exit code 2", error=True),
    ),
    "bans": ("- Never run `gull drop-{n}`.\n", lambda n: bash(f"gull drop-{n}", "ok")),
    "fields": (
        "```bash\ngull count-{n} --json\n```\n\nUse the returned `field_{n}`.\n\n",
        lambda n: bash(f"gull count-{n} --json", '{"a": 1}'),
    ),
    "fields of one command": (
        "```bash\ngull count --json\n```\n\nUse the returned `field_{n}`.\n\n",
        lambda n: bash("gull count --json", '{"a": 1}'),
    ),
    "prompts": (
        '```\nTask(\n  subagent_type: "pilot",\n  description: "Sound {n}",\n  prompt: "Sound now at place {n}"\n)\n```\n',
        lambda n: use("Task", "ok", subagent_type="pilot", description=f"Sound {n}", prompt="Sound now. " * 80),
    ),
    "jumps": (
        "## Step {n}\n\nIf the tide is low, skip to step 9999.\n\n```bash\ngull count-{n} a\n```\n\n",
        lambda n: bash(f"gull count-{n} a"),
    ),
    "missing files": (
        "Read `docs/a{n}.md`.\n",
        lambda n: use("Read", "File does not exist.", error=True, file_path=f"/quay/docs/a{n}.md"),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_join_grows_with_text_and_session(shape):
    line, call = SHAPES[shape]

    def measure(many):
        numbers = range(1, many + 1)
        text = "# Gulls\n\n" + "".join(line.replace("{n}", str(n)) for n in numbers)
        case = make_recorded_case(Recorded(text, ((load(), *map(call, numbers)),)))

        def work():
            build_table(case)
            check_sessions(case, frozenset(Family), "a model")

        return measure_seconds(work)

    assert grows_at_most(measure, 100, 200, factor=2.6)


@pytest.mark.parametrize(
    "output", ["<persisted-output>Output too large (1K)", "<persisted-output>Output too large (1K)</persisted-output>"]
)
def test_outputs_too_large_grow_with_text(output):
    def measure(many):
        text = "# Gulls of the quay\n\n" + "".join(f"Gull {n} of the quay\n- !`gull {n}`\n" for n in range(many))
        loaded_text = re.sub("!`gull [0-9]+`", output, text) + output * many
        case = make_recorded_case(Recorded(text, ((load(loaded_text),),)))
        return measure_seconds(lambda: build_table(case))

    assert grows_at_most(measure, 1000, 2000, factor=2.6)
