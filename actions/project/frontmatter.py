"""Read frontmatter as Claude Code does, to find what it drops without a message.

Source: the CLI 2.1.330. It ends frontmatter at the first `---`, even within a line. If the YAML is not valid, it quotes
plain values, replaces leading tabs, and tries again; `claude plugin validate` reports the remaining errors, and
`tests/e2e/facts` compares them. If a key is repeated, the last one counts.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from actions.regex import regex
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.plain_frontmatter import read_plain

_BLOCK = regex(r"\ufeff?---\s*\n([\s\S]*?)---")
_PLAIN_VALUE = regex(r"([a-zA-Z_-]+):\s+(\S.*)\Z")
_SPECIAL_CHARACTER = regex(r"[{}\[\]*&#!|>%@`]|: ")
_LEADING_TABS = regex(r"^\t+", re.MULTILINE)
_ACCEPTED = regex(r"^[^\S\n]*[,:]|:\s+,|,:", re.MULTILINE)
"""Commas and colons that Claude Code's parser accepts where PyYAML does not."""
_MAX_CHARS = 65_536
_CUT_VALUE = regex(r"(description|when_to_use|argument-hint):[ ]+(?![\"'|>#\[{&*!%@`])(\S(?:.*?[^ \t])??)[ \t]+(#.*)")
_IS_COMMENT = regex(r"(?:.*[.!?)]|\S+)\0#+\s.*|.*\0#+")
"""A `#` and a space after a whole sentence or a single word, which probably begin a comment."""
_SAYS_WHEN = regex(r"(?i)\b(?:use|when|trigger|invok)|\b(?:run|not)\b|使用|用于|当|當|사용|[\"“”「`]")
"""Words and quotes of a text that says when, or how, to use the unit."""
_PARENTHESIS_END = regex(r"[^()]*\)[\s.]*")
_SENTENCE_END = regex(r"[.!?]\s+|[。！？]")
_MAX_ASIDE = 1 / 3
"""Share of a description that can be lost as an aside."""


class FrontmatterFault(msgspec.Struct, frozen=True):
    """A fault in frontmatter: its line in the file, and the problem.

    `is_aside` means that the lost text is only a small part and does not say when to use the unit.
    """

    line: int
    problem: str
    is_aside: bool = False


class RepeatedKey(msgspec.Struct, frozen=True):
    """A key that the frontmatter repeats: its name, the line, and the line of its first occurrence."""

    key: str
    line: int
    first_line: int


def find_frontmatter_fault(text: str) -> FrontmatterFault | None:
    """Return the fault that keeps Claude Code from reading the frontmatter of a text, or None."""
    block = _find_block(text)
    if block is None or _find_yaml_error(block) is None or _ACCEPTED.search(block):
        return None
    return _find_yaml_error(_LEADING_TABS.sub(lambda tabs: "  " * len(tabs[0]), _quote_plain_values(block)))


def read_values(text: str) -> Mapping[str, Any] | None:
    """Return the values that Claude Code reads in the frontmatter of a text, or None if it reads none."""
    block = _find_block(text)
    if block is None or find_frontmatter_fault(text) or find_early_end(text):
        return None
    is_valid = _find_yaml_error(block) is None
    values = parse_frontmatter(("---", *(block if is_valid else _quote_plain_values(block)).splitlines(), "---"))
    return None if values.error else values.values


def read_name(raw: bytes) -> str:
    """Return the name in the frontmatter of a unit, or "". Invalid YAML is read as Claude Code reads it."""
    text = raw.decode("utf-8", "replace")
    frontmatter = parse_frontmatter(tuple(text.splitlines()))
    is_invalid = frontmatter.error is not None and frontmatter.end > 0
    name = (read_values(text) or {}).get("name") if is_invalid else frontmatter.values.get("name")
    return "" if name is None else str(name).strip()


