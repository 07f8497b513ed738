"""Decode escapes in a text that was formatted as JSON or as code, and map the places of the decoded text back."""

import re
from bisect import bisect_right
from typing import NamedTuple

from actions.regex import regex

_MAY_BE_ESCAPED = regex(r"[\\%&<\u00ad\u200b-\u200d\u2060\ufeff]")
_ESCAPE = regex(
    r"(\\{1,8})(?:([nrt\"'`/_-])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(01[25]))"
    r"|%([2-7][0-9a-fA-F]|0[aAdD9])|&(?:#(\d{2,3}|x[0-9a-fA-F]{1,2})|(quot|apos|lt|gt|amp));|(<br ?/?>)"
    r"|[\u00ad\u200b-\u200d\u2060\ufeff]"
)
_CHARACTERS = {"n": "\n", "r": "\n", "t": "\t", "quot": '"', "apos": "'", "lt": "<", "gt": ">", "amp": "&"}


class DecodedText(NamedTuple):
    """A decoded text. `starts` has the places in it at which a part begins, `origins` where each is in the original."""

    text: str
    starts: list[int]
    origins: list[int]

    def locate(self, place: int) -> int:
        """Return the place in the original text. A place in a decoded escape is that of the whole escape."""
        part = bisect_right(self.starts, place) - 1
        is_escape = part % 2 == 1
        return self.origins[part] + (0 if is_escape else place - self.starts[part])


def decode_escapes(text: str) -> DecodedText | None:
    r"""Replace escapes such as `\n`, `\u003c`, `%5F`, `&#95;` and `\_` by what they mean. Return None without any.

    Any number of backslashes counts as one escape, because a text may be formatted several times. Characters without a
    width are left out.
    """
    if not _MAY_BE_ESCAPED.search(text) or not _ESCAPE.search(text):
        return None
    parts: list[str] = []
    starts, origins = [0], [0]
    size = end = 0
    for match in _ESCAPE.finditer(text):
        for part, origin in ((text[end : match.start()], match.start()), (_decode(match), match.end())):
            parts.append(part)
            size += len(part)
            starts.append(size)
            origins.append(origin)
        end = match.end()
    return DecodedText("".join((*parts, text[end:])), starts, origins)


def _decode(match: re.Match[str]) -> str:
    backslashes, letter, short_code, code, octal, percent, number, name, line_break = match.groups()
    if octal or line_break:
        return "\n"
    if number:
        return chr(int(number[1:], 16) if number.startswith("x") else int(number))
    if hexadecimal := short_code or code or percent:
        return chr(int(hexadecimal, 16))
    # A command that continues on the next line has a backslash before its newline.
    is_continued = letter == "n" and len(backslashes) in (3, 7)
    character = letter or name or ""
    return ("\\" if is_continued else "") + _CHARACTERS.get(character, character)
