"""Which code of a skill is shown as bad: a label says so, or an order that announces it. A rule near it does not."""

import pytest

from actions.skill.document import parse_document

BLAMED = (
    "❌ All at once",
    "**Wrong**",
    "Bad:",
    "Not like this:",
    "Do not do this:",
    "The run ends well. Never build the prompt so:",
    "This is an anti-pattern:",
    "错误示例：",
    "避免：",
)
NOT_BLAMED = (
    "From the user: never restart a server, never touch the data.",
    "If the total is wrong by more than one percent, stop.",
    "Do not retry. Start the reviewer with this prompt:",
    "Avoid a second call; ask for both:",
    "错误处理：",
)


def _is_blamed(text: str) -> bool:
    return parse_document(text).is_counterexample(len(text.rstrip().split("\n")) - 1)


@pytest.mark.parametrize("line", BLAMED)
def test_a_label_or_an_order_over_code_makes_it_a_bad_example(line: str) -> None:
    assert _is_blamed(f"# Run\n\n{line}\n\n```python\nTask(prompt)\n```\n")


@pytest.mark.parametrize("line", NOT_BLAMED)
def test_a_rule_that_stands_over_code_says_nothing_of_the_code(line: str) -> None:
    assert not _is_blamed(f"# Run\n\n{line}\n\n```python\nTask(prompt)\n```\n")


@pytest.mark.parametrize("title", ["When things go wrong", "If the count is incorrect"])
def test_a_section_about_what_goes_wrong_is_no_bad_example(title: str) -> None:
    assert not _is_blamed(f"# Run\n\n## {title}\n\n```python\nTask(prompt)\n```\n")


@pytest.mark.parametrize("title", ["❌ Wrong: all at once", "Incorrect use", "Why it is wrong", "Anti-patterns"])
def test_a_section_that_shows_what_not_to_do_is_one(title: str) -> None:
    assert _is_blamed(f"# Run\n\n## {title}\n\n```python\nTask(prompt)\n```\n")


def test_a_comment_that_forbids_something_blames_no_code() -> None:
    assert not _is_blamed("# Run\n\n```python\n# never more than three\nTask(prompt)\n```\n")
    assert _is_blamed("# Run\n\n```python\n# BAD - all at once\nTask(prompt)\n```\n")
