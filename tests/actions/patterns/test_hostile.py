"""Test that no pattern hangs on hostile text: twice the text takes about twice the time, and both are short.

The inputs are texts that make parsers slow (long runs, deep nesting, near misses), many files, and faults repeated
hundreds of times. `test_hostile_examples.py` repeats the examples of the patterns.
"""

import pickle
from collections.abc import Callable, Iterable

import pytest

from actions.case import Case
from actions.code.languages import find_language
from actions.code.tree import Code
from actions.fixes.draft_groups import group_for_drafts
from actions.fixes.invariants.prove import Promise, find_violations
from actions.fixes.passages import list_line_ranges
from actions.fixes.proposals import find_fixable, propose_drafts
from actions.reporting.unread_files import list_unread_files
from actions.scoring.issues import make_issues
from actions.scoring.scan import Scan, scan
from actions.skill import Skill
from actions.skill.example import HEAD
from schemas.issues import Issue
from tests.actions.patterns.slowness import CHECKS, find_slow_checks, parse_case

SIZE, CODE_SIZE = 16_000, 24_000
"""Characters of the smaller text and code; the larger has twice as many."""
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
    "numbered headings": "## Phase {n}\n\nGo to Phase {n} as `state.f{n}` says.\n\n",
    "stars": "*",
    "open comments": "<!-- tune-skill: ignore ",
    "links": "[a](b{n}.md) [c](#d{n}) ",
    "list of links": "- [a{n}](ref/x{n}.md)\n",
    "open links": "[a](b ![",
    "fences": "```js\nx{n} = state.f{n}\n```\n",
    "open calls": "`" * 3 + "js\n" + "Task({prompt: `${" * 1000,
    "open braces": "`" * 3 + "js\n" + "while (true) { if (x) {\n" * 1000,
    "one fence": "```js\n" + "state.history.push(JSON.parse(x))\n" * 100_000,
    "calls in one fence": "```js\n" + "const r = Task({subagent_type: 't', prompt: `Read ${r}`})\n" * 100_000,
    "names in one fence": "```js\n" + "".join(f"state.a{n} = Read(`b{n}.json`)\n" for n in range(3000)),
    "broken code in one fence": "```js\n" + "const r = Task({prompt: 'a'})\nconst x y = load('a')\n" * 100_000,
    "loops": "```py\nwhile not done:\n    sleep(1)\n```\n",
    "nested blocks": "```py\n" + "".join(" " * (n % 400) + "while True:\n" for n in range(400)),
    "table": "| must | 10 MB | f{n} |\n",
    "numbers": "Limit: 10 MB, 20 s, $3. ",
    "Chinese": "必须把全部历史写入状态文件，禁止省略。",
    "paths": "Read `phases/{n}-x.md`, then write `out/state.json`.\n",
    "long words": "x" * 3900 + " must be read by six other clerks before noon.\n",
    "paths without end": "Read a/b-c.d/" + "e-f.g/" * 300 + "\n",
    "nested brackets": "[({<",
    "nested quotes": "> " * 200 + "a\n",
    "nested lists": "".join("  " * n + "- a\n" for n in range(100)),
    "chains in one fence": "```js\n" + "a.b().c().d()" * 10_000,
    "brackets in one fence": "```py\n" + "[({" * 10_000,
    "pipes in one fence": "```bash\n" + "a | " * 10_000,
    "commands": "```bash\npython scripts/a.py --o{n} x > out/a{n}.json\n```\n",
    "types in one fence": "```ts\n" + "".join(f"interface T{n} {{ a: 'x' | 'y{n}' }}\n" for n in range(2000)),
    "functions in one fence": "```py\n" + "".join(f"def f{n}(a):\n    g(a)\nx = f{n}(1)\n" for n in range(2000)),
    "JSON": "```json\n" + '{"a": [' * 300 + "\n```\n",
    "numbered steps": "{n}. Step {n}: see Step {n}.1 and [it](#step-{n}).\n",
    "quotes": "say \"it' ",
    "paragraphs": "Never skip the review of step {n}, and always tell the user why it failed until it passes.\n\n",
    "one paragraph": "Never skip the review of the step, and always tell the user why it failed, and where, and what"
    " is to be done about it before anything else is begun.\n\n",
}


