"""Test the reversal of a change among steps of one form, after the user typed, added or reworded lines."""

import pytest

from orchestrator.run.workspace.hunks import revert_change, revert_unedited_lines

TASKS = ["Load the counts.", "Compare them.", "Draft the report.", "Publish it."]
FORMS = {
    "item": "{}. {}\n   Use `{}`.\n",
    "item with a repeated line": "{}. {}\n   Read.\n   Use `{}`.\n   Wait.\n",
    "heading": "## Step {}\n\n{}\n\nUse `{}`.\n\n",
    "call": "## Step {}: {}\n\n```js\nTask({{\n  type: {},\n  text: prompt,\n}})\n```\n\n",
    "caption": "Step {}:\n\n{}\n\n    count --{}\n\n",
}
OLD, FIXED, OTHER = ("alpha", "faulty", "gamma", "delta"), ("alpha", "beta", "gamma", "delta"), "other"


def build(form, values, tasks=TASKS, top="# Gulls\n\n"):
    """Return numbered steps of one form, each with a task and a value."""
    steps = (form.format(n, *step) for n, step in enumerate(zip(tasks, values, strict=True), 1))
    return (top + "".join(steps)).encode()


def revert_both(old, new, text):
    """Return the results of both reversals; the text itself stands for a refusal."""
    changed = revert_change(old, new, text)
    return text if changed is None else changed, revert_unedited_lines(old, new, text)[0]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    "values",
    [
        ("beta", OTHER, "gamma", "delta"),
        ("alpha", OTHER, "beta", "delta"),
        ("beta", OTHER, "gamma", "beta"),
        ("beta", "alpha", "gamma", "delta"),
        ("beta", "faulty", "gamma", "delta"),
    ],
)
def test_reversals_change_no_like_step_with_the_typed_value(form, values):
    """The user typed the corrected value into another step, and something else into the step that was corrected."""
    text = build(form, values)
    assert revert_both(build(form, OLD), build(form, FIXED), text) == (text, text)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_reversals_change_no_added_step_with_the_typed_value(form):
    tasks, values = [TASKS[0], "Count again.", *TASKS[1:]], ("alpha", "beta", OTHER, "gamma", "delta")
    text = build(form, values, tasks)
    assert revert_both(build(form, OLD), build(form, FIXED), text) == (text, text)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_reversals_change_no_step_that_took_the_deleted_place(form):
    """The corrected step is gone, and the next one, which was reworded, has its value; another one was added."""
    tasks = [TASKS[0], f"{TASKS[2]} Be careful.", TASKS[3], "Tell the council."]
    text = build(form, ("alpha", "beta", "delta", "gamma"), tasks)
    assert revert_both(build(form, OLD), build(form, FIXED), text) == (text, text)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_reversals_below_added_lines(form):
    text, expected = (build(form, values, top="# Gulls\n\nMine.\n\n") for values in (FIXED, OLD))
    assert revert_both(build(form, OLD), build(form, FIXED), text) == (expected, expected)


LABELLED_FORMS = {
    "heading": "## Step {0}\n\n{1}\n\n```js\nTask({{\n  text: prompt{0},\n  type: {2},\n}})\n```\n\n",
    "task below": "## Step {0}\n\n```js\nTask({{\n  text: prompt{0},\n  type: {2},\n}})\n```\n\n{1}\n\n",
    "caption": "Step {0}:\n\n{1}\n\n```js\nTask({{\n  text: prompt{0},\n  type: {2},\n}})\n```\n\n",
}


@pytest.mark.parametrize("form", LABELLED_FORMS.values(), ids=LABELLED_FORMS)
@pytest.mark.parametrize(
    ("tasks", "values"),
    [((0, 2, 3), ("alpha", "beta", "delta")), ((1, 0, 2, 3), (OTHER, "beta", "gamma", "delta"))],
    ids=["deleted", "exchanged"],
)
def test_reversals_change_no_step_that_took_the_label(form, tasks, values):
    """The corrected step is gone or was moved, and the step that has its label now has the corrected value, too."""

    def build_labelled(order, values):
        steps = zip(["One", "Zwei", "Drei", "Vier"], order, values, strict=False)
        return ("# Gulls\n\n" + "".join(form.format(label, TASKS[n], value) for label, n, value in steps)).encode()

    text = build_labelled(tasks, values)
    assert revert_both(build_labelled(range(4), OLD), build_labelled(range(4), FIXED), text) == (text, text)


