"""The syntax tree of a fence or a script. Nothing is concluded from where half-written code does not parse."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from itertools import accumulate

from tree_sitter import Language, Node, Parser, Query, QueryCursor

JAVASCRIPT, TYPESCRIPT, PYTHON, BASH = "javascript", "typescript", "python", "bash"
_NAMES = {
    **dict.fromkeys(("js", "javascript", "jsx", "mjs", "cjs", "node"), JAVASCRIPT),
    **dict.fromkeys(("ts", "typescript", "tsx", "mts", "cts"), TYPESCRIPT),
    **dict.fromkeys(("py", "python", "python3"), PYTHON),
    **dict.fromkeys(("sh", "bash", "zsh", "shell"), BASH),
}
_NO_WORD = frozenset({"", "text", "pseudo", "pseudocode"})
_TOOL_CALL = re.compile(
    r"(?m)^[^\S\n]*(?:[\w.]+\s*=\s*|(?:const|let|var)\s+\w+\s*=\s*)?(?:await\s+)?(?:Task|Agent|Read|Write|Bash|Edit)\("
)
CALLS = ("call", "call_expression")
FUNCTIONS = frozenset(
    "function_definition function_declaration function_expression arrow_function method_definition lambda"
    " class_definition generator_function_declaration".split()
)
"""What has names and exits of its own."""
_TOGETHER = tuple(
    "call call_expression command assignment assignment_expression variable_declarator augmented_assignment"
    " augmented_assignment_expression update_expression named_expression attribute member_expression subscript"
    " subscript_expression while_statement do_statement for_statement try_statement function_definition"
    " function_declaration class_definition decorated_definition property_signature file_redirect case_item".split()
)
"""The types that nearly every code is asked for: they are found in one pass."""
ROOM = 160_000
"""Characters of a skill's code that are parsed. The most of 314 skills has 130,155; at worst one takes 20 to 27 µs."""
_WIDEST, _DEEPEST = 10_000, 200
"""Characters of a line, open brackets: more is not parsed. No one wrote it by hand, and it takes forever."""
_PIPES, _JOINED = 200, 200
"""Pipes of a shell code, and lines joined to the next: for more the parser takes the square of their time."""
_WORD = re.compile(r"\w+")
_BRACKET = re.compile(r"[][(){}]")


@dataclass(frozen=True)
class Code:
    """A text in one language; `first` is the line of the file on which it begins, `room` how long it may be."""

    language: str
    text: str
    first: int = 1
    room: int = field(default=ROOM, compare=False)

    @cached_property
    def _raw(self) -> bytes:
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def is_parsed(self) -> bool:
        """Whether there is a tree: of what would take the parser too long there is an empty one."""
        return len(self.text) <= self.room and _is_by_hand(self.text, self.language)

    @cached_property
    def root(self) -> Node:
        """The root of the tree."""
        return Parser(_language(self.language)).parse(self._raw if self.is_parsed else b"").root_node

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text. What needs a word that is not among them needs no tree, and most code needs none."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def memo(self) -> dict[str, object]:
        """What readers of this code worked out once; see `actions.memo`."""
        return {}

    @cached_property
    def _known(self) -> dict[str, list[Node]]:
        return {}

    @cached_property
    def _errors(self) -> tuple[list[int], list[int]]:
        """Where errors begin, in order, and the furthest end of those up to each."""
        found = QueryCursor(_query(self.language, ("ERROR",))).captures(self.root) if self.root.has_error else {}
        errors = sorted(found.get("ERROR", ()), key=lambda node: node.start_byte)
        return [node.start_byte for node in errors], list(accumulate((node.end_byte for node in errors), max))

    def _is_sound(self, node: Node) -> bool:
        starts, furthest = self._errors
        before = bisect_right(starts, node.start_byte)
        return not node.has_error and (before == 0 or furthest[before - 1] < node.end_byte)

    def nodes(self, *types: str) -> Iterator[Node]:
        """Return the nodes of these types without an error in or over them, type by type, each in order."""
        for name in types:
            if name not in self._known and _has(self.language, name):
                self._capture(_TOGETHER if name in _TOGETHER else (name,))
            yield from self._known.get(name, ())

    def _capture(self, types: tuple[str, ...]) -> None:
        found = QueryCursor(_query(self.language, types)).captures(self.root)
        self._known.update((name, []) for name in types)
        for name, nodes in found.items():
            nodes.sort(key=lambda node: (node.start_byte, -node.end_byte))
            self._known[name] = [n for n in nodes if self._is_sound(n)] if self.root.has_error else nodes

    def line(self, node: Node) -> int:
        """Return the line of the file on which a node begins."""
        return self.first + node.start_point.row

    def line_end(self, node: Node) -> int:
        """Return the line of the file on which a node ends."""
        return self.first + node.end_point.row

    def said(self, node: Node | None) -> str:
        """Return the text of a node; empty for none."""
        return "" if node is None else self._raw[node.start_byte : node.end_byte].decode("utf-8", "replace")


