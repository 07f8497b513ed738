"""The proof of a fix: each promise that can be broken is told, and a good fix has no reason against it."""

import pytest

from actions.proof.change import Change
from actions.proof.losses import taken_out
from actions.proof.prove import Promise, prove
from actions.scoring.findings import scan
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


def reasons(before, changes, claimed=("AGT-001",), drops=(), rewrites=(), announced=False, **promise):
    """What is held against a change which says that it words the crane otherwise, and announces what goes for good."""
    seen = scan(before)
    claims = frozenset(f.fingerprint for f in seen.findings if f.pattern.id in claimed)
    files = {path: None if text is None else text.encode() for path, text in changes.items()}
    after = before.with_skill(before.skill.replaced(files))
    gone = taken_out(Change(before.skill, after.skill), drops, promise.get("places", ())) if announced else ()
    promised = Promise(claims, drops, rewrites=(CRANE, *rewrites), takes_out=gone, **promise)
    return prove(before, after, seen, promised).reasons


def main(old, new):
    return {"SKILL.md": (HEAD + BODY).replace(old, new)}


def test_a_good_fix_passes(before):
    assert reasons(before, main("CRANE", "crane")) == ()


def test_a_claim_that_still_stands_is_told(before):
    (reason,) = reasons(before, {"references/list.md": LIST + "More.\n"}, drafted=True)
    assert reason.startswith("AGT-001 is still found, in SKILL.md:10: ")


def test_a_fault_that_only_moved_to_another_file_is_still_found(before):
    moved = {"SKILL.md": HEAD + BODY.replace(f"{CRANE} ", ""),
             "references/list.md": f"{LIST}\n{CRANE} Read [the list](references/list.md) first.\n"}  # fmt: skip
    assert any(r.startswith("AGT-001 is still found") for r in reasons(before, moved))


def test_a_new_finding_of_medium_or_worse_is_told_with_its_place(before):
    (reason,) = reasons(before, main("CRANE", "HERON"), claimed=())
    assert reason == "new finding CTX-001 in SKILL.md:10: This line says HERON."


def test_a_new_finding_of_low_severity_is_borne(monkeypatch, before):
    install(monkeypatch, [a_pattern("AGT-001", "CRANE"), a_pattern("CTX-001", "HERON", impact=("easy",))], [])
    assert reasons(before, main("CRANE", "HERON"), claimed=()) == ()


def test_a_broken_head_is_told(before):
    text = (HEAD + BODY).replace("CRANE", "crane").replace("name: plover", "name: [plover")
    assert any(r.startswith("the frontmatter of SKILL.md broke: ") for r in reasons(before, {"SKILL.md": text}))


def test_a_link_that_broke_is_told(before):
    told = reasons(before, {**main("CRANE", "crane"), "references/list.md": None})
    assert any(r.endswith("list.md is not there") for r in told)


def test_a_second_broken_link_of_one_name_is_told(before):
    case = a_case(f"{BODY}\nSee [more](gone/list.md).\n", references__list=LIST)
    text = case.skill.main.text.replace("CRANE", "crane")
    assert reasons(case, {"SKILL.md": text}) == ()
    told = reasons(case, {"SKILL.md": text, "references/list.md": None}, drops=(LIST,), drafted=True)
    assert "SKILL.md:12: list.md is not there" in told


def test_a_lost_rule_is_told_and_so_is_one_that_only_moved(before):
    lossy = main(f"{RULE}\n\nOne tall grey CRANE", "One tall grey crane")
    moved = {**lossy, "references/list.md": f"{LIST}\n{RULE}\n"}
    lost = (f"SKILL.md: this is lost: {RULE}",)
    assert reasons(before, lossy) == reasons(before, moved, drafted=True) == lost
    assert reasons(before, moved, drops=(RULE,), drafted=True) == lost, "nothing sends the reader there instead"
    sent = {**moved, **main(f"{RULE}\n\nOne tall grey CRANE", "Keep to `references/list.md`.\n\nOne tall grey crane")}
    assert reasons(before, sent, drops=(RULE,), drafted=True) == ()


@pytest.mark.parametrize("changed", ["Always count a bird twice on one day.", "Never count a bird 3 times on one day."])
def test_a_rule_that_now_says_the_opposite_or_another_number_is_lost(before, changed):
    text = (HEAD + BODY).replace("CRANE", "crane").replace(RULE, changed)
    assert any("is lost" in r for r in reasons(before, {"SKILL.md": text}, drafted=True))


