"""The proof of a fix: each promise that can be broken is told, and a good fix has no reason against it."""

import pytest

from actions.findings import scan
from actions.proof.prove import Promise, prove
from tests.fakes import HEAD, a_case, a_pattern, birds, install

CRANE = "One tall grey CRANE stands on the shore in the early morning and waits for small fish."
RULE = "Never count a bird twice on one day."
BODY = f"{RULE}\n\n{CRANE} Read [the list](references/list.md) first.\n"
LIST = "# List\n\nWrite each name of a bird on a line of its own.\n"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    birds(monkeypatch)


@pytest.fixture
def before():
    return a_case(BODY, references__list=LIST)


def reasons(before, changes, claimed=("AGT-001",), **promise):
    seen = scan(before)
    claims = frozenset(f.fingerprint for f in seen.findings if f.pattern.id in claimed)
    files = {path: None if text is None else text.encode() for path, text in changes.items()}
    return prove(before, before.with_skill(before.skill.replaced(files)), seen, Promise(claims, **promise)).reasons


def main(old, new):
    return {"SKILL.md": (HEAD + BODY).replace(old, new)}


def test_a_good_fix_passes(before):
    assert reasons(before, main("CRANE", "crane")) == ()


def test_a_claim_that_still_stands_is_told(before):
    (reason,) = reasons(before, {"references/list.md": LIST + "More.\n"})
    assert reason.startswith("AGT-001 is still found, in SKILL.md:10: ")


def test_a_fault_that_only_moved_to_another_file_is_still_found(before):
    moved = {"SKILL.md": HEAD + BODY.replace(f"{CRANE} ", ""),
             "references/list.md": f"{LIST}\n{CRANE} Read [the list](references/list.md) first.\n"}  # fmt: skip
    assert any(r.startswith("AGT-001 is still found") for r in reasons(before, moved))


def test_a_new_finding_of_medium_or_worse_is_told_with_its_place(before):
    (reason,) = reasons(before, main("CRANE", "HERON"), claimed=(), drops=(CRANE,))
    assert reason == "CTX-001 is found anew in SKILL.md:10: This line says HERON."


def test_a_new_finding_of_low_severity_is_borne(monkeypatch, before):
    install(monkeypatch, [a_pattern("AGT-001", "CRANE"), a_pattern("CTX-001", "HERON", impact=("easy",))], [])
    assert reasons(before, main("CRANE", "HERON"), claimed=(), drops=(CRANE,)) == ()


def test_a_broken_head_is_told(before):
    text = (HEAD + BODY).replace("CRANE", "crane").replace("name: plover", "name: [plover")
    assert any(r.startswith("the frontmatter of SKILL.md broke: ") for r in reasons(before, {"SKILL.md": text}))


def test_a_link_that_broke_is_told(before):
    told = reasons(before, {**main("CRANE", "crane"), "references/list.md": None})
    assert any(r.endswith("list.md is not there") for r in told)


def test_a_lost_rule_is_told_and_a_moved_one_is_not(before):
    (reason,) = reasons(before, main(f"{RULE}\n\nOne tall grey CRANE", "One tall grey crane"))
    assert reason == f"SKILL.md: this is lost: {RULE}"
    moved = {**main(f"{RULE}\n\nOne tall grey CRANE", "One tall grey crane"), "references/list.md": f"{LIST}\n{RULE}\n"}
    assert reasons(before, moved) == ()


@pytest.mark.parametrize("changed", ["Always count a bird twice on one day.", "Never count a bird 3 times on one day."])
def test_a_rule_that_now_says_the_opposite_or_another_number_is_lost(before, changed):
    assert any(
        "is lost" in r
        for r in reasons(before, {"SKILL.md": (HEAD + BODY).replace("CRANE", "crane").replace(RULE, changed)})
    )


def test_what_a_fix_says_it_drops_may_go(before):
    assert reasons(before, main(f"{RULE}\n\nOne tall grey CRANE", "One tall grey crane"), drops=(RULE,)) == ()


def test_a_broken_token_promise_is_told(before):
    longer = main(CRANE, CRANE.replace("CRANE", "crane") + " It has long legs and a long neck." * 3)
    (reason,) = reasons(before, longer, token_limit=5)
    assert "5 were promised" in reason
    assert reasons(before, longer, token_limit=50) == ()


def test_a_pattern_that_cannot_look_at_the_change_is_a_reason(monkeypatch, before):
    fragile = a_pattern("CTX-009", "x")
    fragile.look = lambda case: iter(()) if "CRANE" in case.skill.main.text else 1 / 0
    install(monkeypatch, [a_pattern("AGT-001", "CRANE"), fragile], [])
    (reason,) = reasons(before, main("CRANE", "crane"))
    assert reason == "CTX-009 could not look at the changed skill: ZeroDivisionError: division by zero"


