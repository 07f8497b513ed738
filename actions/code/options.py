"""Find the command-line options that a script's own parser accepts, and their defaults."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from actions.code.calls import Call, find_calls
from actions.code.literals import read_constant, read_string
from actions.code.tree import Code
from actions.grouping import group_by_key
from actions.regex import regex

FLAG = regex(r"--?[A-Za-z][\w-]*")
_BOOLEAN_WORDS = frozenset({"true", "false", "yes", "no", "on", "off"})
_MAX_CHOICES = 8
"""Maximum number of choices to list in a message."""
_MAX_SPELLINGS = 60
"""Maximum number of spellings to compare a misspelled option with."""


class Option(msgspec.Struct, frozen=True):
    """A command-line option: its spellings, the line of its definition, and its literal default and choices.

    `is_flag` means that argparse accepts no value for it.
    """

    names: tuple[str, ...]
    line: int
    default: str | None = None
    choices: tuple[str, ...] = ()
    is_flag: bool = False


class Interface(msgspec.Struct, frozen=True, dict=True):
    """The command-line options that a script accepts.

    `accepts_prefixes` means that the script's parser accepts abbreviated options. `may_pass_on` means that the script
    may pass unknown options to another program. `has_positionals` means that the script may accept positional
    arguments. `subcommands` maps each subcommand to the spellings of its own options. It is empty if there are no
    subcommands or if they are unknown.
    """

    options: tuple[Option, ...]
    accepts_prefixes: bool = False
    may_pass_on: bool = False
    has_positionals: bool = True
    subcommands: Mapping[str, Collection[str]] = msgspec.field(default_factory=dict)

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[Option]]:
        """Maps each spelling, in sorted order, to its options."""
        return group_by_key(sorted(((name, o) for o in self.options for name in o.names), key=lambda pair: pair[0]))

    @property
    def names(self) -> Collection[str]:
        """Every spelling of every option, sorted."""
        return self.by_name.keys()

    def find_refusal(self, name: str, value: str) -> str:
        """Return a clause with the reason why an option rejects a value, or "" if it may accept the value."""
        options = self.by_name.get(name, ()) if value else ()
        if options and all(option.is_flag for option in options):
            return "the option takes no value" if value in _BOOLEAN_WORDS and not self.has_positionals else ""
        if any(not option.choices or value in option.choices for option in options):
            return ""
        choices = dict.fromkeys(f"`{choice}`" for option in options for choice in option.choices)
        return f"the choices are {', '.join([*choices][:_MAX_CHOICES])}" if choices else ""

    def lacks_subcommand(self, word: str) -> bool:
        """Return whether the script has subcommands, but not this one."""
        return bool(self.subcommands and word) and word not in self.subcommands

    def find_owners(self, word: str, option: str) -> Sequence[str]:
        """Return the subcommands that have an option, or () if the subcommand `word` has it or is unknown."""
        own = self.subcommands.get(word)
        if own is None or option not in self.names or any(name.startswith(option) for name in own):
            return ()
        return [name for name, options in self.subcommands.items() if option in options]

    def has_prefix(self, start: str) -> bool:
        """Return whether a spelling begins with `start`."""
        index = bisect_left(self._sorted_names, start)
        return index < len(self._sorted_names) and self._sorted_names[index].startswith(start)

    @property
    def has_too_many_names(self) -> bool:
        """Whether there are too many spellings to compare each with a misspelled option."""
        return len(self.by_name) > _MAX_SPELLINGS

    @cached_property
    def _sorted_names(self) -> Sequence[str]:
        return tuple(self.by_name)


def find_interface(code: Code) -> Interface | None:
    """Return the options that a script accepts, or None if its parser is unknown or accepts any option."""
    language = code.language
    if code.words.isdisjoint(language.option_calls | language.option_words) or code.root.has_error:
        return None
    text = re.sub(language.harmless_arguments, "", code.text) if language.harmless_arguments else code.text
    interface = None if any(word in text for word in language.open_parsers) else language.find_interface(code)
    return interface if interface and interface.options else None


def read_flags(code: Code) -> Iterator[tuple[Call, Option]]:
    """Yield (call, option) for calls that define an option by its spellings: `add_argument("-o", "--out")`."""
    for call in find_calls(code):
        if call.base in code.language.option_calls:
            flags = [flag for arg in call.args for flag in FLAG.findall(read_string(code, arg) or "")]
            negated = [f"--{flag[5:]}" for flag in flags if flag.startswith("--no-")]
            if flags:
                names, default = (*flags, *negated), _read_default(code, call)
                yield call, Option(names, call.line, default, _read_choices(code, call), _is_flag(code, call))


def _is_flag(code: Code, call: Call) -> bool:
    return (read_string(code, call.named.get("action")) or "").startswith(("store_true", "store_false"))


def _read_choices(code: Code, call: Call) -> tuple[str, ...]:
    """Return the `choices` of an option, or () if one is not a literal string or a `type` converts the value."""
    node = call.named.get("choices")
    if node is None or node.type not in ("list", "tuple", "set") or "type" in call.named:
        return ()
    values = [read_string(code, child) for child in node.named_children]
    return () if None in values else tuple(filter(None, values))


def _read_default(code: Code, call: Call) -> str | None:
    if "default" in call.named:
        return read_constant(code, call.named["default"])
    return read_constant(code, call.args[2]) if call.base == "option" and len(call.args) > 2 else None
