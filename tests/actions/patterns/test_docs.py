"""Test the docs patterns on repetitions and contradictions beyond their own examples, and on lookalikes."""

import pytest

from actions.patterns.docs import (
    doc_con_002_unlike_the_script,
    doc_red_003_type_defined_twice,
)
from tests.examples import make_example_case

PARSER = (
    "import argparse\n\np = argparse.ArgumentParser()\nsub = p.add_subparsers()\none = sub.add_parser('one')\n"
    "one.add_argument('--dry-run', action='store_true')\none.add_argument('--limit', type=int, default=20)\np.parse_args()\n"
)


def find(module, example):
    return list(module.check(make_example_case(example)))


def test_types_are_compared_without_comments():
    spec = "# S\n\n```ts\nexport type Book = {\n  title: string; // as printed\n  shelf: 'a' | 'b';\n  owner?: string\n}\n```\n"
    type_definition = "# P\n\n```ts\ntype Book = { title: string, shelf: 'a' | 'b', owner?: string }\n```\n"
    assert len(find(doc_red_003_type_defined_twice, {"specs/s.md": spec, "phases/1.md": type_definition})) == 1
    definition_with_other_field = type_definition.replace("owner?", "owner")
    (finding,) = find(doc_red_003_type_defined_twice, {"specs/s.md": spec, "phases/1.md": definition_with_other_field})
    assert "with `owner : string` here, but with `owner ? : string` at" in finding.message
    definition_without_field = type_definition.replace(", owner?: string", "")
    assert find(doc_red_003_type_defined_twice, {"specs/s.md": spec, "phases/1.md": definition_without_field}) == []


UNKNOWN_OPTIONS = {
    "a span": "# X\n\nRun `python3 scripts/x.py one --fast` first.\n",
    "a path by the skill's variable, in a plain fence": "# X\n\n```\npython ${CLAUDE_SKILL_DIR}/scripts/x.py one --fast=2\n```\n",
    "an installed path": "# X\n\n```sh\npython ~/.claude/skills/example/scripts/x.py one --fast\n```\n",
    "a stated default": "# X\n\n## `x.py`\n\n| Option | Meaning | Default |\n|---|---|---|\n| `--limit N` | rows | `50` |\n",
}
KNOWN_OPTIONS = {
    "options as defined": "# X\n\n```bash\npython scripts/x.py one --dry-run --limit 3 -h\n```\n\n- `--limit` (default: 20.0) of `x.py`\n",
    "the script as an argument": "# X\n\n```bash\ngrep --fast the scripts/x.py\n```\n",
    "another program in the same pipe": "# X\n\n```bash\npython scripts/x.py one | jq --fast\n```\n",
    "a value in quotes": "# X\n\n```bash\npython scripts/x.py one --limit '--fast'\n```\n",
    "a script of another plugin or folder": "# X\n\n```bash\npython ${CLAUDE_PLUGIN_ROOT}/scripts/x.py --fast\npython ../y/scripts/x.py --fast\n```\n",
    "a sample of what not to do": "# X\n\nDon't:\n\n```bash\npython scripts/x.py --fast\n```\n",
    "another tool's default": "# X\n\n## git\n\n- `--limit N` (default: 5)\n",
}


@pytest.mark.parametrize("name", UNKNOWN_OPTIONS)
def test_option_unknown_to_the_script_is_found(name):
    assert len(find(doc_con_002_unlike_the_script, {"SKILL.md": UNKNOWN_OPTIONS[name], "scripts/x.py": PARSER})) == 1


@pytest.mark.parametrize("name", KNOWN_OPTIONS)
def test_option_known_to_the_script_is_ignored(name):
    assert find(doc_con_002_unlike_the_script, {"SKILL.md": KNOWN_OPTIONS[name], "scripts/x.py": PARSER}) == []


@pytest.mark.parametrize(
    ("command", "path", "script"),
    [
        (
            "python scripts/w.py --fast",
            "scripts/w.py",
            "import click\n\n@click.command()\n@click.option('--depth', '-d', default=3)\ndef main(depth): ...\n",
        ),
        (
            "bash scripts/b.sh --fast",
            "scripts/b.sh",
            'while [ $# -gt 0 ]; do\n  case "$1" in\n    --clean) C=1 ;;\n    *) exit 2 ;;\n  esac\n  shift\ndone\n',
        ),
    ],
)
def test_options_of_other_parsers_are_read(command, path, script):
    assert len(find(doc_con_002_unlike_the_script, {"SKILL.md": f"# X\n\nRun `{command}`.\n", path: script})) == 1


def test_shell_script_passing_arguments_on_accepts_any_option():
    script = 'while [ $# -gt 0 ]; do\n  case "$1" in\n    --clean) C=1 ;;\n    *) break ;;\n  esac\n  shift\ndone\nmake "$@"\n'
    text = "# X\n\n```bash\nbash scripts/x.sh --clean --fast\n```\n"
    assert find(doc_con_002_unlike_the_script, {"SKILL.md": text, "scripts/x.sh": script}) == []
