"""Determine whether a script of the project creates a file. Such a file may be missing in a fresh clone."""

from collections.abc import Iterator, Mapping, Sequence

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.project import Project
from actions.regex import regex

_SHELL_ENDINGS = (".sh", ".bash", ".ps1", "/Makefile")
_CREATING_COMMAND = regex(
    r"(?:\s-o|--output|--out|>|\b(?:tee|touch)|\b(?:cp|mv|ln|install)\b.{0,200})[ =]+[\"']?([^\s\"';|&]{1,200})"
)
"""A command that creates a file. The group is the command's last word, which is the file."""
_ASSIGNMENT = regex(r"^\s*(?:export |local |readonly )?(\w+)=[\"']?([^\s\"';]+)")
_MAX_LINE = 1_000
"""Maximum number of characters of a line to read."""
_VARIABLE = regex(r"\$\{?(\w+)\}?")


def is_created_by_script(project: Project, root: str, path: str) -> bool:
    """Return whether a shell script below the folder `root` writes to a path that ends with the path below `root`."""
    inside = path[len(root) + 1 :] if root else path
    scripts = _map_created_files(project).get(path.rpartition("/")[2], ())
    return any(script.startswith(f"{root}/" if root else "") and end.endswith(inside) for script, end in scripts)


@memoize
def _map_created_files(project: Project) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Map the base names of created files to (script, path as written)."""
    scripts = (path for path in project.files if f"/{path}".endswith(_SHELL_ENDINGS))
    texts = ((path, file.text) for path in scripts if (file := project.read_text_file(path)))
    return group_by_key(
        (end.rpartition("/")[2], (path, end)) for path, text in texts for end in _list_created_paths(text)
    )


def _list_created_paths(text: str) -> Iterator[str]:
    values: dict[str, str] = {}
    for line in text.splitlines():
        if match := _ASSIGNMENT.match(line):
            values[match[1]] = match[2]
        for created in _CREATING_COMMAND.findall(line[:_MAX_LINE]):
            yield _VARIABLE.sub(lambda match: values.get(match[1], ""), created)
