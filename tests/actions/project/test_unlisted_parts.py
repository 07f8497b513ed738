"""Test that an unlisted command or agent counts only if the manifest's list is complete and a text calls it."""

import json

import pytest

from actions.project.unlisted_parts import find_unlisted_parts
from tests.examples import make_project

TEXT = "---\nname: %s\ndescription: Birds.\n---\n\nDo it.\n"
UNITS = {f"{folder}/{name}.md": TEXT % name for folder in ("commands", "agents") for name in ("sort", "count", "find")}
CALL = "Run `/birds:count`, then /birds:find and /birds:count.\n"


def find_unlisted(texts, entry=None, **lists):
    files = {".claude-plugin/plugin.json": json.dumps({"name": "birds", **lists}, indent=1), **UNITS, **texts}
    if entry is not None:
        market = {"plugins": [{"name": "birds", "source": "./", **entry}]}
        files[".claude-plugin/marketplace.json"] = json.dumps(market)
    return find_unlisted_parts(make_project(files))


@pytest.mark.parametrize("commands", [["./commands/sort.md"], "./commands/sort.md", []])
@pytest.mark.parametrize("path", ["README.md", "skills/tell/SKILL.md"])
def test_unlisted_command_that_a_text_calls_is_found(commands, path):
    (part,) = find_unlisted({path: CALL}, {}, commands=commands)
    assert (part.path, part.key, part.line, part.count) == ("commands/count.md", "commands", 3, 2)
    assert (part.call, part.caller) == ("/birds:count", f"{path}:1")


def test_unlisted_agent_that_a_text_calls_is_found():
    (part,) = find_unlisted({"README.md": "Start `birds:count`.\n"}, agents=["./agents/sort.md"])
    assert (part.path, part.key, part.call) == ("agents/count.md", "agents", "birds:count")


@pytest.mark.parametrize(
    "text",
    [
        "Run `/birds:sort`.\n",
        "Run `/count`.\n",
        "Run `/birds:counting` or `/birds:count:all`.\n",
        "See birds/birds:count.\n",
        "The command `/birds:count` was removed.\n",
    ],
)
def test_other_text_calls_no_unlisted_command(text):
    assert find_unlisted({"README.md": text}, commands=["./commands/sort.md"]) == ()


@pytest.mark.parametrize(
    ("texts", "lists"),
    [
        ({}, {}),
        ({}, {"commands": ["./commands"]}),
        ({}, {"commands": ["./commands/s*.md"]}),
        ({}, {"commands": ["./commands/none.md"]}),
        ({}, {"commands": {"sort": {"source": "./commands/sort.md"}}}),
        ({}, {"commands": ["commands/sort.md"]}),
        ({}, {"entry": {"commands": ["./commands/count.md"]}, "commands": ["./commands/sort.md"]}),
        (
            {"skills/count/SKILL.md": TEXT % "count", "skills/find/SKILL.md": TEXT % "find"},
            {"commands": ["./commands/sort.md"]},
        ),
        ({"CHANGELOG.md": CALL, "README.md": "# Birds\n"}, {"commands": ["./commands/sort.md"]}),
    ],
)
def test_list_that_may_be_incomplete_on_purpose_is_left_alone(texts, lists):
    assert find_unlisted({"README.md": CALL, **texts}, **lists) == ()
