"""Test that each violated invariant of a fix is reported, and that a good fix passes."""

import pytest

from actions.fixes.invariants.prove import Promise, find_violations
from actions.scoring.scan import scan
from tests.actions.fixes.invariants.changes import (
    BODY,
    FAULTY_SENTENCE,
    LIST,
    RULE,
    change_main,
    list_refusals,
    make_case_with_script,
)
from tests.fakes import SKILL_HEADER, install_catalogue, make_case, make_pattern

pytestmark = pytest.mark.usefixtures("catalogue")


def test_good_fix_passes(before):
    assert list_refusals(before, change_main("FIXABLE", "fixable")) == ()


def test_claim_that_is_still_found_is_reported(before):
    (reason,) = list_refusals(before, {"references/list.md": LIST + "More.\n"}, drafted=True)
    assert reason.startswith("AGT-001 is still found, in SKILL.md:10: ")


def test_fault_moved_to_another_file_is_still_found(before):
    files_after = {"SKILL.md": SKILL_HEADER + BODY.replace(f"{FAULTY_SENTENCE} ", ""),
             "references/list.md": f"{LIST}\n{FAULTY_SENTENCE} Read [the list](references/list.md) first.\n"}  # fmt: skip
    assert any(r.startswith("AGT-001 is still found") for r in list_refusals(before, files_after))


def test_new_medium_finding_is_reported_with_its_place(before):
    (reason,) = list_refusals(before, change_main("FIXABLE", "RISKY"), claimed=())
    assert reason == "new finding CTX-001 in SKILL.md:10: This line says RISKY."


def test_new_low_finding_passes(monkeypatch, before):
    install_catalogue(
        monkeypatch, [make_pattern("AGT-001", "FIXABLE"), make_pattern("CTX-001", "RISKY", impact=("easy",))], []
    )
    assert list_refusals(before, change_main("FIXABLE", "RISKY"), claimed=()) == ()


def test_broken_frontmatter_is_reported(before):
    text = (SKILL_HEADER + BODY).replace("FIXABLE", "fixable").replace("name: plover", "name: [plover")
    assert any(
        r.startswith("the frontmatter of SKILL.md became invalid: ") for r in list_refusals(before, {"SKILL.md": text})
    )


def test_broken_link_is_reported(before):
    messages = list_refusals(before, {**change_main("FIXABLE", "fixable"), "references/list.md": None})
    assert any(r.endswith("list.md does not exist; refer to an existing file or heading") for r in messages)


def test_second_broken_link_of_one_name_is_reported(before):
    case = make_case(f"{BODY}\nSee [more](gone/list.md).\n", references__list=LIST)
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    assert list_refusals(case, {"SKILL.md": text}) == ()
    messages = list_refusals(case, {"SKILL.md": text, "references/list.md": None}, drops=(LIST,), drafted=True)
    assert "SKILL.md:12: list.md does not exist; refer to an existing file or heading" in messages


def test_known_or_existing_path_in_a_span_is_not_a_broken_link():
    case = make_case(f"{BODY}\nWrite `lists/now.md`.\n")
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    new_text = text.replace(
        "Write `lists/now.md`.", "Show `lists/now.md`. Write `lists/now.md` anew, and `lists/old.md`."
    )
    change = case.skill.with_files({"SKILL.md": new_text.encode()})
    promise = Promise(frozenset(), rewrites=("Write `lists/now.md`.", "One tall grey FIXABLE"), drafted=True)
    violations = [*find_violations(case.skill, change, scan(case), promise)]
    assert [violation for violation in violations if "does not exist" in violation] == [
        f"SKILL.md:{text[: text.index('Write')].count(chr(10)) + 1}: old.md does not exist; refer to an existing file or heading"
    ]
    assert not any(
        "exist" in violation for violation in find_violations(case.skill, change, scan(case), promise, {"old.md"})
    )


