"""Test which commands in a skill are reported because the script that they run does not exist."""

import pytest

from actions.patterns import get_patterns
from tests.examples import list_project_cases

FRONTMATTER = "---\nname: count\ndescription: Counts birds. Use when birds are counted.\n---\n\n# Count\n\n"
FILES = {
    ".claude-plugin/plugin.json": '{"name": "birds"}',
    "skills/count/scripts/count.py": "print(1)\n",
    "skills/sort/scripts/sort_birds.py": "print(1)\n",
    "scripts/shared.py": "print(1)\n",
}


def list_messages(text, path="skills/count/SKILL.md"):
    module = get_patterns()["PRJ-042"]
    files = {**FILES, "skills/count/SKILL.md": FRONTMATTER, path: FRONTMATTER.replace("name: count\n", "") + text}
    return [f.message for case in list_project_cases(module, files) for f in module.check(case)]


@pytest.mark.parametrize(
    "text",
    [
        "Parse:\n\n```bash\npython3 scripts/tally.py --all\n```\n",
        "Parse:\n\n```\nexport A=1; uv run scripts/tally.py\n```\n",
        "Parse with `node ./scripts/tally.js`.\n",
    ],
)
def test_missing_script_of_the_skill_is_reported(text):
    assert len(list_messages(text)) == 1
    assert len(list_messages(f"First `scripts/count.py`.\n\n{text}", "skills/count/references/steps.md")) == 1


def test_path_from_the_root_into_the_skill_is_checked():
    text = "```bash\npython3 skills/{}\n```\n"
    assert list_messages(text.format("count/scripts/count_.py")) == [
        "The script `scripts/count_.py` does not exist. Did you mean `scripts/count.py`?"
    ]
    assert len(list_messages(text.format("count/tally.py"))) == 1
    others = ("count/scripts/count.py", "sort/scripts/sort_birds.py", "sort/scripts/tally.py", "counter/scripts/x.py")
    assert [list_messages(text.format(path)) for path in others] == [[]] * len(others)


def test_reference_that_names_no_script_of_the_skill_may_be_about_another_project():
    text = "```bash\npython3 scripts/{}.py\n```\n"
    assert list_messages(text.format("tally"), "skills/count/references/gulls.md") == []
    assert len(list_messages(text.format("count_"), "skills/count/references/gulls.md")) == 1


def test_script_with_a_similar_name_is_suggested():
    assert list_messages("```bash\npython3 scripts/count_.py\n```\n") == [
        "The script `scripts/count_.py` does not exist. Did you mean `scripts/count.py`?"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```bash\npython3 scripts/count.py\npython3 scripts/shared.py\npython3 scripts/sort_birds.py\n```\n",
        "```bash\ncat > scripts/tally.py <<'E'\nE\npython3 scripts/tally.py\n```\n",
        "```bash\n[ -f scripts/tally.py ] && python3 scripts/tally.py\n```\n",
        "```bash\ncd app\npython3 scripts/tally.py\n```\n",
        "Run the linter of your project:\n\n```bash\npython3 scripts/tally.py\n```\n",
        "```bash\npython3 scripts/helper.py\npython3 scripts/my-tally.py\npython3 scripts/$NAME.py\n```\n",
        "```bash\npython3 tools/tally.py\n```\n",
        "Create `scripts/tally.py`:\n\n```bash\npython3 scripts/tally.py\n```\n",
        "```python\n# scripts/tally.py\nprint(1)\n```\n\n```bash\npython3 scripts/tally.py\n```\n",
        "`tally.py`:\n\n```python3\nprint(1)\n```\n\n```bash\npython3 scripts/tally.py\n```\n",
        "Do not do this:\n\n```bash\npython3 scripts/tally.py\n```\n",
        "**Valid:**\n```bash\npython3 scripts/tally.py\n```\n",
        "**Invalid:**\n\n```bash\npython3 scripts/tally.py\n```\n",
    ],
)
def test_script_that_exists_or_may_exist_is_not_reported(text):
    assert list_messages(text) == []


def test_file_about_writing_skills_is_not_searched():
    text = "Keep SKILL.md short.\n\n```bash\npython3 scripts/tally.py\n```\n"
    assert list_messages(text, "skills/count/references/writing.md") == []


CALL = "Parse:\n\n```bash\npython3 scripts/tally.py --all\n```\n\n"
TREE = "```\nring/\n├── SKILL.md\n└── scripts/\n    └── tally.py   # adds up\n```\n"


PREFIXES = ("<skill-dir>", "~/.claude/skills/count")


