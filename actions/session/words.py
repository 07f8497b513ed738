"""Lines of a text that hold a plain word."""

from collections.abc import Iterator


def lines_with(text: str, hints: tuple[str, ...]) -> Iterator[str]:
    """Return the lines that hold one of some plain texts, in no certain order, each at least once."""
    for hint in hints:
        at = text.find(hint)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = end if end >= 0 else len(text)
            yield text[start:end]
            at = text.find(hint, end)
