"""Find forms: files that a run copies and fills in, whose links and commands are samples."""

import posixpath
from collections.abc import Mapping, Sequence

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.paths import MARKDOWN
from actions.skill.skill import Skill, SkillFile

_TEMPLATE_PATH = regex(r"(?i)(?:\A|/)templates?/|(?:\A|[/_.-])(?:template|example|sample)[_.-][^/]*\Z")
"""A path in a template folder, or a file name with the word `template`, `example` or `sample`."""
_PLACEHOLDER = regex(r"\[(?!(?i:optional|required|recommended|deprecated|conditional)\b)[A-Z][\w' /-]*\](?![(\[:])")
"""A placeholder in brackets, such as `[Command Name]`."""
_CALLED_TEMPLATE = regex(
    r"(?<![\w-])([\w-]+\.md)\b[`\"')]*(?:[^.|]{0,40}[^.|\w-])?template(?![\w-])"
    r"|(?<![\w-])template\b[^.|]{0,20}[ /`\"'(]([\w-]+\.md)\b"
)
"""A line that calls a file a template. One of its groups is the name of the file."""
_MIN_PLACEHOLDERS = 2


def is_form(project: Project, unit: Unit, skill: Skill, file: SkillFile) -> bool:
    """Return whether a file is a form: by its path, its headings, or another text that calls it a template."""
    if file.path == skill.main_path:
        return False
    return (
        bool(_TEMPLATE_PATH.search(file.path))
        or _has_placeholder_title(file)
        or _is_called_template(project, unit, skill, file)
    )


@memoize
def _has_placeholder_title(file: SkillFile) -> bool:
    """Return whether the first heading has a placeholder, or several headings have one."""
    have_placeholder = [bool(_PLACEHOLDER.search(heading.title)) for heading in file.doc.headings]
    return have_placeholder[:1] == [True] or sum(have_placeholder) >= _MIN_PLACEHOLDERS


def _is_called_template(project: Project, unit: Unit, skill: Skill, file: SkillFile) -> bool:
    """Return whether a text of the skill or of its plugin calls the file a template."""
    name, root = posixpath.basename(file.path), f"{unit.plugin_root}/" if unit.plugin_root else ""
    is_called_in_skill = any(name in _read_template_names(other) for other in skill.files)
    return is_called_in_skill or any(path.startswith(root) for path in _map_template_names(project).get(name, ()))


@memoize
def _map_template_names(project: Project) -> Mapping[str, Sequence[str]]:
    """Map the names of files that texts call templates to the paths of these texts."""
    raws = ((path, project.read_bytes(path) or b"") for path in project.files if path.endswith(MARKDOWN))
    files = ((path, project.read_text_file(path)) for path, raw in raws if b"template" in raw)
    return group_by_key((name, path) for path, file in files if file for name in _read_template_names(file))


@memoize
def _read_template_names(file: SkillFile) -> tuple[str, ...]:
    lines = (line for line in file.text.splitlines() if "template" in line) if "template" in file.text else ()
    return tuple(before or after for line in lines for before, after in _CALLED_TEMPLATE.findall(line))
