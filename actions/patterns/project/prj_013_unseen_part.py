"""A part of a plugin in a place where Claude Code does not look.

It is:
- a `SKILL.md` one folder too deep, such as `skills/group/name/SKILL.md`, that no manifest names (proven)
- a `skill.md` or `Skill.md` in a folder of `skills`: Linux distinguishes upper and lower case (proven)
- a file such as `skills/count.md` with a name and a description, which has no folder of its own: medium (proven)
- the folder `agents`, `commands` or `skills` inside `.claude-plugin`, where only the manifests belong (proven)
- `.claude-plugin/hooks.json`, `hooks.json` or `config/hooks.json` with the only hooks of a plugin (proven)
It is not:
- a folder that `skills` of plugin.json, or of an entry of marketplace.json, names
- a skill in a group such as `skills/drafts`, if the manifest names skills of other groups and none of this one
- a file inside another skill, or in templates, examples or fixtures
- a part of a kind for which the manifest has a key, such as `hooks`
- a hooks file that an installer copies, or outside `.claude-plugin` one that any script or other manifest names
Why it is bad: The skill, command or agent is neither listed nor ever used, no hook runs, and no message says so.
Instead: Move it to `skills/NAME/SKILL.md`, `commands/`, `agents/` or `hooks/hooks.json`, or name its place in plugin.json.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.misplaced_parts import MisplacedPart, find_misplaced_parts
from actions.project.unseen_skills import find_unseen_skills
from templates.filters import counted

PATTERN = Pattern(
    id="PRJ-013",
    impact=("blocks", "easy"),
    strategies=("rename_to_skill_md",),
    asks_model=False,
    kinds=(UnitKind.MANIFEST,),
)
_SKILL = "---\nname: count\ndescription: Counts birds.\n---\n\nCount.\n"
_MANIFEST = ".claude-plugin/plugin.json"
_HOOKS = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/check.sh"}]}]}}\n'
_PLUGIN = {_MANIFEST: '{"name": "birds"}\n', "check.sh": "exit 0\n"}
BAD = (
    {_MANIFEST: '{"name": "birds"}\n', "skills/sea/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/count/skill.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/count.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', ".claude-plugin/commands/count.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', ".claude-plugin/skills/count/SKILL.md": _SKILL},
    {**_PLUGIN, ".claude-plugin/hooks.json": _HOOKS},
    {**_PLUGIN, "hooks.json": _HOOKS},
)
GOOD = (
    {_MANIFEST: '{"name": "birds"}\n', "skills/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds", "skills": ["./skills/sea"]}\n', "skills/sea/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/sea/SKILL.md": _SKILL, "skills/sea/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds", "commands": ["./skills/count.md"]}\n', "skills/count.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/count.md": _SKILL, "skills/count/SKILL.md": _SKILL},
    {_MANIFEST: '{"name": "birds"}\n', "skills/README.md": "# Skills\n"},
    {_MANIFEST: '{"name": "birds", "commands": "./.claude-plugin/commands"}\n', ".claude-plugin/commands/c.md": _SKILL},
    {**_PLUGIN, ".claude-plugin/hooks.json": _HOOKS, "hooks/hooks.json": _HOOKS},
    {**_PLUGIN, "hooks.json": _HOOKS, ".codex-plugin/plugin.json": '{"hooks": "./hooks.json"}\n'},
    {**_PLUGIN, _MANIFEST: '{"name": "birds", "hooks": "./hooks.json"}\n', "hooks.json": _HOOKS},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the skills and the other parts of this manifest's plugin that are not loaded."""
    if not case.unit.path.endswith("/plugin.json"):
        return
    for skill in find_unseen_skills(case.project):
        if case.unit.plugin_root == skill.plugin_root:
            hint = " where upper and lower case differ" if skill.path.lower() == skill.expected.lower() else ""
            message = f"Claude Code does not load `{skill.path}`{hint}: it looks for `{skill.expected}`."
            severity = Severity.MEDIUM if skill.is_loose else PATTERN.severity
            yield Finding(case.unit.path, 1, message, severity=severity)
    for part in find_misplaced_parts(case.project):
        if case.unit.plugin_root == part.plugin_root:
            yield Finding(case.unit.path, 1, _format_message(part))


def _format_message(part: MisplacedPart) -> str:
    what = f"`{part.path}`" if part.path.endswith(".json") else f"the {counted(part.count, 'file')} in `{part.path}`"
    return f"Claude Code does not load {what}: it looks for `{part.expected}`."
