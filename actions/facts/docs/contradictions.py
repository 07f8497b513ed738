"""An order and a prohibition of one act: "Wash each wheel with brine", "never wash a wheel with brine"."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from actions.facts.docs.negations import Opposites
from actions.facts.docs.senses import senses, stem
from actions.facts.docs.settings import scope_of
from actions.skill.rules import Force, force_of
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.statements import Statement, statements
from actions.skill.stems import Stems
from actions.skill.text import is_item

_SIGNS = Stems(
    *"never not don mustn forbidden prohibited cannot without".split(),
    *"禁止 不得 不要 不能 不可 严禁 切勿 绝不 请勿 不许 不准".split(),
)
_FORBIDS = re.compile(
    r"\b(?:never|must not|mustn['’]t|do not|don['’]t|shall not|may not|cannot|can['’]t|forbidden|prohibited|(?:is"
    r"|are) not (?:allowed"
    r"|permitted|to be)|not be|without)\b|禁止|不得|不要|不能|不可|严禁|切勿|绝不|请勿|不许|不准",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|no|nothing|nobody|none|never|without|nor|neither|avoid\w*|instead of|rather than|cannot"
    r"|refus\w+|forbid\w*|prohibit\w*)\b|n['’]t\b|[不勿无未禁]|避免|别(?!字)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:may|can|could|would|might|should we|optionally|either|or|whether|only|except|unless|other than|alone"
    r"|directly from"
    r"|too|how|what|why|who|which|e\.g|example|yourself)\b|[?？]|可以|可能|或|仅|只|除|是否|如何|例如|以外",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"\b(?:if|when|unless|until|except|while|during|before|after|once|only|mode|here|this|for(?! (?:each|every"
    r"|all|any)\b)|in case|where"
    r"|instead|but|yet|first"
    r"|again|twice|alone|other|too|so|by|from)\b|如果|当|除非|除了|只有|仅|前|后|时|直接|单独|以外|其他|首次|再次",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(?:if|when|unless|where|in case|once|while)\b|如果|当|时|除非", re.IGNORECASE)
_TIMES = frozenset("before after during once first again by from 前 后".split())
_ALWAYS = re.compile(
    r"\b(?:under (?:no|any) circumstances?|at no time|ever|in no case|whatever happens|at any time|no matter)\b"
    r"|任何情况|无论|任何时候|一律|绝",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:()（），。；：、]|\s[-–—]\s|\b(?:and|then|but)\b|然后|(?<!一)并(?!不)")
_REASON = re.compile(r"[;；:：(（]|\s[—–-]\s|,\s|，|\b(?:because|since|so that|lest|otherwise|as)\b|因为|以免|否则")
_VERB = re.compile(r"\s*[A-Za-z]+\b")
_NOT_AN_ACT = frozenset("thing way case time part step phas stag".split())
_LIGHT = frozenset("open creat mak have get giv".split())
_HAS = re.compile(r"\b(?:gets?|has|have|opens?|creates?|makes?|receives?|gives?)\b", re.IGNORECASE)
"""Verbs that say no more than that a thing is there: an order may use another one of them than the prohibition."""
_PUTS = frozenset("put give name show print state mention include add list insert enter write place set note".split())
"""Verbs that put a thing into a text: of the same thing and the same text, one is as good as another."""
_LEAD = re.compile(r"(?:\W|\d|\b(?:always|please|then|also|next|first|you|must|should|shall)\b)*", re.IGNORECASE)
_OF_THE_THING = re.compile(r"\s(?:that|which|who|whose|so|because|since)\s", re.IGNORECASE)
"""From here on a clause describes what it is about, or gives its reason."""
_SURE = 3
_BOLD = 2
_LONGEST = 400


@dataclass(frozen=True)
class _Act:
    file: SkillFile
    line: int
    text: str
    sense: frozenset[str]
    verb: str
    case: frozenset[str]
    always: bool
    binds: bool
    unit: int

    @property
    def puts(self) -> bool:
        """Whether it has something stand in a text."""
        return self.verb in _PUTS

    @property
    def thing(self) -> frozenset[str]:
        """What it is about without a light verb, if three words and more are left; else all of it."""
        if self.puts and len(self.sense) >= _SURE:
            return self.sense - {stem(self.verb)}
        rest = self.sense - _LIGHT
        return rest if len(rest) >= _SURE else self.sense


def contradictions(skill: Skill) -> Iterator[Opposites]:
    """Give each prohibition whose act a sentence elsewhere orders, in the same case."""
    forbidden = [act for file in skill.instructions for act in _forbidden(file)]
    if not forbidden:
        return
    by_word: dict[str, list[frozenset[str]]] = defaultdict(list)
    for act in forbidden:
        for sense in {act.sense, act.thing}:
            by_word[min(sense)].append(sense)
    orders = [act for file in skill.instructions for act in _orders(file, by_word)]
    places: dict[str, list[int]] = defaultdict(list)
    for number, act in enumerate(orders):
        for word in act.sense:
            places[word].append(number)
    for act in forbidden:
        rarest = min((places.get(word, []) for word in act.thing), key=len)
        found = next((orders[n] for n in rarest[:50] if _opposed(act, orders[n])), None)
        if found:
            yield Opposites(act.file.path, act.line, act.text, found.file.path, found.line, found.text)


def _says_all(forbidden: _Act, order: _Act) -> bool:
    if forbidden.sense <= order.sense:
        return True
    light = order.puts and order.binds if forbidden.puts else bool(_HAS.search(order.text))
    return light and forbidden.thing <= order.sense


def _opposed(forbidden: _Act, order: _Act) -> bool:
    if not _says_all(forbidden, order) or (forbidden.file is order.file and forbidden.unit == order.unit):
        return False
    if len(forbidden.sense) < _SURE and not _same_verb(forbidden, order):
        return False
    if len(order.sense) > 2 * len(forbidden.sense) + 3 or _apart(forbidden, order):
        return False
    return forbidden.always or forbidden.case == order.case or (not forbidden.case and order.case <= _TIMES)


def _same_verb(forbidden: _Act, order: _Act) -> bool:
    """Tell whether two acts are one by their verbs; what is forbidden may be said in the passive."""
    if forbidden.verb:
        return bool(order.verb) and stem(forbidden.verb) == stem(order.verb)
    return order.binds and bool(order.verb) and stem(order.verb) in forbidden.sense


def _apart(one: _Act, other: _Act) -> bool:
    """Tell whether two acts belong to two phases, two references, or two modes."""
    if (
        one.file is not other.file
        and one.file.role is other.file.role
        and one.file.role in (Role.PHASE, Role.REFERENCE)
    ):
        return not one.always
    scopes = [scope_of("", "", act.file.doc, act.line) for act in (one, other)]
    return scopes[0] != scopes[1]


def _forbidden(file: SkillFile) -> Iterator[_Act]:
    for said in statements(file, _SIGNS):
        if len(said.text) > _LONGEST or file.doc.is_counterexample(said.line) or _heads(said):
            continue
        match = _FORBIDS.search(said.text)
        if match is None:
            continue
        whole = said.text if match[0].lower() == "without" else _act_at(said.text, match)
        if not _OPEN.search(whole) and (match[0].lower() != "without" or force_of(said.text) is not Force.NEVER):
            opens = not said.text[: match.start()].strip("*_ ❌🚫")
            yield from _act(file, said, whole, said.text[match.end() :] if opens else "")


def _act_at(text: str, match: re.Match[str]) -> str:
    """Give the clause that a prohibition stands in, without its reason."""
    starts = [0, *(found.end() for found in _REASON.finditer(text, 0, match.start()))]
    end = next((found.start() for found in _REASON.finditer(text, match.end())), len(text))
    return text[starts[-1] : end]


def _orders(file: SkillFile, by_word: Mapping[str, Sequence[frozenset[str]]]) -> Iterator[_Act]:
    """Give the orders that say all of what one of the forbidden acts says; these stand under one of their words."""
    denied = False
    for said in statements(file):
        text = said.text
        heads = _heads(said)
        denied = (denied and is_item(file.doc.line(said.line))) or (heads and bool(_DENIES.search(text)))
        if denied or heads or len(text) > _LONGEST or text.startswith("|"):
            continue
        if text.isascii() and not _says_one(senses(text), by_word):
            continue  # what no sentence of English says, none of its clauses does
        if any(_is_denied(section.title) for section in file.doc.headings_over(said.line)):
            continue
        if file.doc.is_counterexample(said.line):
            continue
        condition = ""
        for clause in takewhile(lambda part: not _DENIES.search(part), _CLAUSE.split(text)):
            act = _OF_THE_THING.split(clause, maxsplit=1)[0]
            if _says_one(senses(act), by_word) and not _OPEN.search(act):
                yield from _act(file, said, act, _LEAD.sub("", act, count=1), condition)
            condition += " ".join(_IF.findall(clause))


def _says_one(sense: frozenset[str], by_word: Mapping[str, Sequence[frozenset[str]]]) -> bool:
    return any(act <= sense for word in sense if word in by_word for act in by_word[word])


@lru_cache(maxsize=8192)
def _is_denied(title: str) -> bool:
    return bool(_DENIES.search(title))


def _heads(said: Statement) -> bool:
    """Tell whether a statement only announces what follows: it ends in a colon, or is bold from end to end."""
    text = said.text.rstrip()
    return text.endswith((":", "：")) or (text.startswith("**") and text.endswith("**") and text.count("**") == _BOLD)


def _act(file: SkillFile, said: Statement, clause: str, verb_at: str, condition: str = "") -> Iterator[_Act]:
    """Give what a clause orders or forbids; `verb_at` begins with its verb."""
    sense = senses(clause) - _NOT_AN_ACT
    if len(sense) > 1:
        case = frozenset(word.lower() for word in _CASE.findall(f"{condition} {clause}"))
        first = _VERB.match(verb_at)
        verb = first[0].strip().lower() if first else ""
        always, binds = bool(_ALWAYS.search(said.text)), force_of(clause) is Force.MUST
        yield _Act(file, said.line, said.text, sense, verb, case, always, binds, said.unit)
