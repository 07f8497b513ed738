"""The command-line options that a script's own parser accepts, and their defaults."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from actions.code.calls import Call, calls, object_pairs
from actions.code.literals import literal, value
from actions.code.tree import BASH, PYTHON, Code
from actions.grouping import group_by_key

_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_PARSERS = frozenset(
    {"ArgumentParser", "add_parser", "add_argument_group", "add_mutually_exclusive_group", "add_subparsers"}
)
_OF_CLICK = frozenset({"command", "group", "option", "argument", "pass_context", "pass_obj", "version_option"})
_ALIAS = re.compile(r"\.add_argument(?![\w(])")
_OPTION_CALLS = frozenset({"add_argument", "option", "requiredOption", "Option", "Argument", "add_option"})
_OPEN = tuple(
    "parse_known_args allowUnknownOption ignore_unknown_options sys.argv process.argv REMAINDER fire typer".split()
)
"""What takes any option, or reads the words by itself."""
_DEFINING = _OPTION_CALLS | {"parseArgs", "getopts", "case"}
_HARMLESS = re.compile(
    r"process\.argv\.slice\(2\)|process\.argv(?=\))|len\(sys\.argv\)|sys\.argv\[0\]|(?<=\()sys\.argv\[1:\](?=\))"
)
"""The words counted, or handed to the parser as they are."""
_CROWDED = 60
"""Spellings; nobody compares a slip with more."""


@dataclass(frozen=True)
class Option:
    """An option: all its spellings, the line of its definition, and its default where it is a literal."""

    names: tuple[str, ...]
    line: int
    default: str | None = None


@dataclass(frozen=True)
class Interface:
    """The options that a script accepts. `kinds` of parser: argparse, click, commander, parseArgs, case."""

    options: tuple[Option, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[Option]]:
        """The options of each spelling, in order of the spellings."""
        return group_by_key(sorted(((name, o) for o in self.options for name in o.names), key=lambda pair: pair[0]))

    @property
    def names(self) -> Collection[str]:
        """Every spelling of every option, sorted."""
        return self.by_name.keys()

    def completes(self, start: str) -> bool:
        """Return whether a spelling begins so."""
        place = bisect_left(self._sorted, start)
        return place < len(self._sorted) and self._sorted[place].startswith(start)

    @property
    def is_crowded(self) -> bool:
        """Whether there are more spellings than anyone would compare a slip with."""
        return len(self.by_name) > _CROWDED

    @cached_property
    def _sorted(self) -> Sequence[str]:
        return tuple(self.by_name)


def interface(code: Code) -> Interface | None:
    """Return what options a script accepts; None where its parser is unknown or takes anything."""
    if code.words.isdisjoint(_DEFINING) or code.root.has_error:
        return None
    found = tuple(_of_shell(code) if code.language == BASH else _of_calls(code))
    own = code.text if code.language == BASH else _HARMLESS.sub("", code.text)
    if not found or any(mark in own for mark in _OPEN) or (code.language == PYTHON and not _whole(code)):
        return None
    return Interface(found)


def _whole(code: Code) -> bool:
    """Return whether every option stands in this file: no parser from elsewhere, no name that is worked out."""
    if _ALIAS.search(code.text):
        return False
    own = {code.said(node.child_by_field_name("name")) for node in code.nodes("function_definition")}
    parsers = {call.assigned for call in calls(code) if call.base in _PARSERS and call.assigned}
    for call in calls(code):
        given = {code.said(arg) for arg in call.args}
        if call.base == "ArgumentParser" and ("parents" in call.named or "allow_abbrev" in call.named):
            return False
        if call.base in ("add_argument", "option") and any(literal(code, arg) is None for arg in call.args):
            return False
        if parsers & given and call.name not in own:
            return False
    known = any(call.base in ("ArgumentParser", "option") for call in calls(code))
    return known and not _is_decorated_elsewhere(code, own)


def _is_decorated_elsewhere(code: Code, own: set[str]) -> bool:
    """Return whether a function with options has a decorator that may add more: one that click does not bring."""
    for node in code.nodes("decorated_definition"):
        marks = [code.said(one).lstrip("@").split("(")[0] for one in node.named_children if one.type == "decorator"]
        known = all(mark.rsplit(".", 1)[-1] in _OF_CLICK or mark in own for mark in marks)
        if not known and any(mark.endswith("option") for mark in marks):
            return True
    return False


def _of_calls(code: Code) -> Iterator[Option]:
    for call in calls(code):
        if call.base in _OPTION_CALLS:
            flags = (flag for arg in call.args for flag in _FLAG.findall(literal(code, arg) or ""))
            if names := tuple(_negated(flags, code, call)):
                yield Option(names, call.line, _default(code, call))
        elif call.base == "parseArgs":
            yield from _of_parse_args(code, call)


def _negated(names: Iterator[str], code: Code, call: Call) -> Iterator[str]:
    """Return the names with the negations that a parser adds by itself."""
    for name in names:
        yield name
        if name.startswith("--no-"):
            yield f"--{name[5:]}"
        if "BooleanOptionalAction" in code.said(call.named.get("action")):
            yield f"--no-{name[2:]}"


def _of_parse_args(code: Code, call: Call) -> Iterator[Option]:
    options = call.named.get("options")
    for name, given in (object_pairs(code, options) if options is not None else {}).items():
        details: Mapping[str, Node] = object_pairs(code, given)
        short = literal(code, details.get("short"))
        names = (f"--{name}", f"--no-{name}", *((f"-{short}",) if short else ()))
        yield Option(names, code.line(given), value(code, details.get("default")))


def _default(code: Code, call: Call) -> str | None:
    if "default" in call.named:
        return value(code, call.named["default"])
    return value(code, call.args[2]) if call.base == "option" and len(call.args) > 2 else None


def _of_shell(code: Code) -> Iterator[Option]:
    for item in code.nodes("case_item"):
        head = code.said(item).split(")", 1)[0]
        names = tuple(part.strip().split("=")[0] for part in head.split("|") if part.strip().startswith("-"))
        if names and item.child_by_field_name("value") is not None and all(_FLAG.fullmatch(name) for name in names):
            yield Option(names, code.line(item))
    for command in code.nodes("command"):
        words = code.said(command).split()
        if words[:1] == ["getopts"] and len(words) > 1:
            yield Option(tuple(f"-{letter}" for letter in words[1] if letter.isalpha()), code.line(command))
