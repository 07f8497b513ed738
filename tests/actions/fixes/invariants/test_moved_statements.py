"""Test that a moved statement counts as kept only if every reader of its old section also reads its new section."""

import pytest

from actions.fixes.line_range import LineRange
from tests.actions.fixes.invariants.changes import BODY, FIXABLE, LIST, RULE, main, reasons
from tests.fakes import SKILL_HEADER, make_case

pytestmark = pytest.mark.usefixtures("catalogue")


def test_dropped_statement_holds_elsewhere_or_is_announced(before):
    without = main(f"{RULE}\n\nOne tall grey FIXABLE", "One tall grey fixable")
    lost = (f"SKILL.md: the fix loses this sentence: {RULE}",)
    assert reasons(before, without, drops=(RULE,)) == reasons(before, without, drops=(RULE,), drafted=True) == lost
    assert reasons(before, without, drops=(RULE,), drafted=True, announced=True) == ()
    below = {"SKILL.md": SKILL_HEADER + BODY.replace("FIXABLE", "fixable"), "references/list.md": LIST}
    twice = make_case(BODY, references__list=f"{LIST}\n- {RULE}\n")
    assert reasons(twice, below, drops=(RULE,)) == (), "the top of SKILL.md holds everywhere"
    assert reasons(twice, without, drops=(RULE,)) == lost, "a reference does not hold for SKILL.md"
    fenced = {"SKILL.md": below["SKILL.md"].replace(RULE, f"```\n{RULE}\n```")}
    assert reasons(twice, {**below, **fenced}, drops=(RULE,)), "as code it says something else"


@pytest.mark.parametrize("named", [(RULE,), (RULE, "Write each name of a bird on a line of its own.")])
def test_fix_that_drops_copy_and_original_is_reported(named):
    twice = make_case(BODY, references__list=f"{LIST}\n{RULE}\n")
    both = {**main(f"{RULE}\n\nOne tall grey FIXABLE", "One tall grey fixable"), "references/list.md": LIST}
    assert len(reasons(twice, both, drops=named)) == 2
    (messages,) = reasons(twice, both, drops=named, drafted=True, announced=True)
    assert messages == f"references/list.md: the fix loses this sentence: {RULE}"
    assert reasons(twice, both, drops=(*named, RULE), drafted=True, announced=True) == ()


SAVE = "Write the result to out.json."
PHASES = f"{FIXABLE}\n\n## Phase 1\n\nLook at the nests. -{SAVE}\n\n## Phase 3\n\nCount the eggs. {SAVE}\n"
HERE, THERE = LineRange("SKILL.md", 12, 12), LineRange("SKILL.md", 16, 16)
COPIES = {
    "in another section": (PHASES, (), False),
    "over all": (f"{SAVE}\n\n{PHASES}", (), True),
    "in the same section": (PHASES.replace("Look", f"{SAVE} Look"), (), True),
    "under another line that leads to it": (f"{FIXABLE}\n\n- Look. -{SAVE}\n\nIf it rains:\n\n- {SAVE}\n", (), False),
    "in another item": (f"{FIXABLE}\n\n- In the north\n  - Look. -{SAVE}\n- In the south\n  - {SAVE}\n", (), False),
    "as another step of a list": (f"{FIXABLE}\n\n1. {SAVE}\n2. Count again.\n3. Look. -{SAVE}\n", (), False),
    "as a line of other code": (f"{FIXABLE}\n\n```sh\nmake a\nmake b\nmake c\n-make b\n```\n", (), False),
    "in the other place of the finding": (PHASES, (HERE, THERE), True),
    "in a place that the finding does not name": (PHASES, (HERE,), False),
    "within one place of the finding": (PHASES, (LineRange("SKILL.md", 8, 17), THERE), False),
}


