"""The files that code writes and reads by a name that stands in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from actions.code.calls import Call, calls, commands
from actions.code.literals import is_string, literal
from actions.code.tree import BASH, PYTHON, Code, part
from actions.memo import memoize


class Mode(StrEnum):
    """What is done with a file."""

    READ = "read"
    WRITE = "write"


_BY_NAME = {
    **dict.fromkeys("Read readFile readFileSync read_text read_bytes read_csv read_json".split(), Mode.READ),
    **dict.fromkeys("Write writeFile writeFileSync appendFile appendFileSync".split(), Mode.WRITE),
    **dict.fromkeys(("write_text", "write_bytes"), Mode.WRITE),
}
_PATH_METHODS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes"})
_OPENS = frozenset({"open", *_BY_NAME})
_LITERAL = re.compile(
    r"\bopen\(\s*\w?[\"'`]|[\"'`]\s*\)\s*\.\s*(?:read|write)_|\b(?:Read|Write|read_csv|read_json|\w+File(?:Sync)?)\s*\("
)
"""A name right in a call: other code, most of which opens a path that it was given, needs no tree."""


@dataclass(frozen=True)
class FileUse:
    """A file that code writes or reads: its name as written, the line, the call."""

    name: str
    mode: Mode
    line: int
    call: Call | None = None


@memoize
def file_uses(code: Code) -> tuple[FileUse, ...]:
    """Return the files that code writes or reads by a literal name or a template, in order."""
    if code.language == BASH:
        return tuple(_of_shell(code))
    if code.words.isdisjoint(_OPENS) or not _LITERAL.search(code.text):
        return ()
    found = (_opened(code, call) if call.base == "open" else _used(code, call) for call in calls(code))
    return tuple(filter(None, found))


def _used(code: Code, call: Call) -> FileUse | None:
    if (mode := _BY_NAME.get(call.base)) is None:
        return None
    name = _name(code, _receiver(call) if call.base in _PATH_METHODS else call.argument(0, "file_path", "path"))
    return FileUse(name, mode, call.line, call) if name else None


def _name(code: Code, node: Node | None) -> str | None:
    """Return the name that a string gives, the holes of a template as they are written; None for anything else."""
    if (name := literal(code, node)) is None and node is not None and is_string(node):
        text = code.said(node)
        return text[1:-1] if text.startswith("`") else text.removeprefix("f").strip("\"'")
    return name


def _receiver(call: Call) -> Node | None:
    """Return what `Path("x").read_text()` names: the literal that the path is made of."""
    made = part(part(call.node, "function"), "object")
    given = part(made, "arguments") if made is not None and made.type == "call" else None
    return given.named_children[0] if given is not None and given.named_child_count == 1 else None


def _opened(code: Code, call: Call) -> FileUse | None:
    name = _name(code, call.args[0]) if call.args else None
    if name is None or call.name not in ("open", "io.open", "codecs.open", "fs.open") or code.language != PYTHON:
        return None
    mode = literal(code, call.argument(1, "mode")) or "r"
    return FileUse(name, Mode.WRITE if set(mode) & set("wax+") else Mode.READ, call.line, call)


def _of_shell(code: Code) -> Iterator[FileUse]:
    for node in code.nodes("file_redirect"):
        text, redirect = code.said(node.child_by_field_name("destination")).strip("\"'"), code.said(node)
        if "." in text and "$" not in text and "/dev/" not in text and "&" not in redirect:
            mode = Mode.READ if redirect.lstrip("0123456789").startswith("<") else Mode.WRITE
            yield FileUse(text, mode, code.line(node))
    read = ((word, one.line) for one in commands(code) if one.name in ("cat", "source", ".") for word in one.words)
    found = ((word, line) for word, line in read if "$" not in word and not word.startswith(("-", "<")))
    yield from (FileUse(word, Mode.READ, line) for word, line in found if "." in word)
