"""List the files that inline Python code in a shell command may write."""

import ast
import posixpath
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from actions.session.sed_script import UNKNOWN_FILE

_MAX_CODE = 8_000
"""Maximum number of characters of code that is parsed."""
_SAFE_MODULES = frozenset(
    "ast base64 binascii collections csv datetime difflib functools glob hashlib html io itertools json math os pathlib"
    " random re string struct sys textwrap time typing unicodedata urllib zlib".split()
)
"""Modules that write files only in ways that this module recognizes."""
_SAFE_OS_NAMES = frozenset("environ getcwd getenv linesep listdir path sep stat urandom walk".split())
"""Names in the module `os` that write nothing."""
_WRITE_METHODS = frozenset({"write_text", "write_bytes", "touch"})
_MOVE_METHODS = frozenset({"copy", "copy_into", "hardlink_to", "move", "move_into", "rename", "replace", "symlink_to"})
"""Path methods whose only argument is the new file. String methods of these names take no single argument."""
_DYNAMIC_NAMES = frozenset("__builtins__ __import__ compile eval exec getattr globals locals vars".split())
_UNSAFE_ATTRIBUTES = frozenset("FileIO modules open_code popen system urlretrieve".split())
"""Attributes of the safe modules that can write in other ways."""
_ALIASED_MODULES = frozenset("io os pathlib sys".split())
"""Modules that the code could use under another name."""
_READ_MODES = frozenset({"r", "rb", "rt"})
_PATH_FUNCTIONS = frozenset({"Path", "pathlib.Path", "os.path.join"})
_MAX_DEPTH = 5
"""Maximum number of names and calls to resolve from an expression to its literal path."""


@lru_cache(maxsize=256)
def list_python_writes(code: str) -> tuple[str, ...]:
    """Return the paths that Python code may write, as spelled in the code, with `UNKNOWN_FILE` for an unknown file."""
    if len(code) > _MAX_CODE:
        return (UNKNOWN_FILE,)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (UNKNOWN_FILE,)
    return tuple(dict.fromkeys(_Code(tree).list_writes()))


