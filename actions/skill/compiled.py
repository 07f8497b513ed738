"""Patterns as Python's engine runs them: what `re.compile` works out of a text can be kept, and need not be again.

To compile the patterns of one skill takes longer than to look at it. Python keeps no compiled pattern, so this asks the
compiler inside of `re` for its program, the alternatives put together (see tries). Where that is not there, or a kept
program is damaged, `re.compile` does it.
"""

import re
import sys
from array import array
from base64 import b64decode, b64encode
from contextlib import suppress
from importlib import import_module
from typing import cast

try:
    _sre, tries = map(import_module, ("_sre", "actions.skill.tries"))
    ENGINE = f"{sys.version} {sys.byteorder} {_sre.MAGIC}" if array("I").itemsize == _sre.CODESIZE else ""
    """The programs of one engine are nothing to another; empty where this one's cannot be had."""
except (ImportError, AttributeError):
    ENGINE = ""

Program = tuple[int, str, int, dict[str, int], list[str | None]]
"""Flags, code (bytes of the engine's words, in base64), number of groups, groups by name, names by group."""
known: dict[str, Program] = {}
"""The program of each pattern that was compiled or kept, by `flags pattern`."""


_NO_PROGRAM = (AssertionError, AttributeError, LookupError, OverflowError, RuntimeError, TypeError, ValueError)
"""What a compiler of another make, or a damaged program, may raise. An error in a pattern is none of these."""


def compiled(pattern: str, flags: int) -> re.Pattern[str]:
    """Give what `re.compile` gives, and keep its program. Raises re.error as it does."""
    if not ENGINE:
        return re.compile(pattern, flags)
    key = f"{int(flags)} {pattern}"
    with suppress(*_NO_PROGRAM):
        return _made(pattern, known[key])
    with suppress(*_NO_PROGRAM):
        known[key] = _program(pattern, int(flags))
        return _made(pattern, known[key])
    return re.compile(pattern, flags)


def _program(pattern: str, flags: int) -> Program:
    """Do what `re.compile` does, up to its last step."""
    tree, code = tries.program(pattern, flags)
    named: dict[str, int] = tree.state.groupdict
    names: list[str | None] = [None] * tree.state.groups
    for name, group in named.items():
        names[group] = name
    words = b64encode(array("I", code).tobytes()).decode()
    return flags | tree.state.flags, words, tree.state.groups - 1, dict(named), names


def _made(pattern: str, program: Program) -> re.Pattern[str]:
    flags, words, groups, named, names = program
    code = array("I", b64decode(words)).tolist()
    return cast(re.Pattern[str], _sre.compile(pattern, flags, code, groups, named, tuple(names)))
