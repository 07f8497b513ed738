"""Test that a moved statement counts as kept only if every reader of its old section also reads its new section."""

import pytest

from actions.fixes.line_range import LineRange
from tests.actions.fixes.invariants.changes import BODY, FAULTY_SENTENCE, LIST, RULE, change_main, list_refusals
from tests.fakes import SKILL_HEADER, make_case

pytestmark = pytest.mark.usefixtures("catalogue")


def test_dropped_statement_has_a_copy_or_is_announced(before):
    without = change_main(f"{RULE}\n\nOne tall grey FIXABLE", "One tall grey fixable")
    lost = (f"SKILL.md: the fix loses this sentence: {RULE}",)
    assert (
        list_refusals(before, without, drops=(RULE,))
        == list_refusals(before, without, drops=(RULE,), drafted=True)
        == lost
    )
    assert list_refusals(before, without, drops=(RULE,), drafted=True, announced=True) == ()
    files_after = {"SKILL.md": SKILL_HEADER + BODY.replace("FIXABLE", "fixable"), "references/list.md": LIST}
    case_with_copy = make_case(BODY, references__list=f"{LIST}\n- {RULE}\n")
    assert list_refusals(case_with_copy, files_after, drops=(RULE,)) == (), (
        "a statement at the top of SKILL.md applies everywhere"
    )
    assert list_refusals(case_with_copy, without, drops=(RULE,)) == lost, (
        "a statement in a reference does not apply to SKILL.md"
    )
    files_with_fence = {"SKILL.md": files_after["SKILL.md"].replace(RULE, f"```\n{RULE}\n```")}
    assert list_refusals(case_with_copy, {**files_after, **files_with_fence}, drops=(RULE,)), (
        "code is not an instruction"
    )


@pytest.mark.parametrize("named", [(RULE,), (RULE, "Write each name of a bird on a line of its own.")])
def test_fix_that_drops_copy_and_original_is_reported(named):
    case_with_copy = make_case(BODY, references__list=f"{LIST}\n{RULE}\n")
    files_without_copies = {
        **change_main(f"{RULE}\n\nOne tall grey FIXABLE", "One tall grey fixable"),
        "references/list.md": LIST,
    }
    assert len(list_refusals(case_with_copy, files_without_copies, drops=named)) == 2
    (messages,) = list_refusals(case_with_copy, files_without_copies, drops=named, drafted=True, announced=True)
    assert messages == f"references/list.md: the fix loses this sentence: {RULE}"
    assert list_refusals(case_with_copy, files_without_copies, drops=(*named, RULE), drafted=True, announced=True) == ()


SAVE = "Write the result to out.json."
PHASES = f"{FAULTY_SENTENCE}\n\n## Phase 1\n\nLook at the nests. -{SAVE}\n\n## Phase 3\n\nCount the eggs. {SAVE}\n"
OLD_RANGE, NEW_RANGE = LineRange("SKILL.md", 12, 12), LineRange("SKILL.md", 16, 16)
COPIES = {
    "in another section": (PHASES, (), False),
    "at the top of the file": (f"{SAVE}\n\n{PHASES}", (), True),
    "in the same section": (PHASES.replace("Look", f"{SAVE} Look"), (), True),
    "under another lead-in": (
        f"{FAULTY_SENTENCE}\n\n- Look. -{SAVE}\n\nIf it rains:\n\n- {SAVE}\n",
        (),
        False,
    ),
    "in another item": (
        f"{FAULTY_SENTENCE}\n\n- In the north\n  - Look. -{SAVE}\n- In the south\n  - {SAVE}\n",
        (),
        False,
    ),
    "as another step of a list": (f"{FAULTY_SENTENCE}\n\n1. {SAVE}\n2. Count again.\n3. Look. -{SAVE}\n", (), False),
    "as a line of other code": (f"{FAULTY_SENTENCE}\n\n```sh\nmake a\nmake b\nmake c\n-make b\n```\n", (), False),
    "at the other location of the finding": (PHASES, (OLD_RANGE, NEW_RANGE), True),
    "at a location that the finding does not have": (PHASES, (OLD_RANGE,), False),
    "within one location of the finding": (PHASES, (LineRange("SKILL.md", 8, 17), NEW_RANGE), False),
}


