"""What of SKILL.md is still in the context after a compaction.

Claude Code re-attaches a skill that was in use: the line "Base directory for this skill: ..." and the body without
frontmatter, cut at 5,000 tokens of round(characters / 4). What stands behind the cut is gone for the model.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from actions.skill.rules import Force, Rule, rules
from actions.skill.skill import Role, Skill
from actions.skill.tables import is_row
from actions.skill.text import FILLER, plain, sentences, strip_list_mark, tokens_of, words

SURVIVING_TOKENS = 5000
ALL_SKILLS_TOKENS = 25_000
"""Tokens of all skills together that Claude Code attaches again."""
_FIRST_LINE = 31 + 69  # "Base directory for this skill: " and a path of usual length
_MOST = 200
_ALIKE = 0.55
_STEM = 5
"""Letters by which words are compared: to record is a recording."""
_BINDS = re.compile(
    r"\b(?:NEVER|MUST|ALWAYS|DO NOT|DON'T|FORBIDDEN|MANDATORY)\b"
    r"|(?:^|[:;,—–(]\s*|\band\s+|\bthen\s+)(?i:you\s+)?(?i:must|never|always|do\s+not|don['’]t)\b"
    r"|(?<!what )(?<!which )(?<!that )(?<!who )\bmust\b"
    r"|必须|禁止|严禁|不得|切勿|绝不|务必",
)
_DENIES = re.compile(
    r"\b(?:never|not?|nor|without|avoid|forbidden|cannot|[a-z]+n['’]t)\b|[不禁勿别]|避免", re.IGNORECASE
)
"""What a sentence must hold to say a prohibition already: the same words may else command what the rule forbids."""
_LEAD = "*_`> \t\xa0\u3000"
_FILLER = FILLER | frozenset("or do not never must always".split())


def last_surviving_line(skill: Skill) -> int:
    """Give the last line of SKILL.md that survives a compaction whole; the last line of all if nothing is cut."""
    lines = skill.main.doc.lines
    ends = _ends(skill)
    return next((number - 1 for number, end in ends if end > SURVIVING_TOKENS * 4), len(lines))


def tokens_up_to(skill: Skill) -> Mapping[int, int]:
    """Give, for each line of SKILL.md's body, the tokens that Claude Code attaches up to its end."""
    return {number: tokens_of(end) for number, end in _ends(skill)}


def _ends(skill: Skill) -> Iterator[tuple[int, int]]:
    """Give each line of the body with the characters up to its end, the line before the body among them."""
    end = _FIRST_LINE
    for number, line in enumerate(skill.main.doc.lines[skill.frontmatter.end :], skill.frontmatter.end + 1):
        end += len(line) + 1
        yield number, end


def lost_rules(skill: Skill) -> list[Rule]:
    """Give the strong rules of SKILL.md that stand beyond the cut and are said nowhere else, at most 200."""
    last = last_surviving_line(skill)
    doc = skill.main.doc
    if last >= len(doc.lines):
        return []
    beyond = (rule for rule in _strong(rules(skill.main), skill) if rule.line > last)
    candidates = list(islice(beyond, _MOST))
    if not candidates:
        return []
    parts = [part for n, line in doc.prose if n <= last for part in sentences(strip_list_mark(line))]
    kept = [_sense(part) for part in parts]
    denying = [sense for sense, part in zip(kept, parts, strict=True) if _DENIES.search(part)]
    elsewhere = {rule.key for file in skill.instructions if file.role is not Role.MAIN for rule in rules(file)}
    told = {Force.NEVER: denying}
    return [
        rule
        for rule in candidates
        if rule.key not in elsewhere and not _said(_sense(rule.text), told.get(rule.force, kept))
    ]


def strong_rules(skill: Skill) -> list[Rule]:
    """Give the rules of SKILL.md that command or forbid, in their order."""
    return list(_strong(rules(skill.main), skill))


def is_strong(text: str) -> bool:
    """Tell whether a sentence commands or forbids, rather than describes."""
    return bool(_BINDS.search(text.lstrip(_LEAD)))


def _strong(found: Iterable[Rule], skill: Skill) -> Iterator[Rule]:
    doc = skill.main.doc
    for rule in found:
        table = is_row(doc.line(rule.line))
        if rule.force is not Force.ONLY and not table and is_strong(rule.text) and not doc.is_counterexample(rule.line):
            yield rule


def _sense(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in words(plain(text)) if word not in _FILLER)


def _said(rule: frozenset[str], kept: Iterable[frozenset[str]]) -> bool:
    """Tell whether another statement has most of a rule's words."""
    return any(len(rule & other) >= _ALIKE * len(rule) for other in kept)
