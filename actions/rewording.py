"""Whether a statement says another one in other words: the same turn of meaning, and some of the same words.

Words cannot tell everything: a change that brings or takes several words of substance, or anything that is exact (a
number, a limit, code, a path), is taken for more than a rewording.
"""

from collections import Counter

from actions.model import regex as re

_WORD = re.compile(r"[a-z0-9_]+(?:['’]t)?|[\u3400-\u9fff]|[!=<>]=*|&&|\|\|", re.IGNORECASE)
_TURNS = frozenset(
    "never not no none nothing nobody cannot can't don't doesn't didn't won't shouldn't mustn't isn't aren't without"
    " unless avoid skip stop ignore forbid forbidden prohibited optional wrong except false ! != !=="
    " 不 未 禁 勿 无 莫 非 别 除".split()
)
"""Words that turn a meaning round: as many of them before as after."""
_OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pair in "before/after most/least more/less more/fewer above/below include/exclude enable/disable"
    " minimum/maximum min/max first/last 前/后 先/后 上/下 多/少 大/小".split()
)
"""Words of which one in place of the other turns a meaning round."""
_BOUNDS = re.compile(
    r"\bno(?:t)? (?:more|less|later|fewer|longer) than\b|\bthen stop\b|\bstop (?:and|after|there)\b"
    r"|不(?:超过|少于|多于|大于|小于|晚于|早于)",
    re.IGNORECASE,
)
"""Limits: their "no" and "stop" turn nothing round."""
_EXACT = re.compile(
    r"`[^`]+`|\"[^\"]+\"|“[^”]+”|「[^」]+」|(?<=\]\()[^)]+|\w*[\d_/]\w*|\b(?:most|least|only|exactly|maximum|minimum|limit|unless|first|last|one|two|three"
    r"|four|five|ten)\b|[不最至][多少超]|[只仅]",
    re.IGNORECASE,
)
_LIGHT = frozenset(
    "a an the and or to of in on at by for with from as it its they them this that these those be is are was were then"
    " there here so also just simply really please very quite carefully always up down out over off back through"
    " again one entire whole 的 地 得 了 请 都 也 就 再 并".split()
)
"""Words that carry nothing of their own."""
_SUBSTANCE = 2
"""A difference of so many words of substance is more than a rewording."""


def likeness(old: str, new: str) -> float:
    """Give the share of the words of `old` that `new` keeps; 0 where something is turned round."""
    was, now = _words(old), _words(new)
    if not was or _is_turned(was, now):
        return 0.0
    return sum((was & now).values()) / sum(was.values())


def is_only_reworded(old: str, new: str) -> bool:
    """Tell whether `new` brings nothing that `old` did not say: other words, as many of them, and nothing exact."""
    was, now = _words(old), _words(new)
    if not was & now or _exact(old) != _exact(new) or _is_turned(was, now):
        return False
    return abs(_substance(now - was) - _substance(was - now)) < _SUBSTANCE


def _exact(text: str) -> Counter[str]:
    return Counter(found.lower() for found in _EXACT.findall(text))


def _substance(words: Counter[str]) -> int:
    return len([word for word in words if word not in _LIGHT])


def _words(text: str) -> Counter[str]:
    return Counter(word.lower().replace("’", "'") for word in _WORD.findall(_BOUNDS.sub("", text)))


def _is_turned(was: Counter[str], now: Counter[str]) -> bool:
    """Tell whether negations came or went, or a word gave way to its opposite."""
    went, came = was - now, now - was
    swapped = any((one in went and other in came) or (other in went and one in came) for one, other in _OPPOSITES)
    return swapped or _turns(was) != _turns(now)


def _turns(words: Counter[str]) -> int:
    return sum(count for word, count in words.items() if word in _TURNS)