def repeat_up_to(text: str, size: int) -> str:
    """Repeat a text up to a size, with the number of each repetition as `{n}`."""
    times = size // len(text) + 1
    return "".join(text.replace("{n}", str(n)) for n in range(times))[:size]


@pytest.mark.parametrize("shape", SHAPES)
def test_checks_take_linear_time_in_text(shape):
    def make(times: int) -> Case:
        text = repeat_up_to(SHAPES[shape], SIZE * times)
        return parse_case({"SKILL.md": HEAD + OPENING + text, "phases/01-collect.md": text})

    assert find_slow_checks(CHECKS, make) == {}


@pytest.mark.parametrize("line", ["*a ", "see :", "a` "])
def test_checks_take_linear_time_in_a_line_before_an_open_fence(line):
    def make(times: int) -> Case:
        return parse_case({"SKILL.md": f"{HEAD}{repeat_up_to(line, SIZE * times)}a\n- [x](y.md)\n\n```\nopen"})

    assert find_slow_checks(CHECKS, make) == {}


@pytest.mark.parametrize("span", ["`../a.py` ", "`python ../a.py --x` "])
def test_checks_take_linear_time_in_the_commands_of_a_line(span):
    script = "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--out')\np.parse_args()\n"

    def make(times: int) -> Case:
        return parse_case({"SKILL.md": HEAD + repeat_up_to(span, SIZE * times), "scripts/a.py": script})

    assert find_slow_checks(CHECKS, make) == {}


@pytest.mark.parametrize("folder", ["phases", "references", "scripts"])
def test_checks_take_linear_time_in_files(folder):
    def make(times: int) -> Case:
        end = "py" if folder == "scripts" else "md"
        text = (
            "x = load('a{n}.json')\n" if end == "py" else "# Part {n}\n\nRead [next](part-{n}.md) and `../a/b{n}.md`.\n"
        )
        files = {f"{folder}/part-{n}.{end}": text.replace("{n}", str(n)) for n in range(250 * times)}
        return parse_case({"SKILL.md": HEAD + OPENING + "\n".join(f"- `{path}`" for path in files)} | files)

    assert find_slow_checks(CHECKS, make) == {}


SCALE = "# Scale\n\nFour grades.\n"


