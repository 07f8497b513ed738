"""The authoring patterns see what costs every run or was left unfinished, in other words than their own examples."""

import pytest

from actions.example import example_case
from actions.patterns import all_patterns


def seen(id, example):
    return list(all_patterns()[id].look(example_case(example)))


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] FIXME: the retry rule",
        "**TODO**: name the owners of each table.",
        "3. TBD",
        "Grouping by owner is to be implemented.",
        "## Export\n\n（待补充）",
        "We will implement this later.",
        "| Import | 待实现 |\n|---|---|",
    ],
)
def test_a_note_of_work_to_do_is_a_stub(text):
    assert len(seen("APV-007", f"# Load\n\nLoad the rows.\n\n{text}\n")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Keep a TODO list and tick it off.",
        "Write `TODO: why` beside each gap that you leave for the user.",
        "Flag functions that are not implemented.",
        "## Pitfalls\n\nTODO: left in the text",
        "不要留下待实现的步骤。",
        "```markdown\n- TODO: fill in\n```",
    ],
)
def test_a_todo_that_is_a_name_or_a_field_is_none(text):
    assert seen("APV-007", f"# Load\n\n{text}\n") == []


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("def load():\n    pass  # implement later\n", 1),
        ("function load() {\n  throw new Error('Not implemented')\n}\n", 1),
        ("class Base:\n    def load(self):\n        raise NotImplementedError\n", 0),
        ("TEXT = '''\n# TODO: title\n'''\n", 0),
    ],
)
def test_a_script_that_only_promises_is_a_stub(script, count):
    name = "load.js" if script.startswith("function") else "load.py"
    assert len(seen("APV-007", {"SKILL.md": "# Load\n\nRun it.\n", f"scripts/{name}": script})) == count


def test_a_debug_field_that_is_looked_at_stays():
    text = "# Sort\n\nState in `state.json`.\n\n```js\nconst state = {\n  debug: false,\n  step: 1,\n}\nif (state.debug) { tell(state.step) }\n```\n"
    assert seen("APV-005", text) == []


@pytest.mark.parametrize(
    ("between", "count"),
    [
        ("const size = rows.length", 1),
        ("Task({ prompt: `Clean ${tmp}/rows.json` })", 0),
        ("// survives a compaction: the checkpoint", 1),
    ],
)
def test_a_relay_is_one_only_while_nobody_else_has_the_file(between, count):
    text = f"# Join\n\n```javascript\nWrite(`${{tmp}}/rows.json`, rows)\n{between}\nconst again = Read(`${{tmp}}/rows.json`)\n```\n"
    assert len(seen("APV-002", text)) == count
