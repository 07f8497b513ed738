"""List the edits of a session, with the text that each added to a file and removed from it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from actions.regex import regex
from actions.session.transcript import Transcript

_DOC_ENDINGS = frozenset({".md", ".mdx", ".rst", ".txt", ".adoc", ".org", "license", "changelog", "readme"})
_SETTINGS_ENDINGS = frozenset(
    ".json .jsonl .yaml .yml .toml .ini .cfg .lock .env .gitignore .csv .svg .xml .properties .conf .patch".split()
)
_SCRIPT_ENDINGS = frozenset(".sh .bash .py .js .mjs .cjs .ts .rb .pl .ps1".split())
"""File name endings that mean code even in Claude Code's own folder: there, such files are hooks or skill scripts."""
_KIND_BY_ENDING = {**dict.fromkeys(_SETTINGS_ENDINGS, "settings"), **dict.fromkeys(_DOC_ENDINGS, "docs")}
_TEST_PATH = regex(r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__|e2e|fixtures?|testdata|mocks?|conftest)(?:[/_.-]|$)")
_TEST_HINTS = ("test", "spec", "e2e", "fixture", "mock")
"""Each match of `_TEST_PATH` contains one of these."""
_TEMPORARY_FOLDERS = ("/tmp/", "/private/tmp/", "/var/folders/")


class Edit(msgspec.Struct, frozen=True, gc=False):
    """A change to a file, with the added and the removed text. `kind` is the result of `classify_path`.

    If the whole file was written (`is_whole`), `added` is its new text and `removed` is its old text.
    """

    record: int
    path: str
    added: str
    removed: str
    is_whole: bool
    agent: str
    kind: str

    @property
    def is_code(self) -> bool:
        """Whether the file is project code."""
        return self.kind == "code"


def has_test_hint(paths: str) -> bool:
    """Return whether a path may be the path of a test. To check several paths at once, join them."""
    return any(map(paths.lower().__contains__, _TEST_HINTS))


def is_test(path: str) -> bool:
    """Return whether a file is a test or a test helper."""
    return has_test_hint(path) and _TEST_PATH.search(path) is not None


def classify_path(path: str, root: str = "") -> str:
    """Return the kind of a file: "docs", "settings", "scratch" or "code".

    "scratch" is a file in a temporary folder outside the project at `root`.
    """
    if path.startswith(_TEMPORARY_FOLDERS) and not (root and path.startswith(f"{root.rstrip('/')}/")):
        return "scratch"
    start = path.rfind("/") + 1
    dot = path.rfind(".", start)
    kind = _KIND_BY_ENDING.get(path[start if dot < 0 else dot :].lower())
    return kind or ("settings" if "/.claude/" in path and path[dot:] not in _SCRIPT_ENDINGS else "code")


_TEXT_KEYS = {
    "Write": ("content", ""),
    "NotebookEdit": ("new_source", ""),
    "Edit": ("new_string", "old_string"),
    "MultiEdit": ("new_string", "old_string"),
}
"""The keys for the added and the removed text in a tool's input."""


def list_edits(transcript: Transcript) -> tuple[Edit, ...]:
    """Return the edits that did not fail, in the order of the session."""
    edits: list[Edit] = []
    for call, result in transcript.steps:
        if (keys := _TEXT_KEYS.get(call.name)) is None or (result is not None and result.is_error):
            continue
        added_key, removed_key = keys
        is_whole = call.name == "Write"
        path = call.get("file_path") or call.get("notebook_path")
        kind = classify_path(path, transcript.cwd)
        for change in _list_multi_edits(call.input) if call.name == "MultiEdit" else (call.input,):
            added, removed = change.get(added_key), change.get(removed_key)
            if is_whole:
                removed = result.replaced if result else ""
            edits.append(Edit(call.record, path, _read_text(added), _read_text(removed), is_whole, call.agent, kind))
    return tuple(edits)


def _read_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list_multi_edits(arguments: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the individual edits of a MultiEdit call. An edit that is not an object counts as empty."""
    edits = arguments.get("edits")
    return [edit if isinstance(edit, dict) else {} for edit in edits] if isinstance(edits, list) else []
