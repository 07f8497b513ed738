"""Find commands in the files of a skill, an agent or a command that run a script that does not exist."""

import posixpath
import re
from collections.abc import Iterator

import msgspec

from actions.code.languages import BASH, find_language
from actions.memo import compute_once
from actions.project.foreign_scripts import is_export, is_of_other_repository
from actions.project.forms import is_form
from actions.project.named_paths import list_code
from actions.project.own_scripts import COMMAND, is_called_own, list_own_commands
from actions.project.project import Project
from actions.project.project_scripts import list_plugin_scripts, list_project_scripts
from actions.project.resolve_path import get_project_path, is_missing
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import is_script_path
from actions.skill.references import is_placeholder
from actions.skill.similar_names import find_similar_file
from actions.skill.skill import Skill, SkillFile

_LEAVES_FOLDER = regex(r"(?:^|[\s;&|(])(?:cd|pushd|git clone|curl|wget|docker|ssh)\s")
"""A command that leaves the skill's folder, or downloads files."""
_USER_FILE_WORDS = regex(
    r"(?i)(?<!-)\b(?:your|user(?:['’]?s)?|projects?|workspaces?|repo(?:sitor(?:y|ies))?|target"
    r"|if (?:present|available|it exists))\b"
)
_CREATE_INSTRUCTION = (
    r"(?i)\b(?:creat|writ|sav|add|implement|scaffold|copy|copies|put|stor|build)\w*\b[^`.]{{0,60}}`?(?:[\w-]+/)*{}"
)
_CREATES_OR_TESTS = (
    r"(?:>|\btee|\btouch|\b(?:cp|mv)\b.*) *[\"']?(?:[\w./-]+/)?{0}"
    r"|(?:\[|\btest) +-[a-z] +[\"']?(?:[\w./-]+/)?{0}|{0}.*\|\|"
)
"""A command that creates a script, tests whether it exists, or handles its absence."""
_PLACEHOLDER = regex(r"<[\w-]+>")
"""A placeholder, whose `>` redirects nothing."""
_SAMPLE_LABEL = regex(
    r"(?i)\W*(?:(?:in)?valid|(?:in)?correct|good|bad|right|wrong|sample)(?: (?:examples?|forms?|usage))?\W*\Z"
)
"""A line that is only a sample's label, such as `**Invalid:**`."""
_CONTRAST = regex(r"(?i)`,? (?:instead of|rather than|not) [`\"]")
"""Two samples of a text, of which the first is said to be better."""
_SAMPLE_NAMES = frozenset(
    "nonexistent script scripts helper main run test tests build foo bar baz name tool x y process".split()
)


class MissingScript(msgspec.Struct, frozen=True):
    """A command that runs a missing script.

    `path` is the path as written. `near` is the path of a similar existing script, or "".
    """

    file: str
    line: int
    path: str
    near: str


def find_missing_scripts(project: Project, unit: Unit, skill: Skill) -> Iterator[MissingScript]:
    """Yield the scripts that commands in a skill's files run, but that do not exist anywhere in the project.

    Only paths into a folder of the skill are checked, or of the project for an agent or a command. Scripts that the
    text creates, scripts of the user's project, samples, and scripts in a form (see `is_form`) are left out. SKILL.md
    is always searched. Another file is not searched if it mentions SKILL.md, because it may be about writing skills.
    """
    for file in skill.instructions:
        if file.path == skill.main_path or not ("SKILL.md" in file.text or file.path.endswith("SKILL.md")):
            scripts = _find_in_file(project, unit, skill, file)
            missing = [script for script in scripts if _is_missing_everywhere(project, unit, script)]
            created = {path for path in {script.path for script in missing} if _is_created(skill, path)}
            is_sample = bool(missing) and is_form(project, unit, skill, file)
            yield from (script for script in missing if script.path not in created and not is_sample)


def _find_in_file(project: Project, unit: Unit, skill: Skill, file: SkillFile) -> Iterator[MissingScript]:
    for line, text in list_code(file):
        if file.doc.fence_at(line) and text.lstrip().startswith("#"):
            continue
        is_of_skill = unit.kind is UnitKind.SKILL
        right = {} if is_of_skill else dict(list_plugin_scripts(project, unit, text))
        paths = (
            _list_own_scripts(skill, file, text, unit.folder)
            if is_of_skill
            else (*right, *list_project_scripts(project, unit, file, text))
        )
        for path in paths:
            stem = posixpath.splitext(posixpath.basename(path))[0]
            if (
                stem not in _SAMPLE_NAMES
                and not is_placeholder(path)
                and not _is_in_labelled_sample(file, line)
                and not _CONTRAST.search(file.doc.line(line))
                and not _is_about_user_files(file, line)
            ):
                near = right.get(path) or find_similar_file(skill, path, file.path) or ""
                yield MissingScript(file.path, line, path, near)


