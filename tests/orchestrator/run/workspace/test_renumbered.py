"""Test the reversal of a change in a text whose steps were renumbered since."""

import pytest

from orchestrator.run.workspace.hunks import revert_change, revert_unedited_lines

TASKS = ["Collect the counts.", "Compare them.", "Draft the report.", "Publish it.", "Tell the council."]
CALL = "Start an agent, and wait:\n\n```js\nTask({{\n  type: {},\n  text: prompt,\n}})\n```\n\n"
FORMS = {
    "task above": "## Step {}\n\n{}\n\n" + CALL,
    "task in a subsection": "## Step {}\n\n### Goal\n\n{}\n\n### Call\n\n" + CALL,
    "comment in the fence": "## Step {}\n\n{}\n\nRun this:\n\n```bash\n# Count all birds\npython count.py --{}\n```\n\n",
    "task in a subsection below": "## Step {0}\n\n### Call\n\n" + CALL.replace("{}", "{2}") + "### Goal\n\n{1}\n\n",
}


def build_steps(form, tasks, faulty=None):
    """Return numbered steps of one form; the step with the task `faulty` calls a misspelled type."""
    types = {faulty: "purpos"}
    steps = (form.format(n, TASKS[task], types.get(task, "purpose")) for n, task in enumerate(tasks, 1))
    return ("# Gulls\n\nWork through the steps.\n\n" + "".join(steps)).encode()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("tasks", [(0, 2, 3), (0, 4, 1, 2, 3), (1, 0, 2, 3), (0, 2, 1, 3), (0, 2, 3, 1), (0, 1, 2)])
def test_reversals_change_no_other_step_after_a_renumbering(form, tasks):
    old, new = build_steps(form, range(4), faulty=1), build_steps(form, range(4))
    text, wanted = build_steps(form, tasks), build_steps(form, tasks, faulty=1)
    allowed = (wanted, text) if 1 in tasks else (text,)
    assert (revert_change(old, new, text) or text) in allowed
    assert revert_unedited_lines(old, new, text)[0] in allowed


def test_reversals_of_a_step_above_the_renumbered_ones():
    form = FORMS["task above"]
    old, new = build_steps(form, range(4), faulty=1), build_steps(form, range(4))
    text, wanted = build_steps(form, (0, 1, 3)), build_steps(form, (0, 1, 3), faulty=1)
    assert revert_change(old, new, text) == wanted
    assert revert_unedited_lines(old, new, text) == (wanted, old)


def test_reversals_below_a_heading_that_got_a_line_of_another_section():
    """The lines alone show the place, too."""
    old, new = (f"## One\n\nAsk.\n\n{line}\n\nWait.\n\nRest.\n\n## Two\n\nSend.\n\nDone.\n" for line in ("old", "new"))
    text, wanted = (part.replace("Send.\n\n", "").replace("Rest.", "Rest.\nSend.").encode() for part in (new, old))
    assert revert_change(old.encode(), new.encode(), text) == wanted
    assert revert_unedited_lines(old.encode(), new.encode(), text) == (wanted, old.encode())
