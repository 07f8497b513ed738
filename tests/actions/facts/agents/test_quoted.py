"""A prompt that stands as text is found below what announces it; other quotations and blocks are no prompts."""

import pytest

from actions.example import example_case
from actions.facts.agents.quoted import quoted_prompts


def prompts(*paragraphs):
    return quoted_prompts(example_case("# Work\n\n" + "\n\n".join(paragraphs) + "\n").skill.main)


@pytest.mark.parametrize(
    ("announced", "shown"),
    [
        ("Start one sub-agent with this prompt:", "> Sort the mail.\n> Reply with a number."),
        (
            "Have one helper per table, three at a\ntime, with this prompt:",
            "    Sort the mail.\n    Reply with a number.",
        ),
        ("Send a worker. Tell it:", "> Sort the mail.\n> Reply with a number."),
        ("The instructions for each reviewer:", "```text\nSort the mail.\nReply with a number.\n```"),
        ("每个子代理的任务：", "> Sort the mail.\n> Reply with a number."),
    ],
)
def test_a_quotation_an_indented_block_and_a_plain_fence_are_prompts(announced, shown):
    (prompt,) = prompts(announced, shown)
    assert prompt.text == "Sort the mail.\nReply with a number."
    assert prompt.line_of("Reply") == prompt.line + 1
    assert prompt.below == prompt.line - (3 if shown.startswith("`") else 2)


@pytest.mark.parametrize(
    ("announced", "shown"),
    [
        ("An agent reads the notes. Example of a note:", "> Sort the mail."),
        ("Tell the user:", "> Sort the mail."),
        ("The agent sorts the mail.", "> Sort the mail."),
        ("Spawn the worker by this prompt:", '```\nTask({ prompt: "Sort the mail." })\n```'),
        ("The prompt for each agent:", "```json\n{}\n```"),
        ("The prompt for each agent:", "Sort the mail."),
        ("## Wrong\n\nThe prompt for each agent:", "> Sort the mail."),
    ],
)
def test_other_texts_are_not(announced, shown):
    assert not prompts(announced, shown)


@pytest.mark.parametrize(
    ("announced", "said"),
    [
        ("Start one sub-agent with this prompt:", True),
        ("Send a worker. Ask it:", True),
        ("派一个帮手，告诉它：", True),
        ("The agent decides as follows:", False),
        ("Prompts of this kind are welcome:", False),
    ],
)
def test_some_are_given_to_a_sub_agent_outright(announced, said):
    assert [prompt.to_worker for prompt in prompts(announced, "> Sort the mail.")] == [said]