def language_named(name: str) -> str | None:
    """Return the language of a fence's word or a file's ending; None for one that is not parsed."""
    return _NAMES.get(name.lower().lstrip("."))


def code_of(word: str, text: str, first: int, room: int = ROOM) -> Code | None:
    """Return the code of a fence by its word; without one where it calls a tool of Claude Code and parses whole."""
    if (language := language_named(word)) or not _may_call(word, text):
        return Code(language, text, first, room) if language else None
    codes = (Code(language, text, first, room) for language in (JAVASCRIPT, PYTHON))
    return next((code for code in codes if code.is_parsed and not code.root.has_error), None)


def codes_of(fences: Iterable[tuple[str, str, int]], room: int) -> tuple[tuple[Code, ...], int]:
    """Return the codes of fences (word, text, first line), and how much room they leave."""
    found = []
    for word, text, first in fences:
        code = code_of(word, text, first, room)
        found += [code] if code else []
        room -= len(text) if len(text) <= room and (code or _may_call(word, text)) else 0
    return tuple(found), room


def _may_call(word: str, text: str) -> bool:
    return word in _NO_WORD and bool(_TOOL_CALL.search(text))


def _is_by_hand(text: str, language: str) -> bool:
    if max(map(len, text.split("\n"))) > _WIDEST:
        return False
    if text.count("\\\n") > _JOINED or (language == BASH and text.count("|") - 2 * text.count("||") > _PIPES):
        return False
    steps = (1 if mark in "([{" else -1 for mark in _BRACKET.findall(text))
    return max(accumulate(steps, lambda depth, step: max(depth + step, 0)), default=0) <= _DEEPEST


def part(node: Node | None, *fields: str) -> Node | None:
    """Return what the first of these fields of a node holds that holds anything."""
    if node is not None:
        for field in fields:
            if (found := node.child_by_field_name(field)) is not None:
                return found
    return None


def above(node: Node) -> Iterator[Node]:
    """Return what holds a node, innermost first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def below(node: Node) -> Iterator[Node]:
    """Return a node and all below it, in order."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.children))


def is_inside(node: Node, outer: Node) -> bool:
    """Return whether a node stands within another."""
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


@cache
def _language(name: str) -> Language:
    grammar = import_module(f"tree_sitter_{name}")
    return Language(grammar.language_tsx() if name == TYPESCRIPT else grammar.language())


@cache
def _query(language: str, types: tuple[str, ...]) -> Query:
    return Query(_language(language), " ".join(f"({name}) @{name}" for name in types if _has(language, name)))


@cache
def _has(language: str, type: str) -> bool:
    """Return whether a grammar has a type of node: for one that it has not, no text needs to be parsed."""
    return type == "ERROR" or _language(language).id_for_node_kind(type, True) is not None