def test_lost_or_moved_rule_is_reported(before):
    lossy = change_main(f"{RULE}\n\nOne tall grey FIXABLE", "One tall grey fixable")
    files_after = {**lossy, "references/list.md": f"{LIST}\n{RULE}\n"}
    lost = (f"SKILL.md: the fix loses this sentence: {RULE}",)
    assert list_refusals(before, lossy) == list_refusals(before, files_after, drafted=True) == lost
    assert list_refusals(before, files_after, drops=(RULE,), drafted=True) == lost, (
        "no new reference leads to the moved rule"
    )
    files_with_reference = {
        **files_after,
        **change_main(f"{RULE}\n\nOne tall grey FIXABLE", "Keep to `references/list.md`.\n\nOne tall grey fixable"),
    }
    assert list_refusals(before, files_with_reference, drops=(RULE,), drafted=True) == ()


@pytest.mark.parametrize("changed", ["Always count a bird twice on one day.", "Never count a bird 3 times on one day."])
def test_negated_or_renumbered_rule_is_lost(before, changed):
    text = (SKILL_HEADER + BODY).replace("FIXABLE", "fixable").replace(RULE, changed)
    assert any("loses this" in r for r in list_refusals(before, {"SKILL.md": text}, drafted=True))


def test_exceeded_token_limit_is_reported(before):
    longer = change_main(
        FAULTY_SENTENCE, FAULTY_SENTENCE.replace("FIXABLE", "fixable") + " It has long legs and a long neck." * 3
    )
    (reason,) = list_refusals(before, longer, token_limit=5, drafted=True)
    assert "at most 5 are allowed for this fix" in reason
    assert list_refusals(before, longer, token_limit=50, drafted=True) == ()


def test_failed_pattern_is_reported(monkeypatch, before):
    failing_pattern = make_pattern("CTX-009", "x")
    failing_pattern.check = lambda case: iter(()) if "FIXABLE" in case.skill.main.text else 1 / 0
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "FIXABLE"), failing_pattern], [])
    (reason,) = list_refusals(before, change_main("FIXABLE", "fixable"))
    assert reason == "CTX-009 failed on the changed skill: ZeroDivisionError: division by zero"


