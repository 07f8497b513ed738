"""No pattern hangs on hostile text: on a skill of 1 MB its time stays within a ratio to a plain pass over that text.

The texts are of two kinds: what makes regexes and parsers slow (long runs, deep nesting, near misses), and what the
pattern itself looks for, again and again (its first BAD example).
"""

import re
import time
from functools import cache

import pytest

from actions.example import HEAD, example_files
from actions.patterns import of_skill
from actions.skill import Case, parse_skill

PATTERNS = of_skill()
HALF, FIFTH = 500_000, 200_000
RATIO = 60
"""How much longer than the plain pass a pattern may take, what it is the first to read of the skill included."""
OPENING = (
    "# Collect\n\nUse the Task tool to launch a worker agent. Read [one](phases/01-collect.md). Keep `state.json`.\n"
    "You MUST keep the order.\n\n```js\nTask({subagent_type: 'worker', prompt: 'go'})\n```\n\n"
)
SHAPES = {
    "one long line": "must never only state.history.push `a/b.md` ",
    "one letter": "a",
    "spaces": "- x" + " " * 4000,
    "backticks": "`",
    "headings": "# Phase\n",
    "stars": "*",
    "open comments": "<!-- tune-skill: ignore ",
    "links": "[a](b.md) ",
    "open links": "[a](b ![",
    "fences": "```js\nx\n```\n",
    "open calls": "`" * 3 + "js\n" + "Task({prompt: `${" * 1000,
    "open braces": "`" * 3 + "js\n" + "while (true) { if (x) {\n" * 1000,
    "one fence": "```js\n" + "state.history.push(JSON.parse(x))\n" * 100_000,
    "nested blocks": "```py\n" + "".join(" " * (n % 400) + "while True:\n" for n in range(400)),
    "table": "| must | 10 MB |\n",
    "numbers": "Limit: 10 MB, 20 s, $3. ",
    "Chinese": "必须把全部历史写入状态文件，禁止省略。",
    "paths": "Read `phases/01-x.md`, then write `out/state.json`.\n",
    "long words": "x" * 3900 + " must be read by six other clerks before noon.\n",
    "paths without end": "Read a/b-c.d/" + "e-f.g/" * 300 + "\n",
    "nested brackets": "[({<",
    "quotes": "say \"it' ",
    "one word": "state ",
    "paragraphs": "Never skip the review of step {n}, and always tell the user why it failed until it passes.\n\n",
}


def filled(text: str, size: int = HALF) -> str:
    """Repeat a text to half a megabyte or another size; `{n}` counts."""
    times = size // len(text) + 1
    return "".join(text.replace("{n}", str(n)) for n in range(times))[:size]


@cache
def hostile(shape: str) -> tuple[Case, float]:
    """Give the case of a shape, in SKILL.md and in a phase, and the time of a plain pass over it."""
    return timed({"SKILL.md": HEAD + OPENING + filled(SHAPES[shape]), "phases/01-collect.md": filled(SHAPES[shape])})


def own(id: str) -> tuple[Case, float]:
    """Give the case of a pattern's own first bad example, every file again and again."""
    files = example_files(PATTERNS[id].BAD[0])
    again = {
        path: text if text.startswith(("---", "{")) else filled(text + "\n", FIFTH) for path, text in files.items()
    }
    main = files["SKILL.md"]
    head, mark, body = main.partition("\n---\n")
    return timed(again | {"SKILL.md": f"{head}{mark}{filled(body, FIFTH)}" if mark and body else main})


def timed(files: dict[str, str]) -> tuple[Case, float]:
    case = Case(parse_skill("example", {path: text.encode() for path, text in files.items()}))
    start = time.process_time()
    for file in case.skill.files:
        for line in file.text.split("\n"):
            re.findall(r"\w+|[^\w\s]", line)
    return case, max(0.02, time.process_time() - start)


def ratio(id: str, case: Case, plain: float) -> float:
    start = time.process_time()
    for _ in PATTERNS[id].look(case):
        pass
    return (time.process_time() - start) / plain


@pytest.mark.parametrize("id", PATTERNS)
def test_a_pattern_takes_time_in_proportion_to_hostile_text(id):
    ratios = {shape: ratio(id, *hostile(shape)) for shape in SHAPES} | {"its own example": ratio(id, *own(id))}
    assert {shape: round(r) for shape, r in ratios.items() if r > RATIO} == {}
