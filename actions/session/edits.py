"""The edits of a session: what was added to which file and what was taken away, as far as the tools tell."""

from functools import lru_cache
from typing import Any

import msgspec

from actions.regex import regex
from actions.session.transcript import Transcript

_DOCS = frozenset({".md", ".mdx", ".rst", ".txt", ".adoc", ".org"})
_SETTINGS = frozenset(
    ".json .jsonl .yaml .yml .toml .ini .cfg .lock .env .gitignore .csv .svg .xml .properties .conf .patch".split()
)
_TEST = regex(r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__|e2e|fixtures?|testdata|mocks?|conftest)(?:[/_.-]|$)")
_OUTSIDE = ("/tmp/", "/private/tmp/", "/var/folders/")


class Edit(msgspec.Struct, frozen=True, gc=False):
    """One change of one file; `kind` is what it is, see `kind_of`.

    `whole`: it was written anew; `added` is all of it, `removed` what it held before.
    """

    record: int
    path: str
    added: str
    removed: str
    whole: bool
    agent: str
    kind: str

    @property
    def is_code(self) -> bool:
        """Whether the file is code that belongs to the work."""
        return self.kind == "code"


@lru_cache(maxsize=4096)
def is_test(path: str) -> bool:
    """Whether a file is a test or serves tests."""
    return _TEST.search(path) is not None


@lru_cache(maxsize=4096)
def kind_of(path: str) -> str:
    """Return "docs", "settings", "scratch" (outside the project) or "code"."""
    if path.startswith(_OUTSIDE):
        return "scratch"
    name = path.rpartition("/")[2].lower()
    _, dot, last = name.rpartition(".")
    ending = dot + last if dot else ""
    if ending in _DOCS or name in ("license", "changelog", "readme"):
        return "docs"
    return "settings" if ending in _SETTINGS or "/.claude/" in path else "code"


_KEYS = {
    "Write": ("content", ""),
    "NotebookEdit": ("new_source", ""),
    "Edit": ("new_string", "old_string"),
    "MultiEdit": ("new_string", "old_string"),
}
"""Under which keys a tool is told what it adds and what it takes away."""


def edits_of(transcript: Transcript) -> tuple[Edit, ...]:
    """Return the edits that did not fail, in order."""
    made: list[Edit] = []
    for call, result in transcript.steps:
        if call.name not in _KEYS or (result and result.error):
            continue
        new, old = _KEYS[call.name]
        path, whole = call.get("file_path") or call.get("notebook_path"), call.name == "Write"
        several = call.input.get("edits") if call.name == "MultiEdit" else [call.input]
        for one in several if isinstance(several, list) else ():
            removed = _text(one, old) if not whole else result.replaced if result else ""
            made.append(Edit(call.record, path, _text(one, new), removed, whole, call.agent, kind_of(path)))
    return tuple(made)


def _text(one: Any, key: str) -> str:
    value = one.get(key) if isinstance(one, dict) else None
    return value if isinstance(value, str) else ""
