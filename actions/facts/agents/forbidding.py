"""A thing that a prompt asks for by its name and forbids by the same name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

_GIVES = r"(?:use|give|name|mention|include|quote|show|state|assign|put in|add)"
_NOUN = r"[a-z]{4,20}(?: (?!that\b|which\b|from\b|with\b|anywhere\b|what)[a-z]{4,20})?"
_NOUNS = rf"(?:any |an? |the )?{_NOUN}(?:(?:,| or| and| nor|, or)\s+(?:any )?{_NOUN}){{0,3}}"
_END = (
    r"(?:\s+(?:of any (?:kind|sort)|at all|whatsoever|anywhere|in it))?"
    r"(?=\s*(?:[.;:\n]|,\s+(?!or\b|and\b|nor\b)|$))"
)
_BEGINS = r"^|[.;:\n][^\S\n]*"
"""Where a sentence begins: behind the last of several line ends, so that each blank is looked at once."""
_CLAUSE = rf"(?:{_BEGINS}|,\s+(?:and\s+)?)"
_FORBIDS = re.compile(
    rf"\b(?:do not|don['’]t|never|must not)\s+{_GIVES}\s+(?P<active>{_NOUNS}){_END}"
    rf"|{_CLAUSE}(?P<passive>[a-z]{{4,20}})(?: of any (?:kind|sort))? (?:are|is) (?:forbidden|prohibited"
    r"|not allowed|banned)\b"
    rf"|(?:{_CLAUSE}no|\bwithout(?: any)?)\s+(?P<none>{_NOUNS}){_END}"
    rf"|{_CLAUSE}(?:leave out|omit)\s+(?P<left>{_NOUNS})(?=\s*(?:[.;\n,]|and (?:everything|all)\b|$))"
    rf"|{_CLAUSE}keep\s+(?P<kept>{_NOUNS})\s+out of\b"
    rf"|\bnothing (?:about|of|on)\s+(?P<topic>{_NOUNS})"
    rf"|\b(?:do not|don['’]t|never|must not)\s+(?:open|read|consult|look at|look into)\s+(?:the |any )?"
    rf"(?P<shut>[a-z]{{4,20}}(?: [a-z]{{4,20}})?){_END}"
    r"|不(?:要|得|许|准|能|可)(?:使用|出现|给出|写出|提及|用|给|提|打|带)(?:任何"
    r"|一个)?(?P<han>[\u4e00-\u9fff]{2,8})(?=[。；，、\n]|$)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"(?:{_BEGINS}(?:[-*]\s+)?|,?\s(?:and|then)\s)(?:\d[.)]\s*)?(?:please |then |also )?"
    rf"(?P<verb>{_GIVES}|return|list"
    r"|(?:begin|start|open|end|close) (?:[^.;\n]{0,30}? )?with"
    r"|(?:answer|reply|summari[sz]e)\b[^.;\n]{0,40}\b(?:as|with))\s+(?P<what>[^.;:\n]{3,80})",
    re.IGNORECASE,
)
_ACTS = re.compile(
    rf"(?:(?:{_BEGINS}(?:[-*]\s+)?)(?:please )?|\b(?:must|should|shall) )(?P<verb>[a-z]{{4,20}})\b", re.IGNORECASE
)
"""An order by its verb alone."""
_OPENS = re.compile(
    rf"(?:{_BEGINS}|,\s+(?:and )?|\b(?:and|then)\s)[^.;:,\n]{{0,40}}?"
    r"\b(?:quote|cite|read|open|consult)\s(?P<what>[^.;:\n]{3,80})",
    re.IGNORECASE,
)
_LISTED = re.compile(r",|\b(?:or|and|nor)\b")
_DENIED = re.compile(r"\b(?:not|never|no|without|nothing|nor|instead of|rather than)\b|n['’]t\b", re.IGNORECASE)
_HEAD = re.compile(r"\b(?:of|from|in|for|with|per|that|which|whose|to|by|on|if|unless)\b", re.IGNORECASE)
_ASKS_HAN = (
    r"(?<!不)(?:给出|写出|列出|附上|打出|打|标出|注明|点出"
    r"|给)[^。；，\n不]{{0,14}}?{noun}(?![\u4e00-\u9fff]{{0,2}}(?:路径|文件))"
)
_MOST = 40
"""Prohibitions of a prompt that are held against all its orders."""
_ANYTHING = frozenset(
    "file files code text texts word words line lines thing things anything something other others more them any"
    " this that these name names content contents data information answer answers result results changes"
    " else everything what whatever".split()
)


@dataclass(frozen=True)
class _Banned:
    """What a clause of a prompt forbids, each thing with all its words, and how an order must name it (`kind`)."""

    clause: str
    at: int
    things: tuple[frozenset[str], ...]
    kind: str

    def is_named_in(self, said: frozenset[str]) -> bool:
        """Tell whether one of the things is among the words of an order."""
        return any(thing <= said for thing in self.things)


def forbidden_yet_asked(text: str) -> tuple[str, str] | None:
    """Give the clause that forbids a thing and the one that asks for it, where a prompt has both."""
    for match in islice(_FORBIDS.finditer(text), _MOST):
        if match["han"]:
            noun = re.escape(match["han"].removeprefix("任何"))
            rest = text[: match.start()] + "\n" + text[match.end() :]
            asked = re.search(_ASKS_HAN.format(noun=noun), rest)
            if asked:
                return match[0], asked[0]
            continue
        kind = next(name for name, found in match.groupdict().items() if found)
        told = (_stems(part) for part in _LISTED.split(match[kind].lower()))
        banned = _Banned(match[0].strip(" .;:,\n"), match.start(), tuple(filter(None, told)), kind)
        order = next(_opposed(text, banned), None) if banned.things else None
        if order:
            return banned.clause, order
    return None


def _opposed(text: str, banned: _Banned) -> Iterator[str]:
    """Give the orders that name what is banned: what is not to be opened, whole; of a topic, also the thing that an
    object only belongs to.
    """
    if banned.kind == "shut":
        for match in _OPENS.finditer(text):
            if not _is_denied(text, match) and banned.is_named_in(_stems(match["what"])):
                yield match[0].strip(" .;:,\n-")
        return
    for match in _ASKS.finditer(text):
        what = match["what"] if banned.kind == "topic" else _HEAD.split(match["what"])[0]
        if not match.start() <= banned.at < match.end() and banned.is_named_in(_stems(f"{match['verb']} {what}")):
            yield f"{match['verb']} {what}".strip()
    for match in _ACTS.finditer(text) if banned.kind == "none" else ():
        if banned.is_named_in(frozenset({_stem(match["verb"])})) and not _is_denied(text, match):
            yield text[match.start() : match.end() + 30].split("\n")[0].strip(" .;:,-")


def _is_denied(text: str, match: re.Match[str]) -> bool:
    begin = max(
        text.rfind(mark, 0, match.start("verb" if "verb" in match.re.groupindex else "what")) for mark in ".;\n"
    )
    return bool(_DENIED.search(text[begin + 1 : match.end()]))


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in re.findall(r"[a-z]{4,20}", text.lower()) if word not in _ANYTHING)


def _stem(word: str) -> str:
    """Give what `quote`, `quotes` and `quotation` share."""
    bare = word.lower()
    return re.sub(r"(?:ations?|ies|es|s|e|y)$", "", bare) if len(bare) > 4 else bare
