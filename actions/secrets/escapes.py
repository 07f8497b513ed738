"""Decode escapes in a text that was formatted as JSON or as code, and map the places of the decoded text back."""

from bisect import bisect_right
from typing import NamedTuple

from actions.regex import regex

_ESCAPE = regex(r"(\\{1,8})(?:([nrt\"'`/])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))")
_CHARACTERS = {"n": "\n", "r": "\n", "t": "\t"}


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
    r"""Replace escapes such as `\n`, `\"` and `\u003c` by what they mean. Return None if there are none.

    Any number of backslashes counts as one escape, because a text may be formatted several times.
    """
    if "\\" not in text or not _ESCAPE.search(text):
        return None
    parts: list[str] = []
    starts, origins = [0], [0]
    size = end = 0
    for match in _ESCAPE.finditer(text):
        for part, origin in ((text[end : match.start()], match.start()), (_decode(*match.groups()), match.end())):
            parts.append(part)
            size += len(part)
            starts.append(size)
            origins.append(origin)
        end = match.end()
    return DecodedText("".join((*parts, text[end:])), starts, origins)


def _decode(backslashes: str, letter: str | None, short_code: str | None, code: str | None) -> str:
    if letter is None:
        return chr(int(short_code or code or "", 16))
    # A command that continues on the next line has a backslash before its newline.
    is_continued = letter == "n" and len(backslashes) in (3, 7)
    return ("\\" if is_continued else "") + _CHARACTERS.get(letter, letter)
