"""Test the search for endless loops."""

import pytest

from actions.code.languages import BASH, JAVASCRIPT, PYTHON
from actions.code.loops import find_endless_loops
from actions.code.tree import Code

ENDLESS = [
    (JAVASCRIPT, "while (true) { step() }"),
    (JAVASCRIPT, "for (;;) { step() }"),
    (JAVASCRIPT, "do { step() } while (true)"),
    (JAVASCRIPT, "let done = false\nwhile (!done) { step() }"),
    (JAVASCRIPT, "while (true) { items.forEach(i => { return i }) }"),
    (PYTHON, "while True:\n    step()\n"),
    (PYTHON, "while n < 3:\n    step(n)\n"),
    (BASH, "while true; do step; done"),
    (BASH, "while :; do step; done"),
]
ENDING = [
    (JAVASCRIPT, "while (true) { if (ok()) break }"),
    (JAVASCRIPT, "while (!done) { done = step() }"),
    (JAVASCRIPT, "while (queue.length) { step() }"),
    (JAVASCRIPT, "while (!ready()) { step() }"),
    (JAVASCRIPT, "for (let i = 0; i < n; i++) { step(i) }"),
    (JAVASCRIPT, "while (true) { throw new Error('x') }"),
    (PYTHON, "while True:\n    if ok(): return\n"),
    (PYTHON, "while True:\n    sys.exit(0)\n"),
    (PYTHON, "while True:\n    yield step()\n"),
    (PYTHON, "while n < 3:\n    n += 1\n"),
    (BASH, "while true; do step && exit 0; done"),
    (BASH, "while read line; do step; done"),
]


@pytest.mark.parametrize(("language", "text"), ENDLESS)
def test_endless_loops_finds_loop_without_exit(language, text):
    assert len(list(find_endless_loops(Code(language, text)))) == 1


@pytest.mark.parametrize(("language", "text"), ENDING)
def test_endless_loops_ignores_loop_with_exit(language, text):
    assert list(find_endless_loops(Code(language, text))) == []
