"""Test which options are reported as unknown in calls of scripts elsewhere in the project."""

import pytest

from actions.patterns import get_patterns
from tests.examples import list_project_cases

SCRIPT = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--tally')\np.add_argument('--order', choices=['name', 'size'])\np.add_argument('--all', action='store_true')\np.parse_args()\n"
PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}', "scripts/count.py": SCRIPT}
FRONTMATTER = "---\nname: count\ndescription: Counts birds.\n---\n\n"


def list_messages(command, path="skills/count/SKILL.md"):
    module = get_patterns()["DOC-CON-002"]
    cases = list_project_cases(module, {**PLUGIN, path: f"{FRONTMATTER}```bash\n{command}\n```\n"})
    return [f.message for case in cases for f in module.check(case)]


CALLS = [
    "python ${CLAUDE_PLUGIN_ROOT}/scripts/count.py",
    'python "${CLAUDE_PLUGIN_ROOT}/scripts/count.py"',
    "python scripts/count.py",
]


@pytest.mark.parametrize("call", [*CALLS, "uv run ${CLAUDE_SKILL_DIR}/../../scripts/count.py"])
def test_unknown_option_of_a_script_of_the_plugin_is_found(call):
    assert list_messages(f"{call} --tallies") == ["scripts/count.py has no option `--tallies`. Did you mean `--tally`?"]
    assert list_messages(f"{call} --tally 3") == []


@pytest.mark.parametrize("path", ["commands/count.md", "agents/counter.md"])
@pytest.mark.parametrize("call", CALLS)
def test_commands_and_agents_are_checked(call, path):
    assert len(list_messages(f"{call} --tallies", path)) == 1


@pytest.mark.parametrize("call", ["python $HOME/scripts/count.py", "python /scripts/count.py", "python ../count.py"])
def test_script_elsewhere_is_not_reported(call):
    assert list_messages(f"{call} --tallies") == []


def test_option_of_the_skills_own_script_is_found_once():
    module = get_patterns()["DOC-CON-002"]
    text = f"{FRONTMATTER}```bash\npython ${{CLAUDE_SKILL_DIR}}/count.py --tallies\n```\n"
    for folder in ("", "skills/count/"):
        (case,) = list_project_cases(module, {f"{folder}SKILL.md": text, f"{folder}count.py": SCRIPT})
        assert len([*module.check(case)]) == 1


@pytest.mark.parametrize("call", ["python .../find.py scripts/count.py", "python -m find scripts/count.py"])
def test_script_that_is_an_argument_is_not_called(call):
    assert list_messages(f"{call} --tallies") == []


@pytest.mark.parametrize("value", [" date", "=date"])
def test_value_that_is_not_a_choice_is_found(value):
    message = "scripts/count.py rejects `--order date`: the choices are `name`, `size`."
    assert list_messages(f"python scripts/count.py --order{value}") == [message]


@pytest.mark.parametrize("value", [" size", " <order>", " ORDER", " order", " $ORDER", "", " --tally x"])
def test_value_that_may_be_a_choice_is_not_reported(value):
    assert list_messages(f"python scripts/count.py --order{value}") == []


def test_value_of_a_flag_is_found_unless_it_may_be_an_argument(monkeypatch):
    assert list_messages("python scripts/count.py --all true") == [
        "scripts/count.py rejects `--all true`: the option takes no value."
    ]
    assert list_messages("python scripts/count.py --all --tally true") == []
    monkeypatch.setitem(PLUGIN, "scripts/count.py", SCRIPT.replace("p.parse", "p.add_argument('birds')\np.parse"))
    assert list_messages("python scripts/count.py --all true") == []


def test_unknown_options_of_one_command_are_one_finding():
    assert list_messages("python scripts/count.py \\\n  --tallies 3 \\\n  --fast") == [
        "scripts/count.py has no option `--tallies` or `--fast`."
    ]
    assert len(list_messages("python scripts/count.py --fast\npython scripts/count.py --slow")) == 2


@pytest.mark.parametrize("command", ["--tally 3 --tallies 3", "--rally 3"])
def test_used_or_dissimilar_option_is_not_suggested(command):
    (message,) = list_messages(f"python scripts/count.py {command}")
    assert "Did you mean" not in message


SUBCOMMANDS = """import argparse
p = argparse.ArgumentParser()
p.add_argument('--root')
s = p.add_subparsers(dest='c')
add = s.add_parser('add')
add.add_argument('--title')
of_list = s.add_parser('list')
of_list.add_argument('--format')
p.parse_args()
"""


def test_option_of_another_subcommand_is_not_suggested():
    module = get_patterns()["DOC-CON-002"]
    text = f"{FRONTMATTER}```bash\npython scripts/count.py %s\n```\n"
    calls = {"list --titel 3": False, "add --titel 3": True, "--root . list --titel 3": False}
    for call, is_suggested in calls.items():
        files = {**PLUGIN, "scripts/count.py": SUBCOMMANDS, "skills/count/SKILL.md": text % call}
        (finding,) = [f for case in list_project_cases(module, files) for f in module.check(case)]
        assert ("Did you mean `--title`?" in finding.message) is is_suggested
