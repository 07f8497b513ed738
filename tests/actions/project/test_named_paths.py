"""Test which paths in the text of a unit are reported as missing from its project."""

import pytest

from actions.patterns import get_patterns
from schemas.vocabulary import Severity
from tests.examples import list_project_cases

PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "birds"}',
    "scripts/count.sh": "exit 0\n",
    "docs/birds.md": "# Birds\n",
}
FRONTMATTER = "---\nname: count\ndescription: Counts birds. Use when birds are counted.\n---\n\n# Count\n\n"


def find_missing_paths(text, id="PRJ-003", path="skills/count/SKILL.md", **others):
    module = get_patterns()[id]
    files = {
        **PLUGIN,
        **{name.replace("__", "/") + ".md": other for name, other in others.items()},
        path: FRONTMATTER + text,
    }
    return [(f.line, f.severity) for case in list_project_cases(module, files) for f in module.check(case)]


LINES_WITH_MISSING_PATH = ["sh ${CLAUDE_PLUGIN_ROOT}/scripts/tally.sh --all", 'node "${CLAUDE_SKILL_DIR}/tally.js"']
LINES_WITH_POSSIBLE_PATH = [
    "sh ${CLAUDE_PLUGIN_ROOT}/scripts/count.sh",
    "sh ${CLAUDE_PLUGIN_ROOT}/scripts/$NAME.sh",
    "sh ${CLAUDE_PLUGIN_ROOT}/scripts/<name>.sh",
    "sh ${CLAUDE_PLUGIN_ROOT}/dist/tally.sh",
    "test -f ${CLAUDE_PLUGIN_ROOT}/tally.sh && sh ${CLAUDE_PLUGIN_ROOT}/tally.sh",
    "sh ${CLAUDE_PLUGIN_ROOT}/tally.sh || true",
    "date > ${CLAUDE_PLUGIN_ROOT}/last.txt",
    "sh ${CLAUDE_PLUGIN_ROOT}/scripts/my-script.sh",
    "sh ${CLAUDE_PLUGIN_ROOT}/hook.sh",
    "# ✅ RIGHT\nsh ${CLAUDE_PLUGIN_ROOT}/scripts/tally.sh",
]


@pytest.mark.parametrize("path", ["skills/count/SKILL.md", "commands/count.md", "agents/counter.md"])
def test_missing_file_of_the_plugin_is_found_in_code(path):
    assert find_missing_paths(f"```bash\n{LINES_WITH_MISSING_PATH[0]}\n```\n", path=path) == [(9, Severity.HIGH)]


def test_missing_file_of_the_skill_is_found_in_code():
    assert len(find_missing_paths(f"```bash\n{LINES_WITH_MISSING_PATH[1]}\n```\n")) == 1


@pytest.mark.parametrize("line", LINES_WITH_POSSIBLE_PATH)
def test_path_that_may_exist_is_not_reported(line):
    assert find_missing_paths(f"```bash\n{line}\n```\n") == []


def test_samples_of_plugins_are_not_reported():
    assert find_missing_paths(f"Name it in hooks.json:\n\n```bash\n{LINES_WITH_MISSING_PATH[0]}\n```\n") == []
    assert (
        find_missing_paths("```bash\n" + "".join(f"sh ${{CLAUDE_PLUGIN_ROOT}}/{name}.sh\n" for name in "abc") + "```\n")
        == []
    )


@pytest.mark.parametrize("target", ["../tally/SKILL.md", "../../docs/bird.md", "docs/bird.md"])
def test_dead_link_of_a_skill_into_its_plugin_is_found(target):
    assert len(find_missing_paths(f"See [it]({target}).\n", "SPEC-005")) == 1


@pytest.mark.parametrize("target", ["../tally/SKILL.md", "../../docs/birds.md", "docs/birds.md", "../../../x.md"])
def test_link_that_exists_or_leaves_the_project_is_not_reported(target):
    assert find_missing_paths(f"See [it]({target}).\n", "SPEC-005", skills__tally__SKILL=FRONTMATTER) == []


def test_missing_headings_of_a_file_are_one_finding():
    module = get_patterns()["SPEC-005"]
    files = {
        **PLUGIN,
        "skills/count/SKILL.md": FRONTMATTER + "See [a](#one), [b](#two).\n\nSee [c](#three), [d](b.md#one).\n",
    }
    files["skills/count/b.md"] = "# Birds\n"
    findings = [f for case in list_project_cases(module, files) for f in module.check(case)]
    assert [f.cause for f in findings] == ["the headings of SKILL.md"] * 3 + ["b.md#one"]


@pytest.mark.parametrize(
    "script",
    [
        'OUT="$ROOT/bin/tally"\ngo build -o "$OUT" ./cmd\n',
        "curl -L https://example.org/x > ${ROOT}/bin/tally\n",
        "cp target/release/tally $ROOT/bin/tally\n",
    ],
)
def test_file_that_a_script_of_the_plugin_creates_is_not_reported(script):
    module = get_patterns()["PRJ-003"]
    server = '{"mcpServers": {"t": {"command": "${CLAUDE_PLUGIN_ROOT}/bin/tally"}}}'
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', ".mcp.json": server, "hooks/init.sh": script}
    assert [f for case in list_project_cases(module, files) for f in module.check(case)] == []
    files["hooks/init.sh"] = "$ROOT/bin/tally --all\n"
    assert len([f for case in list_project_cases(module, files) for f in module.check(case)]) == 1
