"""Test the uses of files, fields and functions in code."""

import pytest

from actions.code.fields import find_declared_values, find_field_uses
from actions.code.files import Mode, find_file_uses
from actions.code.functions import find_functions, find_used_empty_results, returns_nothing
from actions.code.languages import BASH, JAVASCRIPT, PYTHON, TYPESCRIPT
from actions.code.tree import Code


@pytest.mark.parametrize(
    ("language", "text", "uses"),
    [
        (JAVASCRIPT, "Write('a.json', x)\nconst y = Read('b.json')\nRead(path)\n", [("a.json", Mode.WRITE), ("b.json", Mode.READ)]),
        (PYTHON, "open('a.json', 'w')\nopen('b.json')\nopen(name)\n", [("a.json", Mode.WRITE), ("b.json", Mode.READ)]),
        (PYTHON, "Path('c.md').read_text()\n(root / 'd.md').write_text(x)\n", [("c.md", Mode.READ)]),
        (BASH, "jq . > out.json\ncat in.json\nls 2>/dev/null\n", [("out.json", Mode.WRITE), ("in.json", Mode.READ)]),
    ],
)  # fmt: skip
def test_file_uses_finds_literal_names(language, text, uses):
    assert [(use.name, use.mode) for use in find_file_uses(Code(language, text))] == uses


def test_field_uses_finds_sets_tests_and_reads():
    text = (
        "state.status = 'done'\nstate.log.push(x)\nif (state.status === 'ready') go(state.goal)\nother.status = 'x'\n"
    )
    uses = [(use.name, use.is_set, use.value) for use in find_field_uses(Code(JAVASCRIPT, text))]
    assert sorted(uses, key=str) == sorted(
        [
            ("status", True, "done"),
            ("log", True, None),
            ("status", False, "ready"),
            ("goal", False, None),
        ],
        key=str,
    )


def test_declared_values_of_typescript_unions():
    code = Code(TYPESCRIPT, "interface S { status: 'open' | 'shut' | 'gone'; count: number; kind: string | 'x' }")
    assert [(name, values) for name, values, _ in find_declared_values(code)] == [("status", {"open", "shut", "gone"})]


def test_declared_values_of_python_literal_types():
    code = Code(
        PYTHON, "class S:\n    stage: Literal['a', 'b'] = 'a'\n    size: int\n    kind: Literal['x', other]\n", 1
    )
    assert [(name, values, line) for name, values, line in find_declared_values(code)] == [("stage", {"a", "b"}, 2)]


def test_empty_results_finds_used_result_of_nothing():
    code = Code(
        PYTHON, "def save(x):\n    write(x)\n\ndef load():\n    return 1\n\nr = save(2)\ns = load()\nprint(r)\n"
    )
    assert [(f.name, call.line) for f, call in find_used_empty_results(code, is_excerpt=True)] == [("save", 7)]


@pytest.mark.parametrize("body", ["...", "pass", "raise KeyError(1)", "yield 1", "return x"])
def test_returns_nothing_is_false_for_stubs_and_values(body):
    code = Code(PYTHON, f"def f(x):\n    {body}\n")
    (function,) = find_functions(code)
    assert not returns_nothing(code, function)
