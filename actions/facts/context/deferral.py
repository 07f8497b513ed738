"""Which sections of SKILL.md could be read when they are needed, instead of with every use of the skill.

Four kinds of text wait for their turn: a branch that only some uses take, the late phases of a sequence, the prompt of
a sub-agent, and bulk (templates, examples, advanced matter) that is looked up. Text that binds always never waits.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from actions.facts.docs.senses import senses
from actions.skill.document import Section
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.text import tokens_of, words

_ALWAYS = re.compile(
    r"\b(?:rules?|constraints?|principles?|guardrails?|invariants?|never|always|must|important|critical|safety"
    r"|security"
    r"|overview|introduction|purpose|when (?:not )?to use|prerequisites?|requirements|inputs?|interaction"
    r"|routing|route"
    r"|dispatch|red flags|quick ?start|what this skill|scope|contract|pitfalls|anti-?patterns?|mistakes|mandatory)\b"
    r"|规则|约束|原则|红线|禁止|必须|重要|概述|简介|前置|何时使用|路由|注意事项|安全",
    re.IGNORECASE,
)
_PHASE = re.compile(
    r"^(?:phases?|steps?|stages?|action|round)\s*(\d+)|^第\s*([一二三四五六七八九十\d]+)\s*[步阶]|^(?:阶段"
    r"|步骤)\s*([一二三四五六七八九十\d]+)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:if|when|only (?:if|when|for)|in case|optional)\b|\((?:optional|if|only|when)\b[^)]*\)\s*$"
    r"|^(?:mode|variant|branch|scenario|option|path)\s*[:A-Z\d]|\bmode$|如果|仅当|（可选）|可选[:：]|^当.*时|模式$",
    re.IGNORECASE,
)
_OPTIONAL = re.compile(r"\((?:optional|if|only if|when)\b[^)]*\)\s*$|（可选[^）]*）", re.IGNORECASE)
_PROMPT = re.compile(
    r"^(?:sub-?)?agent\s*\d*\s*[:：—-]|\b(?:reviewer|persona|sub-?agent prompt|agent prompt|prompt template)\b"
    r"|角色[:：]|代理\s*\d+",
    re.IGNORECASE,
)
_BULK = re.compile(
    r"^(?:advanced|appendix|full|complete|extended|worked|more)\b|\b(?:examples?|templates?|cheat ?sheet|reference|faq"
    r"|troubleshooting|recipes)$|^(?:附录|高级)|(?:示例|模板|参考|故障排除)$",
    re.IGNORECASE,
)
_MENU = re.compile(
    r"\b(?:rout(?:e|ing)|modes?|commands?|subcommands?|usage|invocation|intents?|arguments?)\b|路由|模式|命令|参数",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"^\s*(?:[-*+]|\d+[.)]|\|)\s*(?:\*\*)?`/?(?:[\w-]+[: ])?([\w-]{3,30})")
_SENDS = re.compile(r"\b(?:read|load|follow|open)\b|阅读|读取|加载|参照", re.IGNORECASE)
_ANCHOR = re.compile(r"\]\(#([^)\s]{1,200})\)")
_SOME_NEED = re.compile(
    r"\bonly\b|\b(?:no|none|nothing|nobody) (?:other|else)\b|\bexclusively\b|\balone\b|\bfew\b|\bhandful\b"
    r"|\brare(?:ly)?\b|\bseldom\b|\bexceptional(?:ly)?\b|\b(?:skips?|ignore|pass(?:es)? (?:over|on))\b"
    r"|仅|只|其余|其他|略过|跳过|不看|用不上",
    re.IGNORECASE,
)
"""Words by which a section says of itself that it is for some uses and not for others."""
_SECOND = 2
_LINES, _MANY_LINES = 6, 8
_FIFTH = 0.2
_OPENING = 2
_PHASES = 4
_FIRST_LATE = 3
_TAIL = 2 / 3
"""Share of the body before a phase that only the end of a run needs: earlier ones are the work itself."""
_SMALL = 150
_GROUP = 800
_SOME = 300
_BRANCH = 500
_NEARLY_ALL = 0.96
_BODY = 2500
_SHARE = 0.45


class Kind(StrEnum):
    """Why a section can wait."""

    BRANCH = "branch"
    PHASE = "phase"
    PROMPT = "prompt"
    BULK = "bulk"


@dataclass(frozen=True)
class Deferrable:
    """A section that can wait, with the estimated tokens of its text."""

    section: Section
    kind: Kind
    tokens: int


def section_tokens(file: SkillFile, section: Section) -> int:
    """Give the estimated tokens of a section with its subsections."""
    return tokens_of(sum(len(line) + 1 for line in file.doc.lines[section.start - 1 : section.end]))


@once
def deferrables(skill: Skill) -> tuple[Deferrable, ...]:
    """Give the sections of SKILL.md of 150 tokens or more that can wait, in order, none inside another."""
    heads = [s for s in skill.main.doc.sections if s.level >= 2]
    choices = _choices(skill)
    kinds = {start: kind for family in _families(heads) for start, kind in _kinds(family, choices)}
    found: list[Deferrable] = []
    end = 0
    for section in heads:
        if section.start in kinds and section.start > end:
            found.append(Deferrable(section, kinds[section.start], section_tokens(skill.main, section)))
            end = section.end
    return tuple(item for item in found if item.tokens >= _SMALL and not _is_shared(skill.main, item.section))


def phases_around(skill: Skill, lines: Iterable[int]) -> Iterator[Deferrable]:
    """Give the phases of SKILL.md, early ones too, that hold one of the lines and nothing that can wait by itself."""
    doc = skill.main.doc
    waiting = {item.section.start for item in deferrables(skill)}
    for section in dict.fromkeys(
        s for n in lines for s in doc.headings_over(n) if s.level >= 2 and _PHASE.match(s.title)
    ):
        if not any(section.start <= start <= section.end for start in waiting):
            yield Deferrable(section, Kind.PHASE, section_tokens(skill.main, section))


def anchor_of(title: str) -> str:
    """Give the anchor that a heading gets in rendered Markdown."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def _is_shared(file: SkillFile, section: Section) -> bool:
    """Tell whether two or more places outside of a section link to its headings: several phases need it then."""
    if "](#" not in file.text:
        return False
    anchors = {anchor_of(s.title) for s in file.doc.sections if s.level and section.start <= s.start <= section.end}
    outside = (line for n, line in file.doc.prose if "](#" in line and not section.start <= n <= section.end)
    return sum(found in anchors for line in outside for found in _ANCHOR.findall(line)) >= 2


