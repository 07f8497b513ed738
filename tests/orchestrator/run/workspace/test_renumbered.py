"""Test the reversal of a change in a text whose steps were renumbered since."""

import pytest

from orchestrator.run.workspace.hunks import revert_change, revert_unedited_lines

TASKS = [
    "Collect the counts.",
    "Compare all of them.",
    "Draft the report.",
    "Publish the whole report.",
    "Tell the council.",
]
CALL = "Start an agent, and wait:\n\n```js\nTask({{\n  type: {},\n  text: prompt,\n}})\n```\n\n"
LABELLED_CALL = "```js\nTask({{\n  text: prompt{3},\n  type: {2},\n}})\n```\n\n"
FORMS_WITH_LABEL = {
    "task above": "## Step {0}\n\n{1}\n\n" + LABELLED_CALL,
    "task below": "## Step {0}\n\n" + LABELLED_CALL + "{1}\n\n",
    "task in the heading": "## Step {0}: {1}\n\n" + LABELLED_CALL,
    "label in the heading": "## Step {3}\n\n{1}\n\n" + LABELLED_CALL,
    "task in a subsection": "## Step {0}\n\n### Goal\n\n{1}\n\n### Call\n\n" + LABELLED_CALL,
    "task in a subsection below": "## Step {0}\n\n### Call\n\n" + LABELLED_CALL + "### Goal\n\n{1}\n\n",
    "number in a subsection": "## {1}\n\n### Call {0}\n\n" + LABELLED_CALL,
    "bold": "**Step {0}**\n\n{1}\n\n" + LABELLED_CALL,
    "bold, task below": "**Step {0}**\n\n" + LABELLED_CALL + "{1}\n\n",
    "tag": '<step name="{3}">\n\n{1}\n\n' + LABELLED_CALL + "</step>\n\n",
    "underlined": "Step {3}\n------\n\n{1}\n\n" + LABELLED_CALL,
    "caption": "Step {3}:\n\n{1}\n\n" + LABELLED_CALL,
}
FORMS = {
    "task above": "## Step {}\n\n{}\n\n" + CALL,
    "task in a subsection": "## Step {}\n\n### Goal\n\n{}\n\n### Call\n\n" + CALL,
    "comment in the fence": "## Step {}\n\n{}\n\nRun this:\n\n```bash\n# Count all birds\npython count.py --{}\n```\n\n",
    "number in a subsection": "## {1}\n\n### Call {0}\n\n" + CALL.replace("{}", "{2}"),
    "letter": "## Step {3}\n\n{1}\n\n" + CALL.replace("{}", "{2}"),
    "bold letter, task below": "**Step {3}**\n\n" + CALL.replace("{}", "{2}") + "{1}\n\n",
    "letter in the call": "### Phase {3}\n\n{1}\n\nRun:\n\n```js\ntext: 'Do step {3}'\n```\n\n```bash\ncount --{2}\n```\n\n",
    "letter in a name": "### Phase {3}\n\n{1}\n\nRun:\n\n```js\ntext: step{3}Prompt\n```\n\n```bash\ncount --{2}\n```\n\n",
    "number in the call": "## Step {0}\n\n```js\nTask({{\n  type: {2},\n  text: step{0}Prompt,\n}})\n```\n\n{1}\n\n",
    "item": "{0}. Use the agent `{2}`.\n   - {1}\n",
    "words and number on the line": "{0}. {1}\n\n   Agent {0}:\n\n       type: {2}\n       text: step{0}Prompt\n\n",
    "row": "| {0} | Use | `{2}` | {1} |\n",
    "task in a subsection below": "## Step {0}\n\n### Call\n\n" + CALL.replace("{}", "{2}") + "### Goal\n\n{1}\n\n",
}


def build_steps(form, tasks, faulty=None, labels="ABCDE"):
    """Return numbered steps of one form; the step with the task `faulty` calls a misspelled type.

    A negative number stands for the reworded task.
    """
    types = {faulty: "purpos"}
    texts = [TASKS[task] if task >= 0 else f"{TASKS[-task]} Be careful." for task in tasks]
    steps = (form.format(n, text, types.get(tasks[n - 1], "purpose"), labels[n - 1]) for n, text in enumerate(texts, 1))
    return ("# Gulls\n\nWork through the steps.\n\n" + "".join(steps)).encode()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    "tasks",
    [
        (0, 2, 3),
        (0, 4, 1, 2, 3),
        (1, 0, 2, 3),
        (0, 2, 1, 3),
        (0, 2, 3, 1),
        (0, 1, 2),
        (0, -2, 3),
        (0, -2, -3),
        (0, -2, 3, 4),
        (0, -2, -3, 4),
        (-2, 0, 3),
        (0, 3, 2),
    ],
)
def test_reversals_change_no_other_step_after_a_renumbering(form, tasks):
    old, new = build_steps(form, range(4), faulty=1), build_steps(form, range(4))
    text, expected = build_steps(form, tasks), build_steps(form, tasks, faulty=1)
    accepted_texts = (expected, text) if 1 in tasks else (text,)
    assert (revert_change(old, new, text) or text) in accepted_texts
    assert revert_unedited_lines(old, new, text)[0] in accepted_texts


