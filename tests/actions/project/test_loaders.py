"""Test who loads a skill, and that the patterns that speak of loading keep to it."""

import pytest
from msgspec.structs import replace

from actions.patterns import get_patterns
from actions.project.find_units import find_units
from actions.project.loaders import Loader, find_loader
from actions.project.units import UnitKind
from actions.scoring.scan import scan
from tests.examples import make_project, make_unit_case

SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
BARE = "# Count\n\nCount.\n"
PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}'}
MARKET = {".claude-plugin/marketplace.json": '{"plugins": [{"name": "a", "source": "./.agents/a"}]}'}
HOOKS = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/check"}]}]}}\n'


def find_of(path, files, links=()):
    project = replace(make_project({path: SKILL, **files}), unread=frozenset(links))
    return find_loader(project, next(unit for unit in find_units(project) if unit.path == path))


@pytest.mark.parametrize(
    ("path", "files", "links", "loader"),
    [
        (".claude/skills/count/SKILL.md", {}, (), Loader.CLAUDE_CODE),
        (".claude/bundle/skill/count/SKILL.md", {}, (), Loader.CLAUDE_CODE_AFTER_COPY),
        ("skills/count/SKILL.md", PLUGIN, (), Loader.CLAUDE_CODE),
        ("SKILL.md", {**PLUGIN, "skills/count/SKILL.md": SKILL}, (), Loader.NOTHING),
        (".agents/skills/count/SKILL.md", {}, (), Loader.OTHER_TOOL),
        (".github/skills/count/SKILL.md", {}, (), Loader.OTHER_TOOL),
        (".agents/skills/count/SKILL.md", {}, (".claude/skills/count",), Loader.CLAUDE_CODE),
        (".agents/skills/count/SKILL.md", {}, (".claude/skills",), Loader.CLAUDE_CODE),
        (".agents/skills/count/SKILL.md", {}, (".claude/skills/other",), Loader.OTHER_TOOL),
        (".agents/a/skills/count/SKILL.md", MARKET, (), Loader.CLAUDE_CODE),
        ("skills/count/SKILL.md", {"opencode.json": "{}"}, (), Loader.OTHER_TOOL),
        ("skills/count/SKILL.md", {"opencode.json": "{}", "CLAUDE.md": "x\n"}, (), Loader.CLAUDE_CODE_AFTER_COPY),
        ("skills/count/SKILL.md", {"package.json": '{"pi": {}}'}, (), Loader.OTHER_TOOL),
        ("skills/count/SKILL.md", {"README.md": "Clone it to `~/.pi/agent`.\n"}, (), Loader.OTHER_TOOL),
        (
            "skills/count/SKILL.md",
            {"README.md": "Copy it to `~/.codex` or `~/.claude`.\n"},
            (),
            Loader.CLAUDE_CODE_AFTER_COPY,
        ),
        ("skills/count/SKILL.md", {}, (), Loader.CLAUDE_CODE_AFTER_COPY),
    ],
)
def test_loader_follows_from_place_and_project(path, files, links, loader):
    assert find_of(path, files, links) is loader


def find_lines(pattern, files):
    """Return the paths of the units in which a pattern finds something."""
    project = make_project(files)
    cases = [make_unit_case(project, unit) for unit in find_units(project)]
    module = get_patterns()[pattern]
    return [case.unit.path for case in cases if case.skill.kind in module.PATTERN.kinds and scan(case, [module]).open]


@pytest.mark.parametrize(
    ("files", "is_document"),
    [
        ({"skills/a/SKILL.md": BARE}, False),
        ({"skills/a/SKILL.md": BARE, "CLAUDE.md": "- skills/a/ : the beams\n"}, True),
        ({".claude/skills/a/SKILL.md": BARE, "CLAUDE.md": "- .claude/skills/a/ : the beams\n"}, False),
        ({"skills/a/SKILL.md": BARE, "skills/b/SKILL.md": SKILL, "CLAUDE.md": "- skills/a/ : beams\n"}, False),
        ({"packages/skills/a/SKILL.md": BARE, "packages/skills/a/package.json": "{}"}, True),
        (
            {
                "packages/skills/a/SKILL.md": BARE,
                "packages/skills/a/package.json": "{}",
                "README.md": "Copy it to ~/.claude/skills.\n",
            },
            False,
        ),
        ({"monitor/SKILL.md": BARE, ".openclaw/x.json": "{}"}, True),
        ({"skills/a/SKILL.md": BARE, "skills/b/SKILL.md": SKILL, ".openclaw/x.json": "{}"}, True),
        ({"habits/SKILL.md": BARE, "web/app.py": "run()\n"}, True),
        ({"habits/SKILL.md": BARE}, False),
        ({"SKILL.md": BARE, "web/app.py": "run()\n"}, False),
        ({"habits/SKILL.md": BARE, "web/app.py": "run()\n", "README.md": "A skill for birds.\n"}, False),
        ({"habits/SKILL.md": BARE, "web/SKILL.md": SKILL}, False),
        ({"skills/habits/SKILL.md": BARE, "web/app.py": "run()\n"}, False),
        ({".claude/skills/a/SKILL.md": SKILL, "habits/SKILL.md": BARE, "web/app.py": "run()\n"}, True),
        ({f"skills/{name}/SKILL.md": BARE for name in "abc"}, True),
        ({f"skills/{name}/SKILL.md": BARE if name in "abc" else SKILL for name in "abcdefg"}, False),
        ({f"skills/channels/{name}/SKILL.md": BARE if name in "abc" else SKILL for name in "abcdefg"}, True),
    ],
)
def test_missing_frontmatter_of_a_document_is_not_reported(files, is_document):
    assert bool(find_lines("SPEC-001", files)) is not is_document


def test_hook_script_in_a_copy_for_another_tool_may_have_any_mode():
    files = {"p/.claude-plugin/plugin.json": '{"name": "birds"}', "p/hooks/hooks.json": HOOKS, "p/check": "count\n"}
    assert find_lines("PRJ-009", files) == ["p/hooks/hooks.json"]
    assert find_lines("PRJ-009", {f".agents/skills/{path}": text for path, text in files.items()}) == []


def test_empty_skill_is_one_finding():
    files = {".claude/skills/count/SKILL.md": ""}
    assert find_lines("SPEC-001", files) == []
    assert find_lines("SPEC-006", files) == [".claude/skills/count/SKILL.md"]


def test_kinds_other_than_skills_are_no_documents():
    project = make_project({"docs/CLAUDE.md": "x\n", "CLAUDE.md": "See docs/.\n"})
    units = [unit for unit in find_units(project) if unit.kind is UnitKind.MEMORY]
    assert {find_loader(project, unit) for unit in units} == {Loader.CLAUDE_CODE_AFTER_COPY}
