"""Test that the dataflow patterns find broken contracts, and ignore cases that the text may explain."""

from importlib import import_module

import pytest

from tests.examples import list_project_cases, make_example_case

MODULES = {
    "DF-002": "df_002_field_spelled_twice",
    "DF-004": "df_004_written_never_read",
    "DF-006": "df_006_read_never_written",
    "DF-007": "df_007_tested_never_set",
    "DF-009": "df_009_missing_reference",
    "DF-010": "df_010_unreached_phase",
    "DF-011": "df_011_result_of_nothing",
}


def find(id, example):
    return list(import_module(f"actions.patterns.dataflow.{MODULES[id]}").check(make_example_case(example)))


def make_js_fence(*lines):
    return "```javascript\n" + "\n".join(lines) + "\n```\n\nNext.\n\n"


def make_python_fence(*lines):
    return "```python\n" + "\n".join(lines) + "\n```\n\nNext.\n\n"


FAULTY_EXAMPLES = {
    "a key that a script writes and a fence reads in another case": (
        "DF-002",
        {
            "SKILL.md": "# X\n\n"
            + make_js_fence("const r = JSON.parse(Read('run/report.json'))", "show(r.rowCount, r.name)"),
            "scripts/count.py": "with open('run/report.json', 'w') as out:\n    json.dump({'row_count': 3, 'name': n}, out)\n",
        },
    ),
    "a subscript of the state in another spelling": (
        "DF-002",
        "# X\n\n" + make_python_fence('state["row_count"] = len(rows)', 'print(state["rowcounts"])'),
    ),
    "a field that the type of the state spells differently": (
        "DF-002",
        "Kept in `state.json`.\n\n```ts\ninterface State { row_count: number; name: string }\n```\n\n"
        + make_js_fence("use(state.rowCount)"),
    ),
    "a result of nothing that determines the exit code": (
        "DF-011",
        make_python_fence(
            "def tell(faults):", "    print(len(faults))", "failed = tell(found)", "sys.exit(1 if failed else 0)"
        ),
    ),
    "a file with two spellings of its extension": (
        "DF-006",
        "# X\n\n" + make_js_fence("Write('run/plan.yml', plan)") + make_js_fence("const plan = Read('run/plan.yaml')"),
    ),
    "a value that the schema of the state does not list": (
        "DF-007",
        {
            "SKILL.md": "# X\n\n" + make_js_fence("if (state.mood === 'cheerful') sing()"),
            "schemas/state.json": '{"properties": {"mood": {"enum": ["glad", "sad"]}}}',
        },
    ),
    "a value that the type of the state does not list": (
        "DF-007",
        "```ts\ninterface RunState { mood: 'glad' | 'sad' }\n```\n\n"
        + make_js_fence("if (state.mood === 'cheerful') sing()"),
    ),
    "a wait for a value that is never set": (
        "DF-007",
        make_python_fence(
            'state["mood"] = "sad"', 'state["mood"] = "glad"', 'while state["mood"] != "cheerful":', "    wait()"
        ),
    ),
    "one missing file of several in a list": (
        "DF-009",
        {
            "SKILL.md": "# X\n\n- `references/a.md`: one\n- `references/b.md`: two\n- `references/zebra.md`: three\n",
            "references/a.md": "# A\n",
            "references/b.md": "# B\n",
        },
    ),
    "a Chinese phase": ("DF-009", "# X\n\n## 第一阶段：列\n\n列。\n\n## 第二阶段：评\n\n高风险时进入第五阶段。\n"),
    "a substep beyond the last one": (
        "DF-009",
        "# X\n\n## Step 1\n\nAsk.\n\n### Step 1.1\n\nName.\n\n### Step 1.2\n\nDay.\n\n## Step 2\n\nGo back to step 1.7 when it rains.\n",
    ),
    "a step of SKILL.md that a reference names": (
        "DF-009",
        {
            "SKILL.md": "# X\n\nRead `references/ties.md`.\n\n## Step 1\n\nA.\n\n## Step 2\n\nB.\n",
            "references/ties.md": "# Ties\n\nSettle them, then go on with Step 8.\n",
        },
    ),
    "a script with a similar name": (
        "DF-009",
        {"SKILL.md": "# X\n\nCheck with `scripts/check_all.py`.\n", "scripts/checkall.py": "print(1)\n"},
    ),
    "an arrow's awaited call": (
        "DF-011",
        "# X\n\n"
        + make_js_fence(
            "async function save(a) { await put(a) }", "const go = async () => { const r = await save(1); use(r.id) }"
        ),
    ),
}
ACCEPTED_EXAMPLES = {
    "the spelling is in prose": (
        "DF-002",
        "Rename it to `rowCount`.\n\n"
        + make_python_fence('state["row_count"] = 1')
        + make_js_fence("use(state.rowCount)"),
    ),
    "a type of the state that has both spellings": (
        "DF-002",
        "Kept in `state.json`.\n\n```ts\ninterface State { row_count: number; rowCount: number }\n```\n\n"
        + make_js_fence("use(state.rowCount)"),
    ),
    "two languages": ("DF-002", make_python_fence('state["row_count"] = 1') + make_js_fence("use(state.rowCount)")),
    "an object with more put into it": (
        "DF-002",
        make_js_fence("Write('a.json', JSON.stringify({ ...base, row_count: 1 }))")
        + make_js_fence("const a = JSON.parse(Read('a.json'))", "use(a.rowCount)"),
    ),
    "keys below the top of a file": (
        "DF-002",
        make_js_fence("Write('a.json', JSON.stringify({ row_count: 1 }))")
        + make_js_fence("const a = JSON.parse(Read('a.json')).list", "use(a.rowCount)"),
    ),
    "a file passed to an agent": (
        "DF-004",
        make_js_fence(
            "Write('run/a.json', a)",
            "Write('run/b.json', b)",
            "Write('run/c.json', c)",
            "Read('run/a.json'); Read('run/b.json')",
        )
        + "Hand the agent `c.json`.\n",
    ),
    "a folder that is read as a whole": (
        "DF-004",
        make_js_fence(
            "Write('run/a.json', a)",
            "Write('run/b.json', b)",
            "Write('run/c.json', c)",
            "Read('run/a.json'); Read('run/b.json')",
            "Glob('run/*.json')",
        ),
    ),
    "a folder passed on": (
        "DF-004",
        make_js_fence("Write('run/a.json', a)", "Write('run/b.json', b)", "Read('run/a.json')")
        + "Hand `run/` to the packer.\n",
    ),
    "a state without a file": (
        "DF-004",
        make_js_fence("state.sorted = sort(letters)", "state.skippedSenders = senders"),
    ),
    "a numbered series of files": (
        "DF-006",
        make_js_fence("Write('run/part1.json', a)") + make_js_fence("Read('run/part2.json')"),
    ),
    "a file turned into another in one block": (
        "DF-006",
        make_js_fence("const a = Read('in/item.json')", "Write('in/items.json', a)"),
    ),
    "a value that comes from elsewhere": (
        "DF-007",
        make_js_fence("state.mood = 'glad'", "state.mood = await ask()", "if (state.mood === 'cheerful') sing()"),
    ),
    "a field of another record": (
        "DF-007",
        make_python_fence('state["mood"] = "sad"', 'while job["mood"] != "glad":', "    wait()"),
    ),
    "two types with a field of one name": (
        "DF-007",
        {
            "SKILL.md": "# X\n\n" + make_js_fence("if (state.mood === 'cheerful') sing()"),
            "a.json": '{"properties": {"mood": {"enum": ["glad"]}}}',
            "b.json": '{"properties": {"mood": {"enum": ["sad"]}}}',
        },
    ),
    "a step that an entry of a list numbers": (
        "DF-009",
        "# X\n\n## Step 1\n\n1. A\n2. B\n3. C\n\n## Step 2\n\nBack to step 3.\n",
    ),
    "a phase that its file numbers": (
        "DF-009",
        {
            "SKILL.md": "# X\n\n## Phase 1\n\nA.\n\n## Phase 2\n\nThen Phase 3.\n",
            "phases/03-end.md": "# End\n\nStop.\n",
        },
    ),
    "a step of another skill": (
        "DF-009",
        "# X\n\n## Step 1\n\nA.\n\n## Step 2\n\nAs in Step 9 of the `deploy` skill.\n",
    ),
    "a table of sources": (
        "DF-009",
        {
            "SKILL.md": "# X\n\n| Source |\n|---|\n| `references/tea.md` |\n| `references/rice.md` |\n",
            "references/a.md": "A",
        },
    ),
    "a word that numbers something else": ("DF-009", "# X\n\nDrugs in Phase 3 are listed.\n\n## Search\n\nSearch.\n"),
    "a range, a fraction, a series with a gap": (
        "DF-009",
        "# X\n\n## Step 1\n\nA.\n\n## Step 4\n\nSteps 1-9, step 7/9, and Step 6.\n",
    ),
    "a file that the run creates": (
        "DF-009",
        {
            "SKILL.md": "# X\n\nSave the notes to `references/notes.md`.\n\nRead `references/notes.md` later.\n",
            "references/a.md": "# A\n",
        },
    ),
    "a reference of another skill, named a line earlier": (
        "DF-009",
        {"SKILL.md": "# X\n\nModels stand in `model-choice`'s\n`references/models.md`.\n", "references/a.md": "# A\n"},
    ),
    "a phase that is called by its title": (
        "DF-010",
        {
            "SKILL.md": "# X\n\nRead `phases/a1.md` and `phases/b1.md`, then sweep the flat.\n",
            "phases/a1.md": "# Pack\n",
            "phases/b1.md": "# Carry\n",
            "phases/zz.md": "# Phase 3: Sweep the flat\n",
        },
    ),
    "a name to fill in, a folder in a word": (
        "DF-010",
        {
            "SKILL.md": "# X\n\nRead `roles/<role>/role.md`; the limits are in the references.\n",
            "roles/packer/role.md": "# What packers do\n",
            "references/limits.md": "# Weights\n",
        },
    ),
    "a folder that a script lists": (
        "DF-010",
        {
            "SKILL.md": "# X\n\nRun `scripts/next.py` for what comes next.\n",
            "scripts/next.py": "import os\nprint(os.listdir('phases'))\n",
            "phases/sweep.md": "# Clean the flat\n",
        },
    ),
    "commands, which Claude Code finds": ("DF-010", {"SKILL.md": "# X\n\nAsk.\n", "commands/tidy.md": "# Clean\n"}),
    "a report for people": ("DF-010", {"SKILL.md": "# X\n\nAsk.\n", "docs/CODE_REVIEW_sweep.md": "# Findings\n"}),
    "a file that the user's project has": (
        "DF-009",
        {"SKILL.md": "# X\n\nRead references/review.md. Put it into REVIEW.md.\n", "references/review.md": "# A\n"},
    ),
    "a name without a similar file nearby": (
        "DF-009",
        {
            "SKILL.md": "# X\n\nIt makes TIDY.md. Read `assets/one/two/tidy.md` first.\n",
            "assets/one/two/tidy.md": "# A\n",
            "references/ONE/tidy.md": "# A\n",
        },
    ),
    "a body cut short by a comment": (
        "DF-011",
        make_python_fence("def count(a):", "    load(a)", "    # ... and so on", "n = count(1)", "print(n + 1)"),
    ),
    "a body that is still to be written": (
        "DF-011",
        make_python_fence("def ask(q):", "    raise NotImplementedError", "answer = ask(1)", "print(answer)"),
    ),
    "a method of the same name, a result that is not used": (
        "DF-011",
        make_python_fence(
            "def load(d):", "    put(d)", "nothing = load(1)", "class A:", "    def load(self, d):", "        return d"
        ),
    ),
    "a name that is defined twice": (
        "DF-011",
        make_python_fence(
            "def count(a):", "    load(a)", "def count(a, b):", "    return a", "n = count(1)", "print(n + 1)"
        ),
    ),
    "a result that is only compared with None": (
        "DF-011",
        make_python_fence("def save(a):", "    put(a)", "done = save(1)", "assert done is None"),
    ),
}