WRITTEN_FORMS = {
    "heading": "## Step {0}: {1}\n\nBegin at the top.\n\nRead [the guide]({2}).\n\nTell the user.\n\n",
    "item": "{0}. {1}\n   - Begin at the top.\n   - model: {2}\n   - Tell the user.\n",
    "bold": "- **{1}**\n  - Begin at the top.\n  - model: {2}\n  - Tell the user.\n",
    "call": "### {1}\n\n```js\nTask({{\n  model: {2},\n  text: prompt,\n}})\n```\n\nWait.\n\n",
    "Chinese": "## 第{0}步:{1}\n\n从头开始。\n\n阅读 {2}。\n\n告诉用户。\n\n",
    "agent": "- name: {1}\n  tools: Read\n  model: {2}\n  effort: low\n",
    "hook": '{{\n  "matcher": "{2}",\n  "hooks": [\n    {{\n      "command": "{1}"\n    }}\n  ]\n}},\n',
}


def build_written(form, task, values, last="Ship the report"):
    """Return three steps of one form; the second one has this task."""
    steps = zip(("Load the counts", task, last), values, strict=True)
    return "".join(["# Gulls\n\n", *(form.format(n, *step) for n, step in enumerate(steps, 1))]).encode()


@pytest.mark.parametrize("form", WRITTEN_FORMS.values(), ids=WRITTEN_FORMS)
@pytest.mark.parametrize("mine", ["Send the mail", "Merge the report", "Load all files", "./tide.sh"])
@pytest.mark.parametrize("values", [("beta", "beta", "beta"), ("alpha", "beta", "gamma")], ids=["alike", "unlike"])
def test_reversals_change_no_step_of_the_user_at_the_place(form, mine, values):
    """The user replaced the corrected step by one of the same form, which has the corrected line."""

    old = build_written(form, "Count the gulls", (values[0], "faulty", values[2]))
    new, text = (build_written(form, task, values) for task in ("Count the gulls", mine))
    assert revert_both(old, new, text) == (text, text)


CALL_FORM = "## {0}\n\n```js\nTask({{\n  model: opus,\n  background: true,\n  agent: {1},\n  prompt: step,\n  retries: 3,\n}})\n```\n\n"


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        ("[Invoices](invoices/README.md)", "[Orders](orders/README.md)"),
        ("Open src/hooks/index.ts", "Archive lib/counts/index.ts"),
        ("Test 17 questions", "Scan 8 questions"),
    ],
)
def test_reversals_change_no_step_that_shares_only_a_path_or_a_number(theirs, mine):
    def build_deep(title, value):
        steps = [("[Counts](counts/README.md)", "beta"), (title, value), ("[Reports](reports/README.md)", "beta")]
        return ("# Gulls\n\n" + "".join(CALL_FORM.format(*step) for step in steps)).encode()

    text = build_deep(mine, "beta")
    assert revert_both(build_deep(theirs, "faulty"), build_deep(theirs, "beta"), text) == (text, text)


@pytest.mark.parametrize("form", WRITTEN_FORMS.values(), ids=WRITTEN_FORMS)
def test_reversals_change_no_step_that_shares_only_a_verb(form):
    """The other words of the title are in titles of other steps, too."""
    old, new, text = (
        build_written(form, task, ("beta", value, "beta"), "Ship the gulls")
        for task, value in (("Draft the gulls", "faulty"), ("Draft the gulls", "beta"), ("Draft the counts", "beta"))
    )
    assert revert_both(old, new, text) == (text, text)


DEEP_FORM = """## Step {0}: {1}

```js
Task({{
  model: "opus",
  background: true,
  subagent: {2},
  text: step.prompt,
  retries: 3,
}})
```

"""
ROW_FORM = "| {1} |\n| Begin at the top. |\n| model | {2} |\n| Tell the user. |\n"


@pytest.mark.parametrize(
    ("form", "task", "mine"),
    [
        (DEEP_FORM, "Run the full test suite against the staging host", "Add a test"),
        (DEEP_FORM, "Ask for the pending", "Repair pending skills"),
        (ROW_FORM, "Run", "Fix"),
        (WRITTEN_FORMS["heading"], "Run", "Draft the mail to the council"),
        (
            WRITTEN_FORMS["hook"],
            "$CLAUDE_PROJECT_DIR/.claude/hooks/lint.sh",
            "$CLAUDE_PROJECT_DIR/.claude/hooks/tide.sh",
        ),
    ],
    ids=["a word of six", "a word of two", "table pipes", "short title", "folder of a path"],
)
def test_reversals_change_no_step_that_shares_less_than_half_of_its_title(form, task, mine):
    old, new, text = (
        build_written(form, name, ("gamma", value, "gamma"))
        for name, value in ((task, "faulty"), (task, "beta"), (mine, "beta"))
    )
    assert revert_both(old, new, text) == (text, text)


