"""Replace secrets: whole lines of files, and parts of the texts of sessions."""

from collections.abc import Iterator

from actions.regex import regex
from actions.secrets import calls, commands, values
from actions.secrets.names import LETTER_AND_DIGIT, SECRET_KEY_NAME
from actions.secrets.tokens import has_token, hide_tokens

_NAMED_VALUES = (*values.FORMS, *calls.FORMS, *commands.FORMS)
_SECRET_HINTS = (
    *"cookie curl phpsessid jsessionid connect.sid sig= signature= security-token= login redis-cli mongo ldap".split(),
    *"pass pwd pw salt sudo stdin secret token key credential auth bearer basic mysql mariadb".split(),
    *"kennwort wachtwoord contrase senha пароль 密码 密碼 パスワード 비밀번호".split(),
)
"""Each match of `_NAMED_VALUES` contains one of these words, which are fast to search for."""
_KEY_BEGIN = regex(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|^PuTTY-User-Key-File-\d:")
_KEY_END = regex(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY|Private-MAC:")
_VALUE_FOLLOWS = regex(
    rf"(?i){SECRET_KEY_NAME}\s{{0,20}}[:=：]\s{{0,20}}([|>][+-]?|\\|[(\[]|[\"']{{3}})?\s{{0,20}}$|^#{{1,6}}\s{{1,3}}(?:\w{{1,40}}\s)?{SECRET_KEY_NAME}\s{{0,20}}$"
)
"""Matches if the value is on the next non-empty line, or on the lines below if a YAML block begins."""
_MAY_CONTINUE = regex(r"[\"']\s{0,20}(?:\+|\\|\.)?\s{0,20}$")
"""Matches if the value may continue on the next line."""
_VALUE_LINE = regex(rf"\s{{0,400}}[bru]?[\"']?{LETTER_AND_DIGIT}[^\s\"'<>{{}}()$]{{6,4000}}[\"']?[,;)]?\s{{0,20}}$")
WITHHELD = "[withheld: it looks like a secret]"


def withhold_secrets(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines, replacing each line that contains a secret, or is part of one, with `WITHHELD`."""
    in_key, value_follows, block_indent = False, False, -1
    for line in lines:
        if value_follows and not line.strip():
            yield line
            continue
        indent = len(line) - len(line.lstrip())
        block_indent = block_indent if block_indent < 0 or not line.strip() or indent > block_indent else -1
        in_key = in_key or _KEY_BEGIN.search(line) is not None
        is_value = (block_indent >= 0 and bool(line.strip())) or (value_follows and _VALUE_LINE.match(line) is not None)
        has_hint = _has_hint(line)
        is_secret = in_key or is_value or has_token(line) or (has_hint and _has_named_value(line))
        in_key = in_key and not _KEY_END.search(line)
        match = _VALUE_FOLLOWS.search(line) if block_indent < 0 and has_hint else None
        value_follows = match is not None or (is_secret and _MAY_CONTINUE.search(line) is not None)
        block_indent = indent if match and (match[1] or "").startswith(("|", ">")) else block_indent
        yield WITHHELD if is_secret else line


def hide_secrets(text: str, replacement: str) -> str:
    """Replace each part of a text that looks like a secret.

    The name in front of a secret is replaced, too.
    """
    text = hide_tokens(text, replacement)
    for pattern in _NAMED_VALUES if _has_hint(text) else ():
        text = pattern.sub(replacement, text)
    return text


def _has_named_value(line: str) -> bool:
    return any(pattern.search(line) for pattern in _NAMED_VALUES)


def _has_hint(line: str) -> bool:
    lower = line.lower()
    for hint in _SECRET_HINTS:  # noqa: SIM110 - a generator expression would take twice the time
        if hint in lower:
            return True
    return False
