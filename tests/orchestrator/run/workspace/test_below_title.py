"""Test the reversal of a change below the title of its step, in a text in which steps were added, deleted or moved."""

import pytest

from orchestrator.run.workspace.hunks import revert_change

STEPS = {
    "load": ("Load the counts", "Load [a](a.md)."),
    "read": ("Read their guide", "Read [b]({})."),
    "ship": ("Ship a report", "Ship [c](c.md)."),
    "mine": ("Answer every question", "Answer."),
}
FORMS = {
    "heading": "## Step {}: {}\n\n{}\n\nTell the user.\n\n",
    "item": "{}. {}\n   {}\n   Tell the user.\n",
}


def build(form, order, link="b.md"):
    """Return numbered steps of one form, in this order."""
    steps = (form.format(n, *STEPS[name]) for n, name in enumerate(order.split(), 1))
    return ("# Gulls\n\n" + "".join(steps)).replace("{}", link).encode()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("order", ["mine load read ship", "read ship", "load ship read", "mine ship read load"])
def test_reversal_below_the_title_of_a_step(form, order):
    """Steps were added, deleted or moved, and all were renumbered."""
    old, new = build(form, "load read ship", "x/b.md"), build(form, "load read ship")
    assert revert_change(old, new, build(form, order)) == build(form, order, "x/b.md")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    "edit",
    [
        (b"Read [b](b.md).", b"Read [b](b.md).\nRead [mine](b.md)."),
        (b"Read their guide", b"Read my guide"),
        (b"Read [b](b.md).", b"Read this: [b](b.md)."),
    ],
    ids=["a line below", "another title", "an edited line"],
)
def test_no_reversal_in_a_moved_step_that_was_edited(form, edit):
    old, new = build(form, "load read ship", "x/b.md"), build(form, "load read ship")
    text = build(form, "mine load ship read").replace(*edit)
    assert text != build(form, "mine load ship read")
    assert revert_change(old, new, text) is None


def test_no_reversal_below_a_copied_title():
    form = FORMS["heading"]
    old, new = build(form, "load read ship", "x/b.md"), build(form, "load read ship")
    assert revert_change(old, new, build(form, "mine load read ship read")) is None


def test_no_reversal_below_a_title_without_words_of_its_own():
    """The title is a label, which another step has now."""
    old, new, text = (
        "".join(f"## Step {label}\n\nUse `{value}`.\n\n{task}\n\n" for label, value, task in steps).encode()
        for steps in (
            [("One", "alpha", "Load the counts."), ("Zwei", "faulty", "Read their guide.")],
            [("One", "alpha", "Load the counts."), ("Zwei", "beta", "Read their guide.")],
            [("One", "alpha", "Load the counts."), ("Zwei", "beta", "Answer every question.")],
        )
    )
    assert revert_change(old, new, text) is None


@pytest.mark.parametrize(
    "form",
    ["- model: {}\n  kind: worker\n  task: {}\n", "model: {}\nkind: worker\ntask: {}\n\n"],
    ids=["list", "blocks"],
)
def test_no_reversal_in_the_first_line_of_an_entry(form):
    """The line above belongs to the entry before it. The user replaced the corrected entry by one of his own."""
    old, new, text = (
        "".join(
            form.format(*entry) for entry in (("alpha", "Load the counts"), entry, ("gamma", "Ship a report"))
        ).encode()
        for entry in (("faulty", "Read their guide"), ("beta", "Read their guide"), ("beta", "Answer every question"))
    )
    assert revert_change(old, new, text) is None