@once
def heavy_groups(skill: Skill) -> list[tuple[Deferrable, ...]]:
    """Give what alone is worth a file of its own: 800 tokens or more in one branch, in all prompts, in the last phases.

    The last phases stand in the last third and send to no file to read: from those that do, the author has taken what
    can wait. Where no branch is that heavy, all of 300 tokens or more count together. In a shorter skill (under 2,500
    tokens), only a branch of 500 tokens or more that is half of the body, and not all; else a section that says itself
    that few uses need it.
    """
    if skill.body_tokens < _BODY:
        least, most = max(_BRANCH, skill.body_tokens // 2), _NEARLY_ALL * skill.body_tokens
        found = [item for item in deferrables(skill) if item.kind is Kind.BRANCH and least <= item.tokens <= most]
        return [(item,) for item in found or _admitted(skill)]
    groups = groups_of(i for i in deferrables(skill) if i.kind is not Kind.PHASE or _is_tail(skill, i.section))
    branches = tuple(i for i in deferrables(skill) if i.kind is Kind.BRANCH and i.tokens >= _SOME)
    together = len(branches) > 1 and max(i.tokens for i in branches) < _GROUP <= sum(i.tokens for i in branches)
    return sorted([*groups, branches], key=lambda group: group[0].section.start) if together else groups


def groups_of(items: Iterable[Deferrable]) -> list[tuple[Deferrable, ...]]:
    """Give the groups of 800 tokens or more; neighbouring phases and prompts of one level count together."""
    groups: list[list[Deferrable]] = []
    for item in items:
        last = groups[-1][-1] if groups else None
        joins = item.kind in (Kind.PHASE, Kind.PROMPT) and last is not None and last.kind is item.kind
        if joins and groups[-1][0].section.level == item.section.level:
            groups[-1].append(item)
        else:
            groups.append([item])
    return [tuple(group) for group in groups if sum(item.tokens for item in group) >= _GROUP]


def _admitted(skill: Skill) -> Iterator[Deferrable]:
    """Give the sections that say by their title or at their beginning that only some uses need them, where nothing else
    in the skill speaks of what the title names; a fifth of the body or more, or a quarter of its lines.
    """
    doc = skill.main.doc
    total = sum(bool(line.strip()) for line in doc.lines[doc.body_start - 1 :])
    for section in doc.sections:
        if section.level < _SECOND or _ALWAYS.search(section.title) or _is_shared(skill.main, section):
            continue
        tokens = section_tokens(skill.main, section)
        lines = [line for line in doc.lines[section.start : section.end] if line.strip()]
        long = tokens >= max(_SMALL, skill.body_tokens * _FIFTH) and len(lines) >= _LINES
        if not long and len(lines) < max(_MANY_LINES, total / 4):
            continue
        opening = [section.title, *takewhile(lambda line: not line.startswith("#"), lines[:_OPENING])]
        if any(map(_SOME_NEED.search, opening)) and _is_own_matter(skill, section):
            yield Deferrable(section, Kind.BRANCH, tokens)


def _is_own_matter(skill: Skill, section: Section) -> bool:
    """Tell whether the title of a section of SKILL.md names something that no other place of the skill does."""
    lines = skill.main.doc.lines
    rest = [*lines[: section.start - 1], *lines[section.end :]]
    texts = ("\n".join(rest), *(file.text for file in skill.instructions if file is not skill.main))
    return bool(senses(section.title).difference(*map(senses, texts)))


def _is_tail(skill: Skill, phase: Section) -> bool:
    lines = skill.main.doc.lines
    before = tokens_of(sum(len(line) + 1 for line in lines[skill.frontmatter.end : phase.start - 1]))
    sent = (line for line in lines[phase.start : phase.end] if _SENDS.search(line))
    paths = [file.path for file in skill.files if file is not skill.main]
    return before >= _TAIL * skill.body_tokens and not any(path in line for line in sent for path in paths)


def is_overloaded(skill: Skill) -> bool:
    """Tell whether 45 % or more of a body of at least 2,500 tokens could wait."""
    waiting = sum(item.tokens for item in deferrables(skill))
    return skill.body_tokens >= _BODY and waiting >= _SHARE * skill.body_tokens


def _families(heads: Iterable[Section]) -> Iterator[list[Section]]:
    """Give the groups of sections of one level under one parent."""
    open_groups: dict[int, list[Section]] = {}
    for section in heads:
        for level in [known for known in open_groups if known > section.level]:
            yield open_groups.pop(level)
        open_groups.setdefault(section.level, []).append(section)
    yield from open_groups.values()


def _kinds(family: list[Section], choices: frozenset[str]) -> Iterator[tuple[int, Kind]]:
    phases = [s for s in family if _PHASE.match(s.title)]
    late = {s.start for s in phases[max(_FIRST_LATE, len(phases) // 2) :]} if len(phases) >= _PHASES else set()
    chosen = [s.start for s in family if set(words(s.title)[:2]) & choices]
    prompts = [s.start for s in family if _PROMPT.search(s.title)]
    for section in family:
        optional = section.start in late and _OPTIONAL.search(section.title)
        if section.start in late and not optional:
            yield section.start, Kind.PHASE
        elif _ALWAYS.search(section.title):
            continue
        elif (section.start in chosen and len(chosen) >= 2) or _CONDITION.search(section.title):
            yield section.start, Kind.BRANCH
        elif section.start in prompts and len(prompts) >= 2:
            yield section.start, Kind.PROMPT
        elif _BULK.search(section.title):
            yield section.start, Kind.BULK


def _choices(skill: Skill) -> frozenset[str]:
    """Give the words among which a use of the skill chooses: its argument hint and its routing lists."""
    hint = skill.frontmatter.text("argument-hint")
    found = {words(part)[0] for part in hint.split("|") if words(part)} if "|" in hint else set()
    doc = skill.main.doc
    for section in doc.sections:
        if section.level >= 2 and _MENU.search(section.title):
            for line in doc.lines[section.start : section.end]:
                match = _CHOICE.match(line)
                if match:
                    found.add(match[1].lower())
    return frozenset(found)