class _Code:
    """A parsed Python program, with the values of the names that it assigns only once."""

    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        self._bound = _count_bindings(self._nodes)
        self._values = {name: values for name, values in _list_values(self._nodes) if self._bound[name] == 1}
        self._called = {id(node.func) for node in self._nodes if isinstance(node, ast.Call)}
        self._owners = {id(node.value) for node in self._nodes if isinstance(node, ast.Attribute)}

    def list_writes(self) -> Iterator[str]:
        """Yield the paths that the program may write, and `UNKNOWN_FILE` for each write to an unknown file."""
        for node in self._nodes:
            if isinstance(node, ast.Call):
                yield from self._list_call_writes(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                yield from [] if _is_safe_import(node) else [UNKNOWN_FILE]
            elif (isinstance(node, ast.Name) and self._may_name_hide_write(node)) or (
                isinstance(node, ast.Attribute) and self._may_attribute_hide_write(node)
            ):
                yield UNKNOWN_FILE

    def _may_name_hide_write(self, node: ast.Name) -> bool:
        is_passed = (node.id == "open" and id(node) not in self._called) or (
            node.id in _ALIASED_MODULES and id(node) not in self._owners
        )
        return node.id in _DYNAMIC_NAMES or is_passed

    def _may_attribute_hide_write(self, node: ast.Attribute) -> bool:
        """Return whether an attribute may hide a write. A call that this class recognizes is not hidden."""
        is_unsafe_os_name = (
            isinstance(node.value, ast.Name) and node.value.id == "os" and node.attr not in _SAFE_OS_NAMES
        )
        is_passed = node.attr in _WRITE_METHODS | {"open"} and id(node) not in self._called
        return is_unsafe_os_name or is_passed or node.attr in _UNSAFE_ATTRIBUTES or node.attr.startswith("__")

    def _list_call_writes(self, call: ast.Call) -> Iterator[str]:
        func, args = call.func, call.args
        if isinstance(func, ast.Name) and func.id == "open":
            yield from self._list_open_targets(args[:1], args[1:2], call)
        elif isinstance(func, ast.Attribute) and func.attr == "open":
            is_io = isinstance(func.value, ast.Name) and func.value.id == "io"
            path, mode = (args[:1], args[1:2]) if is_io else ([func.value], args[:1])
            yield from self._list_open_targets(path, mode, call)
        elif isinstance(func, ast.Attribute) and func.attr in _WRITE_METHODS:
            yield from self._list_paths(func.value)
        elif isinstance(func, ast.Attribute) and func.attr in _MOVE_METHODS and len(args) + len(call.keywords) == 1:
            yield UNKNOWN_FILE

    def _list_open_targets(self, path: list[ast.expr], mode: list[ast.expr], call: ast.Call) -> Iterator[str]:
        mode = mode or [word.value for word in call.keywords if word.arg == "mode"]
        is_read = not mode or (isinstance(mode[0], ast.Constant) and mode[0].value in _READ_MODES)
        has_unpacked = any(isinstance(argument, ast.Starred) for argument in call.args)
        if has_unpacked or any(word.arg is None for word in call.keywords):
            yield UNKNOWN_FILE
        elif not is_read:
            yield from self._list_paths(path[0]) if path else [UNKNOWN_FILE]

    def _list_paths(self, node: ast.expr) -> list[str]:
        return self._resolve(node, 0) or [UNKNOWN_FILE]

    def _resolve(self, node: ast.expr, depth: int) -> list[str]:
        """Return the strings that an expression may evaluate to, or [] if they are not all known."""
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) and node.value else []
        if depth > _MAX_DEPTH:
            return []
        if isinstance(node, ast.Name):
            values = [self._resolve(value, depth + 1) for value in self._values.get(node.id, ())]
            return [text for texts in values for text in texts] if all(values) else []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return self._join([node.left, node.right], depth)
        if isinstance(node, ast.Call) and not node.keywords and self._joins_path(node.func):
            return self._join(node.args, depth)
        return []

    def _joins_path(self, func: ast.expr) -> bool:
        """Return whether a function joins its arguments to a path, like `Path`, and is not redefined by the code."""
        name = ast.unparse(func)
        return name in _PATH_FUNCTIONS and self._bound[name.partition(".")[0]] <= 1

    def _join(self, nodes: list[ast.expr], depth: int) -> list[str]:
        """Join expressions to a path. Returns [] unless each expression has exactly one known value."""
        parts = [self._resolve(node, depth + 1) for node in nodes]
        is_known = bool(parts) and all(len(texts) == 1 for texts in parts)
        return [posixpath.join(*(texts[0] for texts in parts))] if is_known else []


def _is_safe_import(node: ast.Import | ast.ImportFrom) -> bool:
    """Return whether an import adds no unknown way to write files and no alias for a known one."""
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in _SAFE_MODULES and alias.asname is None for alias in node.names)
    module, names = (node.module or "").partition(".")[0], {alias.name for alias in node.names}
    may_write = (module == "os" and not names <= _SAFE_OS_NAMES) or "open" in names or "*" in names
    has_alias = any(alias.asname is not None for alias in node.names)
    return module in _SAFE_MODULES and not node.level and not may_write and not has_alias


def _count_bindings(nodes: list[ast.AST]) -> Counter[str]:
    """Count how often assignments, parameters, definitions, imports and patterns bind each name."""
    bound = Counter(node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    bound.update(node.arg for node in nodes if isinstance(node, ast.arg))
    bound.update(name for node in nodes if isinstance(name := getattr(node, "name", None), str))
    return bound


def _list_values(nodes: list[ast.AST]) -> Iterator[tuple[str, list[ast.expr]]]:
    """Yield each name with the expressions that are assigned to it, by `=` or by `for` over a list."""
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, [node.value]
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            yield from [(node.target.id, node.iter.elts)] if isinstance(node.iter, ast.List | ast.Tuple) else []
