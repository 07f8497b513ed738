"""Test that code still parses after a fix and uses only defined names."""

import pytest

from tests.actions.fixes.invariants.changes import FAULTY_SENTENCE, list_refusals, make_case_with_script
from tests.fakes import make_case

pytestmark = pytest.mark.usefixtures("catalogue")


JS = "```js\nconst bird = count({ shore: 'north' })\nfor (const nest of bird.nests) { tell(nest) }\n```\n"
FENCE_WITH_PLACEHOLDER = "```js\nconst bird = count({ shore: … })\n```\n"


def list_refusals_of_code(text, old, new, **files):
    """Return why a change to code is refused; it declares the whole code as changed, so nothing counts as lost."""
    case = make_case(f"{FAULTY_SENTENCE}\n\n{text}", **files)
    files_after = {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable").replace(old, new)}
    return list_refusals(case, files_after, drops=(text,), drafted=True, announced=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [("})\n", "}\n"), ("{ tell(nest) }", "{ tell(nest)"), ("nest of bird", "nest off bird"), (" 'north'", " north'")],
)
def test_code_that_no_longer_parses_is_reported(old, new):
    messages = list_refusals_of_code(JS, old, new)
    assert "SKILL.md: javascript code no longer parses" in messages


def test_additional_placeholders_are_not_an_error():
    text = "```bash\ngit checkout <base-branch>\n```\n"
    messages = list_refusals_of_code(text, "<base-branch>\n", "<base-branch> &&\n  git merge <feature-branch>\n")
    assert not [message for message in messages if "no longer parses" in message]
    assert "SKILL.md: bash code no longer parses" in list_refusals_of_code(
        text, "<base-branch>\n", "<base-branch> && (\n"
    )


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (JS, "'north'", "'south'"),
        (FENCE_WITH_PLACEHOLDER, "shore: …", "shore: …, limit: 3"),
        (JS, JS, ""),
        (JS + "\n" + FENCE_WITH_PLACEHOLDER, "'north'", "1"),
    ],
    ids=["still parses", "never parsed", "removed", "another fence never parsed"],
)
def test_code_that_parses_or_never_parsed_passes(text, old, new):
    assert list_refusals_of_code(text, old, new) == ()


IMPOSSIBLE = [
    ("js", "const notes = []", "const notes = []\nkeep(count)", "`count` is not defined"),
    ("js", "const size = 1", "const size = 1\nsize += 1", "the constant `size` is reassigned"),
    ("js", "const size = 1", "const size = 1\nsize++", "the constant `size` is reassigned"),
    ("js", "tell({ history: 'all' })", "tell({ history: 'all'.slice(-10) })", "`'all'` has no method `slice`"),
    ("js", "tell(['a', 'b'])", "tell(['a', 'b'].slice(-10))", "`['a', 'b']` has no method `slice`"),
    ("js", "const notes = {}", "const notes = {}\nnotes.push(1)", "`notes` has no method `push`"),
    ("js", "const text = `a`", "const text = `a`\ntext.push(1)", "`text` has no method `push`"),
    ("python", "notes = []", "notes = []\nprint(notes.slice(-10))", "`notes` has no method `slice`"),
    ("python", "tell('all')", "tell('all'.push(1))", "`'all'` has no method `push`"),
    ("python", "for note in notes:\n    print(note)", "for note in notes:\n    print(nest)", "`nest` is not defined"),
    ("bash", "echo one", 'echo one "$limit"', "`limit` is not defined"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "old", "new", "expected_reason"), IMPOSSIBLE, ids=[f"{row[0]} {row[2]}" for row in IMPOSSIBLE]
)
def test_code_that_can_no_longer_run_is_reported(language, old, new, expected_reason):
    start = "const keep = 1, tell = 2\n" if language == "js" else "def tell(a): pass\n" if language == "python" else ""
    if "slice(" in new and language == "js":
        expected_reason = expected_reason.split(" has")[0]
    messages = list_refusals_of_code(f"```{language}\n{start}{old}\n```\n", old, new)
    assert [reason for reason in messages if expected_reason in reason] == list(messages) != []


@pytest.mark.parametrize(
    ("language", "old", "new"),
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
def test_code_that_can_run_passes(language, old, new):
    assert list_refusals_of_code(f"```{language}\n{old}\n```\n", old, new) == ()


def test_name_defined_in_another_fence_is_known():
    text = "```js\nconst limit = 3\n```\n\n```js\nTask({ prompt: 'a' })\n```\n"
    assert list_refusals_of_code(text, "prompt: 'a'", "prompt: 'a', limit") == ()
    (reason,) = list_refusals_of_code(text, "prompt: 'a'", "prompt: 'a', limits")
    assert reason == "SKILL.md: `limits` is not defined"


def test_code_marked_as_another_language_is_reported():
    assert "SKILL.md: code is now marked as another language" in list_refusals_of_code(JS, "```js", "```python")


def test_script_that_no_longer_parses_is_reported():
    case = make_case_with_script()
    files_after = {
        "SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable"),
        "scripts/count.py": "print(len(birds)\n",
    }
    messages = list_refusals(case, files_after, rewrites=("print(len(birds))",))
    assert "scripts/count.py: python code no longer parses" in messages
