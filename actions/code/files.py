"""Find the files that code writes and reads by a literal name."""

from enum import StrEnum

import msgspec
from tree_sitter import Node

from actions.code.calls import Call, find_calls
from actions.code.literals import is_string, read_string
from actions.code.tree import Code, get_child
from actions.memo import memoize
from actions.regex import begin_word, regex


class Mode(StrEnum):
    """The kind of access to a file."""

    READ = "read"
    WRITE = "write"


_MODE_BY_NAME = {
    **dict.fromkeys("Read readFile readFileSync read_text read_bytes read_csv read_json".split(), Mode.READ),
    **dict.fromkeys("Write writeFile writeFileSync appendFile appendFileSync".split(), Mode.WRITE),
    **dict.fromkeys(("write_text", "write_bytes"), Mode.WRITE),
}
_PATH_METHODS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes"})
_LITERAL_CALLS = (
    (frozenset({"open"}), regex(r"open\(\s*\w?[\"'`]")),
    (_PATH_METHODS, regex(r"[\"'`]\s*\)\s*\.\s*(?:read|write)_")),
    (
        _MODE_BY_NAME.keys() - _PATH_METHODS,
        regex(rf"(?:{begin_word('Read', 'Write', 'read_csv', 'read_json')}|F(?<=\wF)ile(?:Sync)?)\s*\("),
    ),
)
"""Names of functions that use files, each set with a regular expression for calls with a literal file name.

Code without such a call is not parsed, because it mostly opens paths that it gets as arguments.
"""


class FileUse(msgspec.Struct, frozen=True):
    """A read or write of a file. `name` is the file name as written. `call` is None in shell code."""

    name: str
    mode: Mode
    line: int
    call: Call | None = None


@memoize
def find_file_uses(code: Code) -> tuple[FileUse, ...]:
    """Find the reads and writes of files whose names are literals or templates."""
    return tuple(code.language.find_files(code)) if code.language.find_files else find_file_calls(code)


@memoize
def find_file_calls(code: Code) -> tuple[FileUse, ...]:
    """Find the calls that use files.

    Returns () for a language that has its own `find_files`, such as Bash.
    """
    if code.language.find_files or not _has_literal_call(code):
        return ()
    uses = (
        _read_open_call(code, call) if call.base == "open" else _find_file_use(code, call) for call in find_calls(code)
    )
    return tuple(filter(None, uses))


def _has_literal_call(code: Code) -> bool:
    return any(not code.words.isdisjoint(names) and call.search(code.text) for names, call in _LITERAL_CALLS)


def _find_file_use(code: Code, call: Call) -> FileUse | None:
    if (mode := _MODE_BY_NAME.get(call.base)) is None:
        return None
    name = _read_name(
        code, _find_receiver(code, call) if call.base in _PATH_METHODS else call.argument(0, "file_path", "path")
    )
    return FileUse(name, mode, call.line, call) if name else None


def _read_name(code: Code, node: Node | None) -> str | None:
    """Return the text of a string, with interpolations as written, or None for anything else."""
    if (name := read_string(code, node)) is None and node is not None and is_string(code, node):
        text = code.text_of(node)
        return text[1:-1] if text.startswith("`") else text.removeprefix("f").strip("\"'")
    return name


def _find_receiver(code: Code, call: Call) -> Node | None:
    """Return the argument of `Path` in `Path("x").read_text()`."""
    constructor = get_child(get_child(call.node, "function"), "object")
    is_call = constructor is not None and constructor.type in code.language.calls
    arguments = get_child(constructor, "arguments") if is_call else None
    return arguments.named_children[0] if arguments is not None and arguments.named_child_count == 1 else None


def _read_open_call(code: Code, call: Call) -> FileUse | None:
    name = _read_name(code, call.args[0]) if call.args else None
    if name is None or call.name not in code.language.open_functions:
        return None
    mode = read_string(code, call.argument(1, "mode")) or "r"
    return FileUse(name, Mode.WRITE if set(mode) & set("wax+") else Mode.READ, call.line, call)
