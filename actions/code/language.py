"""Define the record that describes a programming language: its names, its grammar, and functions that read its code."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:  # these modules import Language
    from actions.code.files import FileUse
    from actions.code.options import Interface
    from actions.code.tree import Code

Kinds = tuple[str, ...]
"""Node kinds of a grammar. A search for several kinds finds them in this order."""


class DeclaredValues(NamedTuple):
    """A field, the literals that the field's type allows, and the line that declares the field."""

    field: str
    values: frozenset[str]
    line: int


def kinds(names: str) -> Kinds:
    """Split a space-separated list of node kinds."""
    return tuple(names.split())


class Language(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A programming language: its names, the node kinds of its grammar by meaning, and functions that read its code.

    `aliases` are its names in fences. `extensions` are its file extensions with the dot. `grammar` has the name of a
    tree-sitter module and the name of its function that returns the grammar. `comment` begins a line comment. If a
    language lacks a kind of node, the field is empty, and a search finds nothing.
    """

    name: str
    aliases: frozenset[str]
    extensions: frozenset[str]
    grammar: tuple[str, str]
    comment: str
    runners: frozenset[str] = frozenset()
    """Programs that start a script of this language."""
    max_pipes: int | None = None
    """Maximum number of pipes in parsed code, because the parser's time is quadratic in their number."""
    max_heredocs: int | None = None
    """Maximum number of `<<` in parsed code, because the parser reads the rest of the file for each unclosed one."""

    # Names and values
    variables: Kinds = ("identifier",)
    identifiers: Kinds = ("identifier",)
    """All kinds of names, including those of fields and types."""
    self_defining: Kinds = ()
    """Kinds of names that count as defined wherever they occur."""
    label_fields: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Maps node kinds to the field with the name of a member or an argument. Such a name is not a variable."""
    shorthands: Kinds = ()
    """Shorthand properties, as in `{x}`."""
    member_accesses: Kinds = ()
    subscripts: Kinds = ()
    strings: Kinds = ()
    raw_strings: Kinds = ()
    joined_strings: Kinds = ()
    """Implicitly concatenated strings, as in `"a" "b"`."""
    template_prefixes: frozenset[str] = frozenset()
    """Prefixes that make a string a template, such as `f`."""
    interpolations: Kinds = ()
    """Interpolated parts of a template, as in `{x}` of an f-string."""
    numbers: Kinds = ()
    booleans: Kinds = ()
    lists: Kinds = ()
    objects: Kinds = ()
    spreads: Kinds = ()
    builtins: frozenset[str] = frozenset()

    # Calls and assignments
    calls: Kinds = ()
    arguments: Kinds = ()
    keyword_arguments: Mapping[str, tuple[str, str]] = msgspec.field(default_factory=dict)
    """Maps kinds of keyword arguments to the fields of their name and value."""
    commands: Kinds = ()
    wrappers: Kinds = ()
    """Expressions that have the same value as their operand, such as `await`."""
    assignments: Kinds = ()
    inline_assignments: Kinds = ()
    """Assignments inside an expression, such as `(x := 1)`."""
    updates: Kinds = ()
    """Augmented assignments, such as `x += 1`."""
    additions: Kinds = ()
    """Expressions that may join strings, such as `a + b`."""
    comparisons: Kinds = ()
    constant_keyword: str = ""
    """The keyword that declares a constant, such as `const`."""
    has_positional_tools: bool = False
    """Whether skills in this language call Claude Code's tools with only positional arguments."""

    # Definitions
    functions: Kinds = ()
    """Definitions that open a scope."""
    definitions: Kinds = ()
    """Named functions."""
    classes: Kinds = ()
    decorated_definitions: Kinds = ()
    lambdas: Kinds = ()
    declarations: Kinds = ()
    """Definitions of names that can be called."""
    imports: Kinds = ()
    type_definitions: Kinds = ()
    type_fields: Kinds = ()
    """Fields of a type definition."""

    # Flow
    blocks: Kinds = ()
    branches: Kinds = ()
    """Statements whose body does not always run exactly once."""
    conditionals: Kinds = ()
    """Statements and expressions with a condition."""
    truth_tests: Kinds = ()
    """Nodes that test a value inside them."""
    assertions: Kinds = ()
    condition_parts: Kinds = ()
    """Nodes, besides variables, that are allowed in a condition that depends only on variables."""
    loops: Kinds = ()
    counting_loops: Kinds = ()
    """Loops that are assumed to end if they have a condition, which `for (;;)` lacks."""
    for_each_loops: Kinds = ()
    loop_words: frozenset[str] = frozenset()
    loop_exits: Kinds = ()
    """Statements that may end a loop."""
    returns: Kinds = ()
    """Statements that return a value to the caller of a function."""
    empty_statements: Kinds = ()
    try_statements: Kinds = ()
    with_statements: Kinds = ()
    value_reads: Kinds = ()
    """Nodes that read the value of a variable inside them."""

    # Functions of this language, and their search terms
    other_kinds: Kinds = ()
    """Node kinds that only the functions below search for."""
    option_calls: frozenset[str] = frozenset()
    """Functions that define an option by its spellings."""
    option_words: frozenset[str] = frozenset()
    """Other words that indicate that a script parses options."""
    open_parsers: frozenset[str] = frozenset()
    """Words that indicate that a script accepts all options, or reads its arguments without a parser."""
    harmless_arguments: str = ""
    """A regular expression for code that only counts the arguments or passes them to the parser unchanged."""
    open_functions: frozenset[str] = frozenset()
    """Functions that open a file and have an argument for the mode."""
    lacks_method: "Callable[[str, str], bool]" = lambda kind, method: False
    """Returns whether literals of a node kind lack a method."""
    find_interface: "Callable[[Code], Interface | None]" = lambda code: None
    find_declared_values: "Callable[[Code], Iterator[DeclaredValues]]" = lambda code: iter(())
    find_files: "Callable[[Code], Iterator[FileUse]] | None" = None
    """Finds the uses of files. If None, `find_file_calls` finds them."""
    find_used_names: "Callable[[Code], set[str]] | None" = None
    """Finds the used names. If None, every identifier is a use of its name."""

    @cached_property
    def common_kinds(self) -> Kinds:
        """The kinds that nearly every search needs.

        They share one query, because each query takes 1 to 3 ms to compile.
        """
        statements = (
            *self.loops,
            *self.counting_loops,
            *self.try_statements,
            *self.definitions,
            *self.classes,
            *self.decorated_definitions,
        )
        assigned = (*self.assignments, *self.inline_assignments, *self.updates, *self.member_accesses, *self.subscripts)
        return tuple(
            dict.fromkeys(
                (*self.calls, *self.commands, *assigned, *statements, *self.type_definitions, *self.other_kinds)
            )
        )
