"""Read untrusted YAML: a value or one error, in time and memory proportional to the length of the text."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import yaml

from actions.regex import regex

_MAX_CHARS = 2_000_000
_MAX_DEPTH = 50
_MAX_NODES = 100_000
_MAX_DIRECTIVES = 100
_MAX_NUMBER = 100
"""Maximum number of characters of a number, so that Python can print it and convert it to a float."""
_MAX_PROBLEM = 200
_TEXT_TAG = "tag:yaml.org,2002:str"
"""The tag of all keys. With integer keys of the same hash, a hostile mapping would take quadratic time."""
_NUMBER_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_FORBIDDEN_CHARACTER = regex("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DIRECTIVE_LINE = regex("(?:^|[\n\r\x85\u2028\u2029])%")

if TYPE_CHECKING:
    _SafeLoader = yaml.SafeLoader
else:
    _SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(Exception):
    """YAML that cannot be read. `problem` is a predicate ("is not …"), `advice` says what to do. Lines count from 1."""

    def __init__(self, problem: str, advice: str, line: int) -> None:
        super().__init__(f"{problem}; {advice}")
        self.problem, self.advice, self.line = problem, advice, line


class YamlLimitError(YamlError):
    """YAML that exceeds the limit for size or depth."""


class Yaml(msgspec.Struct, frozen=True):
    """A YAML document: its value (None if it is empty) and the lines of its nodes."""

    value: Any
    _node: yaml.Node | None

    def find_line(self, steps: Sequence[str]) -> int:
        """Return the line number (from 1) of the node at a path of keys and indexes.

        If there is no such node, return the line number of its nearest existing parent.
        """
        node = self._node
        for step in steps:
            inner = _find_child(node, step)
            if inner is None:
                break
            node = inner
        return int(node.start_mark.line) + 1 if node else 1


def read_yaml(text: str, *, max_chars: int = _MAX_CHARS, allows_aliases: bool = False) -> Yaml:
    """Read one YAML document. Raises YamlError.

    An alias counts towards the limits as if the value that it repeats were written again.
    """
    if len(text) > max_chars:
        raise YamlLimitError(f"exceeds {max_chars:,} characters", "shorten it", _find_line(text, max_chars))
    if forbidden_character := _FORBIDDEN_CHARACTER.search(text):
        problem = f"contains the forbidden character U+{ord(forbidden_character[0]):04X}"
        raise YamlError(problem, "remove it", _find_line(text, forbidden_character.start()))
    directives = [directive.end() for directive in _DIRECTIVE_LINE.finditer(text)]
    if len(directives) > _MAX_DIRECTIVES:
        line = _find_line(text, directives[_MAX_DIRECTIVES])
        raise YamlLimitError(f"has more than {_MAX_DIRECTIVES} lines that begin with %", "remove them", line)
    try:
        _check_events(text, allows_aliases)
        return _load(text)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        if _is_depth_error(error):
            raise _make_depth_error(mark.line + 1) from None
        problem = " ".join(str(getattr(error, "problem", None) or error).split())[:_MAX_PROBLEM]
        raise YamlError(f"is not valid YAML: {problem}", "correct it", mark.line + 1 if mark else 1) from None


class YamlNode(msgspec.Struct, frozen=True):
    """A scalar, an alias or the start of a collection, with its depth and line (from 1). Only a scalar has text."""

    depth: int
    line: int
    text: str | None


def list_nodes(text: str) -> Iterator[YamlNode]:
    """Yield the nodes of a YAML text in order, without building a document.

    Raises YamlError at the first syntax error, and YamlLimitError if the text is too deep or has a forbidden character.
    """
    depth = 0
    event: Any
    try:
        for event in yaml.parse(text, Loader=_SafeLoader):
            if isinstance(event, yaml.NodeEvent):
                start: Any = event.start_mark
                yield YamlNode(depth, start.line + 1, event.value if isinstance(event, yaml.ScalarEvent) else None)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:  # the time that PyYAML takes grows with the square of the depth
                raise _make_depth_error(1)
    except yaml.MarkedYAMLError as error:
        if _is_depth_error(error):
            raise _make_depth_error(1) from None
        is_scanner_error = "scanning" in (error.context or "")
        mark: Any = (error.context_mark if is_scanner_error else None) or error.problem_mark or error.context_mark
        raise YamlError(str(error.problem), "correct it", mark.line + 1 if mark else 1) from None
    except yaml.YAMLError as error:
        raise YamlLimitError(str(error), "remove it", 1) from None


def _make_depth_error(line: int) -> YamlLimitError:
    return YamlLimitError(f"is nested deeper than {_MAX_DEPTH} levels", "reduce the nesting", line)


def _is_depth_error(error: Exception) -> bool:
    """Return whether libyaml gave up at its own limit, which is 1,000 levels since PyYAML 6.0.4.

    Before its first event, libyaml reads ahead to that depth to see whether a collection is a key.
    """
    return "nesting depth" in str(getattr(error, "problem", ""))


def _find_line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


class _Collection(msgspec.Struct):
    anchor: str | None
    nodes_before: int
    height: int = 1


def _check_events(text: str, allows_aliases: bool) -> None:
    """Raise YamlError if the text is too large or too deep for PyYAML, which composes nodes recursively in C."""
    nodes = 0
    open_collections: list[_Collection] = []
    sizes_by_anchor: dict[str, tuple[int, int]] = {}
    event: Any
    for event in yaml.parse(text, Loader=_SafeLoader):
        line, height = event.start_mark.line + 1, 0
        if isinstance(event, yaml.AliasEvent):
            if not allows_aliases or event.anchor not in sizes_by_anchor:
                raise YamlError("uses a YAML alias", "write out the value", line)
            count, height = sizes_by_anchor[event.anchor]
            nodes += count
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = open_collections.pop()
            height = closed.height
            if closed.anchor:
                sizes_by_anchor[closed.anchor] = nodes - closed.nodes_before, height
        elif isinstance(event, yaml.CollectionStartEvent):
            sizes_by_anchor.pop(event.anchor or "", None)
            open_collections.append(_Collection(event.anchor, nodes))
            nodes += 1
        elif isinstance(event, yaml.DocumentStartEvent) and nodes:
            raise YamlError("contains a second document", "remove it", line)
        elif isinstance(event, yaml.ScalarEvent):
            nodes += 1
            if event.anchor:
                sizes_by_anchor[event.anchor] = 1, 0
        if open_collections:
            open_collections[-1].height = max(open_collections[-1].height, height + 1)
        if len(open_collections) + height > _MAX_DEPTH:
            raise _make_depth_error(line)
        if nodes > _MAX_NODES:
            raise YamlLimitError(f"exceeds {_MAX_NODES:,} values", "shorten it", line)


class _Loader(_SafeLoader):
    """PyYAML's safe loader, which raises YamlError for a scalar that its constructors reject."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        line = node.start_mark.line + 1
        is_number = node.tag in _NUMBER_TAGS
        if is_number and len(node.value) > _MAX_NUMBER:
            raise YamlError(f"contains a number that is longer than {_MAX_NUMBER} characters", "put it in quotes", line)
        try:
            if is_number and isinstance(node, yaml.CollectionNode):
                raise TypeError(node.tag)
            return super().construct_object(node, deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            kind = node.tag.rpartition(":")[2]
            raise YamlError(f"contains a value that is not a valid {kind}", "put it in quotes", line) from None

    def flatten_mapping(self, node: Any) -> None:
        super().flatten_mapping(node)
        for key, _ in node.value:
            if isinstance(key, yaml.CollectionNode):
                raise YamlError("contains a key that is not text", "write it as text", key.start_mark.line + 1)
            key.tag = _TEXT_TAG


def _load(text: str) -> Yaml:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        return Yaml(None if node is None else loader.construct_document(node), node)
    finally:
        loader.dispose()


def _find_child(node: yaml.Node | None, step: str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
        inner: yaml.Node = node.value[int(step)]
        return inner
    return None
