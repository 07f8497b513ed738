"""The dataflow patterns see broken contracts in words that are not their own examples', and leave kept ones alone."""

import pytest

from actions.example import example_case
from actions.patterns import all_patterns


def seen(id, example):
    return list(all_patterns()[id].look(example_case(example)))


LOST = {
    "a heredoc and a later phase that asks again": {
        "phases/01-probe.md": "# Probe\n\n```bash\ncat > $RUN_DIR/hosts.yaml <<EOF\nhosts: []\nEOF\n```\n",
        "phases/02-patch.md": "# Patch\n\nAsk the user which hosts to patch.\n",
    },
    "a path held by a variable": """# Merge

## Step 1: Compare
```javascript
const pairsPath = `${tmpDir}/pairs.json`
const pairs = compare(left, right)
Write(pairsPath, JSON.stringify(pairs))
```

## Step 2: Ask
Ask the user about each doubtful pair.

## Step 3: Join
Join the tables.
""",
    "an output table": {
        "SKILL.md": "# Audit\n\n| Phase | Output |\n|---|---|\n| 1 | `.audit/findings.json` |\n| 2 | a talk with the user |\n\nFollow `phases/1-look.md`, then `phases/2-talk.md`.\n",
        "phases/1-look.md": "# Look\n\nList what is wrong.\n",
        "phases/2-talk.md": "# Talk\n\nAsk what to mend first.\n",
    },
    "an agent's prompt": {
        "phases/1-dig.md": '# Dig\n\n```python\nTask(prompt=f"""Dig through {src}.\nWrite your notes to {work}/dig-notes.json.""")\n```\n',
        "phases/2-tell.md": "# Tell\n\nTell the user three things.\n",
    },
    "Chinese prose": {
        "phases/1-收集.md": "# 收集\n\n把访谈要点保存到 `${会话目录}/要点.json`。\n",
        "phases/2-归纳.md": "# 归纳\n\n按主题归纳，输出三条结论。\n",
    },
}
KEPT = {
    "the next phase reads the folder": {
        "phases/1-dig.md": "# Dig\n\nEach digger writes `${work}/holes/{n}.json`.\n",
        "phases/2-tell.md": "# Tell\n\nRead all files in `${work}/holes/` and tell the three deepest.\n",
    },
    "the reader names the thing without its file": {
        "phases/1-dig.md": "# Dig\n\nWrite `${work}/dig-notes.json`.\n",
        "phases/2-tell.md": "# Tell\n\nLoad the dig notes and tell three things.\n",
    },
    "the path goes to an agent": {
        "phases/1-dig.md": "# Dig\n\nWrite `${work}/dig-notes.json`.\n",
        "phases/2-tell.md": "# Tell\n\n```javascript\nTask({ prompt: `Notes: ${work}/dig-notes.json` })\n```\n",
    },
    "a product of the last phase": {
        "phases/1-dig.md": "# Dig\n\nDig.\n",
        "phases/2-tell.md": "# Tell\n\nWrite `${work}/story.json` for the user.\n",
    },
    "a library that is taught": "# CSV\n\n## Step 1: Load\n```python\nimport pandas as pd\ndf = pd.read_csv('in.csv')\ndf.to_json('rows.json')\n```\n\n## Step 2: Plot\nPlot it.\n",
    "one stage only": "# Save\n\nSave the answer to `${work}/answer.json`.\n",
}


@pytest.mark.parametrize("name", LOST)
def test_a_file_that_nobody_takes_up_is_lost(name):
    assert len(seen("DF-004", LOST[name])) == 1


@pytest.mark.parametrize("name", KEPT)
def test_a_file_that_is_taken_up_or_is_a_product_is_not_lost(name):
    assert seen("DF-004", KEPT[name]) == []


ABSENT = {
    "shell": {
        "phases/1-list.md": "# List\n\n```bash\nls src > $RUN/files.txt\n```\n",
        "phases/2-rank.md": "# Rank\n\n```bash\njq '.[0]' $RUN/ranking.json\ncat $RUN/files.txt\n```\n",
    },
    "an input list": {
        "phases/1-list.md": "# List\n\n**Output**: `${run}/files.json`\n",
        "phases/2-rank.md": "# Rank\n\n## Inputs\n\n- `${run}/files.json`\n- `${run}/owners.json`\n",
    },
    "prose that names the phase before": """# Tour

## Phase 1: Plan
Save the stops to `plan/stops.json`.

## Phase 2: Book
Take the prices from the previous phase (`plan/prices.json`) and the stops from `plan/stops.json`.
""",
}


@pytest.mark.parametrize("name", ABSENT)
def test_a_file_of_the_run_that_nobody_writes_is_told(name):
    assert len(seen("DF-006", ABSENT[name])) == 1


@pytest.mark.parametrize(
    "text",
    [
        "if (exists(`${run}/owners.json`)) owners = Read(`${run}/owners.json`)",
        "const owners = tryRead() || {} // fallback\nRead(`${run}/owners.json`)",
        "Read(`~/.config/owners.json`)",
    ],
)
def test_a_guarded_or_foreign_read_is_no_break(text):
    skill = {
        "phases/1-list.md": "# List\n\nWrite `${run}/files.json`.\n",
        "phases/2-rank.md": f"# Rank\n\nRead `${{run}}/files.json`.\n\n```javascript\n{text}\n```\n",
    }
    assert seen("DF-006", skill) == []


@pytest.mark.parametrize(
    "text",
    [
        "For the limits consult `references/quota.md`.",
        "| When | File |\n|---|---|\n| late | `references/quota.md` |",
        "Load references/quota.md first.",
        '```javascript\nconst text = Read("references/quota.md")\n```',
        "按照 `references/quota.md` 的规定执行。",
        '```\nTask(prompt="Follow references/quota.md")\n```',
    ],
)
def test_a_part_of_the_skill_that_is_not_there_is_named(text):
    skill = {"SKILL.md": f"# Limits\n\n{text}\n", "references/limits.md": "# Limits\n\nNone.\n"}
    assert [e.message for e in seen("DF-009", skill)] == ["`references/quota.md` is named here and is not there."]


@pytest.mark.parametrize(
    "text",
    [
        "Create `references/quota.md` in the new skill.",
        "Put long tables in files such as `references/quota.md`.",
        "See `references/quota.md` of the billing skill.",
        "Read `references/{topic}.md` for the topic.",
        "Read `src/references.py` of the user's project.",
        "```\nskill/\n├── references/quota.md\n```",
        "If `references/quota.md` is present, read it.",
        "The old `references/quota.md` was removed.",
        "❌ Don't write: see `references/quota.md` without saying when.\n\n## Anti-patterns\n\nSee `references/quota.md`.",
    ],
)
def test_a_path_that_is_made_foreign_or_an_example_is_left_alone(text):
    skill = {"SKILL.md": f"# Limits\n\n{text}\n", "references/limits.md": "# Limits\n\nNone.\n"}
    assert seen("DF-009", skill) == []
