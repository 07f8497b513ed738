"""Define JavaScript and TypeScript: options of commander and `parseArgs`, and values of union types."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace
from tree_sitter import Node

from actions.code.calls import Call, find_calls, read_object
from actions.code.language import DeclaredValues, Language, kinds
from actions.code.literals import read_constant, read_string
from actions.code.options import Interface, Option, read_flags
from actions.code.tree import Code

_STRING_METHODS = frozenset(
    "at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare match matchAll"
    " normalize padEnd padStart repeat replace replaceAll search slice split startsWith substring toLowerCase"
    " toUpperCase trim trimEnd trimStart toString".split()
)
_ARRAY_METHODS = frozenset(
    "at concat entries every fill filter find findIndex findLast findLastIndex flat flatMap forEach includes indexOf"
    " join keys lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice toSorted toReversed"
    " unshift values toString".split()
)
_METHODS = {
    "string": _STRING_METHODS,
    "template_string": _STRING_METHODS,
    "array": _ARRAY_METHODS,
    "object": frozenset[str](),
}


def _find_interface(code: Code) -> Interface:
    flags = [option for _, option in read_flags(code)]
    parsed = [
        option for call in find_calls(code) if call.base == "parseArgs" for option in _read_parse_args(code, call)
    ]
    return Interface(tuple(sorted((*flags, *parsed), key=lambda option: option.line)))


def _read_parse_args(code: Code, call: Call) -> Iterator[Option]:
    options = call.named.get("options")
    for name, value in (read_object(code, options) if options is not None else {}).items():
        details: Mapping[str, Node] = read_object(code, value)
        short = read_string(code, details.get("short"))
        names = (f"--{name}", f"--no-{name}", *((f"-{short}",) if short else ()))
        yield Option(names, code.line(value), read_constant(code, details.get("default")))


def _find_declared_values(code: Code) -> Iterator[DeclaredValues]:
    """Find fields whose type is a union of literals, such as `'a' | 'b'`."""
    for node in code.nodes("property_signature") if "|" in code.text else ():
        values = [read_string(code, member) for member in _list_union_members(node.child_by_field_name("type"))]
        literals = frozenset(filter(None, values))
        if len(literals) > 1 and None not in values:
            yield DeclaredValues(code.text_of(node.child_by_field_name("name")), literals, code.line(node))


def _list_union_members(union: Node | None) -> Iterator[Node | None]:
    """Yield each literal of a union, and None for each other member."""
    stack = union.named_children if union is not None else []
    while stack:
        current = stack.pop()
        if current.type == "union_type":
            stack.extend(current.named_children)
        else:
            yield current.named_children[0] if current.type == "literal_type" and current.named_children else None


def _lacks_method(kind: str, method: str) -> bool:
    methods = _METHODS.get(kind)
    return methods is not None and method in (_STRING_METHODS | _ARRAY_METHODS) - methods


JAVASCRIPT = Language(
    name="javascript",
    aliases=frozenset({"js", "javascript", "jsx", "mjs", "cjs", "node"}),
    extensions=frozenset({".js", ".mjs", ".cjs", ".jsx"}),
    grammar=("tree_sitter_javascript", "language"),
    comment="//",
    runners=frozenset({"node", "npx", "bun", "deno"}),
    identifiers=kinds(
        "identifier private_property_identifier property_identifier shorthand_property_identifier"
        " shorthand_property_identifier_pattern statement_identifier"
    ),
    self_defining=kinds("shorthand_property_identifier_pattern"),
    shorthands=kinds("shorthand_property_identifier"),
    member_accesses=kinds("member_expression"),
    subscripts=kinds("subscript_expression"),
    strings=kinds("string template_string"),
    interpolations=kinds("template_substitution"),
    numbers=kinds("number"),
    booleans=kinds("true false"),
    lists=kinds("array"),
    objects=kinds("object"),
    spreads=kinds("spread_element"),
    builtins=frozenset(
        "console JSON Math Object Array String Number Boolean Date RegExp Map Set WeakMap Promise Error TypeError"
        " Symbol BigInt Infinity NaN undefined arguments globalThis process require module exports __dirname Buffer"
        " URL fetch setTimeout clearTimeout setInterval clearInterval parseInt parseFloat isNaN structuredClone"
        " encodeURIComponent".split()
    ),
    calls=kinds("call_expression"),
    arguments=kinds("arguments"),
    keyword_arguments={
        "assignment_expression": ("left", "right")
    },  # skills write `Task(prompt="...")` in JavaScript too
    wrappers=kinds("await_expression parenthesized_expression"),
    assignments=kinds("variable_declarator assignment_expression"),
    updates=kinds("augmented_assignment_expression update_expression"),
    additions=kinds("binary_expression"),
    comparisons=kinds("binary_expression"),
    constant_keyword="const",
    has_positional_tools=True,
    functions=kinds(
        "function_declaration function_expression arrow_function method_definition generator_function_declaration"
    ),
    definitions=kinds("function_declaration"),
    classes=kinds("class_declaration"),
    lambdas=kinds("arrow_function"),
    declarations=kinds("function_declaration class_declaration variable_declarator"),
    imports=kinds("import_statement"),
    type_definitions=kinds("class_declaration"),
    type_fields=kinds("property_identifier"),
    blocks=kinds("statement_block program"),
    branches=kinds(
        "if_statement else_clause try_statement catch_clause for_statement while_statement for_in_statement switch_case"
    ),
    conditionals=kinds("if_statement while_statement do_statement ternary_expression switch_statement"),
    truth_tests=kinds("try_statement unary_expression"),
    condition_parts=kinds(
        "parenthesized_expression unary_expression binary_expression string string_fragment true false number"
    ),
    loops=kinds("while_statement do_statement"),
    counting_loops=kinds("for_statement"),
    for_each_loops=kinds("for_in_statement"),
    loop_words=frozenset({"while", "until", "for"}),
    loop_exits=kinds("break_statement return_statement throw_statement yield_expression"),
    returns=kinds("return_statement yield_expression"),
    empty_statements=kinds("comment throw_statement"),
    try_statements=kinds("try_statement"),
    with_statements=kinds("with_statement"),
    value_reads=kinds(
        "member_expression subscript_expression arguments call_expression for_statement for_in_statement"
        " template_substitution pair return_statement binary_expression ternary_expression if_statement"
        " while_statement unary_expression parenthesized_expression"
    ),
    option_calls=frozenset({"option", "requiredOption", "Option", "Argument", "add_argument", "add_option"}),
    option_words=frozenset({"parseArgs"}),
    open_parsers=frozenset({"parse_known_args", "allowUnknownOption", "process.argv", "REMAINDER"}),
    harmless_arguments=r"process\.argv\.slice\(2\)|process\.argv(?=\))",
    lacks_method=_lacks_method,
    find_interface=_find_interface,
)
TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    aliases=frozenset({"ts", "typescript", "tsx", "mts", "cts"}),
    extensions=frozenset({".ts", ".tsx"}),
    runners=frozenset({"tsx", "ts-node", "bun", "deno"}),
    grammar=("tree_sitter_typescript", "language_tsx"),
    identifiers=(*JAVASCRIPT.identifiers, *kinds("nested_identifier nested_type_identifier type_identifier")),
    wrappers=(*JAVASCRIPT.wrappers, *kinds("as_expression non_null_expression")),
    type_definitions=kinds("interface_declaration type_alias_declaration enum_declaration class_declaration"),
    type_fields=kinds("property_signature enum_assignment public_field_definition property_identifier"),
    other_kinds=kinds("property_signature"),
    find_declared_values=_find_declared_values,
)
