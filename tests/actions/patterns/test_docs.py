"""Test the docs patterns on repetitions and contradictions beyond their own examples, and on lookalikes."""

import pytest

from actions.patterns.docs import (
    doc_con_002_unlike_the_script,
    doc_red_003_type_defined_twice,
    doc_red_004_same_passage,
)
from actions.scoring.scan import scan
from tests.examples import make_example_case

RULES = (
    "Ask the owner of the shelf before a book is moved to another room.\n\n"
    "Write the old and the new place into the register on the same day.\n\n"
    "Leave a card with the date at the place where the book stood before, and tell the porter.\n\n"
    "Return a book to its old shelf when the reader of the other room has finished it, and take away the card.\n\n"
    "Report a book that is in neither room to the owner of the shelf, who then looks for it in the register.\n\n"
    "Count the books of both rooms at the end of the month, and compare the counts with those in the register.\n"
)
PARSER = (
    "import argparse\n\np = argparse.ArgumentParser()\nsub = p.add_subparsers()\none = sub.add_parser('one')\n"
    "one.add_argument('--dry-run', action='store_true')\none.add_argument('--limit', type=int, default=20)\np.parse_args()\n"
)


def find(module, example):
    return list(module.check(make_example_case(example)))


def make_fences(text):
    return text.replace("'''", "```")


REPEATED_PASSAGES = {
    "short paragraphs that only together are long enough": {
        "references/a.md": f"# A\n\n{RULES}",
        "references/b.md": f"# B\n\nFirst of all:\n\n{RULES}\nThen go.\n",
    },
    "a list with other bullets": {
        "references/a.md": "# A\n\n" + "".join(f"- {line}\n" for line in RULES.split("\n") if line),
        "references/b.md": "# B\n\n" + "".join(f"* **{line}**\n" for line in RULES.split("\n") if line),
    },
}
DIFFERENT_PASSAGES = {
    "one word differs": {
        "references/a.md": RULES,
        "references/b.md": RULES.replace("porter", "guard").replace("owner", "maker"),
    },
    "few words": {f"references/{n}.md": "\n\n".join(RULES.split("\n\n")[:4]) for n in "ab"},
    "test data": {"references/a.md": RULES, "tests/b.md": RULES},
    "a sample of what not to do": {"references/a.md": RULES, "references/b.md": f"# B\n\n## Bad example\n\n{RULES}"},
    "a command for use in place": {
        "references/a.md": make_fences("# A\n\n'''bash\npython x.py --all\n'''\n"),
        "references/b.md": make_fences("# B\n\n'''bash\npython x.py --all\n'''\n"),
    },
}


@pytest.mark.parametrize("name", REPEATED_PASSAGES)
def test_repeated_passage_is_one_finding_with_both_places(name):
    (finding,) = find(doc_red_004_same_passage, REPEATED_PASSAGES[name])
    assert finding.file == "references/b.md"
    assert "references/a.md:3-" in finding.message
    assert finding.line_end >= finding.line


@pytest.mark.parametrize("name", DIFFERENT_PASSAGES)
def test_different_passages_are_ignored(name):
    assert find(doc_red_004_same_passage, DIFFERENT_PASSAGES[name]) == []


def test_passage_in_many_files_is_one_finding():
    case = make_example_case({f"references/{n}.md": f"# {n}\n\n{RULES}" for n in range(5)})
    (finding,) = scan(case, [doc_red_004_same_passage]).findings
    assert [location.file for location in finding.locations] == [f"references/{n}.md" for n in range(1, 5)]
    assert finding.also == ("references/0.md:3-13: the same passage",)


def test_words_count_for_each_further_file():
    text = "\n\n".join(RULES.split("\n\n")[:4])
    finding = find(doc_red_004_same_passage, {f"references/{n}.md": f"# {n}\n\n{text}\n" for n in "abc"})
    assert [one.file for one in finding] == ["references/b.md", "references/c.md"]


