"""Determine whether a text calls a script the skill's own.

A bare path such as `scripts/build.py` may instead be that of the project in which the skill is used.
"""

import re
from collections.abc import Sequence

from actions.code.languages import EXTENSIONS
from actions.memo import compute_once, memoize
from actions.regex import regex
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Section

_INTERPRETER = (
    r"(?:^|[\s;&|(])(?:python3?|bash|sh|node|bun|tsx|uv run(?: python3?)?)(?: +-[\w-]+)* +[\"']?(?:{})"
    rf"({{}}(?:[\w-]+/)+[\w.-]+(?:{'|'.join(map(re.escape, sorted(EXTENSIONS)))}))(?![\w/.*<{{{{$\[-])"
)
COMMAND = regex(_INTERPRETER.format(r"\./|", ""))
"""A command that starts a script by a relative path, which is the group."""
PROJECT_COMMAND = regex(_INTERPRETER.format(r"\./|\$\{?CLAUDE_PROJECT_DIR\}?[\"']?/|", r"(?:\.claude/)?"))
"""A command that starts a script by a path from the project's folder, which may be below `.claude`."""
_OWN_COMMAND = regex(
    _INTERPRETER.format(
        r"(?:(?:~|\$HOME|\$\{HOME\}|\.)/)?\.claude/skills/([\w-]+)/"
        r"|(?:\$\{?|[<{])(?i:skill[_-]?(?:dir|path|root|folder)|path[-_]to[-_]skill|base_?dir)[>}]?[\"']?/",
        "",
    )
)
"""A command that starts a script in the folder of an installed skill, which is the first group, or of this skill."""
_ASSIGNMENT = regex(r"(?i)\b(?:skill[_-]?(?:dir|path|root|folder)|base_?dir)\b[\"'`*]*\s*[:=]")
_FOLDERS = frozenset({"script", "scripts"})
"""Folders in which skills keep their scripts."""
_HEADING = regex(
    r"(?i)\W*(?:bundled|included|packaged|this skill['’]s|skill)\s+(?:[\w-]+\s+)?"
    r"(?:scripts?|resources?|files?|contents?)\W*\Z|\W*scripts?/\W*\Z"
)
"""A heading above a list of the files of the skill, such as "Bundled scripts" or `scripts/`."""
_SENTENCE = regex(
    r"(?i)\b(?:bundled|packaged)\b[^.]{0,40}\bscripts?\b|\bscripts?\b[^.]{0,40}\b(?:bundled|packaged)\b"
    r"|\b(?:in|with|of) this skill\b[^.]{0,60}\bscripts?\b|\bscripts?\b[^.]{0,60}\b(?:in|with|of) this skill\b"
    r"|\bthis skill['’]s\b[^.]{0,40}\bscripts?\b"
)
_ENTRY = r"\s*(?:[-*+]|\d+[.)]|\|)\s*(?:\*\*|\[|`)*(?:\./)?(?:[\w-]+/)*{}\b[`*\])]*(?:\([^)]*\))?\s*[|:：–—-].*\w"
"""An item or a row of a table that begins with a name and describes it."""
_OTHER_ENTRY = regex(r"\s*(?:[-*+]|\d+[.)]|\|)\s*(?:\*\*|\[|`)*(?:\./)?(?:references?|assets)/\w")
"""An entry with a file in one of the other folders that the specification gives to skills."""
_TREE_ENTRY = regex(r"[\s│├└─|`+]*(?:-+\s+)?(?:[\w-]+/)*([\w.-]+)(?:\s|\Z)")
_DOWNLOAD = regex(r"(?i)\bclones?\b|\bdegit\b|\bunzip\b|\btar +-?x|\breleases/(?:download|latest)\b|\b(?:curl|wget) ")
"""A command that may bring the scripts."""


