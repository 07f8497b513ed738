"""Decide whether the matcher of a hook can match the name of a tool.

Source: the CLI 2.1.330. A matcher of letters, digits and `_|, -` is a list of exact names. Any other matcher is a
regular expression that is searched for in the name; an invalid one matches nothing. Tool names consist of
`[a-zA-Z0-9_-]`.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from actions.project.facts.tools import TOOLS
from actions.regex import regex

_NAME_LIST = regex(r"[a-zA-Z0-9_|, -]+")
_MCP_TOOL = regex(r"mcp__.+__.+")
_NAME_CHARACTER = regex(r"[a-zA-Z0-9_-]")
_CHARACTER_CLASS = regex(r"\[\^?(?:\\.|[^\]\\])*\]")
_OPTIONAL_QUANTIFIER = regex(r"[?*]|\{0*[,}]")
_COUNT_QUANTIFIER = regex(r"\{\d*,?\d*\}")
_ESCAPED = regex(r"\\.")
_INVALID_QUANTIFIER = regex(r"(?:\A|[(|])[*+]")
"""A quantifier with nothing to repeat, as in `Edit(*.py)`."""
_PERMISSION_RULE = regex(r"\w+\([^()|]*:\*\)")
"""A permission rule, such as `Bash(git:*)`. As an expression, it would only match a tool called `Bashgit`."""
_TOOL_WITH_CONTENT = regex(r"(\w+)\([a-z](?![?*{])[^()|]*\)")
"""A rule such as `Skill(count)`. Names of tools go on with an upper-case letter, as in `Task(Create|Update)`."""
_MAX_CHARS = 200


def can_match_tool(matcher: str) -> bool:
    """Return whether a matcher can match the name of a tool, or True if that is uncertain."""
    if matcher in ("", "*") or len(matcher) > _MAX_CHARS:
        return True
    if _NAME_LIST.fullmatch(matcher):
        return any(map(_may_be_tool, filter(None, map(str.strip, re.split(r"[|,]", matcher)))))
    if _INVALID_QUANTIFIER.search(_ESCAPED.sub("x", _CHARACTER_CLASS.sub("x", matcher))):
        return False
    return any(map(_may_match, _split_alternatives(matcher)))


def _may_be_tool(name: str) -> bool:
    """Return whether a tool may have exactly this name. A tool of an MCP server is called `mcp__SERVER__TOOL`."""
    return " " not in name and (_MCP_TOOL.fullmatch(name) is not None or not (name + "__").startswith("mcp__"))


def _may_match(alternative: str) -> bool:
    """Return whether an expression without a top-level `|` may match: a name may contain all its required parts."""
    parts = pairwise((*_split_parts(alternative), ""))
    is_possible = all(_OPTIONAL_QUANTIFIER.match(after) or _may_match_part(part) for part, after in parts)
    return is_possible and not _is_permission_rule(alternative)


def _is_permission_rule(alternative: str) -> bool:
    rule = _TOOL_WITH_CONTENT.fullmatch(alternative)
    return _PERMISSION_RULE.fullmatch(alternative) is not None or (rule is not None and rule[1] in TOOLS)


def _may_match_part(part: str) -> bool:
    if part.startswith("("):
        inner = part[1:-1].removeprefix("?:")
        return inner.startswith("?") or any(map(_may_match, _split_alternatives(inner)))
    if part.startswith("\\"):
        return (part[1:].isalnum() and part != r"\s") or part in (r"\-", r"\_")
    return len(part) > 1 or part in ".^$?*+{}" or bool(_NAME_CHARACTER.match(part))


def _split_parts(expression: str) -> Iterator[str]:
    """Yield the groups, classes, escapes and single characters of an expression, in order."""
    position = 0
    while position < len(expression):
        end = position + 1
        if expression[position] == "\\":
            end = position + 2
        elif match := _CHARACTER_CLASS.match(expression, position):
            end = match.end()
        elif expression[position] == "(":
            end = _find_end_of_group(expression, position)
        elif match := _COUNT_QUANTIFIER.match(expression, position):
            end = match.end()
        yield expression[position:end]
        position = end


def _find_end_of_group(expression: str, start: int) -> int:
    depth, position = 0, start
    while position < len(expression):
        if match := _CHARACTER_CLASS.match(expression, position):
            position = match.end()
            continue
        depth += {"(": 1, ")": -1}.get(expression[position], 0)
        position += 2 if expression[position] == "\\" else 1
        if not depth:
            break
    return min(position, len(expression))


def _split_alternatives(expression: str) -> Iterator[str]:
    alternative = ""
    for part in _split_parts(expression):
        if part == "|":
            yield alternative
            alternative = ""
        else:
            alternative += part
    yield alternative