@pytest.mark.parametrize(
    "labels",
    [
        "第一步 第二步 第三步 第四步 第五步",
        "ステップ一 ステップ二 ステップ三 ステップ四 ステップ五",
        "1st 2nd 3rd 4th 5th",
        "α β γ δ ε",
        "Ia Ib Ic Id Ie",
        "Monday Tuesday Wednesday Thursday Friday",
    ],
)
@pytest.mark.parametrize("tasks", [(0, -2, 3), (0, -2, -3), (0, -2, 3, 4), (1, 0, 2, 3)])
@pytest.mark.parametrize("form", ["## {3}\n\n{1}\n\n", "## {1}\n\n### {3}\n\n"])
def test_reversals_recognize_numbers_of_other_kinds(labels, tasks, form):
    form, labels = form + CALL.replace("{}", "{2}"), labels.split()
    old, new = build_steps(form, range(4), 1, labels), build_steps(form, range(4), labels=labels)
    text, expected = build_steps(form, tasks, labels=labels), build_steps(form, tasks, 1, labels)
    accepted_texts = (expected, text) if 1 in tasks else (text,)
    assert (revert_change(old, new, text) or text) in accepted_texts
    assert revert_unedited_lines(old, new, text)[0] in accepted_texts


@pytest.mark.parametrize("labels", ["A B C D E", "One Two Three Four Five", "Eins Zwei Drei Vier Fünf", "א ב ג ד ה"])
@pytest.mark.parametrize("tasks", [(0, 2, 3), (0, 2, 3, 4), (1, 0, 2, 3), (0, 2, 1, 3), (0, 4, 1, 2, 3), (0, 3, 2)])
@pytest.mark.parametrize("form", FORMS_WITH_LABEL.values(), ids=FORMS_WITH_LABEL)
def test_reversals_do_not_trust_a_label_beside_the_line(form, tasks, labels):
    """No list of words has all labels, but the whole step shows that it is another one."""
    labels = labels.split()
    old, new = build_steps(form, range(4), 1, labels), build_steps(form, range(4), labels=labels)
    text, expected = build_steps(form, tasks, labels=labels), build_steps(form, tasks, 1, labels)
    accepted_texts = (expected, text) if 1 in tasks else (text,)
    assert (revert_change(old, new, text) or text) in accepted_texts
    assert revert_unedited_lines(old, new, text)[0] in accepted_texts


@pytest.mark.parametrize("tasks", [(0, 2, 3), (0, 2, 3, 4), (1, 0, 2, 3), (0, 2, 1, 3)])
def test_reversals_in_the_second_of_two_equal_workflows(tasks):
    """Each line of a step is in both workflows, except for a mistake in the second one."""
    form = "**Step {0}**\n\n{1}\n\nAgent {0}:\n\n" + CALL.replace("{}", "{2}")
    first = build_steps(form, range(4))

    def build(tasks, faulty=None):
        return first + build_steps(form, tasks, faulty).replace(b"# Gulls", b"# Terns")

    old, new, text = build(range(4), faulty=1), build(range(4)), build(tasks)
    accepted_texts = (build(tasks, faulty=1), text) if 1 in tasks else (text,)
    assert (revert_change(old, new, text) or text) in accepted_texts
    assert revert_unedited_lines(old, new, text)[0] in accepted_texts


def test_reversals_of_a_step_above_the_renumbered_ones():
    form = FORMS["task above"]
    old, new = build_steps(form, range(4), faulty=1), build_steps(form, range(4))
    text, expected = build_steps(form, (0, 1, 3)), build_steps(form, (0, 1, 3), faulty=1)
    assert revert_change(old, new, text) == expected
    assert revert_unedited_lines(old, new, text) == (expected, old)


def test_reversals_in_a_renumbered_step_that_its_words_identify():
    form = FORMS["task above"]
    old, new = build_steps(form, range(4), faulty=1), build_steps(form, range(4))
    text, expected = build_steps(form, (1, 2, 3)), build_steps(form, (1, 2, 3), faulty=1)
    assert revert_change(old, new, text) == expected
    assert revert_unedited_lines(old, new, text) == (expected, old)


@pytest.mark.parametrize("marker", ["## Part {}", "### Part {}", "**Part {}**"])
def test_reversals_refuse_equal_steps_after_one_was_deleted(marker):
    """Nothing shows which of the equal steps is gone."""

    def build(numbers, faulty=0):
        parts = (f"{marker.format(n)}\n\nRun:\n\n    {'cuont' if n == faulty else 'count'}\n\n" for n in numbers)
        return ("# Gulls\n\n" + "".join(parts) + "## End\n").encode()

    old, new, text = build(range(1, 6), faulty=3), build(range(1, 6)), build(range(1, 5))
    assert revert_change(old, new, text) is None
    assert revert_unedited_lines(old, new, text) == (text, new)
