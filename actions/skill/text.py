"""Process English and Chinese text: tokens, sentences, words."""

from functools import lru_cache
from itertools import pairwise

from actions.regex import regex

CJK = regex(r"[\u3400-\u9fff]")
_SENTENCE_END = regex(r"[.!?;。！？；](?:(?<=[。！？；])|\s+(?=[A-Z`*\"'(\[_0-9]))")
_MARKUP = regex(r"[*_`~>#|\[\]]+")
_LIST_MARK = regex(r"^\s*(?:[-*+•]|\d+[.)、]|[a-z][.)])\s+(?:\[[ xX]\]\s+)?")
_WORD = regex(r"[a-z0-9]+(?:['’][a-z]+)?|[\u3400-\u9fff]")
_SEPARATOR_TABLE = bytes(code if chr(code).isalnum() else 32 for code in range(256))


MAX_DESCRIPTION = 1_536
"""Maximum length of a description in the skill listing, in characters. The rest is cut (Claude Code 2.1.332)."""


def estimate_tokens(characters: int) -> int:
    """Estimate the tokens of a text, as Claude Code does for skill budgets: characters / 4, rounded."""
    return int(characters / 4 + 0.5)


def is_chinese(text: str) -> bool:
    """Return whether at least every fifth letter of a text is a Han character."""
    han = 0 if text.isascii() else len(CJK.findall(text))
    return han > 0 and han * 5 > sum(map(str.isalpha, text))


def is_item(line: str) -> bool:
    """Return whether a line begins a list item."""
    return _LIST_MARK.match(line) is not None


def strip_list_mark(line: str) -> str:
    """Return a line without its bullet, number or check box."""
    mark = _LIST_MARK.match(line)
    return line[mark.end() :] if mark else line


@lru_cache(maxsize=8192)
def split_sentences(line: str) -> tuple[str, ...]:
    """Split one line of prose into sentences. Some abbreviations also end a sentence."""
    ends = [0, *(match.start() + 1 for match in _SENTENCE_END.finditer(line)), len(line)]
    return tuple(part for start, end in pairwise(ends) if (part := line[start:end].strip()))


@lru_cache(maxsize=65536)
def list_words(text: str) -> tuple[str, ...]:
    """Return the lower-case words of a text. Each Han character is a word."""
    lower = text.lower()
    simple = lower.isascii() and "'" not in lower
    return tuple(lower.encode().translate(_SEPARATOR_TABLE).decode().split() if simple else _WORD.findall(lower))


@lru_cache(maxsize=8192)
def normalize_text(text: str) -> str:
    """Normalize a text for comparison: lower case, without list mark, markup and repeated spaces."""
    return " ".join(_MARKUP.sub(" ", strip_list_mark(text)).split()).lower()


def normalize_name(name: str) -> str:
    """Return the letters and digits of a name in lower case, equal for `user_id`, `userId` and `User-ID`."""
    return "".join(filter(str.isalnum, name)).lower()


def number_of(text: str) -> float | None:
    """Parse a number with or without thousands separators, or return None for any other text."""
    try:
        return float(text.replace(",", "").replace("_", "").strip("`"))
    except ValueError:
        return None
