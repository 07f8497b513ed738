"""Rules that a skill lays down for the rest of the run, and the later work that does not hear of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from actions.facts.docs.senses import senses
from actions.facts.memory.briefs import (
    Brief,
    acting_briefs,
    names_rules,
    speaks_of_rules,
    without_label,
    writing_briefs,
)
from actions.facts.memory.constraints import SPARES
from actions.skill.memo import once
from actions.skill.rules import force_of
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Gated

_HALF = 0.5
_MOST = 40
"""Rules and briefs that are compared, each with each."""
LASTING = Gated(
    r"\b(?:whole (?:job|run|work|project)|entire (?:job|run)"
    r"|(?:for|during|over|through) the (?:whole|entire|rest of the) \w+|until the (?:very )?end|to the (?:very )?end"
    r"|throughout|at all times|from (?:here|now|this point) on|for the rest"
    r"|everything that follows|(?:all|every|each|later|following|further) (?:later |further |following"
    r" )?(?:phases?|steps?|stages?)|bind(?:s|ing)?|ground rule|standing order"
    r"|hard (?:rule|limit|constraint)|bear (?:it|this|that) in mind|in (?:what|everything|all) (?:we|you)"
    r" (?:publish|write|send)"
    r"|(?:this|it) (?:also )?(?:holds|goes|applies|counts) (?:for|to))\b"
    r"|全程|自始至终|贯穿|后续(?:各|所有|的)?(?:步骤|阶段)|直到最后|硬性|所有(?:步骤|阶段)|牢记|切记|整个(?:流程"
    r"|过程|任务)|始终|一律",
    re.IGNORECASE,
    "whole entire end throughout times here now point rest everything phase step stage bind ground standing rule"
    " limit constraint bear publish write send hold goes applies counts 全程 自始 贯穿 后续 直到 硬性 所有 牢记"
    " 切记 整个 始终 一律",
)
_HOLDS = re.compile(
    r"\b(?:holds?|stays?|remains?|counts?|applies) (?!in\b)|\b(?:is|are) (?:not to|to be|to stay|never)\b"
    r"|\bno \w+(?: \w+)? (?:may|ever|is|are)\b|\bno matter\b"
    r"|也不|都不|不(?:许|准|让|能|得|可|出现)|一律|只(?:许|准|能)|不管|无论",
    re.IGNORECASE,
)
"""A rule without a word such as must: what holds, stays, or is not to be done."""
_CLAUSES = re.compile(r"[;,.:，。；：、\n]")
RULE_WORDS = senses(
    "write publish draft report rule order mind bear hold bind whole job run work project step phase stage"
    " everything follow"
    " standing ground hard 必须遵守 全程 硬性 要求 贯穿 始终"
)
_WRITES = re.compile(
    r"^\W*(?:Write|Draft|Compose|Prepare|Produce|Publish|Draw|Design|Translate|Print|Build|Make)\b|^\W*(?:撰写"
    r"|起草|编写|写|拟|绘制|翻译|设计)"
)


@dataclass(frozen=True)
class Lasting:
    """A rule at a place that is said to hold for all that follows."""

    file: SkillFile
    line: int
    text: str
    stage: int


@once
def lasting_rules(skill: Skill) -> tuple[Lasting, ...]:
    """Give the rules that an early phase or the text before the steps lays down for the rest of the run."""
    places = [(k, file) for k, file in enumerate(skill.phases)] if len(skill.phases) > 1 else [(-1, skill.main)]
    return tuple(islice((rule for k, file in places for rule in _lasting(file, k)), _MOST))


def _lasting(file: SkillFile, stage: int) -> Iterator[Lasting]:
    told = list(statements(file))
    counts = [len(list(LASTING.finditer(said.text))) for said in told]
    if not any(counts):
        return
    for k, said in enumerate(told):
        unit = [after for after in told[k : k + 3] if after.unit == said.unit]
        lasting = counts[k : k + len(unit)]
        if not any(lasting) or file.doc.is_counterexample(said.line) or said.text.rstrip().endswith((":", "：")):
            continue
        binds = force_of(said.text) or _HOLDS.search(said.text)
        if (binds and any(lasting[:2])) or (lasting[0] and sum(lasting) > 1):
            rule = [after.text for after, count in zip(unit, lasting, strict=True) if after is said or not count]
            yield Lasting(file, said.line, " ".join(rule), stage)


def _core(rule: str) -> str:
    return LASTING.regex.sub(" ", rule)


def _named(text: str, rule: str) -> bool:
    """Tell whether a file speaks anywhere of what a rule speaks of."""
    about = senses(_core(rule)) - RULE_WORDS
    return not about or len(about & senses(text)) >= min(2, _HALF * len(about))


def _carried(text: str, rule: str, topic: frozenset[str]) -> bool:
    """Tell whether a text says what a rule says; `topic` is what the whole skill speaks of, which tells nothing.

    What a rule forbids is said by a clause that forbids or spares what it names.
    """
    about = senses(_core(rule)) - RULE_WORDS
    if not about:
        return True
    if any((about & senses(clause)) - topic for clause in _CLAUSES.split(text) if SPARES.search(clause)):
        return True
    shared = (about - topic) & senses(text)
    return len(shared) >= min(2, _HALF * len(about))


def forgotten(skill: Skill) -> Iterator[tuple[Brief, Lasting]]:
    """Give the later briefs that a lasting rule binds and that do not carry it.

    It binds who writes something, and who does something else with what it names.
    """
    rules = lasting_rules(skill)
    writing, acting = (list(islice(_unruled(skill, found(skill)), _MOST)) for found in (writing_briefs, acting_briefs))
    topic = senses(skill.frontmatter.text("description"))
    for rule in rules if writing or acting else ():
        about = senses(_core(rule.text)) - topic
        for brief in (*writing, *(brief for brief in acting if about & senses(brief.text))):
            later = rule.stage < 0 or (brief.file in skill.phases[rule.stage + 1 :])
            behind = brief.file is not rule.file or brief.line > rule.line
            if later and behind and not _carried(brief.text, rule.text, topic):
                yield brief, rule


def _unruled(skill: Skill, told: Iterator[Brief]) -> Iterator[Brief]:
    return (brief for brief in told if not names_rules(without_label(brief.text), skill))


def left_behind(skill: Skill) -> Iterator[tuple[Brief, Lasting]]:
    """Give later phases that write something, where nothing from there on mentions a lasting rule of an early one."""
    for rule in lasting_rules(skill) if len(skill.phases) > 1 else ():
        later = skill.phases[rule.stage + 1 :] if rule.stage >= 0 else ()
        texts = [file.text for file in (*later, skill.main, *(f for f in skill.instructions if f.role is Role.SPEC))]
        if any(_named(text, rule.text) for text in texts):
            continue
        for file in later:
            place = next((said for said in statements(file) if _WRITES.search(said.text)), None)
            if place and not speaks_of_rules(file.text) and "{" not in file.text:
                yield Brief(file, place.line, place.line, place.text), rule
                break
