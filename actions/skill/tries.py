"""A pattern's alternatives told apart by their first letter, as a dictionary tells its words apart.

Python's engine tries `retry|repeat|loop|…` one after the other at each character of a text, the more so where case does
not count. So alternatives that begin with one letter are put together behind it, and the engine is told which
characters a match may begin with. What a pattern meets stays the same, but for the letters that Unicode folds onto an
ASCII letter (long s, Kelvin sign, Turkish i): these begin no alternative any more.
"""

import re
from collections.abc import Iterable
from functools import cache, reduce
from importlib import import_module
from operator import or_
from typing import Any

_codes, _compiler, _parser = map(import_module, ("re._constants", "re._compiler", "re._parser"))

Tree = Any
"""What the parser of `re` makes of a pattern: a list of operations, each with what belongs to it."""
_LOOK = (_codes.ASSERT, _codes.ASSERT_NOT)
_REPEAT = (_codes.MAX_REPEAT, _codes.MIN_REPEAT, _codes.POSSESSIVE_REPEAT)
_CLASSES = {_codes.CATEGORY_WORD: r"\w", _codes.CATEGORY_SPACE: r"\s", _codes.CATEGORY_DIGIT: r"\d"}
_BEYOND = 1 << 256
"""In a set of characters, which is an integer with a bit for each: all characters beyond Latin-1."""
_ANY = 2 * _BEYOND - 1
_LATIN = "".join(map(chr, range(256)))
_LETTERS = sum(1 << ord(letter) for letter in _LATIN if letter.isalpha())
_IGNORECASE = int(re.IGNORECASE)
_ONTO_LATIN = tuple(map(ord, "\u0130\u0131\u0178\u017f\u039c\u03bc\u1e9e\u212a\u212b"))
"""The letters beyond Latin-1 that are one with a letter of it where case does not count: of i, ÿ, s, µ, ß, k and å."""


def program(pattern: str, flags: int) -> tuple[Tree, list[int]]:
    """Give the tree of a pattern and what the engine runs. Raises re.error."""
    tree = _parser.parse(pattern, flags)
    meant = flags | tree.state.flags
    code = opening(grouped(tree, meant), meant)
    _compiler._compile(code, tree.data, meant)
    return tree, [*code, _codes.SUCCESS]


def grouped(tree: Tree, flags: int) -> Tree:
    """Put the alternatives of a tree together by their first letters, in place; give the tree."""
    for at, (operation, value) in enumerate(tree.data):
        if operation is _codes.BRANCH:
            tree.data[at] = _branch(value[1], flags)
        elif operation is _codes.SUBPATTERN:
            grouped(value[3], _within(flags, value))
        elif operation in _REPEAT:
            grouped(value[2], flags)
        elif operation in _LOOK:
            grouped(value[1], flags)
    tree.width = None
    return tree


def _branch(alternatives: list[Tree], flags: int) -> tuple[Any, Any]:
    """Give alternatives anew. Only those change places that cannot begin at the same character."""
    groups: list[tuple[str, list[Tree]]] = []
    known: dict[str, list[Tree]] = {}
    for alternative in alternatives:
        letters = _cases(alternative.data[0], flags) if alternative.data else ""
        if not letters:
            known = {}
            groups.append(("", [grouped(alternative, flags)]))
        elif letters in known:
            known[letters].append(alternative)
        else:
            known[letters] = [alternative]
            groups.append((letters, known[letters]))
    made = [_behind(letters, members, flags) if letters else members[0] for letters, members in groups]
    return (_codes.BRANCH, (None, made)) if len(made) > 1 else (_codes.SUBPATTERN, (None, 0, 0, made[0]))


def _cases(item: tuple[Any, Any], flags: int) -> str:
    """Give a letter in the cases in which it counts; nothing for what is no letter, or has cases beyond ASCII."""
    letter = chr(item[1]) if item[0] is _codes.LITERAL else ""
    if not flags & _IGNORECASE or letter.lower() == letter.upper():
        return letter
    return letter.lower() + letter.upper() if letter.isascii() else ""