def test_what_is_dropped_stands_elsewhere_afterwards_or_is_taken_out_for_good(before):
    without = main(f"{RULE}\n\nOne tall grey CRANE", "One tall grey crane")
    lost = (f"SKILL.md: this is lost: {RULE}",)
    assert reasons(before, without, drops=(RULE,)) == reasons(before, without, drops=(RULE,), drafted=True) == lost
    assert reasons(before, without, drops=(RULE,), drafted=True, announced=True) == ()
    below = {"SKILL.md": HEAD + BODY.replace("CRANE", "crane"), "references/list.md": LIST}
    twice = a_case(BODY, references__list=f"{LIST}\n- {RULE}\n")
    assert reasons(twice, below, drops=(RULE,)) == (), "the top of SKILL.md holds everywhere"
    assert reasons(twice, without, drops=(RULE,)) == lost, "a reference does not hold for SKILL.md"
    fenced = {"SKILL.md": below["SKILL.md"].replace(RULE, f"```\n{RULE}\n```")}
    assert reasons(twice, {**below, **fenced}, drops=(RULE,)), "as code it says something else"


@pytest.mark.parametrize("named", [(RULE,), (RULE, "Write each name of a bird on a line of its own.")])
def test_a_fix_that_drops_a_copy_and_the_original_too_is_told(named):
    twice = a_case(BODY, references__list=f"{LIST}\n{RULE}\n")
    both = {**main(f"{RULE}\n\nOne tall grey CRANE", "One tall grey crane"), "references/list.md": LIST}
    assert len(reasons(twice, both, drops=named)) == 2
    (told,) = reasons(twice, both, drops=named, drafted=True, announced=True)
    assert told == f"references/list.md: this is lost: {RULE}"
    assert reasons(twice, both, drops=(*named, RULE), drafted=True, announced=True) == ()


SAVE = "Write the result to out.json."
PHASES = f"{CRANE}\n\n## Phase 1\n\nLook at the nests. -{SAVE}\n\n## Phase 3\n\nCount the eggs. {SAVE}\n"
HERE, THERE = ("SKILL.md", 12, 12), ("SKILL.md", 16, 16)
COPIES = {
    "in another section": (PHASES, (), False),
    "over all": (f"{SAVE}\n\n{PHASES}", (), True),
    "in the same section": (PHASES.replace("Look", f"{SAVE} Look"), (), True),
    "under another line that leads to it": (f"{CRANE}\n\n- Look. -{SAVE}\n\nIf it rains:\n\n- {SAVE}\n", (), False),
    "in another item": (f"{CRANE}\n\n- In the north\n  - Look. -{SAVE}\n- In the south\n  - {SAVE}\n", (), False),
    "as another step of a list": (f"{CRANE}\n\n1. {SAVE}\n2. Count again.\n3. Look. -{SAVE}\n", (), False),
    "as a line of other code": (f"{CRANE}\n\n```sh\nmake a\nmake b\nmake c\n-make b\n```\n", (), False),
    "in the other place of the finding": (PHASES, (HERE, THERE), True),
    "in a place that the finding does not name": (PHASES, (HERE,), False),
    "within one place of the finding": (PHASES, (("SKILL.md", 8, 17), THERE), False),
}


@pytest.mark.parametrize("where", COPIES)
def test_a_copy_holds_where_it_governs_the_place_or_where_the_finding_names_both(where):
    body, places, holds = COPIES[where]
    gone = "make b" if "make" in body else SAVE
    case = a_case(body.replace(f"-{gone}", gone), references__list=LIST)
    after = {"SKILL.md": HEAD + body.replace("CRANE", "crane").replace(f"-{gone}", "")}
    told = reasons(case, after, drops=(gone,), drafted=True, places=places)
    assert told == (() if holds else (f"SKILL.md: this is lost: {gone}",))


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
def test_marks_and_blanks_that_tell_are_a_part_of_what_stands(old, new):
    case = a_case(f"{CRANE}\n\n{old}", references__list=LIST)
    changed = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane").replace(old, new)}
    assert any("is lost" in reason for reason in reasons(case, changed, drafted=True))


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
def test_nothing_new_stands_over_what_is_not_touched(old, new):
    case = a_case(f"{CRANE}\n\n{old}", references__list=LIST)
    changed = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane").replace(old, new)}
    assert any("a new line stands over this" in reason for reason in reasons(case, changed, drafted=True))


def test_a_heading_that_is_named_may_read_otherwise_and_what_stands_under_it_stays():
    case = a_case(f"{CRANE}\n\n## North\n\nAsk:\n\n- Twice.\n", references__list=LIST)
    text = (
        case.skill.main.text.replace("CRANE", "crane").replace("## North", "## The north").replace("Ask:", "Ask them:")
    )
    assert reasons(case, {"SKILL.md": text}, rewrites=("## North", "Ask:"), drafted=True) == ()