COPIED_FORMS = {
    "list": "- {0}\n  - {1} at the top.\n  - Ask the user.\n  - Keep a log.\n  - Read [the guide]({2}).\n  - Tell {3}.\n",
    "agent": "- name: {0}\n  tools: {1}\n  retries: 3\n  effort: low\n  model: {2}\n  color: blue\n  turns: {3}\n",
    "heading": "## {0}\n\n{1} at the top.\n\nAsk the user.\n\nRead [the guide]({2}).\n\nSave the file.\n\nTell {3}.\n\n",
    "Chinese": "- {0}\n  - {1}开始。\n  - 询问用户。\n  - 写日志。\n  - 阅读 {2}。\n  - 告诉{3}。\n",
}


@pytest.mark.parametrize("form", COPIED_FORMS.values(), ids=COPIED_FORMS)
@pytest.mark.parametrize("edit", [("Begin", "him"), ("Read", "the user")], ids=["above", "below"])
@pytest.mark.parametrize("place", [1, 2], ids=["above", "below"])
@pytest.mark.parametrize("title", ["Deploy questions", "打开src/hooks/index.ts", "Archive the mails of spring"])
def test_reversals_change_no_copy_beside_the_edited_step(form, edit, place, title):
    """The user rewords a line of the corrected step, and adds a step of the same form with the corrected line."""

    def build_copied(value, first="Read", last="him"):
        steps = [("Load all of the counts", "Read", "beta", "him"), ("Archive the mails", first, value, last)]
        return [form.format(*step) for step in (*steps, ("Ship the whole report", "Read", "beta", "him"))]

    own = form.format(title, "Read", "beta", "him")
    text = build_copied("beta", *edit)
    text.insert(place, own)
    old, new, edited = (
        "# Gulls\n\n" + "".join(steps) for steps in (build_copied("faulty"), build_copied("beta"), text)
    )
    assert revert_both(old.encode(), new.encode(), edited.encode()) == (edited.encode(), edited.encode())


TITLED_FORMS = {name: form for name, form in WRITTEN_FORMS.items() if name in ("heading", "item", "bold", "call")}


def build_titled(form, task, value):
    return build_written(form, task, ("beta", value, "beta"))


@pytest.mark.parametrize("form", TITLED_FORMS.values(), ids=TITLED_FORMS)
@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        ("Counter: count", "Printer: count"),
        ("Bob: write code", "Dora: write code"),
        ("Counter: count the gulls", "Mailer: count the gulls"),
        ("写 report", "删 report"),
        ("Write the weekly report", "Delete the weekly report"),
    ],
)
def test_reversals_change_no_step_with_another_name_or_character(form, theirs, mine):
    """The name before a colon, or the verb, which can be a single character, is all that differs."""
    text = build_titled(form, mine, "beta")
    assert revert_both(build_titled(form, theirs, "faulty"), build_titled(form, theirs, "beta"), text) == (text, text)


GROUP = '      {{\n        "matcher": "{}",\n        "hooks": [{{"type": "command", "command": "./{}.sh"}}]\n      }}'
GROUPS = [GROUP.format(*names) for names in (("Bash", "count"), ("Edit", "lint"), ("Write", "tide"))]


def build_settings(*groups, separators):
    """Return the settings with hook groups, each followed by its separator."""
    body = "".join(group + separator for group, separator in zip(groups, separators, strict=True))
    return f'{{\n  "hooks": {{\n    "Stop": [\n{body}    ]\n  }}\n}}\n'.encode()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_reversals_remove_no_comma_behind_a_group_of_the_user(place):
    """The fix added the comma behind the first group."""
    old = build_settings(*GROUPS, separators=("\n", ",\n", "\n"))
    new = build_settings(*GROUPS, separators=(",\n", ",\n", "\n"))
    mine = GROUP.format("Read", "mine")
    groups = [*GROUPS[:place], mine, *GROUPS[place:]]
    text = build_settings(*groups, separators=(",\n", ",\n", ",\n", "\n"))
    separators = [",\n", ",\n", ",\n", "\n"]
    separators[groups.index(GROUPS[0])] = "\n"
    accepted = (text, build_settings(*groups, separators=separators))
    assert all(result in accepted for result in revert_both(old, new, text))


LONG_FORM = "## {0}\n\n- One.\n- Two stops.\n- Three stops.\n- Four.\n- Five.\n- Six.\n- Seven.\n\n{1}\n\n{2}"
LONG_ITEM = (
    "- {0}\n  - {1}\n  - One stop.\n  - Two stops.\n  - Three stops.\n  - Four.\n  - Five.\n  - Six.\n  - Seven.\n{2}"
)