@pytest.mark.parametrize("where", COPIES)
def test_copy_holds_if_it_governs_the_place_or_is_named(where):
    body, ranges, holds = COPIES[where]
    gone, unit = ("make b", "line of a fence") if "make" in body else (SAVE, "sentence")
    case = make_case(body.replace(f"-{gone}", gone), references__list=LIST)
    after = {"SKILL.md": SKILL_HEADER + body.replace("FIXABLE", "fixable").replace(f"-{gone}", "")}
    messages = reasons(case, after, drops=(gone,), drafted=True, ranges=ranges)
    assert messages == (() if holds else (f"SKILL.md: the fix loses this {unit}: {gone}",))


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
        "a heading by a line below",
        "no tab",
        "a blank that ends a command",
        "one document of two",
    ],
)
def test_meaningful_marks_and_blanks_are_part_of_a_statement(old, new):
    case = make_case(f"{FIXABLE}\n\n{old}", references__list=LIST)
    changed = {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable").replace(old, new)}
    assert any("loses this" in reason for reason in reasons(case, changed, drafted=True))


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
    case = make_case(f"{FIXABLE}\n\n{old}", references__list=LIST)
    changed = {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable").replace(old, new)}
    assert any("adds a line above this" in reason for reason in reasons(case, changed, drafted=True))


def test_named_heading_may_change_and_its_text_stays():
    case = make_case(f"{FIXABLE}\n\n## North\n\nAsk:\n\n- Twice.\n", references__list=LIST)
    text = (
        case.skill.main.text.replace("FIXABLE", "fixable")
        .replace("## North", "## The north")
        .replace("Ask:", "Ask them:")
    )
    assert reasons(case, {"SKILL.md": text}, rewrites=("## North", "Ask:"), drafted=True) == ()


def test_text_in_a_new_file_is_reported(before):
    messages = reasons(before, {**main("FIXABLE", "fixable"), "notes.md": "# Notes\n\nAlways shout.\n"})
    assert messages == tuple(f"notes.md: the fix adds this: {text}" for text in ("# Notes", "Always shout."))


MOVED = "1. Ask twice.\n2. Look. Then wait.\n3. Ask twice.\n"


@pytest.mark.parametrize(
    ("target", "there", "holds"),
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
def test_moved_statements_hold_behind_a_new_reference_in_order(target, there, holds):
    case = make_case(f"{FIXABLE}\n\n{MOVED}", references__list=LIST, notes="# Notes\n\nNone.\n")
    text = case.skill.main.text.replace("FIXABLE", "fixable").replace(MOVED, f"Then do what [it]({target}) says.\n")
    messages = reasons(
        case, {"SKILL.md": text, "notes.md": f"# Notes\n\nNone.\n\n{there}"}, drops=(MOVED,), drafted=True
    )
    assert (messages == ()) == holds


@pytest.mark.parametrize("step", ["1.", "2."])
def test_moved_condition_needs_a_reference_in_its_own_step(step):
    case = make_case(
        f"{FIXABLE}\n\n1. Look. Skip this in the rain.\n2. Then wait. Go home.\n", notes="# Notes\n\nNone.\n"
    )
    place = {"1.": " Skip this in the rain.", "2.": " Go home."}[step]
    text = case.skill.main.text.replace("FIXABLE", "fixable").replace(place, f"{place} See [notes](notes.md).")
    files = {
        "SKILL.md": text.replace(" Skip this in the rain.", ""),
        "notes.md": "# Notes\n\nNone.\n\nSkip this in the rain.\n",
    }
    messages = reasons(case, files, drops=("Skip this in the rain.",), drafted=True)
    assert (messages == ()) == (step == "1.")


TYPE = "interface Bird {\n  name: string;\n  shore: string;\n  day: number;\n}"


@pytest.mark.parametrize("again", [TYPE, "interface Bird { name: string, shore: string, day: number }"])
def test_type_may_go_only_if_an_equal_one_stays(again):
    fence = f"```ts\n{again}\n```\n"
    case = make_case(f"{FIXABLE}\n\n{fence}", specs__birds=f"# Birds\n\n```ts\n{TYPE}\n```\n")
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    copy = {"SKILL.md": text.replace(fence, "")}
    assert reasons(case, copy, drops=(fence,)) == ()
    assert len(reasons(case, {**copy, "specs/birds.md": "# Birds\n"}, drops=(fence, TYPE))) >= 6


def test_dead_entry_may_go_without_the_sentence_beside_it():
    case = make_case(
        f"{FIXABLE}\n\n- [Gulls](gulls.md): grey. Count them twice.\n- [List](references/list.md)\n",
        references__list=LIST,
    )
    entry = "[Gulls](gulls.md): grey. Count them twice."
    gone = {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable").replace(f"- {entry}\n", "")}
    assert reasons(case, gone, drops=(f"- {entry}",)) == ("SKILL.md: the fix loses this sentence: Count them twice.",)
    gone = {"SKILL.md": gone["SKILL.md"].replace("- [List]", "- Count them twice.\n- [List]")}
    assert reasons(case, gone, drops=(f"- {entry}",)) == ()
    messages = ("SKILL.md: the fix loses this sentence: [Gulls](gulls.md): grey.",)
    assert reasons(case, gone, drops=(f"- {entry}",), drafted=True) == messages, "a judge may take a rule for an entry"
    assert reasons(case, gone, drops=(f"- {entry}",), drafted=True, announced=True) == ()