def test_a_new_file_says_more_too(before):
    told = reasons(before, {**main("CRANE", "crane"), "notes.md": "# Notes\n\nAlways shout.\n"})
    assert told == tuple(f"notes.md: this is said more: {text}" for text in ("# Notes", "Always shout."))


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
def test_what_moves_holds_where_a_new_reference_leads_in_the_same_order(target, there, holds):
    case = a_case(f"{CRANE}\n\n{MOVED}", references__list=LIST, notes="# Notes\n\nNone.\n")
    text = case.skill.main.text.replace("CRANE", "crane").replace(MOVED, f"Then do what [it]({target}) says.\n")
    told = reasons(case, {"SKILL.md": text, "notes.md": f"# Notes\n\nNone.\n\n{there}"}, drops=(MOVED,), drafted=True)
    assert (told == ()) == holds


@pytest.mark.parametrize("step", ["1.", "2."])
def test_a_condition_of_a_step_holds_where_the_reference_stands_in_its_own_step(step):
    case = a_case(f"{CRANE}\n\n1. Look. Skip this in the rain.\n2. Then wait. Go home.\n", notes="# Notes\n\nNone.\n")
    place = {"1.": " Skip this in the rain.", "2.": " Go home."}[step]
    text = case.skill.main.text.replace("CRANE", "crane").replace(place, f"{place} See [notes](notes.md).")
    files = {
        "SKILL.md": text.replace(" Skip this in the rain.", ""),
        "notes.md": "# Notes\n\nNone.\n\nSkip this in the rain.\n",
    }
    told = reasons(case, files, drops=("Skip this in the rain.",), drafted=True)
    assert (told == ()) == (step == "1.")


TYPE = "interface Bird {\n  name: string;\n  shore: string;\n  day: number;\n}"


@pytest.mark.parametrize("again", [TYPE, "interface Bird { name: string, shore: string, day: number }"])
def test_a_type_may_go_where_an_equal_one_stays_and_nowhere_else(again):
    fence = f"```ts\n{again}\n```\n"
    case = a_case(f"{CRANE}\n\n{fence}", specs__birds=f"# Birds\n\n```ts\n{TYPE}\n```\n")
    text = case.skill.main.text.replace("CRANE", "crane")
    copy = {"SKILL.md": text.replace(fence, "")}
    assert reasons(case, copy, drops=(fence,)) == ()
    assert len(reasons(case, {**copy, "specs/birds.md": "# Birds\n"}, drops=(fence, TYPE))) >= 6


def test_an_entry_whose_file_is_not_there_may_go_and_no_sentence_beside_it():
    case = a_case(
        f"{CRANE}\n\n- [Gulls](gulls.md): grey. Count them twice.\n- [List](references/list.md)\n",
        references__list=LIST,
    )
    entry = "[Gulls](gulls.md): grey. Count them twice."
    gone = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane").replace(f"- {entry}\n", "")}
    assert reasons(case, gone, drops=(f"- {entry}",)) == ("SKILL.md: this is lost: Count them twice.",)
    gone = {"SKILL.md": gone["SKILL.md"].replace("- [List]", "- Count them twice.\n- [List]")}
    assert reasons(case, gone, drops=(f"- {entry}",)) == ()
    told = ("SKILL.md: this is lost: [Gulls](gulls.md): grey.",)
    assert reasons(case, gone, drops=(f"- {entry}",), drafted=True) == told, "a judge may take a rule for an entry"
    assert reasons(case, gone, drops=(f"- {entry}",), drafted=True, announced=True) == ()


def test_a_broken_token_promise_is_told(before):
    longer = main(CRANE, CRANE.replace("CRANE", "crane") + " It has long legs and a long neck." * 3)
    (reason,) = reasons(before, longer, token_limit=5, drafted=True)
    assert "5 were promised" in reason
    assert reasons(before, longer, token_limit=50, drafted=True) == ()


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


def test_what_a_fix_says_otherwise_is_named_and_something_stands_in_its_place():
    case = a_case(TEXT, references__list=LIST)
    text = case.skill.main.text.replace("CRANE", "crane")
    named = {"rewrites": ("Feathers in the book.",)}
    longer = {"SKILL.md": text.replace("Feathers in", "Feathers of all birds in")}
    assert any("Feathers" in reason for reason in reasons(case, longer))
    assert reasons(case, longer, **named) == ()
    twice = case.with_skill(case.skill.replaced({"notes.md": b"# Notes\n\nFeathers in the book.\n"}))
    both = {**longer, "notes.md": "# Notes\n\nNo feathers.\n"}
    assert reasons(twice, both, drafted=True, **named) == ("notes.md: this is lost: Feathers in the book.",)
    assert reasons(twice, both, rewrites=named["rewrites"] * 2) == ()
    gone = {"SKILL.md": text.replace("- Feathers in the book.\n", "")}
    assert reasons(case, gone, **named) == ("SKILL.md: this is lost: Feathers in the book.",)


