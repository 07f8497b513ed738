"""Read frontmatter as Claude Code does, to find what it drops without a message.

Source: the CLI 2.1.330. Its frontmatter ends at the first `---`, also within a line. Where the YAML is not valid, it
puts plain values in quotes, then replaces leading tabs, and tries again; `claude plugin validate` reports what remains,
and `tests/e2e/facts` compares. Of two equal keys the last counts.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    _Loader = yaml.SafeLoader
else:
    _Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_BLOCK = re.compile(r"\ufeff?---\s*\n([\s\S]*?)---")
_PLAIN = re.compile(r"([a-zA-Z_-]+):\s+(\S.*)\Z")
_SPECIAL = re.compile(r"[{}\[\]*&#!|>%@`]|: ")
_TABS = re.compile(r"^\t+", re.MULTILINE)
_ACCEPTED = re.compile(r"^\s*[,:]|:\s+,|,:", re.MULTILINE)
"""Commas and colons that Claude Code's parser accepts where PyYAML does not."""
_MAX_CHARS = 65_536
_MAX_DEPTH = 50


@dataclass(frozen=True)
class FrontmatterFault:
    """What Claude Code cannot read in frontmatter: the line in the file, and what is wrong there."""

    line: int
    problem: str


@dataclass(frozen=True)
class RepeatedKey:
    """A key that the frontmatter has more than once: Claude Code keeps the last."""

    key: str
    line: int
    first_line: int


def find_frontmatter_fault(text: str) -> FrontmatterFault | None:
    """Return why Claude Code cannot read the frontmatter of a text; None where it can, or there is none."""
    block = _find_block(text)
    if block is None or _find_yaml_error(block) is None or _ACCEPTED.search(block):
        return None
    return _find_yaml_error(_TABS.sub(lambda tabs: "  " * len(tabs[0]), _quote_plain_values(block)))


def find_early_end(text: str) -> FrontmatterFault | None:
    """Return the `---` within a line of frontmatter, where Claude Code ends it; None where there is none."""
    block = _find_block(text)
    if not block or block.endswith("\n") or not block.rpartition("\n")[2].strip():
        return None
    return FrontmatterFault(block.count("\n") + 2, "`---` in this line ends the frontmatter")


def find_repeated_keys(text: str) -> Iterator[RepeatedKey]:
    """Yield the keys that the frontmatter of a text has twice at its top level."""
    block = _find_block(text)
    first: dict[str, int] = {}
    for key, line in _list_keys(_quote_plain_values(block)) if block else ():
        if key in first:
            yield RepeatedKey(key, line, first[key])
        first.setdefault(key, line)


def _find_block(text: str) -> str | None:
    match = _BLOCK.match(text.replace("\r\n", "\n"))
    return match[1] if match and len(match[1]) <= _MAX_CHARS else None


def _quote_plain_values(block: str) -> str:
    return "\n".join(map(_quote_plain_value, block.split("\n")))


def _quote_plain_value(line: str) -> str:
    match = _PLAIN.match(line)
    if not match or not _SPECIAL.search(match[2]):
        return line
    value = match[2]
    is_quoted = value[0] == value[-1] and value[0] in "\"'"
    is_list = value[0] == "[" and value[-1] == "]" and _find_yaml_error(value) is None
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return line if is_quoted or is_list else f'{match[1]}: "{escaped}"'


def _find_yaml_error(block: str) -> FrontmatterFault | None:
    try:
        for _ in _parse(block.rstrip()):
            pass
    except yaml.MarkedYAMLError as error:
        is_of_key = "scanning" in (error.context or "")
        mark: Any = (error.context_mark if is_of_key else None) or error.problem_mark or error.context_mark
        return FrontmatterFault((mark.line if mark else 0) + 2, str(error.problem))
    except yaml.YAMLError:  # a character that PyYAML refuses and Claude Code may accept
        return None
    return None


def _list_keys(block: str) -> Iterator[tuple[str, int]]:
    """Yield the keys of the top mapping with their lines in the file; those before an error where there is one."""
    is_key = False
    with suppress(yaml.YAMLError):
        for depth, event in _parse(block):
            if depth == 1:
                is_key = not is_key
                if is_key and isinstance(event, yaml.ScalarEvent):
                    start: Any = event.start_mark
                    yield event.value, start.line + 2


def _parse(block: str) -> Iterator[tuple[int, Any]]:
    """Yield the scalars, aliases and starts of collections, each with its depth. Raises yaml.YAMLError."""
    depth = 0
    event: Any
    for event in yaml.parse(block, Loader=_Loader):
        if isinstance(event, yaml.NodeEvent):
            yield depth, event
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:  # the time that PyYAML takes grows with the square of the depth
            raise yaml.YAMLError("too deep")
