"""Replace secrets: whole lines of files, and parts of the texts of sessions."""

import re
from collections.abc import Iterable, Iterator, Sequence

from actions.regex import regex
from actions.secrets import calls, commands, passwords, values
from actions.secrets.escapes import decode_escapes
from actions.secrets.key_blocks import find_key_blocks
from actions.secrets.names import LETTER_AND_DIGIT, SECRET_KEY_NAME
from actions.secrets.tokens import TOKENS, has_token

_NAMED_VALUES = (*values.FORMS, *calls.FORMS, *commands.FORMS, *passwords.FORMS)
_SECRET_HINTS = (
    *"cookie curl phpsessid jsessionid connect.sid sig= signature= security-token= login redis-cli mongo ldap".split(),
    *"pass pwd pw salt sudo stdin secret token key credential auth bearer basic mysql mariadb".split(),
    *"kennwort wachtwoord contrase senha пароль 密码 密碼 パスワード 비밀번호".split(),
)
"""Each match of `_NAMED_VALUES` contains one of these words, which are fast to search for."""
_VALUE_FOLLOWS = regex(
    rf"(?i){SECRET_KEY_NAME}\s{{0,20}}[:=：]\s{{0,20}}([|>][+-]?|\\|[(\[]|[\"']{{3}})?\s{{0,20}}$|^#{{1,6}}\s{{1,3}}(?:\w{{1,40}}\s)?{SECRET_KEY_NAME}\s{{0,20}}$"
)
"""Matches if the value is on the next non-empty line, or on the lines below if a YAML block begins."""
_MAY_CONTINUE = regex(r"[\"']\s{0,20}(?:\+|\\|\.)?\s{0,20}$")
"""Matches if the value may continue on the next line."""
_VALUE_LINE = regex(rf"\s{{0,400}}[bru]?[\"']?{LETTER_AND_DIGIT}[^\s\"'<>{{}}()$]{{6,4000}}[\"']?[,;)]?\s{{0,20}}$")
_OPENS_OPTION = regex(
    rf"(?i)(?:[\"'`]--?[\w-]{{0,60}}?{SECRET_KEY_NAME}[^()]{{0,200}}|\bvariable\s{{1,3}}\"\w{{0,60}}?{SECRET_KEY_NAME}\s{{0,3}}\{{\s{{0,20}})$"
)
"""Matches if the default of an option or a variable may be on one of the next lines."""
_MAX_OPTION_LINES = 8
_MAX_COMMAND = 400
"""Maximum number of characters of the first line of a command that are read with each of its further lines."""
_TOKEN_COUNT = regex(r"\d tokens\b")
"""The words of a message about the length of a text, which are no hint of a secret."""
_MASK = "["
"""A character that is in no secret of the forms below."""
WITHHELD = "[withheld: it looks like a secret]"


