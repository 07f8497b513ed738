"""A thing that a prompt asks for by its name and forbids by the same name."""

from collections.abc import Iterator

from actions.model import regex as re
from actions.model.stems import Gated

_GIVES = r"(?:use|give|name|mention|include|quote|show|state|assign|put in|add)"
_NOUNS = r"(?:any |an? )?[a-z]{4,20}(?:(?:,| or| and| nor|, or)\s+(?:any )?[a-z]{4,20}){0,3}"
_FORBIDS = Gated(
    rf"\b(?:do not|don['’]t|never|must not)\s+{_GIVES}\s+(?P<active>{_NOUNS})"
    r"(?:\s+of any (?:kind|sort)|\s+at all|\s+whatsoever)?(?=\s*(?:[.;\n]|,\s+(?!or\b|and\b|nor\b)|$))"
    r"|(?:^|[.;:\n]\s*)(?P<passive>[a-z]{4,20})(?: of any (?:kind|sort))? (?:are|is) (?:forbidden|prohibited"
    r"|not allowed|banned)\b"
    r"|不(?:要|得|许|准|能|可)(?:使用|出现|给出|写出|提及|用|给|提|打|带)(?:任何"
    r"|一个)?(?P<han>[\u4e00-\u9fff]{2,4})(?=[。；，、\n]|$)",
    re.IGNORECASE,
    "use give name mention include quote show state assign put add forbidden prohibited allow banned 不",
)
_ASKS = re.compile(
    rf"(?:^|[.;:\n]\s*|,?\s(?:and|then)\s)(?:\d[.)]\s*)?(?:please |then |also )?(?P<verb>{_GIVES}|return|list"
    rf"|end with|start with"
    r"|(?:answer|reply|summari[sz]e)\b[^.;\n]{0,40}\b(?:as|with))\s+(?P<what>[^.;:\n]{3,80})",
    re.IGNORECASE,
)
_HEAD = re.compile(r"\b(?:of|from|in|for|with|per|that|which|whose|to|by|on|if|unless)\b", re.IGNORECASE)
_ASKS_HAN = (
    r"(?<!不)(?:给出|写出|列出|附上|打出|打|标出|注明"
    r"|给)[^。；，\n不]{{0,14}}?{noun}(?![\u4e00-\u9fff]{{0,2}}(?:路径|文件))"
)
_ANYTHING = frozenset(
    "file files code text texts word words line lines thing things anything something other others more them"
    " this that these name names content contents data information answer answers result results changes".split()
)


def forbidden_yet_asked(text: str) -> tuple[str, str] | None:
    """Give the clause that forbids a thing and the one that asks for it, where a prompt has both."""
    for match in _FORBIDS.finditer(text):
        if match["han"]:
            noun = re.escape(match["han"].removeprefix("任何"))
            rest = text[: match.start()] + "\n" + text[match.end() :]
            asked = re.search(_ASKS_HAN.format(noun=noun), rest)
            if asked:
                return match[0], asked[0]
            continue
        nouns = {_stem(noun) for noun in re.split(r"[,\s]+", match["active"] or match["passive"]) if _names(noun)}
        for verb, what in _asked(text, match.start()):
            if nouns & {_stem(word) for word in re.findall(r"[a-z]{4,20}", f"{verb} {what}".lower())}:
                return match[0].strip(" .;:\n"), f"{verb} {what}".strip()
    return None


def _asked(text: str, forbidden_at: int) -> Iterator[tuple[str, str]]:
    """Give verb and object of each order but the one that forbids, the object without what only describes it."""
    for match in _ASKS.finditer(text):
        if not match.start() <= forbidden_at < match.end():
            yield match["verb"], _HEAD.split(match["what"])[0]


def _names(noun: str) -> bool:
    return len(noun) > 3 and noun.lower() not in _ANYTHING


def _stem(word: str) -> str:
    """Give what `quote`, `quotes` and `quotation` share."""
    bare = word.lower()
    return re.sub(r"(?:ations?|ies|es|s|e|y)$", "", bare) if len(bare) > 4 else bare