@pytest.mark.parametrize(
    "paths",
    [
        ("samples/letter_before_ja.md", "samples/letter_after_ja.md"),
        ("references/good-plan.md", "references/bad-plan.md"),
        ("references/examples/a.md", "references/examples/b.md"),
        ("references/real-world-examples.md", "references/sample.md"),
        ("references/letter-template.md", "references/b.md"),
        ("references/personas/reader.md", "references/personas/porter.md"),
        ("references/guide-html.md", "references/guide-pdf.md"),
    ],
)
def test_text_that_must_be_complete_may_repeat_a_passage(paths):
    assert find(doc_red_004_same_passage, dict.fromkeys(paths, f"# A\n\n{RULES}")) == []


@pytest.mark.parametrize(
    "paths",
    [
        ("references/stack.md", "references/setup.md"),
        ("references/part-1.md", "references/part-2.md"),
        ("references/web/guide-html.md", "references/print/guide-pdf.md"),
        ("references/personas/reader.md", "references/porter.md"),
    ],
)
def test_text_that_a_run_may_read_twice_is_reported(paths):
    assert len(find(doc_red_004_same_passage, dict.fromkeys(paths, f"# A\n\n{RULES}"))) == 1


def test_footnotes_may_be_repeated():
    note = "[^6]: " + " ".join(RULES.split())
    assert find(doc_red_004_same_passage, {f"references/{n}.md": f"# A\n\nSee.[^6]\n\n{note}\n" for n in "ab"}) == []


def test_compiled_file_may_repeat_its_parts():
    parts = {f"rules/{n}.md": f"# {n}\n\n" + RULES.replace("the ", f"the {n} ") for n in "abcd"}
    case = make_example_case(parts | {"references/all.md": "# All\n\n" + "\n\n".join(parts.values())})
    assert list(doc_red_004_same_passage.check(case)) == []
    case = make_example_case(parts | {"references/all.md": parts["rules/a.md"] + parts["rules/b.md"]})
    assert list(doc_red_004_same_passage.check(case)) != []


def test_types_are_compared_without_comments():
    spec = "# S\n\n```ts\nexport type Book = {\n  title: string; // as printed\n  shelf: 'a' | 'b';\n  owner?: string\n}\n```\n"
    type_definition = "# P\n\n```ts\ntype Book = { title: string, shelf: 'a' | 'b', owner?: string }\n```\n"
    assert len(find(doc_red_003_type_defined_twice, {"specs/s.md": spec, "phases/1.md": type_definition})) == 1
    definition_with_other_field = type_definition.replace("owner?", "owner")
    (unlike,) = find(doc_red_003_type_defined_twice, {"specs/s.md": spec, "phases/1.md": definition_with_other_field})
    assert "with `owner : string` here, but with `owner ? : string` at" in unlike.message
    fewer = type_definition.replace(", owner?: string", "")
    assert find(doc_red_003_type_defined_twice, {"specs/s.md": spec, "phases/1.md": fewer}) == []


UNKNOWN_OPTIONS = {
    "a span": "# X\n\nRun `python3 scripts/x.py one --fast` first.\n",
    "a path by the skill's variable, in a plain fence": "# X\n\n```\npython ${CLAUDE_SKILL_DIR}/scripts/x.py one --fast=2\n```\n",
    "an installed path": "# X\n\n```sh\npython ~/.claude/skills/example/scripts/x.py one --fast\n```\n",
    "a stated default": "# X\n\n## `x.py`\n\n| Option | Meaning | Default |\n|---|---|---|\n| `--limit N` | rows | `50` |\n",
}
KNOWN_OPTIONS = {
    "all as it is": "# X\n\n```bash\npython scripts/x.py one --dry-run --limit 3 -h\n```\n\n- `--limit` (default: 20.0) of `x.py`\n",
    "the script as an argument": "# X\n\n```bash\ngrep --fast the scripts/x.py\n```\n",
    "another program in the same pipe": "# X\n\n```bash\npython scripts/x.py one | jq --fast\n```\n",
    "a value in quotes": "# X\n\n```bash\npython scripts/x.py one --limit '--fast'\n```\n",
    "somebody else's script": "# X\n\n```bash\npython ${CLAUDE_PLUGIN_ROOT}/scripts/x.py --fast\npython ../y/scripts/x.py --fast\n```\n",
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
