"""The edits of a session: what was added to which file and what was taken away, as far as the tools tell."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec

from actions.session.transcript import Call, Transcript

_DOCS = frozenset({".md", ".mdx", ".rst", ".txt", ".adoc", ".org"})
_SETTINGS = frozenset(
    ".json .jsonl .yaml .yml .toml .ini .cfg .lock .env .gitignore .csv .svg .xml .properties .conf .patch".split()
)
_TEST = re.compile(r"(?:^|[/_.-])(?:tests?|specs?|__tests__|e2e|fixtures?|testdata|mocks?|conftest)(?:[/_.-]|$)", re.I)
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

    @property
    def is_test(self) -> bool:
        """Whether the file is a test or serves tests."""
        return _is_test(self.path)


@lru_cache(maxsize=4096)
def _is_test(path: str) -> bool:
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


def edits_of(transcript: Transcript) -> tuple[Edit, ...]:
    """Return the edits that did not fail, in order."""
    made: list[Edit] = []
    for call, result in transcript.steps:
        if call.name in _KEYS and not (result and result.error):
            path = call.get("file_path") or call.get("notebook_path")
            made += _edits(call, path, kind_of(path), result.replaced if result else "")
    return tuple(made)


_KEYS = {
    "Write": ("content", ""),
    "NotebookEdit": ("new_source", ""),
    "Edit": ("new_string", "old_string"),
    "MultiEdit": ("new_string", "old_string"),
}
"""Under which keys a tool is told what it adds and what it takes away."""


def _edits(call: Call, path: str, kind: str, replaced: str) -> Sequence[Edit]:
    new, old = _KEYS[call.name]
    if call.name == "Write":
        return (Edit(call.record, path, call.get(new), replaced, True, call.agent, kind),)
    if call.name != "MultiEdit":
        return (Edit(call.record, path, call.get(new), call.get(old), False, call.agent, kind),)
    several = call.input.get("edits")
    return [
        Edit(call.record, path, _text(one, new), _text(one, old), False, call.agent, kind)
        for one in (several if isinstance(several, list) else ())
    ]


def _text(one: Any, key: str) -> str:
    value = one.get(key) if isinstance(one, dict) else None
    return value if isinstance(value, str) else ""
