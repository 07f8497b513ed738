"""Filters for untrusted text: in Markdown it shows as it is and means nothing, in a prompt it is data."""

import re
import unicodedata
from collections.abc import Iterable
from hashlib import sha256

_ESCAPED = re.compile(r"([\\`*_{}\[\]<>#|~!&@])")
_LINKING = re.compile(r"(?=://)|(?<=www)(?=\.)", re.IGNORECASE)
_OPENING = re.compile(r"^(\d*)([-+=.)])")
_ODD = re.compile(r"[^\n\t\x20-\x7e]")
_INKLESS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Printable by Unicode's classes, yet nothing is seen: joiners, fillers, a blank, variation selectors."""
_WORDLESS = re.compile(r"[^A-Za-z0-9]")
_FENCES = re.compile(r"`{3,}|~{3,}")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", near: float = 0.6) -> str:
    """Return `; did you mean …?` with the known name that is spelled nearly like `name`; else `; otherwise`.

    near: how much of both must be alike, from 0 to 1.
    """
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), 1, near)
    return f"; did you mean {found[0]}?" if found else otherwise and f"; {otherwise}"


def prose(text: object) -> str:
    """Give a text as one line of prose in which no character is markup, but for pairs of single backticks."""
    parts = _one_line(str(text)).split("`")
    if len(parts) % 2 == 0:
        parts = ["`".join(parts)]
    line = "".join(code(part) if number % 2 and part else _escaped(part) for number, part in enumerate(parts))
    return _OPENING.sub(r"\1\\\2", line)


def _escaped(text: str) -> str:
    return _LINKING.sub(r"\\", _ESCAPED.sub(r"\\\1", text))


def code(text: object) -> str:
    """Give a text as an inline code span, whatever backticks it holds."""
    line = _one_line(str(text)).replace("|", "¦")
    ticks = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line[:1] in "` " or line[-1:] in "` " else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def line(text: object) -> str:
    """Give a text as one printable line, for a terminal."""
    return _one_line(str(text))


def label(id: object) -> str:
    """Give the head of an id as a word that means nothing in a diagram."""
    return _WORDLESS.sub("", str(id))[:8] or "unnamed"


def fenced(text: object, lang: str = "") -> str:
    """Give a text as a fenced block that nothing inside can close."""
    body = "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in str(text).replace("\r", ""))
    mark = "`" * max(3, *(len(run) + 1 for run in [*_FENCES.findall(body), ""]))
    return f"{mark}{lang}\n{body.rstrip(chr(10))}\n{mark}"


def fence_word(path: str) -> str:
    """Return the fence word of a file: `markdown` for Markdown, else the extension."""
    extension = path.rpartition(".")[2].lower()
    return "markdown" if extension == "md" else extension


def excerpt(text: str, most: int = 24, head: int = 6, tail: int = 5) -> str:
    """Give a text, and of one of more than `most` lines those at its beginning and its end."""
    lines = text.splitlines()
    if len(lines) <= most:
        return text
    return "\n".join((*lines[:head], f"… {counted(len(lines) - head - tail, 'line')} more …", *lines[-tail:]))


def sealed(text: object) -> str:
    """Give a text for a prompt, between two lines that nothing inside can forge: they name the text's own hash."""
    body = visible(str(text))
    mark = sha256(body.encode()).hexdigest()[:20]
    while mark in body:
        mark = sha256(f"{mark}{body}".encode()).hexdigest()[:20]
    return f"<<<DATA {mark}\n{body}\nDATA {mark}>>>"


def visible(text: str) -> str:
    """Give a text in which nothing is hidden: what shows no ink or steers the eye stands as its code, `\\u{200B}`."""
    return _ODD.sub(lambda match: _inked(match[0]), text.replace("\r\n", "\n"))


def _inked(char: str) -> str:
    if char.isprintable() and not _INKLESS.match(char):
        return char
    return " " if unicodedata.category(char) == "Zs" else f"\\u{{{ord(char):X}}}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Give a number with its noun: `1 skill`, `2 skills`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def seconds(milliseconds: float) -> str:
    """Give a duration for people."""
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds:.0f} ms"


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))
