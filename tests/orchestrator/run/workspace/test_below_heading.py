"""Test the reversal of a change below the heading of its step, in a text in which steps were added, deleted or moved."""

import pytest

from orchestrator.run.workspace.hunks import revert_change

STEPS = {
    "load": ("Load the counts", "Load [a](a.md)."),
    "read": ("Read their guide", "Read [b]({})."),
    "ship": ("Ship a report", "Ship [c](c.md)."),
    "mine": ("Answer every question", "Answer."),
}
FORM = "## Step {}: {}\n\n{}\n\nTell the user.\n\n"


def build(order, link="b.md"):
    """Return numbered steps in this order."""
    steps = (FORM.format(n, *STEPS[name]) for n, name in enumerate(order.split(), 1))
    return ("# Gulls\n\n" + "".join(steps)).replace("{}", link).encode()


@pytest.mark.parametrize("order", ["mine load read ship", "read ship", "load ship read", "mine ship read load"])
def test_reversal_below_the_heading_of_a_step(order):
    """Steps were added, deleted or moved, and all were renumbered."""
    old, new = build("load read ship", "x/b.md"), build("load read ship")
    assert revert_change(old, new, build(order)) == build(order, "x/b.md")


@pytest.mark.parametrize(
    "edit",
    [
        (b"Read [b](b.md).", b"Read [b](b.md).\nRead [mine](b.md)."),
        (b"Read their guide", b"Read my guide"),
        (b"Read [b](b.md).", b"Read this: [b](b.md)."),
    ],
    ids=["a line below", "another title", "an edited line"],
)
def test_no_reversal_in_a_moved_step_that_was_edited(edit):
    old, new = build("load read ship", "x/b.md"), build("load read ship")
    text = build("mine load ship read").replace(*edit)
    assert text != build("mine load ship read")
    assert revert_change(old, new, text) is None


def test_no_reversal_below_a_copied_heading():
    old, new = build("load read ship", "x/b.md"), build("load read ship")
    assert revert_change(old, new, build("mine load read ship read")) is None


def test_no_reversal_below_a_heading_without_words_of_its_own():
    """The heading is a label, which another step has now."""
    old, new, text = (
        "".join(f"## Step {label}\n\nUse `{value}`.\n\n{task}\n\n" for label, value, task in steps).encode()
        for steps in (
            [("One", "alpha", "Load the counts."), ("Zwei", "faulty", "Read their guide.")],
            [("One", "alpha", "Load the counts."), ("Zwei", "beta", "Read their guide.")],
            [("One", "alpha", "Load the counts."), ("Zwei", "beta", "Answer every question.")],
        )
    )
    assert revert_change(old, new, text) is None


def test_no_reversal_in_the_first_line_of_an_entry():
    """The user replaced the corrected entry below the heading by one of his own."""
    old, new, text = (
        "".join(
            f"## {title}\n\n- model: {model}\n  kind: worker\n  task: {task}\n\n"
            for title, model, task in (("Count the gulls", "alpha", "Load the counts"), ("Tell the council", *entry))
        ).encode()
        for entry in (("faulty", "Read their guide"), ("beta", "Read their guide"), ("beta", "Answer every question"))
    )
    assert revert_change(old, new, text) is None


@pytest.mark.parametrize("moved", ["- Open the log of the shore.\n", "Open the log of the shore:\n"])
def test_no_reversal_below_a_line_that_moved_alone(moved):
    """The line above the corrected one is in another list now, which also has the corrected line."""
    lists = "## Gulls\n\n{}- Read [the guide]({}).\n- Wait.\n\n## Terns\n\n{}- Read [the guide](b.md).\n- Wait.\n"
    old, new, text = (
        lists.format(*parts).encode() for parts in ((moved, "x/b.md", ""), (moved, "b.md", ""), ("", "b.md", moved))
    )
    assert revert_change(old, new, text) is None