CODE = "```js\nconst notes = Task({ prompt: `Count the birds` })\nif (notes.ok === true) publish(notes)\n```\n"
TEXT = f"""# Birds

{FAULTY_SENTENCE}

Never run `git push --force` on main. Never write to `/etc`. Never write to `/usr`.

- Please don’t remove old tags.
- Use at most `3` agents, and give up after 30s.
- No network. Never push.
- Keep the nest only if the check is green.

## Forbidden

- Feathers in the book.

{CODE}
See [the list](references/list.md).
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`git push --force`", "`git status`"),
        ("at most `3`", "at most `300`"),
        (" Never write to `/etc`.", ""),
        ("don’t remove", "do remove"),
        ("after 30s", "after 900s"),
        ("No network. ", ""),
        ("only if the check is green", "only if the check is red"),
        ("Keep the nest", "Do not keep the nest"),
        ("## Forbidden", "## Allowed"),
        ("- Feathers in the book.\n", ""),
        (CODE, ""),
        ("=== true", "!== true"),
        ("## Forbidden", "## Anti-patterns"),
        ("Counts birds", "Deletes birds"),
        ("references/list.md", "references/other.md"),
    ],
)
def test_change_of_meaning_is_reported_unless_named(old, new):
    case = make_case(TEXT, references__list=LIST, references__other="# Other\n\nSomething else is here.\n")
    text = case.skill.main.text
    assert old in text
    files_after = {"SKILL.md": text.replace("FIXABLE", "fixable").replace(old, new)}
    assert any("loses this" in reason for reason in list_refusals(case, files_after))


def test_removal_of_any_statement_is_reported():
    case = make_case(TEXT, references__list=LIST)
    lines = case.skill.main.text.split("\n")
    for number, line in enumerate(lines):
        if number > 4 and not line.startswith("```") and any(map(str.isalnum, line)) and "FIXABLE" not in line:
            text_after = "\n".join([*lines[:number], *lines[number + 1 :]]).replace("FIXABLE", "fixable")
            assert any("loses this" in reason for reason in list_refusals(case, {"SKILL.md": text_after})), line


def test_reworded_statement_must_be_named_and_replaced():
    case = make_case(TEXT, references__list=LIST)
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    promise = {"rewrites": ("Feathers in the book.",)}
    longer = {"SKILL.md": text.replace("Feathers in", "Feathers of all birds in")}
    assert any("Feathers" in reason for reason in list_refusals(case, longer))
    assert list_refusals(case, longer, **promise) == ()
    twice = case.with_skill(case.skill.with_files({"notes.md": b"# Notes\n\nFeathers in the book.\n"}))
    files_with_two_changes = {**longer, "notes.md": "# Notes\n\nNo feathers.\n"}
    assert list_refusals(twice, files_with_two_changes, drafted=True, **promise) == (
        "notes.md: the fix loses this sentence: Feathers in the book.",
    )
    assert list_refusals(twice, files_with_two_changes, rewrites=promise["rewrites"] * 2) == ()
    files_without_statement = {"SKILL.md": text.replace("- Feathers in the book.\n", "")}
    assert list_refusals(case, files_without_statement, **promise) == (
        "SKILL.md: the fix loses this sentence: Feathers in the book.",
    )


def test_drop_covers_one_whole_statement():
    case = make_case(f"{FAULTY_SENTENCE}\n\n- Nest.\n- Nest.\n- Nest\n", references__list=LIST)
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    files_after = {"SKILL.md": text.replace("- Nest.\n- Nest.\n- Nest\n", "")}
    options = {"drafted": True, "announced": True}
    assert len(list_refusals(case, files_after, drops=("Nest.",), **options)) == 2
    assert len(list_refusals(case, files_after, drops=("Nestling.", "Nests"), **options)) == 3
    assert list_refusals(case, files_after, drops=("- Nest.\n- Nest.\n- Nest",), **options) == ()


def test_drop_covers_one_statement_per_file():
    files = {name: f"# {name}\n\nCount.\n" for name in ("more", "most")}
    case = make_case(f"{FAULTY_SENTENCE}\n\nCount.\n", references__list=LIST, **files)
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    files_after = {"SKILL.md": text, "more.md": "# more\n", "most.md": "# most\n"}
    assert list_refusals(case, files_after, drops=("Count.",)) == ()
    assert len(list_refusals(case, {**files_after, "SKILL.md": text.replace("\nCount.\n", "")}, drops=("Count.",))) == 3


@pytest.mark.parametrize("mark", ["#", "//"])
def test_code_line_that_is_commented_out_is_lost(mark):
    case = make_case(TEXT, references__list=LIST)
    line = "if (notes.ok === true) publish(notes)"
    changed = case.skill.main.text.replace("FIXABLE", "fixable").replace(line, f"{mark} {line}")
    assert any(line in reason for reason in list_refusals(case, {"SKILL.md": changed}))


def test_emptied_script_is_lost():
    case = make_case_with_script()
    changed = {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable"), "scripts/count.py": ""}
    assert any("print" in reason for reason in list_refusals(case, changed))


@pytest.mark.parametrize("replacement", ["<!-- FIXABLE -->", "Well, the FIXABLE again."])
def test_reworded_fault_is_still_found(before, replacement):
    assert any(
        r.startswith("AGT-001 is still found") for r in list_refusals(before, change_main(FAULTY_SENTENCE, replacement))
    )


def test_link_to_a_removed_heading_is_reported(before):
    case = make_case(f"{BODY}\nSee [it](#the-nest).\n\n## The nest\n\nLook.\n", references__list=LIST)
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    assert list_refusals(case, {"SKILL.md": text}) == ()
    messages = list_refusals(case, {"SKILL.md": text.replace("## The nest", "## The box")}, rewrites=("## The nest",))
    assert "SKILL.md:12: #the-nest does not exist; refer to an existing file or heading" in messages


def test_comparison_of_equal_lines_is_linear():
    case = make_case(f"{FAULTY_SENTENCE}\n\n" + "- Nest.\n" * 8000 + "\nThe end.\n", references__list=LIST)
    text = case.skill.main.text.replace("FIXABLE", "fixable")
    assert list_refusals(case, {"SKILL.md": text.replace("The end.", "It ends.")}, rewrites=("The end.",)) == ()
    assert len(list_refusals(case, {"SKILL.md": text.replace("- Nest.\n", "", 3)})) == 3