def list_own_commands(skill: Skill, file: SkillFile, line: str) -> Sequence[str]:
    """Return the scripts that commands on a line start by a path from the skill's folder, relative to this folder.

    The line names the folder, as in `~/.claude/skills/NAME`, or in SKILL.md `<skill-dir>`. In a reference, which may
    be a copy from another skill, `<skill-dir>` says nothing.
    """
    if "/" not in line:
        return ()
    names = {skill.folder, skill.name}
    commands = _OWN_COMMAND.findall(line)
    may_be_own = bool(commands) and file.path == skill.main_path and not _is_about_skills(skill)
    is_folder_known = may_be_own and not _sets_folder(file, names)
    return [path for name, path in commands if (name in names if name else is_folder_known)]


def is_called_own(skill: Skill, path: str) -> bool:
    """Return whether SKILL.md says that a script is the skill's own, although the skill does not have its folder.

    A list or a tree of the skill's files, a sentence, or the path of the installed skill may say so. A skill about
    skills, or one that downloads files, says nothing about its own scripts.
    """
    folder = path.partition("/")[0]
    if folder not in _FOLDERS or _is_about_skills(skill) or _downloads(skill.main):
        return False
    name = path.rpartition("/")[2]
    return (
        compute_once(skill, f"own_scripts: installs {folder}", lambda: _names_installed_folder(skill, folder))
        or name in _list_tree_names(skill.main)
        or compute_once(skill, f"own_scripts: lists {name}", lambda: _is_listed(skill.main, name))
    )


def _is_about_skills(skill: Skill) -> bool:
    """Return whether a skill is about skills by its name, so that it may describe the files of others."""
    return "skill" in f"{skill.name} {skill.folder}".lower()


@memoize
def _downloads(file: SkillFile) -> bool:
    return _DOWNLOAD.search(file.text) is not None


def _names_installed_folder(skill: Skill, folder: str) -> bool:
    """Return whether SKILL.md names a folder of the installed skill, such as `~/.claude/skills/NAME/scripts`."""
    names = "|".join(re.escape(name) for name in (skill.folder, skill.name) if name)
    return re.search(rf"skills/(?:{names})/{folder}(?![\w-])", skill.main.text) is not None


def _sets_folder(file: SkillFile, names: set[str]) -> bool:
    """Return whether a text sets the variable of a skill's folder to another folder."""
    lines = compute_once(file, "own_scripts: assignments", lambda: [*filter(_ASSIGNMENT.search, file.doc.lines)])
    return any("CLAUDE_SKILL_DIR" not in line and not any(name and name in line for name in names) for line in lines)


def _is_listed(file: SkillFile, name: str) -> bool:
    """Return whether a list of the skill's files describes a script, or a sentence calls the script the skill's."""
    doc, entry = file.doc, re.compile(_ENTRY.format(re.escape(name)))
    for number in file.lines_with(name):
        line = doc.line(number)
        if doc.fence_at(number) or doc.is_counterexample(number) or doc.is_planned(number):
            continue
        if _SENTENCE.search(line) or (entry.match(line) and _lists_own_files(file, doc.section_at(number))):
            return True
    return False


def _lists_own_files(file: SkillFile, section: Section) -> bool:
    """Return whether a section lists files of the skill, judging by its heading or its other entries."""

    def has_other_entry() -> bool:
        return any(map(_OTHER_ENTRY.match, file.doc.lines[section.start : section.end]))

    return _HEADING.match(section.title) is not None or compute_once(
        file, f"own_scripts: entries {section.start}", has_other_entry
    )


@memoize
def _list_tree_names(file: SkillFile) -> frozenset[str]:
    """Return the names of the files in the trees that show the files of a skill."""
    trees = (file.doc.lines_inside(fence) for fence in file.doc.fences if not fence.is_shell)
    lines = (line for tree in trees if any("SKILL.md" in line for line in tree) for line in tree)
    return frozenset(match[1] for line in lines if (match := _TREE_ENTRY.match(line)))