def test_a_name_stands_for_one_statement_and_for_no_part_of_a_word():
    case = a_case(f"{CRANE}\n\n- Nest.\n- Nest.\n- Nest\n", references__list=LIST)
    text = case.skill.main.text.replace("CRANE", "crane")
    none, out = {"SKILL.md": text.replace("- Nest.\n- Nest.\n- Nest\n", "")}, {"drafted": True, "announced": True}
    assert len(reasons(case, none, drops=("Nest.",), **out)) == 2
    assert len(reasons(case, none, drops=("Nestling.", "Nests"), **out)) == 3
    assert reasons(case, none, drops=("- Nest.\n- Nest.\n- Nest",), **out) == ()


def test_a_name_stands_for_one_statement_in_each_file_as_long_as_it_is_said_somewhere():
    files = {name: f"# {name}\n\nCount.\n" for name in ("more", "most")}
    case = a_case(f"{CRANE}\n\nCount.\n", references__list=LIST, **files)
    text = case.skill.main.text.replace("CRANE", "crane")
    none = {"SKILL.md": text, "more.md": "# more\n", "most.md": "# most\n"}
    assert reasons(case, none, drops=("Count.",)) == ()
    assert len(reasons(case, {**none, "SKILL.md": text.replace("\nCount.\n", "")}, drops=("Count.",))) == 3


@pytest.mark.parametrize("mark", ["#", "//"])
def test_a_line_of_code_that_is_commented_out_is_lost(mark):
    case = a_case(TEXT, references__list=LIST)
    line = "if (notes.ok === true) publish(notes)"
    changed = case.skill.main.text.replace("CRANE", "crane").replace(line, f"{mark} {line}")
    assert any(line in reason for reason in reasons(case, {"SKILL.md": changed}))


def test_a_script_that_is_emptied_is_a_loss():
    case = before_with_script()
    changed = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane"), "scripts/count.py": ""}
    assert any("print" in reason for reason in reasons(case, changed))


def before_with_script():
    case = a_case(BODY, references__list=LIST)
    return case.with_skill(case.skill.replaced({"scripts/count.py": b"print(len(birds))\n"}))


@pytest.mark.parametrize("told", ["<!-- CRANE -->", "Well, the CRANE again."])
def test_a_fault_that_is_only_reworded_is_not_gone(before, told):
    assert any(r.startswith("AGT-001 is still found") for r in reasons(before, main(CRANE, told)))


JS = "```js\nconst bird = count({ shore: 'north' })\nfor (const nest of bird.nests) { tell(nest) }\n```\n"
HALF = "```js\nconst bird = count({ shore: … })\n```\n"


def mended_code(text, old, new, **files):
    """What is held against a draft that changes code and names all of it, so that nothing counts as lost."""
    case = a_case(f"{CRANE}\n\n{text}", **files)
    changed = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane").replace(old, new)}
    return reasons(case, changed, drops=(text,), drafted=True, announced=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [("})\n", "}\n"), ("{ tell(nest) }", "{ tell(nest)"), ("nest of bird", "nest off bird"), (" 'north'", " north'")],
)
def test_a_change_after_which_code_does_not_parse_is_told(old, new):
    told = mended_code(JS, old, new)
    assert "SKILL.md: javascript code that parsed does not parse any more" in told


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (JS, "'north'", "'south'"),
        (HALF, "shore: …", "shore: …, limit: 3"),
        (JS, JS, ""),
        (JS + "\n" + HALF, "'north'", "1"),
    ],
    ids=["it parses", "it never did", "it is gone", "another fence never did"],
)
def test_a_change_of_code_that_parses_or_never_did_is_borne(text, old, new):
    assert mended_code(text, old, new) == ()