@pytest.mark.parametrize(("id", "example"), FAULTY_EXAMPLES.values(), ids=FAULTY_EXAMPLES)
def test_faulty_example_is_found(id, example):
    assert [finding.message for finding in find(id, example)]


@pytest.mark.parametrize(("id", "example"), ACCEPTED_EXAMPLES.values(), ids=ACCEPTED_EXAMPLES)
def test_accepted_example_has_no_finding(id, example):
    assert find(id, example) == []


def test_messages_name_both_places():
    assert (
        "SKILL.md:9"
        in find("DF-002", "# X\n\n" + make_js_fence("state.user_id = 1") + make_js_fence("use(state.userId)"))[
            0
        ].message
    )
    finding = find("DF-009", "# X\n\n## Step 1\n\nA.\n\n## Step 2\n\nSkip to Step 5.\n")[0]
    assert finding.also[1].startswith("SKILL.md:12: ")


def test_unreferenced_reference_is_low_unlike_a_phase():
    files = {"SKILL.md": "# X\n\nAsk.\n", "references/rare.md": "# Odd ones\n", "phases/late.md": "# Very end\n"}
    assert {finding.file: finding.severity for finding in find("DF-010", files)} == {
        "references/rare.md": "low",
        "phases/late.md": "medium",
    }


