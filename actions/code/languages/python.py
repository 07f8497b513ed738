"""Define Python: options of argparse and click, and values of `Literal` types."""

import builtins
from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace
from tree_sitter import Node

from actions.code.calls import Call, find_calls
from actions.code.language import DeclaredValues, Language, kinds
from actions.code.literals import read_string
from actions.code.options import Interface, Option, read_flags
from actions.code.tree import Code
from actions.regex import regex

_PARSER_CALLS = frozenset(
    {"ArgumentParser", "add_parser", "add_argument_group", "add_mutually_exclusive_group", "add_subparsers"}
)
_CLICK_DECORATORS = frozenset({"command", "group", "option", "argument", "pass_context", "pass_obj", "version_option"})
_ALIASED_CALL = regex(r"\.add_argument(?![\w(])")
_LITERAL_TYPES: dict[str, type] = {
    "string": str, "list": list, "list_comprehension": list, "dictionary": dict, "tuple": tuple, "set": set,
    "integer": int, "float": float,
}  # fmt: skip


def _find_interface(code: Code) -> Interface | None:
    """Return the options that a script defines with argparse or click, or None if they may be incomplete."""
    if not _is_complete(code):
        return None
    options = tuple(_read_options(code))
    definitions = [call for call in find_calls(code) if call.base == "add_argument"]
    has_positionals = "add_subparsers" in code.text or len(definitions) > len(options)
    interface = Interface(options, accepts_prefixes="ArgumentParser" in code.text, has_positionals=has_positionals)
    return replace(interface, subcommands=_read_subcommands(code)) if "add_subparsers" in code.text else interface


def _read_subcommands(code: Code) -> Mapping[str, Collection[str]]:
    """Map argparse subcommands to their own options. Return {} unless all are defined in plain statements."""
    subcommands: dict[str, set[str]] = {}
    options: dict[str, set[str]] = {}  # by the variable of their parser or group
    for call in find_calls(code):
        parser, arguments = call.name.rpartition(".")[0], {code.text_of(arg) for arg in call.args}
        if call.base == "add_parser":
            names = [read_string(code, call.args[0]) if call.args else None, *_read_aliases(code, call)]
            if None in names or "parents" in call.named:
                return {}
            own = options[call.assigned or ""] = set()
            subcommands |= {name: own for name in names if name is not None}
        elif call.base == "ArgumentParser":
            options[call.assigned or ""] = set()
        elif call.base in ("add_argument_group", "add_mutually_exclusive_group"):
            options[call.assigned or ""] = options.get(parser, set())
        elif call.base == "add_argument":
            spellings = [read_string(code, arg) or "" for arg in call.args]
            is_own = any(options.get(parser) is own for own in subcommands.values())
            if parser not in options or _is_in_loop(call.node) or not (is_own or spellings[0].startswith("-")):
                return {}
            options[parser].update(spellings)
        elif not arguments.isdisjoint(options):
            return {}
    is_plain = code.text.count("add_subparsers(") == code.text.count("ArgumentParser(") == 1
    return subcommands if is_plain else {}


def _read_aliases(code: Code, call: Call) -> list[str | None]:
    node = call.named.get("aliases")
    return [read_string(code, child) for child in node.named_children] if node is not None else []


def _is_in_loop(node: Node | None) -> bool:
    while node is not None and node.type not in ("for_statement", "list_comprehension"):
        node = node.parent
    return node is not None


def _read_options(code: Code) -> Iterator[Option]:
    for call, option in read_flags(code):
        negated = "BooleanOptionalAction" in code.text_of(call.named.get("action"))
        added = tuple(f"--no-{name[2:]}" for name in option.names) if negated else ()
        yield replace(option, names=(*option.names, *added))


def _is_complete(code: Code) -> bool:
    """Return whether a file defines all options itself, with literal names and without parsers of other modules."""
    if _ALIASED_CALL.search(code.text):
        return False
    own_functions = {code.text_of(node.child_by_field_name("name")) for node in code.nodes("function_definition")}
    parsers = {call.assigned for call in find_calls(code) if call.base in _PARSER_CALLS and call.assigned}
    for call in find_calls(code):
        if call.base == "ArgumentParser" and ("parents" in call.named or "allow_abbrev" in call.named):
            return False
        if call.base in ("add_argument", "option") and any(read_string(code, arg) is None for arg in call.args):
            return False
        if parsers and call.name not in own_functions and not parsers.isdisjoint(map(code.text_of, call.args)):
            return False
    has_parser = any(call.base in ("ArgumentParser", "option") for call in find_calls(code))
    return has_parser and not _has_unknown_decorator(code, own_functions)


def _has_unknown_decorator(code: Code, own_functions: set[str]) -> bool:
    """Return whether a function with options has a decorator that may add more options.

    The known decorators of click and the file's own functions add none.
    """
    for node in code.nodes("decorated_definition"):
        decorators = [child for child in node.named_children if child.type == "decorator"]
        names = [code.text_of(decorator).lstrip("@").split("(")[0] for decorator in decorators]
        are_known = all(name.rsplit(".", 1)[-1] in _CLICK_DECORATORS or name in own_functions for name in names)
        if not are_known and any(name.endswith("option") for name in names):
            return True
    return False