def find_early_end(text: str) -> FrontmatterFault | None:
    """Return the `---` within a line at which Claude Code ends the frontmatter, or None."""
    block = _find_block(text)
    if not block or block.endswith("\n") or not block.rpartition("\n")[2].strip():
        return None
    return FrontmatterFault(block.count("\n") + 2, "`---` in this line ends the frontmatter")


def find_repeated_keys(text: str) -> Iterator[RepeatedKey]:
    """Yield every repetition of a key at the top level of a text's frontmatter."""
    block = _find_block(text)
    first: dict[str, int] = {}
    for key, line in _list_keys(_quote_plain_values(block)) if block and not _is_plain(block) else ():
        if key in first:
            yield RepeatedKey(key, line, first[key])
        first.setdefault(key, line)


def find_cut_values(text: str) -> Iterator[FrontmatterFault]:
    """Yield the unquoted values that YAML cuts off at a `#`, unless the rest may be a comment."""
    block = _find_block(text)
    lines = block.split("\n") if block and _find_yaml_error(block) is None else ()
    for number, line in enumerate(lines, 2):
        match = _CUT_VALUE.fullmatch(line.rstrip()) if "#" in line else None
        if match and not _IS_COMMENT.fullmatch(f"{match[2]}\0{match[3]}"):
            problem = f"`{match[1]}` ends before `{match[3][:40]}`"
            yield FrontmatterFault(number, problem, _is_aside(match[1], match[2], match[3]))


def _is_aside(key: str, kept: str, lost: str) -> bool:
    """Return whether the lost text of a value is the end of a parenthesis, or a small part of a description.

    Neither the text nor the sentence that it ends says when to use the unit.
    """
    ends_parenthesis = kept.count("(") > kept.count(")") and _PARENTHESIS_END.fullmatch(lost) is not None
    is_small = key == "description" and len(lost) <= _MAX_ASIDE * len(kept + lost)
    sentence = "" if ends_parenthesis else _SENTENCE_END.split(kept)[-1]
    return (ends_parenthesis or is_small) and not _SAYS_WHEN.search(f"{sentence} {lost}")


def _find_block(text: str) -> str | None:
    is_closed = text.startswith(("---", "\ufeff---")) and text.find("---", 4, _MAX_CHARS * 2) > 0
    match = _BLOCK.match(text.replace("\r\n", "\n")) if is_closed else None
    return match[1] if match and len(match[1]) <= _MAX_CHARS else None


def _is_plain(block: str) -> bool:
    """Return whether a block has neither an error nor a repeated key, without importing PyYAML."""
    return read_plain(block.rstrip()) is not None


def _quote_plain_values(block: str) -> str:
    return "\n".join(map(_quote_plain_value, block.split("\n")))


def _quote_plain_value(line: str) -> str:
    match = _PLAIN_VALUE.match(line)
    if not match or not _SPECIAL_CHARACTER.search(match[2]):
        return line
    value = match[2]
    is_quoted = value[0] == value[-1] and value[0] in "\"'"
    is_list = value[0] == "[" and value[-1] == "]" and _find_yaml_error(value) is None
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return line if is_quoted or is_list else f'{match[1]}: "{escaped}"'


def _find_yaml_error(block: str) -> FrontmatterFault | None:
    if _is_plain(block):
        return None
    from actions.yaml_reader import YamlError, YamlLimitError, list_nodes

    try:
        for _ in list_nodes(block.rstrip()):
            pass
    except YamlLimitError:  # too deep, or a character that PyYAML rejects and Claude Code may accept
        return None
    except YamlError as error:
        return FrontmatterFault(error.line + 1, error.problem)
    return None


def _list_keys(block: str) -> Iterator[tuple[str, int]]:
    """Yield the keys at the top level with their lines in the file, up to the first YAML error."""
    from actions.yaml_reader import YamlError, list_nodes

    is_key = False
    with suppress(YamlError):
        for node in list_nodes(block):
            if node.depth == 1:
                is_key = not is_key
                if is_key and node.text is not None:
                    yield node.text, node.line + 1
