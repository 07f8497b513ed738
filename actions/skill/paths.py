"""Determine the role of a skill's file from its path, and resolve references to files."""

import posixpath
from collections.abc import Container, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache

from actions.regex import regex

MAIN = "SKILL.md"
NOT_TEXT = "not a text format that skills use"
"""Why images and other binary files are opaque."""
_TEXT_EXTENSIONS = frozenset(
    ".md .markdown .mdx .txt .json .jsonc .yaml .yml .toml .py .js .mjs .cjs .ts .tsx .jsx .sh .bash .zsh .rb .go .rs"
    " .java .cs .r .sql .html .css .xml .csv .ini .cfg .j2 .jinja .tmpl .template .ps1".split()
)
MARKDOWN = (".md", ".markdown", ".mdx")
_SCRIPT_EXTENSIONS = (".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".sh", ".bash", ".zsh", ".rb", ".pl", ".ps1")


class Role(StrEnum):
    """The role of a file, by its folder and kind. Files with the role UNRELATED are not part of the skill."""

    MAIN = "main"
    PHASE = "phase"
    SPEC = "spec"
    REFERENCE = "reference"
    SCRIPT = "script"
    ASSET = "asset"
    DOC = "doc"
    UNRELATED = "unrelated"


_ROLE_BY_FOLDER = {
    Role.PHASE: frozenset(
        {"phases", "phase", "steps", "actions", "roles", "commands", "workflows", "workflow", "stages"}
    ),
    Role.SPEC: frozenset({"specs", "spec", "schemas", "schema", "contracts"}),
    Role.SCRIPT: frozenset({"scripts", "bin"}),
    Role.ASSET: frozenset({"assets", "templates", "examples", "data"}),
}
_UNRELATED_FOLDERS = frozenset(
    "test tests __tests__ testdata fixtures __fixtures__ fixture evals eval archive archived archives _archive vendor"
    " vendored third_party third-party node_modules site-packages dist deprecated".split()
)
"""Folders whose files are not part of a skill: test fixtures, archives, vendored code."""
_TEST_FOLDER = regex(r"(?:[\w.-]*[-_])?tests?[-_]?(?:fixtures?|data)|fixtures?[-_][\w.-]*")
"""A longer name of a folder with test material, such as `birds-test-fixtures` or `fixtures-2026`."""
_UNIT_FOLDERS = frozenset({"plugins", "skills"})
"""Folders whose subfolders are named for what a unit does, such as `skills/create-test-data`."""
_CLAUDE_FOLDER_FILE = regex(r"(?:(.*)/)?\.claude/(?:skills/[^/]+/SKILL\.md|(?:agents|commands)/.+\.md)")
"""A file that Claude Code loads from a `.claude` folder, regardless of the names of folders below."""
_DOC_NAMES = frozenset(
    "readme changelog license licence contributing notice security bibliography credits attribution attributions"
    " authors acknowledgements acknowledgments copying".split()
)
"""Names of files for people, in lower case."""

_RECORD_FOLDERS = frozenset({"adr", "adrs", "decisions", "designs", "docs", "plans", "rfcs"})
"""Folders of a project's records. A record with a date in its name describes the state on that day."""
_DATED = regex(r"\d{4}-\d\d-\d\d[-_.]")


def find_loading_folder(path: str) -> str | None:
    """Return the folder whose `.claude` folder makes Claude Code load a file, or None."""
    match = _CLAUDE_FOLDER_FILE.fullmatch(path) if ".claude/" in path else None
    return None if match is None else match[1] or ""


def is_text_path(path: str) -> bool:
    """Return whether a path has the extension of a text file."""
    return posixpath.splitext(path)[1].lower() in _TEXT_EXTENSIONS


def is_script_path(path: str) -> bool:
    """Return whether a path has the extension of a script."""
    return path.lower().endswith(_SCRIPT_EXTENSIONS)


def get_role(path: str) -> Role:
    """Return a file's role, which depends on its folder and name."""
    if path == MAIN:
        return Role.MAIN
    *folders, name = path.lower().split("/")
    if _UNRELATED_FOLDERS.intersection(folders) or any(folder.startswith(".") for folder in folders):
        return Role.UNRELATED
    if _is_test_material(folders, name):
        return Role.UNRELATED
    if _DATED.match(name) and _RECORD_FOLDERS.intersection(folders):
        return Role.DOC
    for role, names in _ROLE_BY_FOLDER.items():
        if names.intersection(folders):
            return role
    if is_script_path(name):
        return Role.SCRIPT
    if not name.endswith(MARKDOWN):
        return Role.ASSET
    return Role.DOC if name.split(".")[0] in _DOC_NAMES or name == "skill.md" else Role.REFERENCE


def _is_test_material(folders: Sequence[str], name: str) -> bool:
    """Return whether one of these folders has a longer name of test material, and is not a unit with that name."""
    own = len(folders) - 1 if name == MAIN.lower() else len(folders)
    return any(
        ("test" in folder or "fixture" in folder)
        and n != own
        and (n == 0 or folders[n - 1] not in _UNIT_FOLDERS)
        and _TEST_FOLDER.fullmatch(folder) is not None
        for n, folder in enumerate(folders)
    )


@lru_cache(maxsize=8192)
def resolve_path(target: str, source: str, paths: frozenset[str]) -> str | None:
    """Return the path in `paths` that `target` in file `source` refers to, or None.

    The target may be relative to the folder of `source` or to the skill.
    """
    for base in (posixpath.dirname(source), ""):
        if (path := posixpath.normpath(posixpath.join(base, target))) in paths:
            return path
    return None


def find_missing_folder(path: str, folders: Container[str]) -> str:
    """Return the topmost parent of a path that is not in `folders`, or "" if all are."""
    end = -1
    while (end := path.find("/", end + 1)) >= 0:
        if (folder := path[: end or 1]) not in folders:
            return folder
    return ""


def list_parents(path: str) -> Iterator[str]:
    """Yield the folders that contain a path, innermost first. The root of the project or the disk is left out."""
    parent = posixpath.dirname(path)
    while parent.strip("/"):
        yield parent
        parent = posixpath.dirname(parent)
