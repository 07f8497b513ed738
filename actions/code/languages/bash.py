"""Define Bash: options of `case` and `getopts`, and files that commands and redirections use."""

from collections.abc import Iterator

from actions.code.calls import find_commands
from actions.code.files import FileUse, Mode
from actions.code.language import Language, kinds
from actions.code.options import FLAG, Interface, Option
from actions.code.tree import Code


def _find_interface(code: Code) -> Interface:
    return Interface((*_read_cases(code), *_read_getopts(code)), may_pass_on=True)


def _read_cases(code: Code) -> Iterator[Option]:
    for item in code.nodes("case_item"):
        pattern = code.text_of(item).split(")", 1)[0]
        names = tuple(part.strip().split("=")[0] for part in pattern.split("|") if part.strip().startswith("-"))
        if names and item.child_by_field_name("value") is not None and all(FLAG.fullmatch(name) for name in names):
            yield Option(names, code.line(item))


def _read_getopts(code: Code) -> Iterator[Option]:
    for command in code.nodes("command"):
        words = code.text_of(command).split()
        if words[:1] == ["getopts"] and len(words) > 1:
            yield Option(tuple(f"-{letter}" for letter in words[1] if letter.isalpha()), code.line(command))


def _find_files(code: Code) -> Iterator[FileUse]:
    for node in code.nodes("file_redirect"):
        name, redirect = code.text_of(node.child_by_field_name("destination")).strip("\"'"), code.text_of(node)
        if "." in name and "$" not in name and "/dev/" not in name and "&" not in redirect:
            mode = Mode.READ if redirect.lstrip("0123456789").startswith("<") else Mode.WRITE
            yield FileUse(name, mode, code.line(node))
    for command in find_commands(code):
        if command.name in ("cat", "source", "."):
            files = (word for word in command.words if "." in word and "$" not in word)
            yield from (FileUse(name, Mode.READ, command.line) for name in files if not name.startswith(("-", "<")))


def _find_used_names(code: Code) -> set[str]:
    """Find the used variables that begin with a lowercase letter. Others may come from the environment."""
    names = (code.text_of(node).strip("${}") for node in code.nodes("simple_expansion"))
    return {name for name in names if name[:1].islower()}


BASH = Language(
    name="bash",
    aliases=frozenset({"sh", "bash", "zsh", "shell"}),
    extensions=frozenset({".sh", ".bash", ".zsh"}),
    grammar=("tree_sitter_bash", "language"),
    comment="#",
    runners=frozenset({"bash", "sh", "zsh"}),
    max_pipes=200,
    max_heredocs=200,
    variables=(),
    identifiers=kinds("variable_name"),
    self_defining=kinds("word"),
    strings=kinds("string raw_string"),
    raw_strings=kinds("raw_string"),
    interpolations=kinds("simple_expansion expansion command_substitution"),
    commands=kinds("command"),
    functions=kinds("function_definition"),
    loops=kinds("while_statement"),
    loop_words=frozenset({"while", "until"}),
    other_kinds=kinds("file_redirect case_item"),
    option_words=frozenset({"getopts", "case"}),
    find_interface=_find_interface,
    find_files=_find_files,
    find_used_names=_find_used_names,
)
