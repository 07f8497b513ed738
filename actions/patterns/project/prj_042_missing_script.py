"""A command in the text of a skill, an agent or a command starts a script that does not exist.

It is:
- `python3 scripts/x.py`, or the like with bash or node, in code of a skill that has the folder but not the script (proven)
- the same in a skill without the folder, if SKILL.md lists the script among its own files or calls it bundled (proven)
- a script below the skill's own folder, by a path from the project's root such as `skills/NAME/scripts/x.py` (proven)
- a script below `~/.claude/skills/NAME/`, where NAME is the skill, or in SKILL.md below `<skill-dir>/` (proven)
- in an agent or a command in `.claude`, a script below a folder of the project that has other scripts, such as `.claude/scripts` (proven)
- in an agent or a command of a plugin, a script of the plugin by a path such as `PLUGIN/scripts/x.py` (proven)
It is not:
- a script that the text creates or shows, that git ignores, or that exists at the same path below another folder
- another script in a text of a plugin's agent or command, or one of which the project has another file of the name
- a script of the user's project, or a command after `cd`
- a script of which any text of the project says that it is in another repository, such as "in the chart repo", or of a project that is exported from another one
- a script in a reference that names no existing script of the folder: it may be about another project
- a sample: a placeholder, a generic name such as `scripts/helper.py`, a text that teaches how to write skills
- code right below a label such as `**Valid:**`, or in a template that a run copies and fills in
Low when:
- no other file of the skill or its plugin mentions the file that contains the command: only people read it
Why it is bad: The command fails, and the model writes a script of its own or skips the step.
Instead: Add the script, or name the one that does the work now.
"""

import posixpath
from collections import Counter
from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.readers import is_for_people
from actions.project.script_paths import find_missing_scripts

PATTERN = Pattern(
    id="PRJ-042", impact=("blocks",), asks_model=False, kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND)
)
_SCRIPT = "print(1)\n"
_AGENT = "---\nname: counter\ndescription: Counts.\n---\n\nRun:\n\n```bash\n"
_PLUGIN_ROOT = "${CLAUDE_PLUGIN_ROOT}"
_MIN_MISSING = 3
"""Minimum number of missing scripts of a folder that count as one fault: they were lost or are not written yet."""
BAD = (
    {
        "SKILL.md": "# Count\n\nParse the list:\n\n```bash\npython3 scripts/parse_birds.py --all\n```\n",
        "scripts/count_birds.py": _SCRIPT,
    },
    {"SKILL.md": "# Count\n\nThen run `bash scripts/tally.sh`.\n", "scripts/count.sh": "exit 0\n"},
    {"SKILL.md": "# Count\n\nRun `sh scripts/tally.sh`.\n\n## Bundled scripts\n\n- `tally.sh`: adds up the nests\n"},
    {
        ".claude/agents/counter.md": f"{_AGENT}bash .claude/scripts/tally.sh\n```\n",
        ".claude/scripts/count.sh": "exit 0\n",
    },
    {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        "commands/count.md": "Run `sh birds/scripts/tally.sh`.\n",
        "scripts/tally.sh": "exit 0\n",
    },
    {"SKILL.md": "# Count\n\n```bash\npython3 <skill-dir>/scripts/parse_birds.py --all\n```\n"},
)
GOOD = (
    {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        "commands/count.md": "Run `sh ${CLAUDE_PLUGIN_ROOT}/scripts/tally.sh` or `sh birds/scripts/sort.sh`.\n",
        "scripts/tally.sh": "exit 0\n",
    },
    {".claude/agents/counter.md": f"{_AGENT}bash scripts/tally.sh\n```\n", "scripts/count.sh": "exit 0\n"},
    {
        "SKILL.md": "# Count\n\n```bash\npython3 scripts/count_birds.py\n```\n\n`node scripts/<name>.js` is the other.\n",
        "scripts/count_birds.py": _SCRIPT,
    },
    {
        "SKILL.md": "# Count\n\nWrite `scripts/tally.sh`, then run `bash scripts/tally.sh`.\n",
        "scripts/count.sh": "exit 0\n",
    },
    {
        "SKILL.md": "# Count\n\n```bash\ncount --all\n# Then restart the server: sh scripts/restart.sh\n```\n",
        "scripts/count.sh": "exit 0\n",
    },
    {
        "SKILL.md": "# Count\n\n```bash\nsh scripts/tally.sh\n```\n\n- `tally.sh` is in the shore repo.\n",
        "scripts/count.sh": "exit 0\n",
    },
    {"SKILL.md": "# Count\n\nRun `python3 tools/tally.py` of the user's project.\n"},
    {"SKILL.md": "# Count\n\nRun `sh scripts/tally.sh`.\n"},
    {
        "SKILL.md": "# Count\n\nRead [gulls](references/gulls.md).\n",
        "references/gulls.md": "# Gulls\n\nRun `sh scripts/gulls.sh`.\n",
        "scripts/count.sh": "exit 0\n",
    },
    {
        "SKILL.md": "# Count\n\nRun `python3 scripts/tally.py` (from the meadow workspace).\n",
        "scripts/count.py": _SCRIPT,
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the scripts that commands start and that do not exist."""
    scripts = list(find_missing_scripts(case.project, case.unit, case.skill))
    folders = Counter(posixpath.dirname(path) for path in {script.path for script in scripts if not script.near})
    for script in scripts:
        folder = posixpath.dirname(script.path)
        is_one_of_many = not script.near and folders[folder] >= _MIN_MISSING
        hint = f" Did you mean `{script.near}`?" if script.near else ""
        is_unread = is_for_people(case.project, case.unit, case.skill, case.skill.by_path[script.file])
        severity = Severity.LOW if is_unread else PATTERN.severity
        message = f"The script `{script.path}` does not exist.{hint}"
        if is_one_of_many:
            message = f"Commands start {folders[folder]} missing scripts of `{folder}/`, such as `{script.path}`."
        is_in_plugin = script.near.startswith(_PLUGIN_ROOT)
        cause = f"{folder}/" if is_one_of_many or is_in_plugin else script.path
        yield Finding(script.file, script.line, message, severity=severity, cause=cause)
