"""Find reads of environment variables without another value in JavaScript and Python, and reads of the input."""

from collections.abc import Collection, Iterator

from actions.code.calls import find_commands
from actions.code.shell_variables import VariableRead
from actions.code.tree import Code
from actions.regex import regex

_PYTHON_READ = regex(
    r"(?:\benviron(?:\.get)?|\bgetenv)\s*[\[(]\s*[\"'](?P<name>\w+)[\"']\s*(?:,(?P<default>[^)\n]{0,80}))?[\])]"
    r"(?!\s*(?:=[^=]|or\b))"
)
_PYTHON_INPUT = regex(r"stdin|\binput\(|\bopen\(0|fileinput|\bfrom \.|\bos\.read\(0|sys\.path|importlib")
"""Code that reads standard input, or loads other code that may."""
_EMPTY_DEFAULTS = frozenset({"", "none", "''", '""', '"{}"', "'{}'", "{}", '"[]"', "'[]'", "'unknown'", '"unknown"'})
_READ = r"process\.env(?:\.\w+|\[[\"']\w+[\"']\])"
_NO_DATA = r"(?:[\"'](?:\{\}|\[\]|unknown)?[\"']|null|undefined|\{\})"
_JAVASCRIPT_READ = regex(
    rf"(?:(?<![=!<>])=|\bJSON\.parse\()\s*(?P<chain>{_READ}(?:\s*(?:\|\||\?\?)\s*(?:{_READ}|{_NO_DATA})){{0,6}})\s*(?:[;,)\n]|\Z)"
)
"""A value that comes only from variables, such as `file = process.env.A || process.env.B || ''`."""
_JAVASCRIPT_NAME = regex(r"process\.env\W{1,2}(\w+)")
_JAVASCRIPT_INPUT = regex(
    r"stdin|\bread\w*\(\s*0|/dev/fd/0|\bfd:\s*0|inherit|readline|\b(?:require|import)\(\s*[^\s\"']"
)
_JAVASCRIPT_MODULE = regex(r"\b(?:from|import|require\(|import\()\s*[\"'](?:node:)?([^\"'\n]*)[\"']")
_BUILT_IN_MODULES = frozenset(
    "assert child_process crypto fs fs/promises http https os path process timers timers/promises url util".split()
)
_INLINE = (("node", ("-e", "--eval")), ("python", ("-c",)), ("python3", ("-c",)))
"""Programs, each with the options before code in the command."""


def find_inline_reads(code: Code, names: Collection[str]) -> Iterator[VariableRead]:
    """Yield the reads of these variables in JavaScript and Python in the commands of shell code."""
    for command in find_commands(code):
        for program, options in _INLINE:
            number = next((n for n, word in enumerate(command.words[:-1]) if word in options), None)
            if command.name == program and number is not None:
                text, rest = command.words[number + 1], command.words[number + 2 :]
                is_script = program == "node"
                may_read = may_javascript_read_input(text) if is_script else may_python_read_input(text)
                if not rest and not may_read:
                    yield from find_javascript_reads(text, names) if is_script else find_python_reads(text, names)


def find_python_reads(text: str, names: Collection[str]) -> Iterator[VariableRead]:
    """Yield the reads of these variables in Python that have no default with data."""
    for number, line in enumerate(text.split("\n"), 1):
        match = _PYTHON_READ.search(line.partition("#")[0])
        if match and match["name"] in names and (match["default"] or "").strip().lower() in _EMPTY_DEFAULTS:
            yield VariableRead(match["name"], number, "", False)


def find_javascript_reads(text: str, names: Collection[str]) -> Iterator[VariableRead]:
    """Yield the reads of variables in JavaScript whose value comes from these variables only."""
    for match in _JAVASCRIPT_READ.finditer(text):
        read = _JAVASCRIPT_NAME.findall(match["chain"])
        line = text.count("\n", 0, match.start("chain")) + 1
        if all(name in names for name in read):
            yield from (VariableRead(name, line, "", False) for name in read)


def may_python_read_input(text: str) -> bool:
    """Return whether Python may read its input, or loads other code that may."""
    return _PYTHON_INPUT.search(text) is not None


def may_javascript_read_input(text: str) -> bool:
    """Return whether JavaScript may read its input, or loads other modules than some of Node.js."""
    modules = {match[1] for match in _JAVASCRIPT_MODULE.finditer(text)}
    return _JAVASCRIPT_INPUT.search(text) is not None or not modules <= _BUILT_IN_MODULES
