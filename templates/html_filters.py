"""Prepare values for HTML reports: printable and escaped text, and numbers as lengths in a picture."""

import base64
import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from templates.filters import counted, seconds

if TYPE_CHECKING:
    from markupsafe import Markup

_NOT_ASCII = re.compile(r"[^\n\t\x20-\x7e]")
_MARKS = {"+": "add", "-": "del", "@": "hunk"}


def make_printable(value: object) -> object:
    """Replace control, direction and invisible characters of a text with U+FFFD. Other values stay unchanged."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return _NOT_ASCII.sub(lambda match: match[0] if match[0].isprintable() else "\ufffd", value.replace("\r", ""))


def to_markup(text: object) -> "Markup":
    """Return a sentence as HTML, with text between single backticks as code."""
    from markupsafe import Markup, escape

    parts = str(make_printable(" ".join(str(text).split()))).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    odd = Markup("<code>{}</code>")
    return Markup("").join(odd.format(part) if number % 2 and part else part for number, part in enumerate(parts))


def diff_lines(diff: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a unified diff with its kind: add, del, hunk, head or same."""
    for number, line in enumerate(diff.removesuffix("\n").split("\n")):
        is_head = number < 2 and line.startswith(("---", "+++"))
        yield "head" if is_head else _MARKS.get(line[:1], "same"), line


def digest(text: object) -> str:
    """Return the expression that allows an inline style or script in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(str(text).encode()).digest()).decode()


def percent(part: float, whole: float) -> str:
    """Return the share of a part as a length in a picture, from 0 to 100 %."""
    return f"{min(max(part / whole, 0), 1) * 100:.2f}%" if whole else "0%"


def clock(moment: str) -> str:
    """Format a timestamp (UTC) to the minute. Other text stays unchanged; "" becomes `unknown time`."""
    return moment[:16].replace("T", " ") if moment[10:11] == "T" else moment or "unknown time"


def took(began: str, ended: str) -> str:
    """Format the time between two timestamps; "" if one of them is unknown."""
    try:
        spent = datetime.fromisoformat(ended) - datetime.fromisoformat(began)
    except (TypeError, ValueError):
        return ""
    minutes = round(spent.total_seconds() / 60)
    if minutes < 2:
        return seconds(spent.total_seconds() * 1000)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


FILTERS = (clock, counted, diff_lines, digest, percent, to_markup, took)