FRONTMATTER = "---\nname: move\ndescription: Moves. Use when moving.\n---\n\n# Move\n\nPack.\n"
PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "flat"}',
    "skills/move/SKILL.md": FRONTMATTER,
    "skills/move/references/sweep.md": "# Clean the old flat\n\nSweep every room.\n",
}


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("commands/clean.md", "Load references/sweep.md.", 0),
        ("skills/clean/SKILL.md", f"{FRONTMATTER}Read `../move/references/sweep.md`.", 0),
        ("GEMINI.md", "@./skills/move/references/sweep.md", 0),
        ("commands/clean.md", "Sweep first.", 1),
        ("skills/move/SKILL.md", FRONTMATTER, 1),
    ],
)
def test_file_that_the_plugin_names_is_reached(path, text, count):
    module = import_module("actions.patterns.dataflow.df_010_unreached_phase")
    cases = list_project_cases(module, {**PLUGIN, path: text})
    assert len([f for case in cases for f in module.check(case) if f.file == "references/sweep.md"]) == count


def test_same_path_in_another_skill_is_another_file():
    module = import_module("actions.patterns.dataflow.df_010_unreached_phase")
    files_of_other_skill = {
        "skills/clean/SKILL.md": f"{FRONTMATTER}Read references/sweep.md.",
        "skills/clean/references/sweep.md": "# Sweep\n",
    }
    findings = [
        f for case in list_project_cases(module, {**PLUGIN, **files_of_other_skill}) for f in module.check(case)
    ]
    assert [f.file for f in findings] == ["references/sweep.md"]


def test_file_that_a_command_writes_is_not_a_misspelling():
    module = import_module("actions.patterns.dataflow.df_009_missing_reference")
    cases = list_project_cases(module, {**PLUGIN, "commands/clean.md": "Write the rooms to Clean.md.\n"})
    assert [f.message for case in cases for f in module.check(case)] == []
