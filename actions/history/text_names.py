"""Parse the lines of a text for names (skills, agents, tools, JSON fields), approval gates and sentences to say."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile

from actions.history.facts import Fact, FactKind
from actions.regex import regex
from actions.skill.document import Document
from actions.skill.text import is_item

_MAX_TEXT = 200
_MAX_CHOICE_LINES = 7
"""Number of lines below a question to search for its choices."""
_MIN_WORDS = 4
"""Minimum number of words of a sentence to say."""

_NEVER = regex(
    r"(?i)\b(?:never|do not|don['’]t|must not|avoid|forbidden|prohibited|not use|no direct)\b|❌|🚫|禁止|不要"
)
_ORDER_VERB = regex(r"(?i)\b(?:load|read|invoke|activate|call|run)\b")
"""Verbs of an instruction, without `use`, because "Use the x skill for y" only offers the skill."""
_EMPHATIC_ORDER = regex(r"\b(?:REQUIRED|MUST|ALWAYS)\b")
_SKILL = regex(
    r"`/?([a-z0-9][\w:-]{2,63})`\s+skill\b|\bskill\s+`/?([a-z0-9][\w:-]{2,63})`|\bSkill\(\W*(?:skill\W+)?([a-z0-9][\w:-]{2,63})"
    r"|\bSkill tool to (?:invoke|load|run)\s+[*_`'\"]{0,3}([a-z0-9][\w:-]{2,63})"
    r"|(?:\b(?:[Uu]se|[Ii]nvoke|[Ll]oad|[Aa]pply|[Ff]ollow)\s+(?:the\s+)?[*_`]{0,3}|\*\*(?=[\w:-]+\*\*\W{1,20}REQUIRED\b))([a-z][\w-]+:[a-z][\w-]{2,63})"
)
_AGENT = regex(r"subagent_type\W{1,5}([A-Za-z][\w:-]{1,63})")
_AGENT_WORDS = regex(r"`([a-z][\w:-]{2,63})`\s+(?:sub-?)?agent\b")
_TOOL = regex(r"\bmcp__[\w-]+__[\w-]+")
_OWN_TOOL = regex(
    r"(?i:\b(use|using|call|invoke|create|with|via)\s+(?:a\s+|the\s+)?)[*_`]{0,3}"
    r"(AskUserQuestion|TodoWrite|EnterPlanMode|ExitPlanMode|WebSearch)\b"
)
"""Tools of Claude Code that the text asks the agent to use."""
_BEFORE_ORDER_VERB = regex(r"(?i)(?:^|[.:;]\s+|[-*>]\s+|\d[.)]\s+|\*\*)\W{0,2}(?:(?:then|always|first|now),?\s+)?$")
"""The text before the verb of an instruction."""
_FIELD = regex(
    r"\breturned\s+`([a-z_]\w{1,40})`"
    r"|`([a-z_]\w{1,40})`\s+(?:field|key|property)\s+(?:of|in|from)\s+the\s+(?:JSON|json|output|result|response)"
)
_GATE = regex(
    r"(?i)\b(?:wait(?:s|ing)? for|get|obtain|request|ask for|requires?|needs?|await|seek|until)\b[^.`|]{0,50}"
    r"\b(?:approv\w+|confirmation|permission|go-ahead|consent|sign-off|user(?:'s)? (?:input|response|answer|reply))\b"
    r"|\bask (?:the )?user\b|\bAskUserQuestion\b|\bconfirm with (?:the )?user\b|\b(?:shall|should) I proceed"
    r"|\blet the user (?:decide|choose)\b"
)
_SUBJECT_LENGTH = regex(
    r"(?i)\b(?:subject|first line|commit (?:message|title))(?: line)?\b[^.\n]{0,40}?"
    r"(?:<=?|≤|under|below|max(?:imum)?(?: of)?|at most|(?:no|not) (?:more|longer) than|limit(?:ed)? to|within|up to)"
    r"\s*(\d{2,3})\s*char"
)
"""A maximum length for the subject line of commits."""
_VAGUE = regex(
    r"(?i)\b(?:about|around|ideally|prefer\w*|aim|roughly|approximately|if|when|unless|except|may|can)\b|~|≈"
)
_TRAILER = regex(r"\s*(Co-[Aa]uthored-[Bb]y: [^<>\[\]{}$]{2,60} <[\w.+-]+@[\w.-]+>)\s*")
_NAMES_MODEL = regex(
    r"(?i)\b(?:AI|Claude)[ -](?:attributions?|authorship|signatures?|footers?)\b|\bco-authored-by\b"
    r"|\bgenerated with claude\b"
)
_EXAMPLES = regex(r"(?i)\bexamples?\b")
_SENTENCE_TO_SAY = regex(r"(?i)\b(?:announce|say|state)\b[^\"“]{0,40}[\"“]([^\"”]{12,200})[\"”]")
_AT_START = regex(r"(?i)\b(?:at (?:the )?start|first|begin\w*|before (?:anything|starting|you start))\b")
_VARIABLE = regex(r"[\[<{$]|\.\.\.|…")


@lru_cache(maxsize=4096)
def is_negative(line: str) -> bool:
    """Return whether a line forbids something."""
    return _NEVER.search(line) is not None


def find_names(doc: Document) -> Iterator[Fact]:
    """Yield the skills, agents, tools, JSON fields, rules for commits, gates and sentences to say in a text."""
    for number, line in enumerate(doc.lines[doc.body_start - 1 :], doc.body_start):
        if doc.is_counterexample(number):
            continue
        is_denied = is_negative(line) or "NOT " in line
        in_fence = doc.fence_at(number) is not None
        if not is_denied:
            yield from _find_named_units(number, line, is_example=in_fence)
        yield from _find_message_rules(doc, number, line, is_denied=is_denied, in_fence=in_fence)
        if in_fence:
            continue
        for names in _FIELD.findall(line) if "`" in line else ():
            yield Fact(FactKind.FIELD, number, "".join(names), ("".join(names),), is_order=True)
        if not is_denied:
            yield from _find_sentences(number, line)
            if _GATE.search(line):
                key = f"{line} {_read_choices(doc, number)}"
                yield Fact(FactKind.GATE, number, " ".join(line.split())[:_MAX_TEXT], (key,))


def _find_named_units(number: int, line: str, *, is_example: bool) -> Iterator[Fact]:
    """Yield the skills, agents and tools that a line names. In an example, the use of a tool is not an order."""
    is_order = _ORDER_VERB.search(line) is not None
    for names in _SKILL.findall(line):
        name, is_plain = "".join(names), bool(names[-1])
        is_needed = _EMPHATIC_ORDER.search(line) is not None if is_plain else is_order
        is_start = _AT_START.search(line) is not None
        yield Fact(FactKind.SKILL, number, name, (name,), is_order=is_needed, is_start=is_start)
    for name in (*_AGENT.findall(line), *_AGENT_WORDS.findall(line)):
        yield Fact(FactKind.AGENT, number, name, (name,), is_order=is_order or "subagent_type" in line)
    for name in _TOOL.findall(line) if "mcp__" in line else ():
        yield Fact(FactKind.TOOL, number, name, (name,), is_order=is_order and not is_example)
    for match in _OWN_TOOL.finditer(line):
        is_instruction = _BEFORE_ORDER_VERB.search(line[: match.start()]) is not None
        yield Fact(FactKind.TOOL, number, match[2], (match[2],), is_order=is_instruction and not is_example)


def _find_message_rules(doc: Document, number: int, line: str, *, is_denied: bool, in_fence: bool) -> Iterator[Fact]:
    """Yield the rules for commit messages in a line, about the length of the subject or the named authors."""
    if _VAGUE.search(line) or _EXAMPLES.search(doc.section_at(number).title):
        return
    trailer = _TRAILER.fullmatch(line)
    text = " ".join(line.split())[:_MAX_TEXT]
    if trailer and in_fence:
        yield Fact(FactKind.MESSAGE, number, text, ("trailer", trailer[1]), is_order=True)
    elif not in_fence and is_denied and _NAMES_MODEL.search(line):
        yield Fact(FactKind.MESSAGE, number, text, ("no model", ""), is_order=True)
    elif not in_fence and not is_denied and (limit := _SUBJECT_LENGTH.search(line)):
        yield Fact(FactKind.MESSAGE, number, text, ("length", limit[1]), is_order=True)


def _find_sentences(number: int, line: str) -> Iterator[Fact]:
    """Yield the sentences that the text asks the agent to say, each up to its first variable part."""
    for words in _SENTENCE_TO_SAY.findall(line) if '"' in line or "“" in line else ():
        fixed = _VARIABLE.split(words)[0].strip()
        if len(fixed.split()) >= _MIN_WORDS:
            is_start = _AT_START.search(line) is not None
            yield Fact(FactKind.WORDS, number, fixed, (fixed,), is_order=is_start, is_start=is_start)


def _read_choices(doc: Document, number: int) -> str:
    """Return the user's choices, which are the list items below a line, or "" if the line does not end with a colon."""
    if not doc.line(number).rstrip(" *").endswith(":"):
        return ""
    below = (doc.line(n) for n in range(number + 1, number + 1 + _MAX_CHOICE_LINES))
    return " ".join(line for line in takewhile(lambda line: not line.strip() or is_item(line), below))