def _behind(letters: str, members: list[Tree], flags: int) -> Tree:
    """Give one alternative for those that begin with the same letter."""
    state, head = members[0].state, members[0].data[0]
    if len(letters) > 1:
        either = (_codes.IN, [(_codes.LITERAL, ord(letter)) for letter in letters])
        head = (_codes.SUBPATTERN, (None, 0, _IGNORECASE, _parser.SubPattern(state, [either])))
    rests = [_parser.SubPattern(state, member.data[1:]) for member in members]
    rest = grouped(rests[0], flags).data if len(rests) == 1 else [_branch(rests, flags)]
    return _parser.SubPattern(state, [head, *rest])


def _within(flags: int, group: tuple[Any, ...]) -> int:
    return int(_compiler._combine_flags(flags, group[1], group[2]))


def opening(tree: Tree, flags: int) -> list[int]:
    """Give what tells the engine how long a match is at least, and with which characters it may begin."""
    code: list[int] = []
    _compiler._compile_info(code, tree, flags)
    begins = _firsts(tree.data, flags)[0] if code[2] == 0 and tree.getwidth()[0] else _ANY
    if begins == _ANY:
        return code
    words = [begins >> 32 * word & 0xFFFFFFFF for word in range(8)]
    beyond = [_codes.RANGE, 256, 0x10FFFF] if begins & _BEYOND else []
    info = [_codes.SRE_INFO_CHARSET, *code[3:5], _codes.CHARSET, *words, *beyond, _codes.FAILURE]
    return [_codes.INFO, len(info) + 1, *info]


def _firsts(items: list[Any], flags: int) -> tuple[int, bool]:
    """Give the characters with which items may begin (or more of them), and whether they may be empty."""
    begins = 0
    for operation, value in items:
        if operation in (_codes.AT, *_LOOK):
            continue
        some, empty = _first(operation, value, flags)
        begins |= some
        if not empty:
            return begins, False
    return begins, True


def _first(operation: Any, value: Any, flags: int) -> tuple[int, bool]:
    if operation is _codes.LITERAL:
        return _folded(_bit(value), flags), False
    if operation is _codes.IN:
        return _folded(_set(tuple(value)), flags), False
    if operation is _codes.SUBPATTERN:
        return _firsts(value[3].data, _within(flags, value))
    if operation in _REPEAT:
        some, empty = _firsts(value[2].data, flags)
        return some, empty or value[0] == 0
    if operation is _codes.BRANCH:
        parts = [_firsts(alternative.data, flags) for alternative in value[1]]
        return _union(some for some, _ in parts), any(empty for _, empty in parts)
    return _ANY, False


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


def _bit(code: int) -> int:
    return 1 << code if code < 256 else _span(code, code)


def _span(low: int, high: int) -> int:
    """Give a range beyond Latin-1 as bits: with one of the few letters that fold back onto Latin-1 it holds all."""
    return _ANY if any(low <= letter <= high for letter in _ONTO_LATIN) else _BEYOND


@cache
def _set(members: tuple[Any, ...]) -> int:
    """Give a class in brackets as bits; one that names what is left out holds everything."""
    return _union(map(_member, members))


def _member(member: tuple[Any, Any]) -> int:
    operation, value = member
    if operation is _codes.LITERAL:
        return _bit(value)
    if operation is _codes.RANGE:
        low, high = value
        return _union(1 << code for code in range(low, min(high, 255) + 1)) | (_span(low, high) if high > 255 else 0)
    if operation is _codes.CATEGORY and value in _CLASSES:
        return _union(1 << ord(letter) for letter in re.findall(_CLASSES[value], _LATIN)) | _BEYOND
    return _ANY


def _folded(begins: int, flags: int) -> int:
    """Add the other case of each letter; in Latin-1 it stands 32 places on, or beyond."""
    letters = begins & _LETTERS if flags & _IGNORECASE else 0
    return begins | letters << 32 & _LETTERS | letters >> 32 & _LETTERS | (_BEYOND if letters else 0)
