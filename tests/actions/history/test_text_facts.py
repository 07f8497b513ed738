"""Test the facts that are read from a text: instructions, conditions, prohibitions and steps, with their lines."""

import time

import pytest

from actions.history import matches, text_facts
from actions.history.facts import FactKind
from actions.history.line_map import map_lines
from actions.history.text_facts import parse_facts
from actions.skill.skill import SkillFile
from tests.growth import grows_at_most, measure_seconds


def list_facts(text, kind=None):
    all_facts = parse_facts(SkillFile("berth.md", text.encode()))
    return [fact for fact in all_facts if kind is None or fact.kind == kind]


def test_commands_have_their_lines_and_steps():
    text = "## Step 1: List\n\n```bash\n# all boats\nberth list --json\n```\n\n## Step 2: Moor\n\nRun `berth moor 7`.\n"
    list_command, moor_command = list_facts(text, FactKind.COMMAND)
    assert (list_command.line, list_command.key, list_command.step, list_command.is_order) == (
        5,
        ("berth", "list"),
        1,
        True,
    )
    assert (moor_command.line, moor_command.key, moor_command.step, moor_command.is_order) == (
        10,
        ("berth", "moor"),
        2,
        True,
    )


def test_command_over_several_lines_is_one():
    (fact,) = list_facts('```sh\nberth log \\\n  --name "Tern" \\\n  --end\n```\n', FactKind.COMMAND)
    assert (fact.line, fact.key) == (2, ("berth", "log"))


def test_same_command_at_several_lines_is_one_fact():
    (fact,) = list_facts("```bash\nberth list <QUAY>\n```\n\nThen:\n\n```bash\nberth list 7\n```\n", FactKind.COMMAND)
    assert fact.lines == (2, 8)


@pytest.mark.parametrize(
    "text",
    [
        "If the tide is low, run this:\n\n```bash\nberth wait\n```\n",
        "## Examples\n\n```bash\nberth wait\n```\n",
        "```bash\nif low; then\n  berth wait\nfi\n```\n",
        "Otherwise wait.\n\nThen:\n\n```bash\nberth wait\n```\n",
    ],
)
def test_command_under_a_condition_is_conditional(text):
    assert [fact.is_conditional for fact in list_facts(text, FactKind.COMMAND)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "Never run `berth drop`.",
        "**NEVER** use `berth drop` — it loses the log.",
        "Do not run these:\n\n- `berth drop` - loses the log",
        "- ❌ `berth drop`",
    ],
)
def test_forbidden_commands_are_found(text):
    assert [fact.key for fact in list_facts(text) if fact.is_forbidden] == [("berth", "drop")]


@pytest.mark.parametrize(
    "text",
    [
        "Do not forget to run `berth drop`.",
        "Never use `berth drop` for boats at sea.",
        "Never leave without running `berth drop`.",
        "Do not forget these:\n\n- `berth drop`",
        "Never sail at night: use `berth drop`.",
    ],
)
def test_commands_with_a_purpose_are_not_forbidden(text):
    assert [fact for fact in list_facts(text) if fact.is_forbidden] == []


def test_skills_and_files_are_orders_only_without_a_choice():
    text = "- Load the `tides` skill\n- Load the `winds` skill if it blows\n- Read [knots](refs/knots.md)\n- Read `refs/a.md` or `refs/b.md`\n"
    facts_found = {
        fact.key[0]: fact.is_order and not fact.is_conditional
        for fact in list_facts(text)
        if fact.kind in ("skill", "file")
    }
    assert facts_found == {"tides": True, "winds": False, "refs/knots.md": True, "refs/a.md": False, "refs/b.md": False}


def test_imports_fields_gates_tools_and_agents_are_found():
    text = (
        "@core.md\n\nUse the returned `berths`.\n\nWait for the user's approval.\n\n"
        "Call `mcp__harbour__list`.\n\nUse the `pilot` agent.\n"
    )
    facts_found = {(fact.kind.value, fact.line) for fact in list_facts(text)}
    assert facts_found >= {("import", 1), ("field", 3), ("gate", 5), ("tool", 7), ("agent", 9)}


def test_prompt_template_has_its_arguments():
    text = '```\nTask(\n  subagent_type: "pilot",\n  model: "haiku",\n  prompt: "Read the tide\n  table."\n)\n```\n'
    (fact,) = list_facts(text, FactKind.PROMPT)
    assert fact.key == ("subagent_type", "pilot", "model", "haiku", "prompt", "Read the tide\n  table.")


def test_steps_that_a_jump_leaves_out_are_conditional():
    steps = "\n".join(f"## Step {n}: Do\n\n```bash\nberth do{n}\n```\n" for n in ("2", "2b", "3"))
    text = f"## Step 1: Look\n\nWith a rope: skip directly to Step 3.\n\n{steps}"
    assert [(fact.step, fact.is_conditional) for fact in list_facts(text, FactKind.COMMAND)] == [
        (2, True),
        (3, True),
        (4, False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## Process\n\n1. **List**\n   `berth list`\n2. Think.\n3. **Moor**\n\n   ```bash\n   berth moor 7\n   ```\n",
        '<step name="list">\n`berth list`\n</step>\n<step name="think">\n</step>\n<step name="moor">\nRun `berth moor 7`.\n</step>\n',
        "**1. List:**\n`berth list`\n\n**2. Think**\n\n**3. Moor:**\n```bash\nberth moor 7\n```\n",
    ],
)
def test_steps_are_items_tags_or_bold_numbers(text):
    facts_found = {fact.key: (fact.step, fact.is_order) for fact in list_facts(text, FactKind.COMMAND)}
    assert facts_found == {("berth", "list"): (1, False), ("berth", "moor"): (3, True)}


