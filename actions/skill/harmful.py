"""Find text that a model's draft must not add: what Claude Code runs or reads by itself, and network access."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from html import unescape
from urllib.parse import unquote

from actions.regex import regex

_RUN_BY_CLAUDE_CODE = {
    "a command that runs on its own (`!`)": regex(r"!`[^`]*`?|```!.*"),
    "a file that is read on its own (`@path`)": regex(r"(?<![\w`])@(?:[\w~./-]+|\"[^\"]*)"),
}
"""Patterns for everything that Claude Code 2.1.332 matches, including multi-line commands and quoted paths."""

_FILE_ENDS = (
    "bat|c|cfg|cjs|conf|cpp|cs|css|csv|exe|go|gz|h|gif|html?|ini|ipynb|java|jpe?g|js|json|jsonl|jsx|kt|lock|log|mdx?|mjs|pdf|php|png|py"
    "|rb|sql|svg|swift|tar|toml|tsx?|txt|vue|xml|ya?ml|zip"
)
"""File name endings, which distinguish a file from a host."""
_HOST = rf"(?<![\w./@\\$~+-])(?:[^\W_][\w-]*\.)+(?!(?:{_FILE_ENDS})\b)"
_ADDRESS_REST = r"[^\s`)\]>\"']*"
_ADDRESSES = (
    rf"(?<![\w:/\\])//[^\W_][\w.-]*[/.:]\w{_ADDRESS_REST}",  # //host/path
    rf"(?<![\w\\])\\\\[^\W_][\w.-]+\\\w{_ADDRESS_REST}",  # \\host\share
    rf"(?<=[\w-])@[\w-]+(?:\.[\w-]+)*?(?:\.[^\W\d_]{{2,}}\b|:[\w~/.]){_ADDRESS_REST}",  # git@host:path, name@host.tld
    rf"{_HOST}[^\W\d_]{{2,}}/[\w~?#%-]{_ADDRESS_REST}",  # host.tld/path
    rf"{_HOST}(?!(?:rs|sh):)[^\W\d_]{{2,}}:\d{_ADDRESS_REST}",  # host.tld:80, but `run.sh:12` is a line of a file
    rf"{_HOST}(?:ai|com|io|org|(?-i:net))(?![\w(-]|\.\w)",
    rf"(?:(?<=\]\()|(?<=\]:\s)){_HOST}[^\W\d_]{{2,}}(?![\w./:-])",  # a link to host.tld
    r"(?<![\w.])(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)",
    r"(?<![\w:])(?=[\da-f:]*\d)(?:[\da-f]{1,4}:){1,7}(?::[\da-f]{1,4}){1,7}(?![\w:])|(?<![\w:])(?:[\da-f]{1,4}:){7}[\da-f]{1,4}",
    r"/dev/(?:tcp|udp)/\S+",
)
_PROGRAMS = (
    "aria2c|bunx|curl|ftp|iwr|irm|invoke-(?:webrequest|restmethod)|nc|ncat|netcat|npx|nslookup|pipx|rsync|scp|sftp"
    "|socat|ssh|telnet|tftp|uvx|wget"
)
_INSTALLERS = (
    r"apk|apt|apt-get|brew|bun|cargo|choco|conda|deno|dnf|dotnet|flatpak|gem|helm|mamba|npm|pip[\d.]*|pnpm|scoop|snap|uv"
    r"|winget|yum|zypper"
)
_OPTIONS = r"(?:\s+(?:-\S+|\S+=\S+)){0,6}\s+"
_FETCHES = (
    rf"(?:{_INSTALLERS}){_OPTIONS}(?:(?:global|pip|tool){_OPTIONS})?(?:add|create|dlx|download|exec|get|i|install|pull|wheel|x)",
    rf"(?:composer|poetry|yarn){_OPTIONS}(?:global\s+)?(?:add|create|dlx|require)",
    rf"(?:docker|nerdctl|podman){_OPTIONS}(?:pull|push|run)",
    rf"git(?:\s+-C\s+\S+)?{_OPTIONS}(?:clone|remote\s+(?:add|set-url)|submodule\s+add)",
    r"gh\s+(?:api|extension|gist|release\s+download|repo\s+clone)",
    r"nix\s+(?:profile|run|shell)|openssl\s+s_client|pacman\s+-S\w*|uv\s+run\s+--with",
    r"claude\s+(?:mcp\s+add|plugin\s+(?:install|marketplace))",
)
_SPACE, _PATH = r"(?:\s|\\\r?\n)*", r"(?:[\w.~$@{}-]*/)*"
"""Whitespace, which may include line continuations, and the folders before the name of a program."""
_NAME = r"(?:(?:a|ba|c|da|fi|k|pw|z)?sh|js(?:on)?|node|perl|php|py|python3?|ruby|ts|ya?ml)"
"""A shell, or a language that may be listed beside a shell in a choice."""
_CHOICE = regex(
    r"(?:(?:^|[|:,(\[{\"'`^=]|-\w+)\s{0,2}(?:a|ba|c|da|fi|k|pw|z)?sh\s?|(?:(?<![$<>])\(|[\[{\"'^])\w+(?:\|\w+)*)\Z",
    re.IGNORECASE,
)
"""The text before the last bar of a choice, such as `bash | zsh`, `Edit|Bash` or `(py|sh)`. Its bar is not a pipe."""
_NOT_PIPES = regex(
    rf"(?:(?<![$<>])\(|[\[{{\"']|(?<!<)<){_NAME}(?:\s?\|\s?{_NAME})+(?:\s?[)\]}}\"']|>)"
    r"|(?:(?:^|[;&|({`\"'])[ \t]*case[ \t]+\S+[ \t]+in|;;)[ \t]*\(?(?!esac\b)[\w*?-]+"
    r"(?:[ \t]*\|[ \t]*(?!(?i:iex|powershell)\b)[\w*?-]+)+[ \t]*\)",
    re.MULTILINE,
)
"""A choice such as `(python | bash)` or `<json|sh>`, and the pattern of a shell `case`, such as `bash|sh)`."""
_MAX_BEFORE = 200
_SHELL = (
    rf"{_SPACE}[({{]?{_SPACE}(?:\w+=\S*\s+){{0,4}}"
    rf"(?:{_PATH}(?:builtin|busybox|command|doas|env|exec|nice|nohup|sudo|time|xargs)"
    rf"(?:\s+(?:-\w\s+\w+|-\S+|\w+=\S*)){{0,6}}\s+){{0,4}}(?:\\|(?<![\"'`] \| )(?<![\"'`]\|)[\"'])?{_PATH}"
    r"(?!(?-i:Bash)\b)(?:(?:a|ba|c|da|fi|k|mk|pw|tc|z)?sh|iex|powershell)(?:\.exe)?(?![\w/])"
)
"""A shell as the command after a pipe. `Bash` does not match, because it is the name of a tool."""
_END = (
    r"(?=[ \t]+(?:-|\d?[<>])|[ \t]*(?:[`\"';<>#)}]|&&|&[ \t]*\r?$|\.(?:\s|\Z)|\\?\r?$"
    r"|\|\||\|&?[ \t]*[\w./-]+[ \t]+[\w./-]))"
)
"""The text after a shell in a pipe. A command after another bar needs an argument: `a | sh | zsh` is a choice."""
_NEXT_BAR = regex(r"[ \t]*\|")
_NETWORK_ACCESS = {
    "a URL": regex(r"[a-z][a-z0-9+.-]{0,30}://\S+|\b(?:https?|ftp):\S+|\bwww\.\S+", re.IGNORECASE),
    "a network address": regex("|".join(_ADDRESSES), re.IGNORECASE),
    "a download or another network command": regex(
        rf"(?<![\w.-])(?:(?:{_PROGRAMS})(?:\.exe)?|{'|'.join(_FETCHES)})(?:[\"'`*_]{{1,2}},?)?"
        r"(?:[ \t]+|[ \t]*\r?\n[ \t]*|\$\{?IFS)(?=\S)(?:(?!\.(?:\s|\Z))[^\n`|;&])*",
        re.IGNORECASE,
    ),
    "a pipe into a shell": regex(rf"\|&?{_SHELL}{_END}", re.IGNORECASE | re.MULTILINE),
}
HARMFUL_KINDS = (*_RUN_BY_CLAUDE_CODE, *_NETWORK_ACCESS)
"""The kinds of harmful text, worded as in the prompts to a drafting model."""
_MAX_SHOWN = 60


def find_harmful_text(before: str, after: str, others: Collection[str] = ()) -> Iterator[str]:
    """Yield the kinds of harmful text that are new in `after`, each with the beginning of one match.

    Network access is not new if one of the texts `others` contains it, because a fix may have moved it from there.
    """
    for kind, pattern in _RUN_BY_CLAUDE_CODE.items():
        if new := set(pattern.findall(after)) - set(pattern.findall(before)):
            yield f"{kind}: {min(new)[:_MAX_SHOWN]!r}"
    known, now = _normalize(before), _normalize(after)
    for kind, pattern in _NETWORK_ACCESS.items():
        new = _find_all(pattern, now) - _find_all(pattern, known)
        for text in others if new else ():
            new -= _find_all(pattern, _normalize(text))
        if new:
            yield f"{kind}: {min(new)[:_MAX_SHOWN]!r}"


def _find_all(pattern: re.Pattern[str], text: str) -> set[str]:
    matches = pattern.finditer(text)
    return {match[0] for match in matches if not (match[0].startswith("|") and _is_not_pipe(text, *match.span()))}


def _is_not_pipe(text: str, start: int, end: int) -> bool:
    """Return whether a bar before a shell's name separates the names of a choice or the cells of a table."""
    line = text.rfind("\n", 0, start) + 1
    is_continued = text.endswith(("\\\n", "\\\r\n"), 0, line)
    is_row = not is_continued and text[line : line + _MAX_BEFORE].lstrip(" \t>").startswith("|")
    is_cell = is_row and _NEXT_BAR.match(text, end)
    return bool(is_cell) or _CHOICE.search(text[max(line, start - _MAX_BEFORE) : start]) is not None


def _normalize(text: str) -> str:
    """Decode and normalize a text, so that an encoding cannot hide a harmful text.

    HTML entities, percent-encoding and fullwidth characters become plain characters, and `_NOT_PIPES` become `;`.
    """
    return _NOT_PIPES.sub(";", unicodedata.normalize("NFKC", unescape(unquote(text))))
