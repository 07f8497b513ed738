"""Find folders with the settings of a user, which an installer or the user copies or links to `~/.claude`.

Claude Code reads them there, in every project, so `$CLAUDE_PROJECT_DIR` is not the repository.
"""

import posixpath
from collections.abc import Iterator, Mapping, Set
from typing import Any

from actions.memo import memoize_all
from actions.project.facts.hooks import EVENTS
from actions.project.plugins import MANIFEST
from actions.project.project import Project
from actions.regex import regex

_SETTINGS = "settings.json"
_OWN_KEYS: Mapping[str, Set[str]] = {
    "hooks": EVENTS.keys(),
    "permissions": {"allow", "deny", "ask", "defaultMode"},
    "statusLine": {"command"},
}
"""Keys by which settings are known to be those of Claude Code, each with keys of its value."""
_HOME_PATH = regex(r"(?:~|\$HOME|\$\{HOME\})/\.claude/([\w./-]*\w)")
_GUIDE = regex(r"(?:README(?:\.\w+)?|[\w-]*(?:install|setup|bootstrap|link|stow)[\w-]*(?:\.\w+)?|Makefile|justfile)")
"""A file at the root that says where the settings go."""
_HOME = regex(rb"(?:~|\$HOME|\$\{HOME\})/\.claude\b")
_OTHER_TOOL = regex(r"(?:\A|/)\.")
_SAMPLE = regex(r"(?i)(?:\A|/)(?:docs|examples?|fixtures?|samples?|templates?|tests?)/")
_MAX_BYTES = 200_000


@memoize_all
def find_home_folders(project: Project) -> Iterator[str]:
    """Yield the folders with settings of Claude Code that are meant for `~/.claude`. The root is "".

    The settings start a script of the folder below `~/.claude`, or a guide at the root names them and `~/.claude`.
    """
    for path in project.files:
        folder, _, name = path.rpartition("/")
        if name != _SETTINGS or _OTHER_TOOL.search(path) or _SAMPLE.search(path):
            continue
        if posixpath.join(folder, MANIFEST) in project.files or not _are_settings(project.read_object(path)):
            continue
        if _names_own_files(project, path, folder) or _is_in_guide(project, path):
            yield folder


def _are_settings(values: Mapping[str, Any]) -> bool:
    return any(
        isinstance(values.get(key), dict) and not keys.isdisjoint(values[key]) for key, keys in _OWN_KEYS.items()
    )


def _names_own_files(project: Project, path: str, folder: str) -> bool:
    text = (project.read_bytes(path) or b"").decode("utf-8", "replace")
    return any(posixpath.join(folder, inner) in project.files for inner in _HOME_PATH.findall(text))


def _is_in_guide(project: Project, path: str) -> bool:
    """Return whether a text or a script at the root names the settings, and `~/.claude`."""
    for name in project.list_folder(""):
        if name in project.files and project.files[name].size <= _MAX_BYTES and _GUIDE.fullmatch(name):
            raw = project.read_bytes(name) or b""
            if path.encode() in raw and _HOME.search(raw):
                return True
    return False