def _list_own_scripts(skill: Skill, file: SkillFile, line: str, folder: str) -> Iterator[str]:
    """Yield the scripts that commands on a line start and that are missing in the skill, whose own they must be.

    A path may begin at the project's root with the skill's folder.
    """
    for path in COMMAND.findall(line) if "/" in line else ():
        if "/" in folder and path.startswith(f"{folder}/"):
            inner = path[len(folder) + 1 :]
            if inner not in skill.paths:
                yield inner
            continue
        has_folder = _get_folder(path) in skill.paths
        is_own = _means_own_folder(skill, file, path) if has_folder else is_called_own(skill, path)
        if is_own and skill.resolve(path, file.path) is None:
            yield path
    yield from (path for path in list_own_commands(skill, file, line) if path not in skill.paths)


def _means_own_folder(skill: Skill, file: SkillFile, path: str) -> bool:
    """Return whether a path in a file means the skill's folder of this name.

    A reference may be about another project. It must name an existing script of the folder.
    """
    folder = f"{_get_folder(path)}/"

    def names_script() -> bool:
        return any(own in file.text for own in skill.by_path if own.startswith(folder) and is_script_path(own))

    return (
        file.path == skill.main_path
        or compute_once(file, f"script_paths: names {folder}", names_script)
        or find_similar_file(skill, path, file.path) is not None
    )


def _get_folder(path: str) -> str:
    return path.partition("/")[0]


def _is_in_labelled_sample(file: SkillFile, line: int) -> bool:
    """Return whether the code around a line is a sample of a rule, directly below a label such as `**Valid:**`."""
    fence = file.doc.fence_at(line)
    above = file.doc.line(fence.start - 1).strip() or file.doc.line(fence.start - 2) if fence else ""
    return _SAMPLE_LABEL.match(above) is not None


def _is_about_user_files(file: SkillFile, line: int) -> bool:
    """Return whether the code at a line leaves the skill's folder, or the text before it is about user files."""
    doc, fence = file.doc, file.doc.fence_at(line)
    if not fence:
        return (
            _USER_FILE_WORDS.search(doc.sentence(line)) is not None or _LEAVES_FOLDER.search(doc.line(line)) is not None
        )
    above = next(
        (text for n in range(fence.start - 1, max(fence.start - 4, 0), -1) if (text := doc.line(n).strip())), ""
    )
    return _USER_FILE_WORDS.search(above) is not None or any(
        _LEAVES_FOLDER.search(text) for text in doc.lines_inside(fence)
    )


def _is_missing_everywhere(project: Project, unit: Unit, script: MissingScript) -> bool:
    """Return whether a script exists neither at its possible paths nor below another folder, nor in another project."""
    is_elsewhere = any(path.endswith(f"/{script.path}") for path in project.files)
    if is_elsewhere or not is_missing(project, unit, get_project_path(unit, script.file), script.path):
        return False
    return not (is_export(project) or is_of_other_repository(project, script.path))


def _is_created(skill: Skill, path: str) -> bool:
    """Return whether a text of the skill contains a script's content, or tells the reader to create the script."""
    name = re.escape(posixpath.basename(path))
    instruction, command = re.compile(_CREATE_INSTRUCTION.format(name)), re.compile(_CREATES_OR_TESTS.format(name))
    for file, line in skill.mentions(posixpath.basename(path)):
        fence, text = file.doc.fence_at(line), file.doc.line(line)
        if command.search(_PLACEHOLDER.sub("", text)) or (not fence and instruction.search(text)):
            return True
        if fence and line == fence.start + 1 and text.lstrip().startswith(("#", "//")):
            return True
        after = file.doc.fence_at(line + 1) or file.doc.fence_at(line + 2)
        language = find_language(after.lang) if after and not fence else None
        if language and language is not BASH:  # shell code below the name is a call of the script
            return True
    return False
