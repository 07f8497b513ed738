"""Find private keys that are written on several lines. A text that only names the first line of one contains no key."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from actions.regex import regex
from actions.secrets.names import ENCODED_KEY, ENCODED_KEY_BEGINNINGS

_BEGIN = regex(
    r"-{4,5} ?BEGIN[ +][A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)?(?: ?-{4,5})?|(?m:^PuTTY-User-Key-File-\d:)"
)
_END = regex(r"-{4,5} ?END[ +][A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)?(?: ?-{4,5})?|Private-MAC:.{0,200}")
_ENCODED_BEGIN = regex(rf"(?<![\w+/]){ENCODED_KEY}[A-Za-z0-9+/]{{20,4000}}[\"'`\\,;+ \t\r]{{0,6}}$")
"""The first of several lines of base64. A key on one line is a token."""
_ON_SAME_LINE = regex(r"[ \t\r\"'+,>|]{0,12}[A-Za-z0-9+/]{24}")
"""Matches behind a first line if the key follows on the same line."""
_MARGIN = regex(r"(?:\s{0,20}\d{1,6}\s{0,3}[→|:\t-])?[\s>#*|\"'`;%+-]{0,40}")
"""What may stand in front of a line of a key: a line number, an indent, a quote or a comment."""
_CLOSING = "\"'`\\,;+)| \t\r"
_CLOSING_MARKS = regex(r"(?:\\[nr]|<br ?/?>|[\"'`\\,;+)|$\s]){1,20}$")
_LONE = regex(r"(?:[\w.-]{1,40}\s{0,3}[:=]\s{0,3})?(?:[|>][+-]?|[\"'`(bru]{0,4})?\s{0,20}$")
"""What may stand in front of a first line that is alone on its line: a name and a quote."""
_HEADER = regex(
    r"(?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset|Encryption|Key-Derivation|Argon2-\w{1,20}"
    r"|(?:Public|Private)-Lines)\s{0,3}:"
)
_BASE64 = regex(r"(?!(?:[A-Z]?[a-z]*|[A-Z]*)$)[A-Za-z0-9+/=_-]{1,4000}")
"""A line of base64, but not a plain word."""
_LONG_BASE64 = regex(r"(?=[^\n]{0,90}[a-z])(?=[^\n]{0,90}[A-Z])[A-Za-z0-9+/]{24,4000}={0,2}")
_LONG_END = regex(
    r"(?<![A-Za-z0-9+/])(?=[^\n]{0,90}\d)(?=[^\n]{0,90}[a-z])(?=[^\n]{0,90}[A-Z])[A-Za-z0-9+/]{40,4000}={0,2}$"
)
"""A line of base64 behind another margin, such as that of `git blame`."""
_CUT = "[…]"


def find_key_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each block: its first line, the lines of base64 below, and its last line, if there is one.

    The first line counts if it is alone on its line, or if base64 follows.
    """
    if not (_BEGIN.search(text) or any(beginning in text for beginning in ENCODED_KEY_BEGINNINGS)):
        return
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    number = 0
    while number < len(lines):
        begin = _BEGIN.search(lines[number])
        if begin is None:
            encoded = _ENCODED_BEGIN.search(lines[number])
            last = _find_end_of_base64(lines, number) if encoded else number
            if encoded and last > number:
                yield starts[number] + encoded.start(), starts[last] + len(lines[last])
            number = last + 1
            continue
        last, end = _find_end(lines, number, begin.end())
        rest = lines[number][begin.end() :]
        is_alone = begin[0].startswith("PuTTY") or (
            _LONE.match(lines[number][: begin.start()]) is not None
            and not _CLOSING_MARKS.sub("", rest).strip(f"{_CLOSING}-")
        )
        if is_alone or _ON_SAME_LINE.match(rest) or _has_key(lines[number + 1 : last + 1]):
            yield starts[number] + begin.start(), starts[last] + end
        number = last + 1


def _find_end(lines: Sequence[str], first: int, begin: int) -> tuple[int, int]:
    """Return the number of the last line of a block, and the place in that line at which the block ends."""
    if match := _END.search(lines[first], begin):
        return first, match.end()
    last = first
    for number in range(first + 1, len(lines)):
        if match := _END.search(lines[number]):
            return number, match.end()
        text = _strip_line(lines[number])
        if "```" in lines[number]:
            break
        if text and not _is_in_key(text):
            break
        last = number if text else last
    return last, len(lines[last])


def _find_end_of_base64(lines: Sequence[str], first: int) -> int:
    """Return the number of the last line of base64 that begins at line `first`. Its last line may be short."""
    for number in range(first + 1, len(lines)):
        text = _strip_line(lines[number])
        if not _LONG_BASE64.fullmatch(text):
            return number if len(text) % 4 == 0 and _BASE64.fullmatch(text) else number - 1
    return len(lines) - 1


def _is_in_key(text: str) -> bool:
    return (
        text == _CUT
        or _HEADER.match(text) is not None
        or _BASE64.fullmatch(text) is not None
        or _LONG_END.search(text) is not None
    )


def _has_key(lines: Sequence[str]) -> bool:
    return any(_LONG_BASE64.fullmatch(text) or _LONG_END.search(text) for text in map(_strip_line, lines))


def _strip_line(line: str) -> str:
    r"""Return a line without margin, quotes and a final `\n` of a string."""
    margin = _MARGIN.match(line)
    return _CLOSING_MARKS.sub("", line[margin.end() if margin else 0 :])
