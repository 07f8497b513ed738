"""Whether a statement says another one in other words: the same turn of meaning, and some of the same words.

Words cannot tell everything: a change that brings or takes several words of substance, or anything that is exact (a
number, a limit, code, a path), is taken for more than a rewording.
"""

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache

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
_OPPOSED = frozenset(word for pair in _OPPOSITES for word in pair)
_BINDING = frozenset(
    "must always shall should required mandatory only may might can could do does true all any every each if while yes"
    " when 必 须 应 要 总 可 以 能 得 只 仅 如 果".split()
)
"""Words that bind or loosen; a statement and its opposite differ in them."""
_WEAK = re.compile(
    r"\b(?:may|might|could|optional(?:ly)?|ideally|consider|try to|preferably|possibl[ey]|perhaps|maybe|usually"
    r"|sometimes|feel free|recommended|encouraged)\b|可以|尽量|建议|最好|可能|可选|也许",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\b(?:must|always|never|shall|required|mandatory|do not|don['’]t)\b|必须|务必|禁止|不得", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![A-Za-z_/.\d])(?<![A-Za-z_]-)\d+(?:[.,]\d+)*(?!\d|-?[A-Za-z_]\w{2}|/\w)")
"""Not one within a name, as in `phases/2-build.md` or `v3`."""
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
_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|「[^」]+」")
_LIGHT = frozenset(
    "a an the and or to of in on at by for with from as it its they them this that these those be is are was were then"
    " there here so also just simply really please very quite carefully always up down out over off back through"
    " again one entire whole 的 地 得 了 请 都 也 就 再 并".split()
)
"""Words that carry nothing of their own."""
_SUBSTANCE = 2
"""A difference of so many words of substance is more than a rewording."""


def likeness(old: str, new: str) -> float:
    """Return the share of the words of `old` that `new` keeps; 0 where something is turned round or loses its force."""
    was, now = _words(old), _words(new)
    if not was or _is_turned(was, now) or _is_weakened(old, new):
        return 0.0
    return sum((was & now).values()) / sum(was.values())


def keeps_numbers(old: str, new: str, granted: Collection[str] = ()) -> bool:
    """Return whether the numbers of a statement stand in another one, or only `granted` ones came."""
    was, now = numbers(old), numbers(new)
    return was <= now or bool(now - was and now - was <= set(granted))


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text."""
    return frozenset(_NUMBER.findall(text))


def is_turned(old: str, new: str) -> bool:
    """Return whether a statement says the opposite of another one with the same words of substance."""
    was, now = _words(old), _words(new)
    return _is_turned(was, now)


@lru_cache(maxsize=8192)
def essence(text: str) -> frozenset[str]:
    """Return the words of substance that a statement and its opposite have in common."""
    return frozenset(_words(text)) - _LIGHT - _TURNS - _BINDING - _OPPOSED


def is_only_reworded(old: str, new: str) -> bool:
    """Return whether `new` brings nothing that `old` did not say: other words, as many of them, and nothing exact."""
    was, now = _words(old), _words(new)
    if not was & now or _is_exacter(old, new) or _is_turned(was, now):
        return False
    return abs(_substance(now - was) - _substance(was - now)) < _SUBSTANCE


def _is_exacter(old: str, new: str) -> bool:
    """Return whether anything exact came or went; a quoted phrase is none where the rest is reworded too."""
    was, now = _exact(old), _exact(new)
    went, came = was - now, now - was
    phrases = all(item[0] in '"“「' and " " in item for item in (*went, *came))
    rest = [_QUOTED.sub("", text) for text in (old, new)]
    return bool(went or came) and not (phrases and went.total() == came.total() and rest[0] != rest[1])


def _exact(text: str) -> Counter[str]:
    return Counter(found.lower() for found in _EXACT.findall(text))


def _substance(words: Counter[str]) -> int:
    return len([word for word in words if word not in _LIGHT])


@lru_cache(maxsize=8192)
def _words(text: str) -> Counter[str]:
    return Counter(word.lower().replace("’", "'") for word in _WORD.findall(_BOUNDS.sub("", text)))


def _is_turned(was: Counter[str], now: Counter[str]) -> bool:
    """Return whether negations came or went, or a word gave way to its opposite."""
    went, came = was - now, now - was
    swapped = any((one in went and other in came) or (other in went and one in came) for one, other in _OPPOSITES)
    return swapped or _turns(was) != _turns(now)


def _is_weakened(old: str, new: str) -> bool:
    """Return whether a rule became an advice, or a sentence a question."""
    loose = Counter(map(str.lower, _WEAK.findall(new))) - Counter(map(str.lower, _WEAK.findall(old)))
    softened = is_order(old) and not is_order(new) and "should" in _words(new)
    asked = new.rstrip().endswith(("?", "？")) and not old.rstrip().endswith(("?", "？"))
    return bool(loose or softened or asked)


def is_order(text: str) -> bool:
    """Return whether a sentence binds: it says what must be, or must not."""
    return _STRONG.search(text) is not None


def _turns(words: Counter[str]) -> int:
    return sum(count for word, count in words.items() if word in _TURNS)