@pytest.mark.parametrize("position", COPIES)
def test_copy_counts_if_it_applies_there_or_is_named(position):
    body, ranges, is_kept = COPIES[position]
    removed_text, kind_of_statement = ("make b", "line of a fence") if "make" in body else (SAVE, "sentence")
    case = make_case(body.replace(f"-{removed_text}", removed_text), references__list=LIST)
    after = {"SKILL.md": SKILL_HEADER + body.replace("FIXABLE", "fixable").replace(f"-{removed_text}", "")}
    messages = list_refusals(case, after, drops=(removed_text,), drafted=True, ranges=ranges)
    assert messages == (() if is_kept else (f"SKILL.md: the fix loses this {kind_of_statement}: {removed_text}",))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<!-- Ask twice. -->\n", ""),
        ("<!-- Ask twice. -->\n", "<!-- Never ask twice. -->\n"),
        ("- [ ] Ask twice.\n", "- [x] Ask twice.\n"),
        ("Ask twice.\n", "Ask twice.\n---\n"),
        ("```make\nall:\n\tls\n```\n", "```make\nall:\n    ls\n```\n"),
        ("```sh\nls a \\\n  b\n```\n", "```sh\nls a \\ \n  b\n```\n"),
        ("```yaml\na: 1\n---\nb: 2\n```\n", "```yaml\na: 1\nb: 2\n```\n"),
    ],
    ids=[
        "a comment",
        "another comment",
        "a ticked box",
        "an underlined heading",
        "no tab",
        "a space that ends a command",
        "one document of two",
    ],
)
def test_meaningful_punctuation_and_blanks_belong_to_a_statement(old, new):
    case = make_case(f"{FAULTY_SENTENCE}\n\n{old}", references__list=LIST)
    files_after = {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable").replace(old, new)}
    assert any("loses this" in reason for reason in list_refusals(case, files_after, drafted=True))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- In the north\n  - Ask twice.\n", "- In the north\n- In the south\n  - Ask twice.\n"),
        ("- Shout.\n", "Do this:\n\n- Ask.\n- Shout.\n"),
        ("Ask twice.\n", "<deprecated>\n\nAsk twice.\n\n</deprecated>\n"),
        ("Ask twice.\n", "The following is wrong…\n\nAsk twice.\n"),
        ("## North\n\nAsk.\n", "## North\n\n## Never\n\nAsk.\n"),
    ],
    ids=["another item", "a list of its own", "a tag", "three dots", "a heading"],
)
def test_new_line_over_unchanged_text_is_reported(old, new):
    case = make_case(f"{FAULTY_SENTENCE}\n\n{old}", references__list=LIST)
    files_after = {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable").replace(old, new)}
    assert any("adds a line above this" in reason for reason in list_refusals(case, files_after, drafted=True))


def test_named_heading_may_change_and_its_text_stays():
    case = make_case(f"{FAULTY_SENTENCE}\n\n## North\n\nAsk:\n\n- Twice.\n", references__list=LIST)
    text = (
        case.skill.main.text.replace("FIXABLE", "fixable")
        .replace("## North", "## The north")
        .replace("Ask:", "Ask them:")
    )
    assert list_refusals(case, {"SKILL.md": text}, rewrites=("## North", "Ask:"), drafted=True) == ()


def test_text_in_a_new_file_is_reported(before):
    messages = list_refusals(before, {**change_main("FIXABLE", "fixable"), "notes.md": "# Notes\n\nAlways shout.\n"})
    assert messages == tuple(f"notes.md: the fix adds this: {text}" for text in ("# Notes", "Always shout."))


MOVED = "1. Ask twice.\n2. Look. Then wait.\n3. Ask twice.\n"


@pytest.mark.parametrize(
    ("target", "new_text", "is_kept"),
    [
        ("notes.md", MOVED, True),
        ("notes.md", MOVED.replace("2. Look. Then wait.\n3. Ask twice.", "2. Ask twice.\n3. Look. Then wait."), False),
        ("notes.md", MOVED.replace("Look. Then wait.", "Then wait. Look."), False),
        ("notes.md", f"## Never\n\n{MOVED}", False),
        ("notes.md#Rain", f"## Rain\n\n{MOVED}", True),
        ("notes.md#Rain", f"## Sun\n\n{MOVED}\n## Rain\n\nWait.\n", False),
        ("references/list.md", MOVED, False),
    ],
)
def test_moved_statements_count_behind_a_new_reference_in_order(target, new_text, is_kept):
    case = make_case(f"{FAULTY_SENTENCE}\n\n{MOVED}", references__list=LIST, notes="# Notes\n\nNone.\n")
    text = case.skill.main.text.replace("FIXABLE", "fixable").replace(MOVED, f"Then do what [it]({target}) says.\n")
    messages = list_refusals(
        case, {"SKILL.md": text, "notes.md": f"# Notes\n\nNone.\n\n{new_text}"}, drops=(MOVED,), drafted=True
    )
    assert (messages == ()) == is_kept


@pytest.mark.parametrize("step", ["1.", "2."])
def test_moved_condition_needs_a_reference_in_its_own_step(step):
    case = make_case(
        f"{FAULTY_SENTENCE}\n\n1. Look. Skip this in the rain.\n2. Then wait. Go home.\n", notes="# Notes\n\nNone.\n"
    )
    condition = {"1.": " Skip this in the rain.", "2.": " Go home."}[step]
    text = case.skill.main.text.replace("FIXABLE", "fixable").replace(condition, f"{condition} See [notes](notes.md).")
    files = {
        "SKILL.md": text.replace(" Skip this in the rain.", ""),
        "notes.md": "# Notes\n\nNone.\n\nSkip this in the rain.\n",
    }
    messages = list_refusals(case, files, drops=("Skip this in the rain.",), drafted=True)
    assert (messages == ()) == (step == "1.")


TYPE = "interface Bird {\n  name: string;\n  shore: string;\n  day: number;\n}"


@pytest.mark.parametrize("second_definition", [TYPE, "interface Bird { name: string, shore: string, day: number }"])
def test_type_may_be_removed_only_if_an_equal_one_stays(second_definition):
    fence = f"```ts\n{second_definition}\n```\n"
    case = make_case(f"{FAULTY_SENTENCE}\n\n{fence}", specs__birds=f"# Birds\n\n```ts\n{TYPE}\n```\n")
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    copy = {"SKILL.md": text.replace(fence, "")}
    assert list_refusals(case, copy, drops=(fence,)) == ()
    assert len(list_refusals(case, {**copy, "specs/birds.md": "# Birds\n"}, drops=(fence, TYPE))) >= 6


def test_dead_entry_may_be_removed_without_the_next_sentence():
    case = make_case(
        f"{FAULTY_SENTENCE}\n\n- [Gulls](gulls.md): grey. Count them twice.\n- [List](references/list.md)\n",
        references__list=LIST,
    )
    entry = "[Gulls](gulls.md): grey. Count them twice."
    removed_text = {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable").replace(f"- {entry}\n", "")}
    assert list_refusals(case, removed_text, drops=(f"- {entry}",)) == (
        "SKILL.md: the fix loses this sentence: Count them twice.",
    )
    removed_text = {"SKILL.md": removed_text["SKILL.md"].replace("- [List]", "- Count them twice.\n- [List]")}
    assert list_refusals(case, removed_text, drops=(f"- {entry}",)) == ()
    messages = ("SKILL.md: the fix loses this sentence: [Gulls](gulls.md): grey.",)
    assert list_refusals(case, removed_text, drops=(f"- {entry}",), drafted=True) == messages, (
        "a model may mistake a rule for an entry"
    )
    assert list_refusals(case, removed_text, drops=(f"- {entry}",), drafted=True, announced=True) == ()