@pytest.mark.parametrize(
    "text",
    [
        f"{CALL}## Bundled scripts\n\n- `scripts/tally.py`: adds up the nests\n",
        f"{CALL}### scripts/\n\n- **tally.py** - adds up\n",
        f"{CALL}## Files\n\n| `references/nests.md` | all nests |\n| `scripts/tally.py` | adds up |\n",
        f"{CALL}Use the bundled script `tally.py`.\n",
        f"{CALL}{TREE}",
        f"{CALL}All scripts are in `~/.claude/skills/ring/scripts/`.\n",
        f"{CALL}Or begin with `cd .claude/skills/ring/scripts`.\n",
        "Run `python3 ~/.claude/skills/ring/scripts/tally.py`.\n",
        "Run `bash .claude/skills/ring/scripts/tally.sh`.\n",
        '```bash\npython3 "$SKILL_DIR/scripts/tally.py"\n```\n',
        "Run `node <skill-dir>/lib/tally.js` or `node {baseDir}/lib/tally.js`.\n",
        'Run `python "<path-to-skill>/scripts/tally.py" --repo "." --project birds`.\n',
    ],
)
def test_own_script_of_a_missing_folder_is_reported(text):
    assert len(list_messages(text, "skills/ring/SKILL.md")) > 0
    assert list_messages(text, "skills/ring-skills/SKILL.md") == []


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"{CALL}## Scripts\n\n- `scripts/tally.py`: adds up\n- `src/nests.py`: the nests\n",
        f"{CALL}## Bundled scripts\n\n- `scripts/weigh.py`: weighs them, not like tally.py\n",
        f"{CALL}## Bundled scripts (planned)\n\n- `scripts/tally.py`: adds up\n",
        f"{CALL}```\nbirds/\n├── CLAUDE.md\n└── scripts/\n    └── tally.py\n```\n",
        f"{CALL}All scripts are in `~/.claude/skills/gulls/scripts/`.\n",
        f"{CALL}All notes are in `~/.claude/skills/ring/scripts-of-old`.\n",
        f"{CALL}## Bundled scripts\n\n- `scripts/tally.py`: adds up\n\nRun them in a clone of the birds.\n",
        f"{CALL.replace('Parse', 'In your project')}## Bundled scripts\n\n- `scripts/tally.py`: adds up\n",
        "Run `python3 ~/.claude/skills/gulls/scripts/tally.py`.\n",
        "Set SKILL_DIR=~/gulls.\n\n```bash\npython3 $SKILL_DIR/scripts/tally.py\n```\n",
        "Run `python3 $SKILL_DIR/scripts/shared.py` and `python3 <skills>/scripts/tally.py`.\n",
    ],
)
def test_script_of_a_missing_folder_may_be_of_another_project(text):
    assert list_messages(text, "skills/ring/SKILL.md") == []


def test_copy_of_another_skill_says_nothing_about_the_own_folder():
    placeholder, installed = (f"Run `python3 {folder}/scripts/tally.py`.\n" for folder in PREFIXES)
    assert list_messages(placeholder, "skills/count/references/gulls.md") == []
    assert len(list_messages(installed, "skills/count/references/gulls.md")) == 1
    assert list_messages(installed, "skills/count/references/gulls-SKILL.md") == []


AGENT = ".claude/agents/counter.md"
TALLY = "Tally:\n\n```bash\n{}\n```\n"


def list_agent_messages(command, *others, path=AGENT, text=TALLY, **contents):
    module = get_patterns()["PRJ-042"]
    files = {path: FRONTMATTER + text.format(command), **dict.fromkeys(others, "exit 0\n"), **contents}
    return [f.message for case in list_project_cases(module, files) for f in module.check(case)]


@pytest.mark.parametrize(
    "command",
    [
        "bash .claude/scripts/tally.sh --all",
        "python3 ./.claude/scripts/tally.py",
        'node "$CLAUDE_PROJECT_DIR"/.claude/scripts/tally.js',
        "bun tools/birds/tally.ts",
        "bash scripts/count.sh && bash scripts/tally.sh",
    ],
)
def test_missing_script_of_a_project_is_reported_in_its_agents(command):
    others = (".claude/scripts/count.sh", "tools/birds/count.ts", "scripts/count.sh")
    for path in (AGENT, ".claude/commands/counter.md", "sub/.claude/agents/counter.md"):
        (message,) = list_agent_messages(command, *others, path=path)
        assert "tally." in message
    assert list_agent_messages(command, path=AGENT) == []
    name = next(f"tally.{end}" for end in ("sh", "py", "js", "ts") if f"tally.{end}" in command)
    assert list_agent_messages(command, *others, f"other/{name}") == []
    assert list_agent_messages(command, *others, **{"setup.sh": f"cp x lib/{name}\n"}) == []
    plugin = {".claude-plugin/plugin.json": '{"name": "birds"}'}
    assert list_agent_messages(command, *others, path="agents/counter.md", **plugin) == []


@pytest.mark.parametrize(
    "command",
    [
        "bash scripts/tally.sh",
        "cd app\nbash .claude/scripts/tally.sh",
        "bash ~/.claude/scripts/tally.sh",
        "bash .claude/tally.sh",
    ],
)
def test_script_of_another_project_is_not_reported_in_an_agent(command):
    assert list_agent_messages(command, ".claude/scripts/count.sh", "scripts/count.sh") == []


def test_script_that_a_project_may_have_is_not_reported_in_an_agent():
    text = "Run `{}` if available.\n"
    assert list_agent_messages("bash .claude/scripts/tally.sh", ".claude/scripts/count.sh", text=text) == []
