"""Test which keys of an agent without a text count as its prompt."""

import pytest

from actions.project.misspelled_names import find_prompt_key
from tests.examples import list_unit_cases, make_project


def find_key(text, path=".claude/agents/counter.md"):
    (case,) = list_unit_cases(make_project({path: f"---\nname: counter\ndescription: Counts.\n{text}"}))
    return find_prompt_key(case.skill)


@pytest.mark.parametrize("key", ["system-prompt", "systemPrompt", "system_prompt", "prompt", "instructions"])
def test_key_with_the_prompt_of_an_empty_agent_is_found(key):
    assert find_key(f"{key}: Count.\n---\n") == key
    assert find_key(f"{key}: |\n  Count.\n---\n\n\n") == key


@pytest.mark.parametrize(
    "text", ["prompt: Go.\n---\n\nCount.\n", "prompt:\n---\n", "prompt: [a]\n---\n", "role: Go.\n---\n"]
)
def test_agent_with_a_text_or_without_a_prompt_has_no_such_key(text):
    assert not find_key(text)


def test_command_has_no_such_key():
    assert not find_key("prompt: Count.\n---\n", ".claude/commands/count.md")