def test_numbered_list_without_a_process_has_no_steps():
    (fact,) = list_facts("## Ropes\n\n1. Hemp\n2. `berth rope --wire`\n3. Silk\n", FactKind.COMMAND)
    assert fact.step == 0


def test_command_with_alternatives_is_conditional():
    (fact, _) = list_facts("```bash\nberth moor / harbour moor\n```\n\n`berth list`\n", FactKind.COMMAND)
    assert fact.is_conditional


def test_sentences_and_own_tools_are_found():
    text = (
        '**Announce at start:** "I use the berth skill for [BOAT]."\n\n1. Use the **AskUserQuestion tool** to choose.\n'
    )
    (words_fact,), (tool_fact,) = list_facts(text, FactKind.WORDS), list_facts(text, FactKind.TOOL)
    assert (words_fact.line, words_fact.text, words_fact.is_order) == (1, "I use the berth skill for", True)
    assert (tool_fact.line, tool_fact.text, tool_fact.is_order) == (3, "AskUserQuestion", True)


def test_rest_of_a_section_under_a_label_is_conditional():
    text = "## Chart\n\n**When to use:**\n\n- at night\n\n```bash\nberth chart\n```\n\n## Moor\n\n```bash\nberth moor\n```\n"
    assert [fact.is_conditional for fact in list_facts(text, FactKind.COMMAND)] == [True, False]


def test_tool_in_a_fence_is_not_an_order():
    (fact,) = list_facts("```\nRead with mcp__chart__read\n```\n", FactKind.TOOL)
    assert not fact.is_order


def test_skills_with_their_plugin_are_found_without_marks():
    text = "- **REQUIRED:** Use harbour:tide-tables first\n- Use harbour:knots for ropes\n"
    assert [(fact.line, fact.text, fact.is_order) for fact in list_facts(text, FactKind.SKILL)] == [
        (1, "harbour:tide-tables", True),
        (2, "harbour:knots", False),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + "Task(" * 20_000 + "\n```\n",
        "```bash\n" + 'berth "x\n' * 10_000 + "```\n",
        "- Read `a/b.md` and `berth x y`\n" * 3_000,
        "Never run `berth drop`, " * 4_000,
        "## Step 1\n\nIf x: go to step 9\n\n```bash\nberth do it\n```\n\n" * 1_500,
    ],
    ids=("calls", "quotes", "items", "bans", "steps"),
)
def test_hostile_text_is_parsed_in_seconds(text):
    start = time.perf_counter()
    list_facts(text)
    assert time.perf_counter() - start < 30


def test_lines_that_alternate_are_mapped_in_twice_the_time():
    def measure(many):
        old = [f"line {n} of {many}" for n in range(many)]
        new = [new_line for line in old for new_line in (line, f"other {line}")]
        return measure_seconds(lambda: map_lines.__wrapped__("\n".join(old), "\n".join(new)))

    assert grows_at_most(measure, 8_001, 16_002, factor=2.2)
    assert measure(16_003) < 30
    mapped_lines = map_lines(
        "\n".join(f"line {n}" for n in range(2_000)), "\n".join(f"x\nline {n}" for n in range(2_000))
    )
    assert mapped_lines == {n: 2 * n for n in range(1, 2_001)}


def test_lines_of_a_repetitive_text_are_mapped_in_seconds():
    start = time.perf_counter()
    assert map_lines("a\n" * 50_000, "b\n" + "a\n" * 50_000)[50_000] == 50_001
    assert map_lines("a\nb\nc", "a\nx\nc") == {1: 1, 3: 3}
    assert time.perf_counter() - start < 30


def test_lines_that_a_formatter_changed_are_mapped():
    loaded_text = (
        "# Birds\n\n*Count* each bird.\n8. Send the list\n| a | b c |\nWrite down who counted, and do it twice."
    )
    current_text = (
        "# Birds\n\n_Count_ each bird.\n\n1. Send the list\n\n| a   | b c |\nWrite down who counted, and\ndo it twice."
    )
    assert map_lines(loaded_text, current_text) == {1: 1, 2: 2, 3: 3, 4: 5, 5: 7, 6: 8}


@pytest.mark.parametrize(
    "current_text", ["Never count each bird.", "Count each.", "Count each\nred bird.", "Each bird counts."]
)
def test_line_with_other_words_is_not_mapped(current_text):
    assert 1 not in map_lines("Count each small bird.", current_text)


@pytest.mark.parametrize("pattern", [matches._IF_NOT, text_facts._CASES_LABEL])
def test_line_without_words_is_read_in_twice_the_time(pattern):
    def measure(many):
        return measure_seconds(lambda: pattern.match("-" * many + "x"))

    assert grows_at_most(measure, 10_000, 20_000, factor=2.5)
    assert measure(20_000) < 0.5
