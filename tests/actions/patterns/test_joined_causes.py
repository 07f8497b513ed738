"""Test that the same mistake, repeated in a hooks file or a list of tools, is one finding."""

import pytest

from actions.patterns import get_patterns
from actions.scoring.causes import find_shared_cause
from actions.scoring.scan import scan
from schemas.vocabulary import UnitKind
from tests.examples import list_project_cases

HOOK = '{"hooks": [{"type": "command", "command": "true", "timeout": %d}]}'
RULE = '{"matcher": "Bash(git %s:*)", "hooks": [{"type": "command", "command": "true"}]}'


def find_open(id, path, text):
    findings_by_case = (scan(case).open for case in list_project_cases(get_patterns()[id], {path: text}))
    return [finding for findings in findings_by_case for finding in findings if finding.pattern.id == id]


def test_timeouts_in_milliseconds_are_one_finding_per_file():
    hooks = ",\n".join(f'"{event}": [{HOOK % n}]' for event, n in (("Stop", 5000), ("PreToolUse", 30000)))
    (joined_finding,) = find_open("PRJ-016", ".claude/settings.json", f'{{"hooks": {{{hooks}}}}}')
    assert len(joined_finding.locations) == 2


@pytest.mark.parametrize(
    ("timeouts", "lines"),
    [((2000, 1500, 1000), []), ((1500, 5000, 1800, 999, 3000), [1, 2, 5]), ((3600, 3000), [])],
)
def test_short_timeouts_are_in_milliseconds_beside_a_certain_one(timeouts, lines):
    events = ("Stop", "PreToolUse", "PostToolUse", "SessionStart", "PreCompact")
    hooks = ",\n".join(f'"{event}": [{HOOK % n}]' for event, n in zip(events, timeouts, strict=False))
    findings = find_open("PRJ-016", ".claude/settings.json", f'{{"hooks": {{{hooks}}}}}')
    assert [location.line_start for finding in findings for location in finding.locations] == lines


def test_permission_rules_as_matchers_are_one_finding_per_file():
    rules = ",\n".join(RULE % name for name in ("add", "commit"))
    (joined_finding,) = find_open("PRJ-008", ".claude/settings.json", f'{{"hooks": {{"PreToolUse": [{rules}]}}}}')
    assert len(joined_finding.locations) == 2


def test_misspelled_tools_of_a_line_are_one_finding():
    (joined_finding,) = find_open(
        "PRJ-017", ".claude/agents/counter.md", "---\nname: a\ndescription: b\ntools: read, bash, Glob\n---\n\nCount.\n"
    )
    assert joined_finding.message == "Unknown names `read`, `bash` in `tools`. Did you mean `Read`, `Bash`?"


def test_missing_quotes_around_one_key_have_one_cause_in_all_skills():
    text = "---\nname: {0}\ndescription: Counts {0}: each once.\n---\n\nCount.\n"
    paths = {name: f".claude/skills/{name}/SKILL.md" for name in ("birds", "bees")}
    found = [*(find_open("SPEC-001", path, text.format(name)) for name, path in paths.items())]
    causes = [find_shared_cause(finding, UnitKind.SKILL) for findings in found for finding in findings]
    assert causes == [("quotes around description", "")] * 2


@pytest.mark.parametrize(
    ("text", "cause"),
    [("# Birds\n\nCount.\n", "no frontmatter"), ("---\nname: birds\ndescription: Counts.\n\n# Count\n", None)],
)
def test_missing_frontmatter_has_one_cause_in_all_skills(text, cause):
    (finding,) = find_open("SPEC-001", ".claude/skills/birds/SKILL.md", text)
    assert find_shared_cause(finding, UnitKind.SKILL) == (cause and (cause, ""))


def test_frontmatter_that_is_lost_has_a_cause_of_its_own():
    text = "---\nname: birds\ndescription: |\n  Counts.\nargument-hint: [file] [--all]\n---\n\nCount.\n"
    (finding,) = find_open("SPEC-001", ".claude/skills/birds/SKILL.md", text)
    assert find_shared_cause(finding, UnitKind.SKILL) is None


@pytest.mark.parametrize(("copy", "causes"), [("count\n", 1), ("sort\n", 2)])
def test_script_and_its_copy_in_claude_have_one_cause(copy, causes):
    hooks = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}}'
    folders = {"skills/birds": "count\n", ".claude/skills/birds": copy}
    files = {f"{folder}/.claude-plugin/plugin.json": '{"name": "birds"}' for folder in folders}
    files |= {f"{folder}/hooks/hooks.json": hooks for folder in folders}
    files |= {f"{folder}/check.sh": text for folder, text in folders.items()}
    module = get_patterns()["PRJ-009"]
    found = [finding for case in list_project_cases(module, files) for finding in module.check(case)]
    assert [len(found), len({finding.cause for finding in found})] == [2, causes]


def test_skills_of_which_only_skill_md_was_copied_have_one_cause():
    text = "---\nname: {0}\ndescription: Counts {0}.\n---\n\nSee [all](references/{0}.md).\n\n{1}"
    spans = "Count by `references/size.md` and `references/age.md`.\n"
    for id in ("SPEC-005", "DF-009"):
        found = [find_open(id, f".claude/skills/{name}/SKILL.md", text.format(name, spans)) for name in ("a", "b")]
        (cause,) = {find_shared_cause(finding, UnitKind.SKILL) for findings in found for finding in findings}
        assert cause
        assert [len(findings) for findings in found] == [1, 1]


def test_several_files_that_one_folder_lacks_have_one_cause():
    names = [f"references/{name}.md" for name in ("bees", "birds", "bats", "seals", "whales", "wolves", "snails")]
    text = "---\nname: a\ndescription: b\n---\n\n" + "".join(f"- `{name}`\n" for name in names)
    files = {".claude/skills/a/SKILL.md": text, **{f".claude/skills/a/{name}": "# A\n" for name in names[3:]}}
    module = get_patterns()["DF-009"]
    (case,) = list_project_cases(module, files)
    (finding,) = [finding for finding in scan(case).open if finding.pattern.id == "DF-009"]
    assert finding.message == "3 files do not exist in `references`, such as `references/bees.md`."
    assert [place.line_start for place in finding.locations] == [6, 7, 8]
