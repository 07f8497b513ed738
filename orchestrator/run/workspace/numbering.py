"""Compare lines without their numbers, because deleting or moving a step changes the numbers of others."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from orchestrator.run.workspace.headings import Lines

_NUMBER = r"[\d\u2150-\u218f\u2460-\u24ff\u2776-\u2793]+"
_CHINESE = r"[〇零一二三四五六七八九十百]+"
_ORDINAL = (
    rf"[a-zα-ωа-я]|[ivxlcdm]+|[ivx]+[a-h]|{_CHINESE}"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
)
_NUMBERS = re.compile(
    rf"{_NUMBER}(?:(?:st|nd|rd|th)(?![^\W_]))?|(?<=第){_CHINESE}|{_CHINESE}(?=[、.．:：步])", re.IGNORECASE
)
_ORDINALS = re.compile(rf"(?<![^\W\d_])(?:{_ORDINAL})(?![^\W\d_])|{_CHINESE}", re.IGNORECASE)
_MARKER = re.compile(rf"^\W*(?:{_ORDINAL})\s*[.):|](?=\s)", re.IGNORECASE)
_BARE_ORDINAL = re.compile(rf"\s*(?:{_ORDINAL})\s*$", re.IGNORECASE)
_CAMEL_ORDINAL = re.compile(
    r"(?<=[a-z])(?:[IVX]+|[A-Z]|One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten)(?=[A-Z][a-z])"
)
"""A letter, roman numeral or number word inside a name, as in `stepBPrompt`."""
_CAPTION = re.compile(r"\s*#|\W*\*\*.*\*\*\W*$|.*:\s*$", re.DOTALL)
_UNDERLINE = re.compile(rb"(?:-{3,}|={3,})\s*$")


def hide_numbers(lines: Lines) -> list[bytes]:
    """Replace each number in the lines with 0.

    Letters such as "B" and words such as "two" also count as numbers, unless they are the whole line.
    """
    pairs = list(pairwise([*lines, b""]))
    hidden = {pair: _hide_numbers(*pair) for pair in set(pairs)}
    return [hidden[pair] for pair in pairs]


def may_be_renumbered(after: Lines, text: Lines, *, is_edited: bool = True) -> bool:
    """Return whether lines of `text`, an edited copy of `after`, may have other numbers than before.

    This is true if a user may have edited the text, and the text lacks a line that was unique without its number. That
    line could have shown the new number. It is also true if a series of lines that differ only in their numbers is
    still in order, but ends differently, or lines have moved.
    """
    hidden, other = hide_numbers(after), hide_numbers(text)
    if is_edited and not set(list_unique(hidden)).issubset(other):
        return True
    is_moved = has_moved(after, text) or has_moved(hidden, other)
    series, other_series = _group_by_form(after, hidden), _group_by_form(text, other)
    return any(
        _is_renumbered(numbers, other_series.get(form, []), has_moved=is_moved) for form, numbers in series.items()
    )


def has_moved(after: Lines, text: Lines) -> bool:
    """Return whether the lines that occur equally often in both texts are in another order."""
    times, other = Counter(after), Counter(text)
    old_order, new_order = (
        [line for line in lines if times[line] == other[line] and line.strip()] for lines in (after, text)
    )
    return old_order != new_order


def list_unique(lines: Lines) -> list[bytes]:
    """Return the lines that occur once. Ignores blank lines."""
    times = Counter(lines)
    return [line for line in lines if times[line] == 1 and line.strip()]


def _hide_numbers(line: bytes, following: bytes) -> bytes:
    text = line.decode(errors="surrogateescape")
    is_caption = _CAPTION.match(text) or _UNDERLINE.match(following)
    if is_caption:
        text = _ORDINALS.sub("0", text)
    elif _BARE_ORDINAL.match(text):
        text = _MARKER.sub("0", text)
    else:
        text = _ORDINALS.sub("0", _CAMEL_ORDINAL.sub("0", text))
    return _NUMBERS.sub("0", text).encode(errors="surrogateescape")


def _group_by_form(lines: Lines, hidden: Lines) -> dict[bytes, list[bytes]]:
    """Group the lines by form: their text without numbers."""
    groups = defaultdict[bytes, list[bytes]](list)
    for line, form in zip(lines, hidden, strict=True):
        groups[form].append(line)
    return groups


def _is_renumbered(numbers: Sequence[bytes], other: Sequence[bytes], *, has_moved: bool) -> bool:
    """Return whether lines of one form, which differ in their numbers, may have been renumbered."""
    known, found = list(dict.fromkeys(numbers)), list(dict.fromkeys(other))
    if max(len(known), len(found)) < 2:
        return False
    places = {line: n for n, line in enumerate(dict.fromkeys((*known, *found)))}
    positions = [places[line] for line in found if places[line] < len(known)]
    has_lost_end = not _count_ends(numbers, places) <= _count_ends(other, places)
    return positions == sorted(positions) and (has_moved or has_lost_end or known[-1:] != found[-1:])


def _count_ends(numbers: Sequence[bytes], places: Mapping[bytes, int]) -> Counter[bytes]:
    """Count the lines at which a series ends. The next line, if there is one, is not higher."""
    ends = (line for line, following in pairwise(numbers) if places[following] <= places[line])
    return Counter((*ends, *numbers[-1:]))