@pytest.mark.parametrize("form", [LONG_FORM, LONG_ITEM], ids=["heading", "item"])
@pytest.mark.parametrize("end", ["", "## Next steps of all\n\nDone.\n"], ids=["last", "followed"])
@pytest.mark.parametrize(
    ("faulty", "fixed"),
    [("Read the guide first.\n", ""), ("- k: 50\n", "- k: 5\n"), ("Go no.\n", "Go on.\n"), ("cd ...\n", "cd ..\n")],
)
def test_reversals_change_no_copy_of_a_step_that_was_reworded_then(form, end, faulty, fixed):
    """The user copied the corrected step, and reworded its sentence, which the copy still has."""
    sentence, top = "Read all the mails of a day.", "# Gulls\n\n"
    old, new = (top + form.format("Archive mails", sentence, line + "\n") + end for line in (faulty, fixed))
    original = form.format("Archive mails", "Read only the new mails.", fixed + "\n")
    text = (top + original + form.format("Deploy questions", sentence, fixed + "\n") + end).encode()
    assert revert_both(old.encode(), new.encode(), text) == (text, text)


def test_reversals_change_no_step_to_which_the_sentence_was_moved():
    form, (first, second) = (
        "## {}\n\n{}\n\nUse `{}`.\n\n",
        ("Read all the mails of a day.", "Send the new mails of today."),
    )
    old, new = (
        ("# Gulls\n\n" + form.format("Archive", first, value) + form.format("Send", second, "beta")).encode()
        for value in ("faulty", "beta")
    )
    for sentences in ((second, first), ("Look at the box.", first)):
        steps = zip(("Archive", "Send"), sentences, strict=True)
        text = ("# Gulls\n\n" + "".join(form.format(*step, "beta") for step in steps)).encode()
        assert revert_both(old, new, text) == (text, text)


@pytest.mark.parametrize(
    "words",
    ["सभी पक्षियों की गिनती करो", "সব পাখির সংখ্যা লিখে রাখো", "எல்லா பறவைகளையும் இன்று எண்ணவும்", "นับนกทั้งหมดที่ชายฝั่ง"],
    ids=["Hindi", "Bengali", "Tamil", "Thai"],
)
def test_reversals_of_a_line_below_words_of_other_scripts(words):
    """Another part of the text was reworded, and lines were added above."""
    old, new = (f"# Gulls\n\n{words}\n\nRead: {link}\n\n## End\n\nDone.\n" for link in ("a/b.md", "b.md"))
    text, expected = (side.replace("# Gulls", "# Gulls\n\nMine.").replace("Done", "Ready") for side in (new, old))
    assert revert_both(old.encode(), new.encode(), text.encode()) == (expected.encode(), expected.encode())


SUBTITLE_FORM = "## {}\n\nFor people.\n\n### Steps\n\n{}\n\n- Ask.\n- Go.\n{}- Stop.\n\n"
SENTENCES = ("Read all the mails of a day.", "Send the new mails of today.", "Read the new mails only.")


def build_sections(form, titles, sentences, lines):
    return ("# Gulls\n\n" + "".join(map(form.format, titles, sentences, lines))).encode()


@pytest.mark.parametrize(
    ("faulty", "fixed"), [("- Call the [tool](old.md).\n", ""), ("- Use opsu.\n", "- Use opus now.\n")]
)
def test_reversals_change_no_step_below_a_repeated_heading(faulty, fixed):
    """The sentence of the corrected step was moved to another one, whose heading is below another heading."""
    other = fixed  # the other step has the corrected line, too
    old, new = (
        build_sections(SUBTITLE_FORM, ("Archive", "Send"), SENTENCES, (line, other)) for line in (faulty, fixed)
    )
    for sentences in ((SENTENCES[2], SENTENCES[0]), (SENTENCES[1], SENTENCES[0])):
        text = build_sections(SUBTITLE_FORM, ("Archive", "Send"), sentences, (fixed, other))
        assert revert_both(old, new, text) == (text, text)


def test_reversals_put_no_line_into_a_copied_step_with_another_number():
    form, removed = "## Step {}\n\n{}\n\n- Ask.\n- Go.\n{}- Stop.\n\n", "- Call the [tool](old.md).\n"
    old, new = (build_sections(form, (1, 2), SENTENCES, (line, "")) for line in (removed, ""))
    text = build_sections(form, (1, 2, 3), (SENTENCES[2], SENTENCES[1], SENTENCES[0]), ("", "", ""))
    assert revert_both(old, new, text) == (text, text)
