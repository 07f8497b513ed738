"""Test the reversal of a change below the heading of its step, in a text in which steps were added, deleted or moved."""

import pytest

from orchestrator.run.workspace.hunks import revert_change, revert_unedited_lines
from tests.growth import grows_at_most, measure_seconds
from tests.orchestrator.run.workspace.conftest import name_line

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


SENTENCES = ["Count all gulls first.", "Ask the old fisherman.", "Write the counts down."]


def test_reversals_follow_lines_that_moved_as_a_whole():
    old, new = (
        "# Gulls\n\n" + "\n\n".join([*SENTENCES, line, "Send it to everyone.\n"])
        for line in ("See teh map.", "See the map.")
    )
    text, expected = (side.replace("# Gulls\n\n", "# Gulls\n\nMine.\n\nSomething else.\n\n") for side in (new, old))
    assert revert_change(old.encode(), new.encode(), text.encode()) == expected.encode()
    below_heading = new.replace("# Gulls\n\n", "# Gulls\n\n## Mine\n\nSomething else.\n\n")
    assert revert_change(old.encode(), new.encode(), below_heading.encode()) is None


def test_reversals_find_a_place_beside_a_line_with_another_number():
    old, new = (
        "\n".join(["Wait 30 minutes for the tide.", line, "Then count all gulls.\n"]) for line in ("Lok.", "Look.")
    )
    text, expected = (side.replace("30", "45").encode() for side in (new, old))
    assert revert_change(old.encode(), new.encode(), text) == expected


def test_no_reversal_in_a_step_with_another_number():
    """Nothing but the number tells which of the steps it is."""
    old, new = (
        "".join(f"## Step {n}\n\n{line}\n\n" for n, line in enumerate(lines, 1))
        for lines in (("Look.", "Lok."), ("Look.", "Look."))
    )
    text = "## Step 1\n\nAsk.\n\n" + new.replace("Step 2", "Step 3").replace("Step 1", "Step 2")
    assert revert_change(old.encode(), new.encode(), text.encode()) is None


def test_no_reversal_of_a_section_that_goes_on_now():
    """The heading that ended the section of the corrected line is gone, so more lines belong to it."""
    old, new = (f"## One\n\nCount all the gulls.\n\n{line}\n\n## Two\n\nWait.\n" for line in ("Lok.", "Look."))
    text = new.replace("## Two\n\n", "").encode()
    assert revert_change(old.encode(), new.encode(), text) is None


def test_reversal_in_a_moved_section_whose_last_line_tells_its_place():
    first = "## Call\n\n{}\n\nCount all the gulls.\n\n"
    sections = ["## Wait\n\nAsk the old fisherman.\n\n", "## Rest\n\nSend it to everyone.\n\n"]
    old, new = ("".join([sections[0], first.format(line), sections[1]]) for line in ("Lok.", "Look."))
    text, expected = ("".join([*sections, first.format(line)]).encode() for line in ("Look.", "Lok."))
    assert revert_change(old.encode(), new.encode(), text) == expected


def test_reversal_among_chinese_lines():
    lines = ["先统计所有海鸥的数量。", "{}", "然后把统计结果发给大家。", "等待。", "休息。", "最后询问岸边的老渔夫。"]
    old, new = ("".join(f"{line}\n" for line in lines).format(word) for word in ("查看地圖", "查看地图"))
    text, expected = (side.replace("最后询问", "开始询问").encode() for side in (new, old))
    assert revert_change(old.encode(), new.encode(), text) == expected


@pytest.mark.parametrize(
    ("line", "copied"), [("Look at the map.", 40), ("Look.", 3), ("```sh", 3)], ids=["far", "near", "mark"]
)
def test_no_reversal_of_a_line_that_the_user_copied(line, copied):
    above, below = ([name_line(n).strip() for n in numbers] for numbers in (range(3), range(3, 12)))
    old, new = ("".join(f"{part}\n" for part in (*above, word, *below)) for word in (f"{line} Now", line))
    lines = new.splitlines(keepends=True)
    at = min(len(lines), len(above) + 1 + copied)
    text = "".join([*lines[:at], f"{line}\n", *lines[at:]])
    assert revert_change(old.encode(), new.encode(), text.encode()) is None


@pytest.mark.parametrize("own", ["## Archive all old mails\n\nMove each of them.\n\n", "# A comment of mine\n\n"])
def test_no_reversal_of_a_removal_above_a_heading_where_the_user_wrote(own):
    """The removed text could belong above or below what the user wrote."""
    first, last = (
        "## Load the gull counts\n\nRead the counts first.\n\n",
        "## Publish the weekly report\n\nSend it out.\n",
    )
    old, new = (f"# Gulls\n\n{first}{removed}{last}" for removed in ("Delete the database now.\n\n", ""))
    text = f"# Gulls\n\n{first}{own}{last}".encode()
    assert revert_change(old.encode(), new.encode(), text) is None
    assert revert_unedited_lines(old.encode(), new.encode(), text)[0] == text


def test_no_reversal_in_a_copy_far_from_the_reworded_step():
    """The copied line says little, and the sentence above it is only in the copy now."""
    step, others = "Archive the mails of spring.\n\nModel: {}\n\n", "".join(map(name_line, range(9)))
    old, new = (f"# Gulls\n\n{step.format(value)}{others}\nLast.\n" for value in ("opsu", "opus"))
    text = new.replace("of spring", "of all seasons") + "\n" + step.format("opus")
    assert revert_change(old.encode(), new.encode(), text.encode()) is None
    assert revert_unedited_lines(old.encode(), new.encode(), text.encode())[0] == text.encode()


def test_copied_lines_of_a_text_without_landmarks_take_linear_time():
    def measure(count):
        lines = ["}\n", "x\n"] * count
        old, new = ("".join(line if n % 8 else other for n, line in enumerate(lines)) for other in ("[\n", "]\n"))
        text = f"mine\n{new}]\n]\n".encode()
        return measure_seconds(lambda: revert_unedited_lines(old.encode(), new.encode(), text))

    assert grows_at_most(measure, 1_000, 2_000, factor=2.6)