CODE = "```js\nconst notes = Task({ prompt: `Count the birds` })\nif (notes.ok === true) publish(notes)\n```\n"
TEXT = f"""# Birds

{CRANE}

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
def test_no_change_of_meaning_passes_unless_it_is_named(old, new):
    case = a_case(TEXT, references__list=LIST, references__other="# Other\n\nSomething else stands here.\n")
    text = case.skill.main.text
    assert old in text
    changed = {"SKILL.md": text.replace("CRANE", "crane").replace(old, new)}
    assert any("is lost" in reason for reason in reasons(case, changed))


def test_every_single_statement_of_a_skill_is_missed_when_it_goes():
    case = a_case(TEXT, references__list=LIST)
    lines = case.skill.main.text.split("\n")
    for number, line in enumerate(lines):
        if number > 4 and not line.startswith("```") and any(map(str.isalnum, line)) and "CRANE" not in line:
            changed = "\n".join([*lines[:number], *lines[number + 1 :]]).replace("CRANE", "crane")
            assert any("lost" in reason for reason in reasons(case, {"SKILL.md": changed})), line


def test_a_statement_may_say_more_where_the_fix_names_it():
    case = a_case(TEXT, references__list=LIST)
    longer = {
        "SKILL.md": case.skill.main.text.replace("CRANE", "crane").replace("Feathers in", "Feathers of all birds in")
    }
    assert any("Feathers" in reason for reason in reasons(case, longer))
    assert reasons(case, longer, rewrites=("Feathers in the book.",)) == ()


@pytest.mark.parametrize(
    "new", ["Avoid feathers in the book.", "Feathers in the book are not forbidden.", "", "Paper."]
)
def test_what_a_fix_rewords_must_still_be_said_and_not_turned_round(new):
    case = a_case(TEXT, references__list=LIST)
    changed = case.skill.main.text.replace("CRANE", "crane").replace("- Feathers in the book.", new)
    told = reasons(case, {"SKILL.md": changed}, rewrites=("Feathers in the book.",))
    assert "SKILL.md: this is lost: Feathers in the book." in told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Permitted only when all nests are empty (state it before choosing):", "see [Nests](#nests)."),
        ("Permitted only when all nests are empty (state it before choosing):",
         "Never permitted only when all nests are empty (state it before choosing): see [Nests](#nests)."),
        ("Permitted only when all nests are empty (state it before choosing):",
         "Permitted only when all nests are empty (state it after choosing): see [Nests](#nests)."),
        ("Open at most one box on a visit.", "Open at least one box on a visit, see [Nests](#nests)."),
        ("离开之前数一遍鸟巢。", "离开之后数一遍鸟巢，见[Nests](#nests)。"),
    ],
    ids=["removed", "negated", "after for before", "least for most", "之后 for 之前"],
)  # fmt: skip
def test_what_a_fix_rewords_is_lost_though_a_rule_like_it_stood_already(old, new):
    like = old.replace("choosing", "the choice").replace("a visit", "each visit").replace("数", "再数")
    case = a_case(f"{TEXT}\n## Nests\n\n{like}\n\n## Choice\n\n{old}\n", references__list=LIST)
    changed = case.skill.main.text.replace("CRANE", "crane").replace(old, new)
    (reason,) = reasons(case, {"SKILL.md": changed}, rewrites=(old,))
    assert reason == f"SKILL.md: this is lost: {old}"
    going_on = case.skill.main.text.replace("CRANE", "crane").replace(old, f"{old} see [Nests](#nests).")
    assert reasons(case, {"SKILL.md": going_on}, rewrites=(old,)) == ()


def test_a_limit_and_a_rule_that_stands_elsewhere_turn_nothing_round():
    case = a_case(f"{TEXT}\n- Name the nests.\n", references__list=LIST)
    named = "- Name the nests, no more than ten, then stop. Never run `git push --force` on main."
    changed = case.skill.main.text.replace("CRANE", "crane").replace("- Name the nests.", named)
    assert reasons(case, {"SKILL.md": changed}, rewrites=("Name the nests.",)) == ()


@pytest.mark.parametrize("mark", ["#", "//"])
def test_a_line_of_code_that_is_commented_out_is_lost(mark):
    case = a_case(TEXT, references__list=LIST)
    line = "if (notes.ok === true) publish(notes)"
    changed = case.skill.main.text.replace("CRANE", "crane").replace(line, f"{mark} {line}")
    assert any(line in reason for reason in reasons(case, {"SKILL.md": changed}))


def test_a_rule_that_moves_to_a_file_that_nothing_names_is_lost():
    case = a_case(TEXT, references__list=LIST)
    text = case.skill.main.text.replace("CRANE", "crane").replace("- Feathers in the book.\n", "")
    hidden = {"SKILL.md": text, "x/old.md": "# Forbidden of old\n\nFeathers in the book.\n"}
    assert any("Feathers" in reason for reason in reasons(case, hidden))
    told = {**hidden, "SKILL.md": text + "\nSee [old rules](x/old.md).\n"}
    assert reasons(case, told) == ()


def test_a_script_that_is_emptied_is_a_loss():
    case = before_with_script()
    changed = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane"), "scripts/count.py": ""}
    assert any("print" in reason for reason in reasons(case, changed))


def before_with_script():
    case = a_case(BODY, references__list=LIST)
    return case.with_skill(case.skill.replaced({"scripts/count.py": b"print(len(birds))\n"}))


QUOTED = 'When it says "Count complete", load all of the reports and return to the shore.'


def test_a_quoted_phrase_in_other_words_is_only_reworded(monkeypatch):
    install(monkeypatch, [a_pattern("CTX-007", "load all of")], [])
    case = a_case(f"{QUOTED}\n\nThen answer.\n")
    new = QUOTED.replace("Count complete", "Count whole").replace("load all of", "load each of")
    told = reasons(case, {"SKILL.md": case.skill.main.text.replace(QUOTED, new)}, ("CTX-007",), rewrites=(QUOTED,))
    assert any("is only reworded" in reason for reason in told)


ORDER = "Load all of the reports into the context before the first answer."


@pytest.mark.parametrize(
    "new",
    [
        "Please load all of the reports into the context before the first answer.",
        "Fetch each of the reports into the context before the first answer.",
        "Before the first answer, get all of the reports into the context.",
    ],
)
@pytest.mark.parametrize("named", ["drops", "rewrites"])
def test_a_fix_that_only_rewords_the_sentence_fails_although_the_pattern_is_silent(monkeypatch, new, named):
    install(monkeypatch, [a_pattern("CTX-007", "Load all of")], [])
    case = a_case(f"{ORDER}\n\nThen answer.\n")
    changed = {"SKILL.md": case.skill.main.text.replace(ORDER, new)}
    told = reasons(case, changed, ("CTX-007",), **{named: (ORDER,)})
    assert any("is only reworded" in reason or "is still found" in reason for reason in told)


@pytest.mark.parametrize(
    "new",
    [
        "Load at most three of the reports into the context before the first answer.",
        "Load a report into the context when an answer needs it, and let a sub-agent read the others.",
    ],
)
def test_a_fix_that_says_something_else_is_more_than_a_rewording(monkeypatch, new):
    install(monkeypatch, [a_pattern("CTX-007", "Load all of")], [])
    case = a_case(f"{ORDER}\n\nThen answer.\n")
    assert reasons(case, {"SKILL.md": case.skill.main.text.replace(ORDER, new)}, ("CTX-007",), rewrites=(ORDER,)) == ()


@pytest.mark.parametrize("told", ["<!-- CRANE -->", "Well, the CRANE again."])
def test_a_fault_that_is_only_reworded_is_not_gone(before, told):
    assert any(r.startswith("AGT-001 is still found") for r in reasons(before, main(CRANE, told), drops=(CRANE,)))


JS = "```js\nconst bird = count({ shore: 'north' })\nfor (const nest of bird.nests) { tell(nest) }\n```\n"
HALF = "```js\nconst bird = count({ shore: … })\n```\n"


def mended_code(text, old, new, **files):
    """What is held against a change of code that the fix names, so that nothing counts as lost."""
    case = a_case(f"{CRANE}\n\n{text}", **files)
    changed = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane").replace(old, new)}
    named = tuple(line for line in text.splitlines() if line not in changed["SKILL.md"])
    return reasons(case, changed, drops=named)


@pytest.mark.parametrize(
    ("old", "new"),
    [("})\n", "}\n"), ("{ tell(nest) }", "{ tell(nest)"), ("nest of bird", "nest off bird"), (" 'north'", " north'")],
)
def test_a_change_after_which_code_does_not_parse_is_told(old, new):
    (reason,) = mended_code(JS, old, new)
    assert reason == "SKILL.md: javascript code that parsed does not parse any more"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (JS, "'north'", "'south'"),
        (HALF, "shore: …", "shore: …, limit: …"),
        (JS, JS, ""),
        (JS + "\n" + HALF, "'north'", "1"),
    ],
    ids=["it parses", "it never did", "it is gone", "another fence never did"],
)
def test_a_change_of_code_that_parses_or_never_did_is_borne(text, old, new):
    assert mended_code(text, old, new) == ()


def test_a_script_that_does_not_parse_any_more_is_told():
    case = before_with_script()
    changed = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane"), "scripts/count.py": "print(len(birds)\n"}
    told = reasons(case, changed, drops=("print(len(birds))",))
    assert "scripts/count.py: python code that parsed does not parse any more" in told


def test_a_link_to_a_heading_that_went_is_told(before):
    case = a_case(f"{BODY}\nSee [it](#the-nest).\n\n## The nest\n\nLook.\n", references__list=LIST)
    text = case.skill.main.text.replace("CRANE", "crane")
    assert reasons(case, {"SKILL.md": text}) == ()
    told = reasons(case, {"SKILL.md": text.replace("## The nest", "## The box")}, drops=("## The nest",))
    assert "SKILL.md:12: #the-nest is not there" in told
