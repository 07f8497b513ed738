"""What the artefact reader makes of code, shell, prose, labels and tables."""

import pytest

from actions.example import example_case
from actions.facts.dataflow.artifacts import Mode, artifact_uses, is_guarded
from actions.facts.dataflow.file_names import normal, overlap


def modes(text):
    return [use.mode for use in artifact_uses(example_case(f"# Work\n\n{text}\n").skill)]


@pytest.mark.parametrize(
    "text",
    [
        "```javascript\nWrite(`${dir}/a.json`, text)\n```",
        '```python\nwith open("a.json", "w") as out:\n    out.write(text)\n```',
        "```python\nPath(f'{dir}/a.json').write_text(text)\n```",
        "```bash\njq . rows > a.json\n```",
        '```\nWrite(\n  "a.json",\n  rows)\n```',
        "Save the rows to `a.json`.",
        "`a.json` is written by the first phase.",
        "Output: `a.json`",
        "**Outputs**:\n\n- `a.json`",
        "| Step | Output |\n|---|---|\n| 1 | `a.json` |",
        "将结果写入 `a.json`。",
        "把结果保存到 a.json。",
    ],
)
def test_a_write_is_seen(text):
    assert modes(text) == [Mode.WRITE]


@pytest.mark.parametrize(
    "text",
    [
        "```javascript\nconst a = JSON.parse(Read(`${dir}/a.json`))\n```",
        '```python\nrows = json.load(open("a.json"))\n```',
        "```bash\ncat a.json | head\n```",
        "Take the rows from `a.json`.",
        "Write the text based on `a.json`.",
        "`a.json` is loaded by the second phase.",
        "**Input**:\n- `a.json`",
        "| Step | Input |\n|---|---|\n| 1 | `a.json` |",
        "读取 `a.json`，逐条处理。",
        "根据 `a.json` 生成报告。",
    ],
)
def test_a_read_is_seen(text):
    assert modes(text) == [Mode.READ]


def test_a_tree_only_lists_and_a_test_of_existence_only_mentions():
    assert modes("```\nrun/\n├── a.json\n```") == [Mode.DECLARE]
    assert modes("```js\nif (fs.existsSync('a.json')) go()\n```") == [Mode.MENTION]


def test_a_variable_is_followed_to_its_use():
    text = "```js\nconst path = `${dir}/a.json`\nWrite(path, rows)\nconst again = Read(path)\n```"
    assert modes(text) == [Mode.WRITE, Mode.READ]


def test_a_file_of_the_skill_is_no_artefact():
    skill = example_case({"SKILL.md": "# Work\n\nRead `specs/a.json`.\n", "specs/a.json": "{}\n"}).skill
    assert artifact_uses(skill) == ()


def test_a_fallback_guards_a_read():
    skill = example_case("# Work\n\n```js\nconst a = exists(p) ? Read('a.json') : {}\n```\n").skill
    assert is_guarded(skill, artifact_uses(skill)[0])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("${run}/a.json", "<session>/a.json", True),
        ("${run}/parts/${n}.json", "work/parts/*.json", True),
        ("a.json", "work/a.json", True),
        ("one/a.json", "two/a.json", False),
        ("part-{n}.json", "piece-1.json", False),
        ("TASK-001.json", "TASK-*.json", True),
    ],
)
def test_names_are_compared_with_placeholders_as_wildcards(one, other, same):
    assert overlap(normal(one), normal(other)) is same