def _find_declared_values(code: Code) -> Iterator[DeclaredValues]:
    """Find fields whose type is a `Literal`, such as `status: Literal["a", "b"]`."""
    for node in code.nodes("assignment") if "Literal" in code.text else ():
        arguments = _list_literal_arguments(code, node.child_by_field_name("type"))
        values = [read_string(code, argument) for argument in arguments]
        literals = frozenset(filter(None, values))
        if len(literals) > 1 and None not in values:
            yield DeclaredValues(code.text_of(node.child_by_field_name("left")), literals, code.line(node))


def _list_literal_arguments(code: Code, annotation: Node | None) -> Iterator[Node | None]:
    """Yield the arguments of a `Literal[...]` annotation, or nothing for any other annotation."""
    kind = annotation.named_children[0] if annotation is not None and annotation.named_children else None
    if kind is not None and kind.type == "generic_type" and code.text_of(kind.named_children[0]) == "Literal":
        for argument in kind.named_children[1].named_children:
            yield argument.named_children[0] if argument.named_children else None


def _lacks_method(kind: str, method: str) -> bool:
    return kind in _LITERAL_TYPES and not hasattr(_LITERAL_TYPES[kind], method)


PYTHON = Language(
    name="python",
    aliases=frozenset({"py", "python", "python3"}),
    extensions=frozenset({".py"}),
    grammar=("tree_sitter_python", "language"),
    comment="#",
    runners=frozenset({"python", "python3", "uv", "poetry", "pipenv"}),
    label_fields={"attribute": "attribute", "keyword_argument": "name"},
    member_accesses=kinds("attribute"),
    subscripts=kinds("subscript"),
    strings=kinds("string concatenated_string"),
    joined_strings=kinds("concatenated_string"),
    template_prefixes=frozenset({"f"}),
    interpolations=kinds("interpolation"),
    numbers=kinds("integer float"),
    booleans=kinds("true false"),
    lists=kinds("list list_comprehension tuple set"),
    objects=kinds("dictionary"),
    spreads=kinds("dictionary_splat"),
    builtins=frozenset({*dir(builtins), "self", "cls", "__name__", "__file__"}),
    calls=kinds("call"),
    arguments=kinds("argument_list"),
    keyword_arguments={"keyword_argument": ("name", "value")},
    wrappers=kinds("await parenthesized_expression"),
    assignments=kinds("assignment"),
    inline_assignments=kinds("named_expression"),
    updates=kinds("augmented_assignment"),
    additions=kinds("binary_operator concatenated_string"),
    comparisons=kinds("comparison_operator"),
    functions=kinds("function_definition class_definition lambda"),
    definitions=kinds("function_definition"),
    classes=kinds("class_definition"),
    decorated_definitions=kinds("decorated_definition"),
    lambdas=kinds("lambda"),
    declarations=kinds("function_definition class_definition"),
    imports=kinds("import_statement import_from_statement as_pattern_target global_statement"),
    type_definitions=kinds("class_definition"),
    blocks=kinds("block module"),
    branches=kinds(
        "if_statement else_clause elif_clause try_statement except_clause for_statement while_statement"
        " assert_statement"
    ),
    conditionals=kinds("if_statement elif_clause while_statement"),
    truth_tests=kinds(
        "try_statement assert_statement comparison_operator boolean_operator not_operator match_statement"
        " conditional_expression"
    ),
    assertions=kinds("assert_statement"),
    condition_parts=kinds(
        "parenthesized_expression not_operator boolean_operator comparison_operator"
        " string string_start string_content string_end true false integer float"
    ),
    loops=kinds("while_statement"),
    for_each_loops=kinds("for_statement"),
    loop_words=frozenset({"while", "until"}),
    loop_exits=kinds("break_statement return_statement raise_statement yield"),
    returns=kinds("return_statement yield"),
    empty_statements=kinds("comment pass_statement raise_statement"),
    try_statements=kinds("try_statement"),
    with_statements=kinds("with_statement"),
    value_reads=kinds(
        "attribute subscript argument_list call for_statement interpolation pair binary_operator return_statement"
        " comparison_operator conditional_expression if_statement elif_clause while_statement not_operator"
        " boolean_operator parenthesized_expression"
    ),
    option_calls=frozenset({"add_argument", "add_option", "option", "Option", "Argument"}),
    open_parsers=frozenset({"parse_known_args", "ignore_unknown_options", "sys.argv", "REMAINDER", "fire", "typer"}),
    harmless_arguments=r"len\(sys\.argv\)|sys\.argv\[0\]|(?<=\()sys\.argv\[1:\](?=\))",
    open_functions=frozenset({"open", "io.open", "codecs.open", "fs.open"}),
    lacks_method=_lacks_method,
    find_interface=_find_interface,
    find_declared_values=_find_declared_values,
)
