"""Find the words that a prompt shares with descriptions, which may explain a call but prove nothing."""

from collections.abc import Mapping

import msgspec

from actions.regex import regex

_WORD = regex(r"\w{4,}")
_COMMON = frozenset(
    "about after also asks before does each from have into like make more need only over please should skill some such "
    "that their them then there these they this user users uses wants what when where which will with without would "
    "your".split()
)
_MAX_WORDS = 12


class SharedWords(msgspec.Struct, frozen=True):
    """The words of a prompt that also occur in descriptions.

    `both` are in both descriptions, `called` only in that of the called skill, `expected` only in that of the expected
    skill.
    """

    both: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()


def find_shared_words(
    prompt: str, expected: str | None, called: str | None, descriptions: Mapping[str, str]
) -> SharedWords:
    """Return the words that a prompt shares with the descriptions of two skills. None means no skill."""
    words = _list_words(prompt)
    in_expected, in_called = (_list_words(descriptions.get(name, "")) if name else [] for name in (expected, called))
    return SharedWords(
        tuple(word for word in words if word in in_expected and word in in_called)[:_MAX_WORDS],
        tuple(word for word in words if word in in_called and word not in in_expected)[:_MAX_WORDS],
        tuple(word for word in words if word in in_expected and word not in in_called)[:_MAX_WORDS],
    )


def _list_words(text: str) -> list[str]:
    return [word for word in dict.fromkeys(_WORD.findall(text.casefold())) if word not in _COMMON]
