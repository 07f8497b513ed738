"""Parse a fence or a script into a syntax tree. Nodes inside or around a syntax error are never returned."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

import msgspec
import tree_sitter
from tree_sitter import Node, Parser, Query, QueryCursor

from actions.code.grammar import load_grammar
from actions.code.language import Language
from actions.grouping import group_by_key
from actions.memo import cached_property
from actions.regex import regex
from actions.words import find_words

MAX_PARSED = 160_000
"""Maximum number of code characters to parse in a skill, at up to 27 µs each. The largest of 314 skills has 130,155."""
_MAX_WIDTH, _MAX_BRACKETS = 10_000, 200
"""Maximum numbers of characters in a line, and of open brackets. Code with more is generated and slow to parse."""
_MAX_JOINED = 200
"""Maximum number of lines that end with a backslash, because the parser's time is quadratic in their number."""
_MAX_COMMENTS = 1_000
"""Maximum number of consecutive comment or blank lines, because the parser's time is quadratic in their number."""
_CHUNK = 65_536
"""Number of bytes that the parser reads at once."""
_INTERRUPTED = "tree: interrupted"
_BRACKET = regex(r"[][(){}]")


class Code(msgspec.Struct, frozen=True, dict=True):
    """Code in one language. `first` is its first line in the file. A text longer than `limit` is not parsed."""

    language: Language
    text: str
    first: int = 1
    limit: int = MAX_PARSED

    @cached_property
    def _raw(self) -> bytes:
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def is_parsed(self) -> bool:
        """Whether the text is parsed. A text that might take too long is not parsed, and its tree is empty."""
        return len(self.text) <= self.limit and _is_hand_written(self.text, self.language)

    @cached_property
    def root(self) -> Node:
        """The root of the syntax tree. After a time limit has interrupted the parser, the tree is empty."""
        raw = self._raw if self.is_parsed and not self.memo.get(_INTERRUPTED) else b""
        try:
            parser = Parser(_get_grammar(self.language))
            tree = parser.parse(lambda start, point: raw[start : start + _CHUNK], progress_callback=_keep_parsing)
            return tree.root_node
        except (TimeoutError, SystemError) as error:  # SystemError if the time limit fires in the C parser
            self.memo[_INTERRUPTED] = True
            raise TimeoutError(str(error.__cause__ or error)) from error

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text. Callers check them before they use the tree, so that most code is not parsed."""
        return find_words(self.text)

    @cached_property
    def memo(self) -> dict[str, object]:
        """Results of memoized functions; see `actions.memo`."""
        return {}

    @cached_property
    def _nodes_by_kind(self) -> dict[str, list[Node]]:
        return {}

    @cached_property
    def _sound_nodes(self) -> dict[str, list[Node]]:
        """The nodes outside errors, by kind. They replace the query for code with errors, which may be quadratic."""
        return group_by_key((node.type, node) for node in _walk_sound(self.root))

    def nodes(self, *kinds: str) -> Iterator[Node]:
        """Yield the error-free nodes of these kinds, kind by kind and in text order within a kind."""
        for name in kinds:
            if name not in self._nodes_by_kind and has_kind(self.language, name):
                common = self.language.common_kinds
                self._capture(common if name in common else (name,))
            yield from self._nodes_by_kind.get(name, ())

    def _capture(self, types: tuple[str, ...]) -> None:
        self._nodes_by_kind.update((name, []) for name in types)
        if self.root.has_error:
            self._nodes_by_kind.update((name, self._sound_nodes.get(name, [])) for name in types)
            return
        for name, nodes in QueryCursor(_build_query(self.language, types)).captures(self.root).items():
            self._nodes_by_kind[name] = sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))

    def line(self, node: Node) -> int:
        """Return the line of the file on which a node begins."""
        return self.first + node.start_point.row

    def line_end(self, node: Node) -> int:
        """Return the line of the file on which a node ends."""
        return self.first + node.end_point.row

    def text_of(self, node: Node | None) -> str:
        """Return the text of a node, or "" for None."""
        return "" if node is None else self._raw[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _keep_parsing(offset: int, has_error: bool) -> bool:
    """Return False to continue parsing. A time limit can raise its error while the parser calls this function."""
    return False


def _is_hand_written(text: str, language: Language) -> bool:
    """Return whether a text stays within limits that only generated code exceeds."""
    if len(text) > _MAX_WIDTH and max(map(len, text.split("\n"))) > _MAX_WIDTH:
        return False
    if text.count("\\\n") > _MAX_JOINED:
        return False
    if text.count("\n") >= _MAX_COMMENTS and _count_comments(text.split("\n"), language) > _MAX_COMMENTS:
        return False
    if language.max_pipes is not None and text.count("|") - 2 * text.count("||") > language.max_pipes:
        return False
    if language.max_heredocs is not None and text.count("<<") - text.count("<<<") > language.max_heredocs:
        return False
    if sum(map(text.count, "([{")) <= _MAX_BRACKETS:
        return True
    steps = (1 if bracket in "([{" else -1 for bracket in _BRACKET.findall(text))
    return max(accumulate(steps, lambda depth, step: max(depth + step, 0)), default=0) <= _MAX_BRACKETS


def _count_comments(lines: Sequence[str], language: Language) -> int:
    """Return the largest number of consecutive comment lines."""
    most = count = 0
    for line in lines:
        text = line.lstrip()
        count = count + text.startswith((language.comment, "/*")) if not text or text[0] in "#/" else 0
        most = max(most, count)
    return most


def get_child(node: Node | None, *fields: str) -> Node | None:
    """Return the child in the first of these fields that is present, or None."""
    if node is not None:
        for field in fields:
            if (child := node.child_by_field_name(field)) is not None:
                return child
    return None


def list_ancestors(node: Node) -> Iterator[Node]:
    """Yield the nodes that contain a node, innermost first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all its descendants, in order."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.children))


def _walk_sound(root: Node) -> Iterator[Node]:
    """Yield the nodes that neither contain an error nor are part of one, in order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if not node.has_error:
            yield node
        if not node.is_error:
            stack.extend(reversed(node.children))


def is_inside(node: Node, outer: Node) -> bool:
    """Return whether a node is within another."""
    return outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte


def _get_grammar(language: Language) -> tree_sitter.Language:
    return load_grammar(*language.grammar)


@cache
def _build_query(language: Language, types: tuple[str, ...]) -> Query:
    return Query(_get_grammar(language), " ".join(f"({name}) @{name}" for name in types if has_kind(language, name)))


@cache
def has_kind(language: Language, kind: str) -> bool:
    """Return whether the grammar has a kind of node. If it does not, a search for that kind needs no parsing."""
    return kind == "ERROR" or _get_grammar(language).id_for_node_kind(kind, True) is not None
