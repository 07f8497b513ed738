"""Find the lines that only show what not to do. They can suppress findings but never cause one."""

from collections.abc import Iterator, Sequence

from actions.regex import begin_word, regex
from actions.skill.structure import Fence, Row, Section

_BAD_WORDS = (
    "bad|wrong|incorrect|don['’]?t|do not|avoid|never|anti-?patterns?|pitfalls?|mistakes?|smells?|red flags?|vulnerable"
    "|insecure|broken"
)
_BAD_LABEL = regex(rf"{begin_word(*_BAD_WORDS.split('|'))}\b|❌|✗|✘|🚫|⛔|反例|反模式|错误|不要|避免|禁止|切勿")
_BEFORE_LABEL = regex(r"\W*before(?:\s*\(.*\))?\W*$")
_GOOD_LABEL = regex(rf"{begin_word(*'good correct right instead better after fixed'.split())}\b|✅|✓|正确|推荐")
_PROHIBITION = regex(r"\b(?:don['’]?t|do not|avoid|never)\b")
_CONFIGURATION = ("yaml", "yml", "toml", "ini")
"""Languages whose comments are instructions to whoever edits the file, not labels."""
_COMMENT_MARKS = ("#", "//", "/*", "<!--", "--")
_MAX_LABEL = 160
"""Maximum number of characters of a label, that is, of a heading, a cell or a line above a fence."""


def is_bad_label(text: str) -> bool:
    """Return whether a heading, a cell or a line above a fence introduces something not to do."""
    if len(text) > _MAX_LABEL:
        return False
    low = text.lower()
    return (_BAD_LABEL.search(low) or _BEFORE_LABEL.match(low)) is not None and _GOOD_LABEL.search(low) is None


def bad_lines(
    lines: Sequence[str], sections: Sequence[Section], fences: Sequence[Fence], rows: Sequence[Row]
) -> Iterator[int]:
    """Yield the numbers of the lines in sections, fences and tables that show what not to do."""
    for section in sections:
        if section.level > 1 and is_bad_label(section.title):
            yield from range(section.start, section.end + 1)
    for fence in fences:
        yield from _bad_lines_in_fence(lines, fence)
    bad = False
    for row in rows:
        bad = any(map(is_bad_label, row.cells)) if row.is_head else bad
        if bad:
            yield row.line


def _bad_lines_in_fence(lines: Sequence[str], fence: Fence) -> Iterator[int]:
    """Yield the lines that a label (the line above the fence, or a comment inside it) marks as not to do."""
    above = next((line for n in range(fence.start - 2, max(fence.start - 5, -1), -1) if (line := lines[n].strip())), "")
    bad, start = is_bad_label(above), fence.start
    stripped = enumerate(map(str.strip, lines[fence.start - 1 : fence.end]), fence.start)
    for number, text in [(number, text) for number, text in stripped if text.startswith(_COMMENT_MARKS)]:
        if bad:
            yield from range(start, number)
        label = _PROHIBITION.sub("", text.lower()) if fence.lang.lower() in _CONFIGURATION else text
        bad, start = is_bad_label(label) or (bad and _GOOD_LABEL.search(label.lower()) is None), number
    if bad:
        yield from range(start, fence.end + 1)
