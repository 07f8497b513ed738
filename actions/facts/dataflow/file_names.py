"""Names of data files as skills write them: found in a line, made comparable, compared with wildcards."""

import re
from collections.abc import Iterator
from functools import lru_cache

DATA = frozenset({"json", "jsonl", "ndjson", "yaml", "yml", "xml", "toml", "tmp"})
JSON = frozenset({"json", "jsonc", "json5"})
"""Languages of fences that hold JSON."""
EXTENSION = re.compile(r"\.(?:jsonl|json|ndjson|yaml|yml|md|txt|csv|tsv|log|html|xml|toml|tmp)(?![\w(/-]|\.\w)")
_BEFORE = re.compile(r"(?<![\w\-./*~@+$])(?:[\w\-./*~@+$]++|\{[^{}\n]{1,60}\}|<[^<>\n]{1,40}>|\[[\w |-]{1,40}\])++$")
_FILL = re.compile(
    r"\$?\{\{?[^{}]*\}\}?|<[^<>]*>|\[[^\]]*\]|\$\w+|\*+|(?<![A-Za-z])(?:NN?|XX+|YYYY\w*|MM|DD|HHMMSS|timestamp"
    r"|0N)(?![A-Za-z])"
)
_STARS = re.compile(r"\*+")
_REACH = 200


def names_in(line: str) -> Iterator[tuple[int, int, str]]:
    """Give (start, end, text) of each file name with a data or text extension in a line."""
    for match in EXTENSION.finditer(line):
        offset = max(0, match.start() - _REACH)
        before = _BEFORE.search(line[offset : match.start()])
        if before:
            yield offset + before.start(), match.end(), before[0] + match[0]


def normal(name: str) -> str:
    """Give a name with `*` for every placeholder and without a leading `./`."""
    return _STARS.sub("*", _FILL.sub("*", name)).removeprefix("./").removeprefix("@").lstrip("/")


def base(name: str) -> str:
    """Give the last part of a normal name."""
    return name.rsplit("/", 1)[-1]


def extension(name: str) -> str:
    """Give the extension without its dot, in lower case."""
    return name.rsplit(".", 1)[-1].lower()


def is_open(name: str) -> bool:
    """Tell whether the last part is nothing but wildcards and an extension: any file may be meant."""
    return not base(name).rsplit(".", 1)[0].replace("*", "").strip("-_.")


def overlap(one: str, other: str) -> bool:
    """Tell whether two normal names may mean one file: parts are compared from the right, wildcards fit anything.

    A name that is nothing but a wildcard in a folder means files of that folder alone.
    """
    if _lies_elsewhere(one, other) or _lies_elsewhere(other, one):
        return False
    for a, b in zip(_parts(one), _parts(other), strict=False):
        if a != b and not _fits(a, b):
            return False
        if "*" in (a, b):
            return True
    return True


def _lies_elsewhere(wild: str, named: str) -> bool:
    """Tell whether any file of a folder is meant by one name, and a certain file of another place by the other."""
    one, other = _parts(wild), _parts(named)
    apart = len(one) > 1 < len(other) and "*" not in one[1] and one[1] != other[1]
    return apart and is_open(wild) and not is_open(named)


@lru_cache(maxsize=8192)
def _parts(name: str) -> tuple[str, ...]:
    """Give the folders and the last part of a name, the last first."""
    return tuple(reversed(name.split("/")))


def _fits(a: str, b: str) -> bool:
    if "*" not in a and "*" not in b:
        return a.lower() == b.lower()
    if "*" not in a or "*" not in b:
        wild, name = (a, b) if "*" in a else (b, a)
        return _matches(wild.lower().split("*"), name.lower())
    a_head, a_tail = a.split("*")[0], a.rsplit("*", 1)[-1]
    b_head, b_tail = b.split("*")[0], b.rsplit("*", 1)[-1]
    heads = a_head.startswith(b_head) or b_head.startswith(a_head)
    return heads and (a_tail.endswith(b_tail) or b_tail.endswith(a_tail))


def _matches(pieces: list[str], name: str) -> bool:
    """Tell whether the pieces between the wildcards stand in a name, in order, the first and last at its ends."""
    first, *inner, last = pieces
    if not (name.startswith(first) and name.endswith(last)):
        return False
    at = len(first)
    for piece in inner:
        at = name.find(piece, at, len(name) - len(last)) + len(piece)
        if at < len(piece):
            return False
    return at <= len(name) - len(last)