IMPOSSIBLE = [
    ("js", "const notes = []", "const notes = []\nkeep(count)", "nothing defines the name `count`"),
    ("js", "const size = 1", "const size = 1\nsize += 1", "the constant `size` is set again"),
    ("js", "const size = 1", "const size = 1\nsize++", "the constant `size` is set again"),
    ("js", "tell({ history: 'all' })", "tell({ history: 'all'.slice(-10) })", "`'all'` has no method `slice`"),
    ("js", "tell(['a', 'b'])", "tell(['a', 'b'].slice(-10))", "`['a', 'b']` has no method `slice`"),
    ("js", "const notes = {}", "const notes = {}\nnotes.push(1)", "`notes` has no method `push`"),
    ("js", "const text = `a`", "const text = `a`\ntext.push(1)", "`text` has no method `push`"),
    ("python", "notes = []", "notes = []\nprint(notes.slice(-10))", "`notes` has no method `slice`"),
    ("python", "tell('all')", "tell('all'.push(1))", "`'all'` has no method `push`"),
    ("python", "for note in notes:\n    print(note)", "for note in notes:\n    print(nest)", "nothing defines the name `nest`"),
    ("bash", "echo one", 'echo one "$limit"', "nothing defines the name `limit`"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "old", "new", "why"), IMPOSSIBLE, ids=[f"{row[0]} {row[2]}" for row in IMPOSSIBLE])
def test_code_that_can_not_run_any_more_is_told(word, old, new, why):
    start = "const keep = 1, tell = 2\n" if word == "js" else "def tell(a): pass\n" if word == "python" else ""
    if "slice(" in new and word == "js":
        why = why.split(" has")[0]
    told = mended_code(f"```{word}\n{start}{old}\n```\n", old, new)
    assert [reason for reason in told if why in reason] == list(told) != []


@pytest.mark.parametrize(
    ("word", "old", "new"),
    [
        ("js", "let size = 1", "let size = 1\nsize += 1"),
        ("js", "for (const nest of nests) tell(nest)", "for (const box of nests) tell(box)"),
        ("js", "Task({ prompt: 'a' })", "const done = Task({ prompt: 'a' })\nif (!done.ok) throw new Error(done.why)"),
        ("js", "const a = (x) => x", "const a = ({ x, y: [z] }) => JSON.stringify([x, z]).slice(0, 9)"),
        ("js", "nests.push(bird)", "nests.push(bird, nests[0], `${bird}`.trim())"),
        ("python", "notes = []", "notes = []\nnotes.append(len(notes))"),
        ("python", "import json", "import json\ntry:\n    print(json.loads(''))\nexcept ValueError as error:\n    print(error)"),
        ("python", "with open('a') as file:\n    pass", "with open('a') as file:\n    print([line for line in file])"),
        ("bash", "ls", 'for one in a b; do echo "$one"; done\nread -r two; echo "$two" "$HOME" "$1"'),
    ],
)  # fmt: skip
def test_code_that_can_run_is_borne(word, old, new):
    assert mended_code(f"```{word}\n{old}\n```\n", old, new) == ()


def test_a_name_that_another_fence_of_the_file_defines_is_known():
    text = "```js\nconst limit = 3\n```\n\n```js\nTask({ prompt: 'a' })\n```\n"
    assert mended_code(text, "prompt: 'a'", "prompt: 'a', limit") == ()
    (reason,) = mended_code(text, "prompt: 'a'", "prompt: 'a', limits")
    assert reason == "SKILL.md: nothing defines the name `limits`"


def test_code_that_is_marked_as_another_language_is_told():
    assert "SKILL.md: code is marked as another language" in mended_code(JS, "```js", "```python")


def test_a_script_that_does_not_parse_any_more_is_told():
    case = before_with_script()
    changed = {"SKILL.md": case.skill.main.text.replace("CRANE", "crane"), "scripts/count.py": "print(len(birds)\n"}
    told = reasons(case, changed, rewrites=("print(len(birds))",))
    assert "scripts/count.py: python code that parsed does not parse any more" in told


def test_a_link_to_a_heading_that_went_is_told(before):
    case = a_case(f"{BODY}\nSee [it](#the-nest).\n\n## The nest\n\nLook.\n", references__list=LIST)
    text = case.skill.main.text.replace("CRANE", "crane")
    assert reasons(case, {"SKILL.md": text}) == ()
    told = reasons(case, {"SKILL.md": text.replace("## The nest", "## The box")}, rewrites=("## The nest",))
    assert "SKILL.md:12: #the-nest is not there" in told


def test_a_file_of_thousands_of_equal_lines_is_compared_in_proportion():
    case = a_case(f"{CRANE}\n\n" + "- Nest.\n" * 8000 + "\nThe end.\n", references__list=LIST)
    text = case.skill.main.text.replace("CRANE", "crane")
    assert reasons(case, {"SKILL.md": text.replace("The end.", "It ends.")}, rewrites=("The end.",)) == ()
    assert len(reasons(case, {"SKILL.md": text.replace("- Nest.\n", "", 3)})) == 3
