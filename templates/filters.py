"""Make untrusted text harmless: escape it for Markdown, and mark it as data in prompts."""

import re
import unicodedata
from collections.abc import Iterable

_ESCAPED = re.compile(r"([\\`*_{}\[\]<>#|~!&@])")
_LINKING = re.compile(r"(?=://)|(?<=www)(?=\.)", re.IGNORECASE)
_OPENING = re.compile(r"^(\d*)([-+=.)])")
_NOT_ASCII = re.compile(r"[^\n\t\x20-\x7e]")
_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Invisible characters that Unicode calls printable, besides variation selectors: joiners, fillers, a blank."""
_WORDLESS = re.compile(r"[^A-Za-z0-9]")
_FENCES = re.compile(r"`{3,}|~{3,}")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", near: float = 0.6) -> str:
    """Return `; did you mean …?` with the known name most similar to `name`; `; {otherwise}` if none is similar.

    near: the minimum similarity, from 0 to 1.
    """
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), 1, near)
    return f"; did you mean {found[0]}?" if found else otherwise and f"; {otherwise}"


def prose(text: object) -> str:
    """Return a text as one line of Markdown, in which pairs of single backticks are the only markup."""
    parts = _one_line(str(text)).split("`")
    if len(parts) % 2 == 0:
        parts = ["`".join(parts)]
    line = "".join(code(part) if number % 2 and part else _escape(part) for number, part in enumerate(parts))
    return _OPENING.sub(r"\1\\\2", line)


def _escape(text: str) -> str:
    return _LINKING.sub(r"\\", _ESCAPED.sub(r"\\\1", text))


def code(text: object) -> str:
    """Return a text as an inline code span, even if it contains backticks."""
    line = _one_line(str(text)).replace("|", "¦")
    ticks = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line[:1] in "` " or line[-1:] in "` " else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def line(text: object) -> str:
    """Return a text as one printable line, for a terminal."""
    return _one_line(str(text))


def label(id: object) -> str:
    """Return the first eight letters and digits of an id, for a diagram."""
    return _WORDLESS.sub("", str(id))[:8] or "unnamed"


def fence_text(text: object, lang: str = "") -> str:
    """Return a text as a fenced block whose fence the text cannot close."""
    body = "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in str(text).replace("\r", ""))
    mark = "`" * max(3, *(len(run) + 1 for run in [*_FENCES.findall(body), ""]))
    return f"{mark}{lang}\n{body.rstrip(chr(10))}\n{mark}"


def fence_word(path: str) -> str:
    """Return the language name of a fence for a file: `markdown` for Markdown, else the extension or ""."""
    extension = path.rpartition("/")[2].rstrip("*").partition(".")[2].rpartition(".")[2].lower()
    return "markdown" if extension == "md" else extension


def excerpt(text: str, most: int = 24, head: int = 6, tail: int = 5) -> str:
    """Return a text; if it has more than `most` lines, only the first `head` and the last `tail` of them."""
    lines = text.splitlines()
    if len(lines) <= most:
        return text
    return "\n".join((*lines[:head], f"… {counted(len(lines) - head - tail, 'line')} more …", *lines[-tail:]))


def sealed(text: object) -> str:
    """Return a text for a prompt, between two lines that the text cannot forge, because they contain its hash."""
    from hashlib import sha256  # loads OpenSSL, which a hook does not need

    body = visible(str(text))
    mark = sha256(body.encode()).hexdigest()[:20]
    while mark in body:
        mark = sha256(f"{mark}{body}".encode()).hexdigest()[:20]
    return f"<<<DATA {mark}\n{body}\nDATA {mark}>>>"


def visible(text: str) -> str:
    """Return a text with invisible and control characters written as their codes, such as `\\u{200B}`."""
    return _NOT_ASCII.sub(lambda match: _reveal_char(match[0]), text.replace("\r\n", "\n"))


def _reveal_char(char: str) -> str:
    is_selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    if char.isprintable() and char not in _INVISIBLE and not is_selector:
        return char
    return " " if unicodedata.category(char) == "Zs" else f"\\u{{{ord(char):X}}}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 skill`, `2 skills`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def seconds(milliseconds: float) -> str:
    """Format a duration in milliseconds for people."""
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds:.0f} ms"


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))
