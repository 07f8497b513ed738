"""A skill or another part of a plugin or a project in a place where Claude Code does not look.

It is:
- a `SKILL.md` one folder too deep, such as `skills/group/name/SKILL.md`, that no manifest names (proven)
- a skill beside the folder `skills` of a plugin below the project's root, such as `birds/count/SKILL.md` (proven)
- a `skill.md` or `Skill.md` in a folder of `skills`: Linux distinguishes upper and lower case (proven)
- a file such as `skills/count.md` with a name and a description, which has no folder of its own: medium (proven)
- a skill of a project one folder too deep, such as `.claude/skills/group/name/SKILL.md` (proven)
- a file such as `.claude/skills/count.md` with a name and a description, or without frontmatter and with a title such as "Count Skill": medium (proven)
- the folder `agents`, `commands` or `skills` inside `.claude-plugin`, where only the manifests belong (proven)
- a file in `commands` or `agents` that the list of that key in plugin.json lacks, if a text calls it, such as `/birds:count` (proven)
- `.claude-plugin/hooks.json`, `hooks.json` or `config/hooks.json` with the only hooks of a plugin (proven)
- a skill, a command or an agent that only a `plugin.json` outside `.claude-plugin` names, in a plugin of a marketplace (proven)
It is not:
- a folder that `skills` of plugin.json, or of an entry of marketplace.json, names
- a skill in a group such as `skills/drafts`, if the manifest names skills of other groups and none of this one
- the skills of a group that all have the names of agents of the plugin, which do the work
- a skill beside `skills` in a plugin with a list of skills, or whose path a text of the plugin gives
- a file inside another skill, or in templates, examples or fixtures
- a skill of a plugin that a Makefile, a justfile or a `package.json` copies elsewhere
- a file in `.claude/skills` whose path a text or a script gives, or beside a folder of its name
- a part of a kind for which the manifest has a key, such as `hooks`, unless a text calls it
- a command or an agent if a list of the manifest has a glob or a missing path, or a marketplace has a list as well
- a hooks file that an installer copies, or outside `.claude-plugin` one that any script or other manifest names
Why it is bad: The skill, command or agent is neither listed nor ever used, no hook runs, and no message says so.
Instead: Move it to `skills/NAME/SKILL.md`, `commands/`, `agents/` or `hooks/hooks.json`, or name its place in plugin.json.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.misplaced_manifests import MisplacedManifest, find_misplaced_manifests
from actions.project.unloaded_parts import find_unloaded_parts
from actions.project.unseen_own_skills import LooseSkills, find_expected_place, find_loose_skills

PATTERN = Pattern(
    id="PRJ-013",
    impact=("blocks", "easy"),
    strategies=("rename_to_skill_md",),
    asks_model=False,
    kinds=(
        UnitKind.MANIFEST,
        UnitKind.SKILL,
        UnitKind.MEMORY,
        UnitKind.HOOKS,
        UnitKind.COMMAND,
        UnitKind.AGENT,
    ),
)
_SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
_MANIFEST = ".claude-plugin/plugin.json"
_MARKET = ".claude-plugin/marketplace.json"
_ENTRY = '{"name": "sea", "owner": {"name": "a"}, "plugins": [\n  {"name": "birds", "source": "./birds"}]}\n'
_LIST = '{"name": "birds",\n "commands": ["./commands/sort.md"]}\n'
_HOOKS = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}}\n'
_PLUGIN = {_MANIFEST: '{"name": "birds"}\n', "check.sh": "exit 0\n"}
BAD = (
    {_MANIFEST: '{"name": "birds"}\n', "skills/sea/count/SKILL.md": _SKILL},
    {
        "birds/.claude-plugin/plugin.json": '{"name": "birds"}\n',
        "birds/count/SKILL.md": _SKILL,
        "birds/skills/sort/SKILL.md": _SKILL,
    },
    {_MANIFEST: '{"name": "birds"}\n', "skills/count/skill.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/count.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', ".claude-plugin/commands/count.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', ".claude-plugin/skills/count/SKILL.md": _SKILL},
    {**_PLUGIN, ".claude-plugin/hooks.json": _HOOKS},
    {**_PLUGIN, "hooks.json": _HOOKS},
    {_MANIFEST: _LIST, "commands/sort.md": _SKILL, "commands/count.md": _SKILL, "README.md": "Run `/birds:count`.\n"},
    {
        _MARKET: _ENTRY,
        "birds/plugin.json": '{"name": "birds", "skills": ["./sea/count"]}\n',
        "birds/sea/count/SKILL.md": _SKILL,
    },
    {".claude/skills/sea/count/SKILL.md": _SKILL, ".claude/skills/sort/SKILL.md": _SKILL},
    {".claude/skills/count.md": _SKILL, "CLAUDE.md": "# Birds\n"},
)
GOOD = (
    {_MANIFEST: '{"name": "birds"}\n', "skills/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds", "skills": ["./skills/sea"]}\n', "skills/sea/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/sea/SKILL.md": _SKILL, "skills/sea/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds", "commands": ["./skills/count.md"]}\n', "skills/count.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/count.md": _SKILL, "skills/count/SKILL.md": _SKILL},
    {
        "birds/.claude-plugin/plugin.json": '{"name": "birds", "skills": "./more"}\n',
        "birds/count/SKILL.md": _SKILL,
        "birds/skills/sort/SKILL.md": _SKILL,
    },
    {_MANIFEST: '{"name": "birds"}\n', "skills/README.md": "# Skills\n"},
    {_MANIFEST: '{"name": "birds", "commands": "./.claude-plugin/commands"}\n', ".claude-plugin/commands/c.md": _SKILL},
    {**_PLUGIN, ".claude-plugin/hooks.json": _HOOKS, "hooks/hooks.json": _HOOKS},
    {_MANIFEST: _LIST, "commands/sort.md": _SKILL, "commands/count.md": _SKILL, "README.md": "Run `/birds:sort`.\n"},
    {
        _MARKET: _ENTRY,
        "birds/plugin.json": '{"name": "birds", "skills": ["./skills/count"]}\n',
        "birds/skills/count/SKILL.md": _SKILL,
    },
    {".claude/skills/sea/SKILL.md": _SKILL, ".claude/skills/sea/count/SKILL.md": _SKILL},
    {".claude/skills/sea/count/SKILL.md": _SKILL, "CLAUDE.md": "Read `.claude/skills/sea/count/SKILL.md`.\n"},
    {".claude/skills/count.md": _SKILL, "CLAUDE.md": "Read `.claude/skills/count.md`.\n"},
    {".claude/skills/notes.md": "# Notes\n", "CLAUDE.md": "# Birds\n"},
    {**_PLUGIN, "hooks.json": _HOOKS, ".codex-plugin/plugin.json": '{"hooks": "./hooks.json"}\n'},
    {**_PLUGIN, _MANIFEST: '{"name": "birds", "hooks": "./hooks.json"}\n', "hooks.json": _HOOKS},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the skills and the other parts of this manifest's plugin, or of the project, that are not loaded."""
    if expected := find_expected_place(case.project, case.unit):
        message = f"Claude Code does not load this skill: it looks for `{expected}`."
        cause = f"skills too deep in {expected.rpartition('/skills/')[0]}"
        yield Finding(case.skill.main_path, 1, message, cause=cause, is_shared=True)
    for loose in case.project.list_for_unit(find_loose_skills, case.unit.path):
        yield Finding(case.unit.path, 1, _format_loose(loose), severity=Severity.MEDIUM)
    for manifest in find_misplaced_manifests(case.project) if case.unit.path.endswith("/marketplace.json") else ():
        if manifest.marketplace == case.unit.path:
            yield Finding(case.unit.path, manifest.line, _format_misplaced(manifest), cause="misplaced manifests")
    if case.unit.path.endswith("/plugin.json"):
        for part in find_unloaded_parts(case.project, case.unit.plugin_root):
            severity = Severity.MEDIUM if part.is_doubtful else PATTERN.severity
            yield Finding(
                part.file or case.unit.path, part.line, f"Claude Code does not load {part.text}.", severity=severity
            )


def _format_misplaced(manifest: MisplacedManifest) -> str:
    first, *others = manifest.parts
    more = f" and {len(others)} more" if others else ""
    reason = (
        f"only `{manifest.path}` names {'them' if others else 'it'}, and Claude Code looks for `{manifest.expected}`"
    )
    return f"Claude Code does not load `{first}`{more}: {reason}."


def _format_loose(loose: LooseSkills) -> str:
    first, *others = loose.paths
    more = f" and {len(others)} more in its folder" if others else ""
    return f"Claude Code does not load `{first}`{more}: it looks for `{first.removesuffix('.md')}/SKILL.md`."