def make_word(number: int) -> str:
    """Return a word for a number, spelled in letters because names with different digits are never compared."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number * 7919:010}")


def make_script(numbers: Iterable[int]) -> str:
    options = "".join(f"p.add_argument('--a{n:03}', default=3)\n" for n in numbers)
    return f"import argparse\np = argparse.ArgumentParser()\n{options}p.parse_args()\n"


def make_scripts(count: int) -> dict[str, str]:
    return {f"scripts/s{n:03}.py": make_script([n]) for n in range(count)}


REPEATED: dict[str, tuple[str, Callable[[int], dict[str, str]]]] = {
    "comments that suppress": ("<!-- tune-skill: ignore CTX-003, DF-004 small -->\n", lambda n: {}),
    "comments over one fence": ("<!-- tune-skill: ignore CTX-{n} small -->\n", lambda n: {}),
    "dead links": ("Read [it](gone-{n}.md).\n", lambda n: {}),
    "dead links in one line": ("[it](gone-{n}.md) ", lambda n: {}),
    "dead entries": ("- [it](references/gone-{n}.md): a part\n", lambda n: {"references/scale.md": SCALE}),
    "slips of one name": ("Read [it](references/scal.md), {n}.\n", lambda n: {"references/scale.md": SCALE}),
    "missing headings": ("Read [it](#gone-{n}).\n", lambda n: {}),
    "dead links among many files": (
        "Read [it](references/lost_{n}.md).\n",
        lambda n: {f"references/part-{i}.md": SCALE for i in range(n)},
    ),
    "fields": ("```js\nstate.f{n} = 'a'\nif (state.g{n} === 'b') go()\n```\n", lambda n: {}),
    "calls of scripts": ("Run `python scripts/s{n}.py --b{n} x`.\n", lambda n: make_scripts(n)),
    "defaults of scripts": ("s{n}.py: `--a{n}` (default: 4)\n", lambda n: make_scripts(n)),
    "slips of one script": (
        "Run `python scripts/s.py --a{n}x 1`; s.py: `--a{n}` (default: 4)\n",
        lambda n: {"scripts/s.py": make_script(range(n))},
    ),
    "files that nothing leads to": (
        "Count each bird once, and write the tally.\n",
        lambda n: {f"phases/{i}-pq{i}.md": f"# Al{i}: be{i}\n\nCount.\n" for i in range(n)},
    ),
    "folders that nothing leads to": (
        "See dirx{n} there.\n",
        lambda n: {f"references/dir{i}/f{i}zz.md": f"# Ty{i}q\n\nCount.\n" for i in range(n)},
    ),
    "links nearly right": (
        "Read [it](reference/part-{n}.md) and `reference/part-{n}.md`.\n\n",
        lambda n: {f"references/part-{i:03}.md": SCALE for i in range(n)},
    ),
    "equal blocks": ("```js\n" + "go(a, b, c);\n" * 30 + "```\n", lambda n: {}),
    "headings nearly named": ("## Section number {n}\n\nSee [it](#section-nunber-{n}).\n\n", lambda n: {}),
    "files of like names": (
        "[it](z{w}a.md)\n\n",
        lambda n: {f"references/z{make_word(i)}.md": SCALE for i in range(199)},
    ),
    "folders of like names": (
        "[it](b{n}.md) `kq{w}a/a.md` `kr{w}b/b.md`\n\n",
        lambda n: {f"k{make_word(i)}/x.md": SCALE for i in range(n)},
    ),
    "dead paths in one line": (
        "".join(f"Read `references/{part}{{n}}.md`, " for part in "abcdefghij"),
        lambda n: {"references/scale.md": SCALE},
    ),
}
"""Texts to repeat in SKILL.md, each with a function that returns the other files."""
TIMES = 200
"""The number of repetitions in the smaller text; the larger text has twice as many."""


def scan_and_fix(case: Case) -> Iterable[str]:
    """Return the fixable issues of a case, after patterns, suppressions and strategies."""
    return find_fixable(make_issues(scan(case)), case)[0]


def repeat_text(name: str, count: int) -> Case:
    """Return the case of a text of REPEATED, repeated `count` times."""
    text, make_other_files = REPEATED[name]
    lines = "".join(text.replace("{n}", f"{n:03}").replace("{w}", make_word(n)) for n in range(count))
    fence = "```\n" + "go\n" * count + "```\n"
    return parse_case({"SKILL.md": HEAD + "Keep `state.json`.\n\n" + lines + fence} | make_other_files(count))


@pytest.mark.parametrize("name", REPEATED)
def test_scan_takes_linear_time_in_findings(name):
    assert find_slow_checks({name: scan_and_fix}, lambda times: repeat_text(name, TIMES * times)) == {}


PLACES = {
    "dead links to one file": ("Read [it](gone.md) now.\n\n", {}),
    "dead links into one folder": ("Read [it](gone/f{n}.md).\n\n", {}),
    "slips of one name": ("Read [it](references/scal.md), {n}.\n\n", {"references/scale.md": SCALE}),
}
"""Faults with one cause, to repeat thousands of times in SKILL.md, each with the other files."""


@pytest.mark.parametrize("name", PLACES)
def test_scan_takes_linear_time_in_places_of_a_cause(name):
    text, other_files = PLACES[name]

    def make(times: int) -> Case:
        return parse_case(
            {"SKILL.md": HEAD + "".join(text.replace("{n}", str(n)) for n in range(1_500 * times))} | other_files
        )

    assert [len(i.places) for i in make_issues(scan(make(2))) if i.pattern == "SPEC-005"] == [3_000]
    assert find_slow_checks({name: scan_and_fix}, make) == {}


@pytest.mark.parametrize("name", ["slips of one name", "links nearly right"])
def test_proof_takes_linear_time_in_places(name):
    def make(times: int) -> tuple[Skill, Skill, Scan, Promise]:
        case = repeat_text(name, 2 * TIMES * times)
        scan_before = scan(case)
        first = next(issue for issue in make_issues(scan_before) if issue.pattern in ("SPEC-005", "DF-009"))
        _, _, draft = next(propose_drafts(first, case))
        ranges = tuple(list_line_ranges(first, case.skill))
        promise = Promise(frozenset(), tuple(draft.drops), None, tuple(draft.rewrites), ranges=ranges)
        return case.skill, case.skill.with_files(draft.writes), scan_before, promise

    assert find_slow_checks({name: lambda arguments: find_violations(*arguments)}, make) == {}


def test_grouping_takes_linear_time_in_findings():
    def make(times: int) -> tuple[tuple[Issue, ...], Skill]:
        case = repeat_text("files that nothing leads to", 450 * times)
        return make_issues(scan(case)), case.skill

    assert find_slow_checks({"families": lambda arguments: group_for_drafts(*arguments)}, make) == {}


FENCES = {
    "pipes": ("bash", "a |\n"),
    "pipes with errors": ("bash", "a |&\n"),
    "heredocs": ("bash", "<<A\n"),
    "heredocs with text": ("sh", "<<-'A'\nx <<<a\n"),
    "joined lines": ("py", "\\\n"),
    "joined words": ("sh", "a \\\n"),
    "open strings": ("js", "'a\n"),
    "ifs": ("sh", "if a; then\n"),
    "types": ("ts", "a<\n"),
    "open commands": ("sh", "x\n" + "```\n" * 40_000),
    "comments": ("py", "x\n" + "# a\n" * 40_000),
    "empty comments": ("py", "x\n" + "#\n\n" * 40_000),
    "comments in an open string": ("js", "`\n" + "// a\n" * 40_000),
}


@pytest.mark.parametrize("name", FENCES)
def test_parsing_takes_linear_time_in_broken_code(name):
    fence_word, text = FENCES[name]
    language = find_language(fence_word)

    def make(times: int) -> Code:
        return Code(language, repeat_up_to(text, CODE_SIZE * times))

    assert find_slow_checks({name: lambda code: code.nodes(*language.common_kinds)}, make) == {}


def test_unparsable_code_is_reported_once_without_findings():
    text = "# Count\n\n```bash\n" + "a |\n" * 300 + "```\n\n```bash\na | b\n```\n"
    skill = parse_case({"SKILL.md": text}).skill
    assert [bool(code.root.children) for code in skill.main.codes] == [False, True]
    assert list_unread_files(skill) == ("not parsed, too long or too deeply nested: SKILL.md:4",)


def test_code_that_is_not_parsed_is_one_short_note():
    fence = "```bash\n" + "a |\n" * 300 + "```\n\n"
    skill = parse_case({"SKILL.md": "# Count\n\n" + fence * 9}).skill
    (note,) = list_unread_files(skill)
    assert note == "not parsed, too long or too deeply nested: SKILL.md:4, SKILL.md:307, SKILL.md:610 and 6 more"


def test_code_beyond_the_limit_is_reported_once():
    line = "a;" * 500 + "\n"
    fences = (f"```ts\n{line * 64}```\n\n```\nTask({{prompt: 'go'}})\n```\n\n") * 2
    files = {"SKILL.md": "# Count\n\n" + fences, "tests/a.ts": line * 190, "zoo.ts": line * 24, "zoo.py": line * 100}
    skill = parse_case(files).skill
    assert [[code.is_parsed for code in file.codes] for file in skill.sources] == [[True] * 4, [False], [True]]
    assert list_unread_files(skill)[-1] == "not parsed, beyond the limit of code per skill: zoo.py:1"
    changed_skill = skill.with_files({"zoo.ts": b"a!\n" * 60_000})
    assert not changed_skill.by_path["zoo.ts"].codes[0].is_parsed
    (unpickled_file,) = [file for file in pickle.loads(pickle.dumps(skill)).files if file.path == "zoo.py"]
    assert not unpickled_file.codes[0].is_parsed
