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
_HINTS = (
    "bad wrong incorrect don avoid never anti pitfall mistake smell flag vulnerable insecure broken before".split()
    + "do not|❌|✗|✘|🚫|⛔|反例|反模式|错误|不要|避免|禁止|切勿".split("|")
)
"""Strings that are fast to search for. Every label of a counterexample contains at least one."""
_GOOD_LABEL = regex(rf"{begin_word(*'good correct right instead better after fixed'.split())}\b|✅|✓|正确|推荐")
_PURPOSE = regex(r"(\b(?:use|using|run|running|pass|write|quote)\b[^.!?]{1,120}\bto) avoid (?=\w)")
"""An instruction with its purpose, such as "use the `--file` form to avoid quoting issues": it says what to do."""
_PROHIBITION = regex(r"\b(?:don['’]?t|do not|avoid|never)\b")
_CONFIGURATION_LANGUAGES = ("yaml", "yml", "toml", "ini")
"""Languages whose comments are instructions to the editor of the file, not labels."""
_COMMENT_MARKS = ("#", "//", "/*", "<!--", "--")
_MAX_LABEL = 160
"""Maximum length, in characters, of a label (a heading, a table cell or the line above a fence)."""


def find_bad_lines(
    lines: Sequence[str], sections: Sequence[Section], fences: Sequence[Fence], rows: Sequence[Row]
) -> Iterator[int]:
    """Yield the numbers of the lines in sections, fences and tables that show what not to do."""
    titles = [(section, section.title) for section in sections if section.level > 1]
    labels = [(fence, _list_labels(lines, fence)) for fence in fences]
    cells = [cell for row in rows if row.is_head for cell in row.cells]
    texts = (*(title for _, title in titles), *(text for _, fence_labels in labels for _, text in fence_labels), *cells)
    suspects = _find_suspects(texts)
    for section in (section for section, title in titles if title in suspects and _is_bad_label(title)):
        yield from range(section.start, section.end + 1)
    for fence, fence_labels in labels:
        if not suspects.isdisjoint(text for _, text in fence_labels):
            yield from _find_bad_lines_in_fence(fence, fence_labels)
    is_bad = False
    for row in rows if suspects else ():
        is_bad = any(cell in suspects and _is_bad_label(cell) for cell in row.cells) if row.is_head else is_bad
        if is_bad:
            yield row.line


def _find_suspects(texts: Sequence[str]) -> frozenset[str]:
    """Return the labels that may introduce a counterexample."""
    all_text = "\n".join(texts).lower()
    hints = [hint for hint in _HINTS if hint in all_text]
    return frozenset(text for text in texts if any(map(text.lower().__contains__, hints))) if hints else frozenset()


def _is_bad_label(text: str) -> bool:
    if len(text) > _MAX_LABEL:
        return False
    lower = _PURPOSE.sub(r"\1 ", text.lower())
    return (_BAD_LABEL.search(lower) or _BEFORE_LABEL.match(lower)) is not None and _GOOD_LABEL.search(lower) is None


def _list_labels(lines: Sequence[str], fence: Fence) -> list[tuple[int, str]]:
    """Return (line number, text) of each label of a fence: first the line above it, then its comments.

    The line above gets the number of the fence's first line.
    """
    label_above = next(
        (line for number in range(fence.start - 2, max(fence.start - 5, -1), -1) if (line := lines[number].strip())), ""
    )
    stripped_lines = enumerate(map(str.strip, lines[fence.start - 1 : fence.end]), fence.start)
    return [
        (fence.start, label_above),
        *((number, text) for number, text in stripped_lines if text.startswith(_COMMENT_MARKS)),
    ]


def _find_bad_lines_in_fence(fence: Fence, labels: Sequence[tuple[int, str]]) -> Iterator[int]:
    (start, label_above), *comments = labels
    is_bad = _is_bad_label(label_above)
    for number, text in comments:
        if is_bad:
            yield from range(start, number)
        label = _PROHIBITION.sub("", text.lower()) if fence.lang.lower() in _CONFIGURATION_LANGUAGES else text
        is_bad, start = _is_bad_label(label) or (is_bad and _GOOD_LABEL.search(label.lower()) is None), number
    if is_bad:
        yield from range(start, fence.end + 1)
