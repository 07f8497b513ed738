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
    files = {**FILES, "skills/count/SKILL.md": FRONTMATTER, path: FRONTMATTER + text}
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
    assert len(list_messages(text, "skills/count/references/steps.md")) == 1


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
