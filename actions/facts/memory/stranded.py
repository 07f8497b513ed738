"""Rules that an early phase lays down for the work of a later one, which never names what they are about."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.docs.senses import senses
from actions.facts.memory.lasting import LASTING, RULE_WORDS
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import Statement, statements

_STAGE = re.compile(
    r"^(?:phase|step|stage)\s*\d|^第\s*[一二三四五六七八九十\d]+\s*[步阶]|^(?:阶段|步骤)\s*[一二三四五六七八九十\d]",
    re.IGNORECASE,
)
_BINDS = re.compile(
    r"\b(?:never|must|always|stays? out|no (?:\w+ ){1,2}(?:may|is|are)|may not|may only)\b"
    r"|不得|禁止|必须|不许|不准|一律",
    re.IGNORECASE,
)
_AFTERTHOUGHT = re.compile(r"[;；]")
_COMMA = re.compile(r",\s|，")
_GOES_OUT = re.compile(
    r"\b(?:public(?:ly)?|publish\w*|in print|hands? out|handed (?:out|over)|outsiders?|leaves? the|sent out|goes out)\b"
    r"|公开|对外|发布|外传|外泄",
    re.IGNORECASE,
)
"""A rule about what goes out binds the phase that gives something out."""
_OUT_TITLE = re.compile(
    r"\b(?:publi\w+|report\w*|exports?|deliver\w*|releases?|hand\w*|send\w*|letters?|catalogue|result)\b|发布|报告|交付|导出|输出|公布",
    re.IGNORECASE,
)
_MADE = re.compile(r"^\W*(?:Write|Draw|Choose|Make|Give|Send|Print|Order|Build)\b|^\W*(?:撰写|写|拟|绘制|安排|选)")
_CASE = re.compile(r"\W*(?:if|when|before|after|do not|don['’]t|ask)\b|如果|当", re.IGNORECASE)
_FEWEST, _EVERYWHERE, _PAIR = 2, 3, 2
_MOST = 40
"""Stages that are compared, each with each."""


@dataclass(frozen=True)
class Stage:
    """A phase file, or a section of SKILL.md that is called one, with what it says."""

    file: SkillFile
    title: str
    told: tuple[Statement, ...]
    words: frozenset[str]


@dataclass(frozen=True)
class Stranded:
    """The rule `text` at a line of `file`, and the title of the later stage that it binds."""

    file: SkillFile
    line: int
    text: str
    stage: str


def stranded(skill: Skill) -> Iterator[Stranded]:
    """Give the rules whose matter a later stage deals with, while nothing from there on names what they are about."""
    stages = _stages(skill)[:_MOST]
    if len(stages) < _FEWEST:
        return
    spread = Counter(word for stage in stages for word in stage.words)
    common = {word for word, count in spread.items() if count >= _EVERYWHERE}
    aside = common | RULE_WORDS | senses(skill.frontmatter.text("description"))
    for number, stage in enumerate(stages[:-1]):
        for said in _binding(stage):
            goals = ((k, _goal(said, stage, after)) for k, after in enumerate(stages[number + 1 :], number + 1))
            goal, shared = next((found for found in goals if found[1]), (0, frozenset[str]()))
            about = senses(_main_clause(said.text)) - aside - shared
            heard = frozenset[str]().union(*(after.words for after in stages[goal:]))
            if goal and len(about) >= _PAIR and not about & heard and len(shared) <= len(about):
                yield Stranded(stage.file, said.line, said.text, stages[goal].title)


def _stages(skill: Skill) -> list[Stage]:
    if len(skill.phases) >= _FEWEST:
        parts = [(file, _title(file), tuple(statements(file))) for file in skill.phases]
    else:
        doc, told = skill.main.doc, tuple(statements(skill.main))
        sections = [section for section in doc.sections if section.level > 1 and _STAGE.match(section.title)]
        parts = [(skill.main, s.title, tuple(x for x in told if s.start <= x.line <= s.end)) for s in sections]
    return [
        Stage(file, title, told, frozenset[str]().union(senses(title), *(senses(x.text) for x in told)))
        for file, title, told in parts
    ]


def _title(file: SkillFile) -> str:
    return next((section.title for section in file.doc.sections if section.level == 1), file.path)


def _binding(stage: Stage) -> Iterator[Statement]:
    """Give the rules of a stage: what binds is said in the first clause."""
    for said in stage.told:
        rule = "" if said.text.rstrip().endswith((":", "：")) else _main_clause(said.text)
        if rule and not _CASE.match(rule) and not stage.file.doc.is_counterexample(said.line):
            yield said


def _main_clause(text: str) -> str:
    """Give a sentence up to the end of the clause that binds; nothing where only an afterthought does."""
    main = _AFTERTHOUGHT.split(text, maxsplit=1)[0]
    binds = _BINDS.search(main)
    end = _COMMA.search(main, binds.end()) if binds else None
    return (main[: end.start()] if end else main) if binds else ""


def _goal(said: Statement, own: Stage, after: Stage) -> frozenset[str]:
    """Give the words by which a later stage deals with what a rule orders and its own stage does not, if it does."""
    rule = _main_clause(said.text)
    if _OUT_TITLE.search(after.title) and _GOES_OUT.search(said.text) and not _OUT_TITLE.search(own.title):
        return senses(" ".join(_GOES_OUT.findall(said.text))) | senses(after.title)
    makes = any(_MADE.match(later.text) for later in after.told)
    if makes and own.file is after.file and LASTING.search(said.text):
        return senses(after.title)
    words = senses(rule)
    new = words.difference(senses(own.title), *(senses(other.text) for other in own.told if other is not said))
    titled = new & senses(after.title)
    made = (words & senses(x.text) for x in after.told if _MADE.match(x.text)) if new else iter(())
    return titled or next((shared for shared in made if len(shared) >= _PAIR and shared & new), frozenset())
