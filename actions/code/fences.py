"""Parse Markdown fences that have a known language or call a tool."""

from collections.abc import Iterable

from actions.code.languages import JAVASCRIPT, PYTHON, find_language
from actions.code.tree import MAX_PARSED, Code
from actions.regex import regex

_NO_LANGUAGE = frozenset({"", "text", "pseudo", "pseudocode"})
_TOOL_CALL = regex(
    r"(?m)^[^\S\n]*(?:[\w.]+\s*=\s*|(?:const|let|var)\s+\w+\s*=\s*)?(?:await\s+)?(?:Task|Agent|Read|Write|Bash|Edit)\("
)


def parse_fence(word: str, text: str, first: int, limit: int = MAX_PARSED) -> Code | None:
    """Return the code of a fence, or None if its language is unknown.

    `word` is the language of the fence. `first` is the line of the file on which the code begins. A fence without a
    language is parsed as JavaScript or Python if its code is valid in that language and calls a tool. Code that is
    longer than `limit` characters is not parsed.
    """
    if (language := find_language(word)) or not _may_call(word, text):
        return Code(language, text, first, limit) if language else None
    codes = (Code(language, text, first, limit) for language in (JAVASCRIPT, PYTHON))
    return next((code for code in codes if code.is_parsed and not code.root.has_error), None)


def parse_fences(fences: Iterable[tuple[str, str, int]], limit: int) -> tuple[tuple[Code, ...], int]:
    """Parse fences, given as (language, text, first line). Return their code and the rest of the limit."""
    codes = []
    for word, text, first in fences:
        code = parse_fence(word, text, first, limit)
        codes += [code] if code else []
        limit -= len(text) if len(text) <= limit and (code or _may_call(word, text)) else 0
    return tuple(codes), limit


def _may_call(word: str, text: str) -> bool:
    return word in _NO_LANGUAGE and "(" in text and bool(_TOOL_CALL.search(text))
