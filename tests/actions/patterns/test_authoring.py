"""Test that the authoring patterns find relayed data, overly large states and stubs, and ignore lookalikes."""

from importlib import import_module

import pytest

from tests.examples import make_example_case

MODULES = {
    "APV-002": "apv_002_write_then_read",
    "APV-003": "apv_003_too_many_state_fields",
    "APV-007": "apv_007_stub_left_in",
}


def find(id, example):
    return list(import_module(f"actions.patterns.authoring.{MODULES[id]}").check(make_example_case(example)))


def make_js_fence(*lines):
    return "```javascript\n" + "\n".join(lines) + "\n```\n\n"


def make_script_skill(text):
    return {"SKILL.md": "# X\n\nRun `python scripts/x.py`.\n", "scripts/x.py": text}


FIELDS = ", ".join(f"field_{n}: null" for n in range(23))
FAULTY_EXAMPLES = {
    "an unchanged variable, written and read": (
        "APV-002",
        make_js_fence("Write('a.md', text)", "const again = Read('a.md')", "show(again)"),
    ),
    "an initial state": (
        "APV-003",
        "Kept in `run-state.json`.\n\n" + make_js_fence(f"const initialState = {{ {FIELDS} }}"),
    ),
    "a schema of the state": (
        "APV-003",
        {
            "SKILL.md": "# X\n\nRead `state.json`.\n",
            "assets/state.json": "{" + ", ".join(f'"f{n}": 1' for n in range(21)) + "}",
        },
    ),
    "a file of one function": (
        "APV-002",
        make_script_skill(
            "def f(x):\n    with open('a.json', 'w') as out:\n        json.dump(x, out)\n"
            "    y = json.load(open('a.json'))\n    show(y)\n\nf(z)\n"
        ),
    ),
    "a state in Python": (
        "APV-003",
        "Kept in `run-state.json`.\n\n```python\nstate = {"
        + ", ".join(f"'f{n}': None" for n in range(21))
        + "}\n```\n",
    ),
    "a Chinese note": ("APV-007", "# 审查\n\n## 阅读\n\n列出条款。\n\n## 评级\n\n（待补充）\n"),
    "a section that is coming soon": ("APV-007", "# X\n\n## Ask\n\nAsk.\n\n## Rank\n\n*Coming soon.*\n"),
}
ACCEPTED_EXAMPLES = {
    "an append": (
        "APV-002",
        make_script_skill(
            "with open('a.txt', 'a') as out:\n    json.dump(x, out)\ny = json.load(open('a.txt'))\nuse(y)\n"
        ),
    ),
    "a read that checks the write": (
        "APV-002",
        make_script_skill("Path('a.txt').write_text(x)\ny = Path('a.txt').read_text()\nassert y == x\n"),
    ),
    "a shell in between": (
        "APV-002",
        make_js_fence("Write('a.js', text)", "Bash('format a.js')", "const again = Read('a.js')", "show(again)"),
    ),
    "two functions of one script": (
        "APV-002",
        make_script_skill(
            "def save(x):\n    Path('a').write_text(x)\n\ndef show():\n    print(Path('a').read_text())\n"
        ),
    ),
    "a command in between": (
        "APV-002",
        make_script_skill(
            "Path('a').write_text(x)\nsubprocess.run(['sort', 'a'])\ny = Path('a').read_text()\nuse(y)\n"
        ),
    ),
    "a list of words to look for": ("APV-007", "# X\n\n## What to look for\n\nTODO, FIXME and TBD in comments.\n"),
    "a read in a branch": (
        "APV-002",
        make_js_fence("Write('a.md', text)", "if (restarted) { const again = Read('a.md') }"),
    ),
    "a state without a file": ("APV-003", make_js_fence(f"const state = {{ {FIELDS} }}")),
    "an answer of a service next to the state": (
        "APV-003",
        "Keep `state.json`.\n\nThe service answers:\n\n```json\n{"
        + ", ".join(f'"f{n}": 1' for n in range(23))
        + "}\n```\n",
    ),
    "a note with more text in its section": ("APV-007", "# X\n\n## Rank\n\nTODO: by age. Until then rank by name.\n"),
    "a skeleton of a report": ("APV-007", "# X\n\n## Report format\n\n### Summary\n\nTBD\n"),
    "a note in a fence": ("APV-007", "# X\n\n## Report\n\n```markdown\n## Summary\n\nTBD\n```\n"),
}


@pytest.mark.parametrize(("id", "example"), FAULTY_EXAMPLES.values(), ids=FAULTY_EXAMPLES)
def test_faulty_example_is_found(id, example):
    assert len(find(id, example)) == 1


@pytest.mark.parametrize(("id", "example"), ACCEPTED_EXAMPLES.values(), ids=ACCEPTED_EXAMPLES)
def test_accepted_example_has_no_finding(id, example):
    assert find(id, example) == []


def test_state_message_has_the_number_of_fields():
    assert (
        "23 top-level fields"
        in find("APV-003", "Kept in `run-state.json`.\n\n" + make_js_fence(f"const state = {{ {FIELDS} }}"))[0].message
    )