def withhold_secrets(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, replacing each line that contains a secret, or is part of one, with `WITHHELD`."""
    all_lines = list(lines)
    known_lines = _find_key_lines(all_lines) | _find_default_lines(all_lines)
    value_follows, block_indent, command = False, -1, ""
    for number, line in enumerate(all_lines):
        if value_follows and not line.strip():
            yield line
            continue
        indent = len(line) - len(line.lstrip())
        block_indent = block_indent if block_indent < 0 or not line.strip() or indent > block_indent else -1
        is_value = (block_indent >= 0 and bool(line.strip())) or (value_follows and _VALUE_LINE.match(line) is not None)
        is_secret = number in known_lines or is_value or _has_secret(line) or _has_escaped_secret(line)
        is_secret = is_secret or (bool(command) and _has_secret(f"{command} {line}"))
        command = (command or ("" if is_secret else line[-_MAX_COMMAND:])) if line.endswith("\\") else ""
        match = _VALUE_FOLLOWS.search(line) if block_indent < 0 and _has_hint(line) else None
        value_follows = match is not None or (is_secret and _MAY_CONTINUE.search(line) is not None)
        block_indent = indent if match and (match[1] or "").startswith(("|", ">")) else block_indent
        yield WITHHELD if is_secret else line


def _find_key_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines that are part of a private key."""
    text = "\n".join(lines)
    numbers = set[int]()
    place = number = 0
    for start, end in find_key_blocks(text):
        first = number + text.count("\n", place, start)
        place, number = end, first + text.count("\n", start, end)
        numbers.update(range(first, number + 1))
    return frozenset(numbers)


def _find_default_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines with the default of an option whose name is on a line above."""
    numbers = set[int]()
    name, lines_left = "", 0
    for number, line in enumerate(lines):
        if lines_left and "default" in line and _has_secret(f"{name} {line}"):
            numbers.add(number)
        lines_left = 0 if line.lstrip().startswith((")", "}")) else lines_left - bool(lines_left)
        if line.rstrip().endswith((",", "{")) and _has_hint(line) and _OPENS_OPTION.search(line):
            name, lines_left = line[-_MAX_COMMAND:], _MAX_OPTION_LINES
    return frozenset(numbers)


def _has_secret(text: str) -> bool:
    return has_token(text) or (_has_hint(text) and any(pattern.search(text) for pattern in _NAMED_VALUES))


def _has_escaped_secret(line: str) -> bool:
    decoded = decode_escapes(line)
    return decoded is not None and (_has_secret(decoded.text) or next(find_key_blocks(decoded.text), None) is not None)


def hide_secrets(text: str, replacement: str, more: Sequence[re.Pattern[str]] = ()) -> str:
    """Replace each part of a text that looks like a secret, also where the text is formatted as JSON or as code.

    The name in front of a secret is replaced, too. `more` are further forms of secrets, which are hidden first; what
    their first group contains is kept.
    """
    spans = _find_secrets(text, more)
    if decoded := decode_escapes(text):
        spans += ((decoded.locate(start), decoded.locate(end)) for start, end in _find_secrets(decoded.text, more))
    return _replace_spans(text, sorted(spans), replacement)


def withhold_values(text: str) -> str:
    """Replace each part of a text that looks like a secret with `WITHHELD`."""
    is_candidate = has_token(text) or _has_hint(_TOKEN_COUNT.sub("", text)) or _has_escaped_secret(text)
    return hide_secrets(text, WITHHELD) if is_candidate else text


def _find_secrets(text: str, more: Sequence[re.Pattern[str]]) -> list[tuple[int, int]]:
    """Return start and end of each secret. A secret that is found is masked before the next form is searched for."""
    spans = list(find_key_blocks(text))
    ends = (0, *(end for _, end in spans))
    blocks = (f"{text[before:start]}{_MASK * (end - start)}" for before, (start, end) in zip(ends, spans, strict=False))
    text = "".join((*blocks, text[ends[-1] :]))

    def mask(match: re.Match[str]) -> str:
        start = match.end(1) if match.re.groups else match.start()
        spans.append((start, match.end()))
        return match.string[match.start() : start] + _MASK * (match.end() - start)

    has_hint = _has_hint(text)
    for pattern in passwords.FORMS if has_hint else ():  # before forms that end in the middle of such a value
        text = pattern.sub(mask, text)
    for pattern in (*more, *TOKENS):
        text = pattern.sub(mask, text)
    for pattern in (*values.FORMS, *calls.FORMS, *commands.FORMS) if has_hint else ():
        text = pattern.sub(mask, text)
    return spans


def _replace_spans(text: str, spans: Sequence[tuple[int, int]], replacement: str) -> str:
    """Replace spans, which are sorted. Those that touch each other are replaced once."""
    parts: list[str] = []
    end = -1
    for start, span_end in spans:
        if start > end:
            parts += (text[max(end, 0) : start], replacement)
        end = max(end, span_end)
    return "".join((*parts, text[max(end, 0) :]))


def _has_hint(line: str) -> bool:
    lower = line.lower()
    for hint in _SECRET_HINTS:  # noqa: SIM110 - a generator expression would take twice the time
        if hint in lower:
            return True
    return False
