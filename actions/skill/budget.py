"""Determine which part of SKILL.md is still in the context after a compaction.

Claude Code re-attaches a skill that was in use: the line "Base directory for this skill: ..." and the body without
frontmatter, cut at 5,000 tokens of round(characters / 4). The model no longer sees what is after the cut.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

import msgspec

from actions.memo import memoize_all
from actions.regex import regex
from actions.skill.paths import Role
from actions.skill.skill import Skill
from actions.skill.text import estimate_tokens, is_item, list_words, normalize_text, split_sentences, strip_list_mark

SURVIVING_TOKENS = 5000
_FIRST_LINE_CHARS = 31 + 69  # "Base directory for this skill: " and a path of typical length
_RULE_WORDS = regex(
    r"(?<!\d )\b(?:MUST(?: NOT)?|NEVER|ALWAYS|DO NOT|SHALL(?: NOT)?)\b,?\s+[a-z]"
    r"|^\W*(?:MUST(?: NOT)?|NEVER|ALWAYS|DO NOT|FORBIDDEN|REQUIRED|MANDATORY)\b\s*(?:[—–:,]|[a-z])"
    r"|^\W*(?:Never|Always|Do not|Don['’]t)\s+[a-z]"
    r"|(?:必须|禁止|严禁|不得)[\u3400-\u9fff]"
)
"""Words that mark a rule if an instruction follows: RFC 2119 keywords, similar words in capitals, Chinese words.

`Never`, `Always` and `Do not` also count at the beginning of a sentence.
"""
_LIST_LABEL = regex(r"\W*(?:MUST(?: NOT)?|NEVER|ALWAYS|DO NOT|FORBIDDEN|REQUIRED|MANDATORY)\W*[:：]\W*")
"""A line such as `**NEVER**:`, which makes each item of the list below it a rule."""
_CODE_OR_EMPHASIS = regex(r"`[^`]*`|[*_]{1,3}")
_MIN_SHARED = 0.7
"""Minimum share of a rule's words in a line before the cut that counts as the same rule."""
_OUTPUT_TAG = regex(r"\s*<(/?)(\w*(?:template|example|prompt|output|format|sample)\w*)\b[^>]*>\s*", re.IGNORECASE)
"""A tag around text that the skill outputs or passes on."""
_QUOTATION_MARKS = ('"', "“", "「", "'")
_MAX_RULES = 300
"""Maximum number of rules after the cut to look up in the other files."""
_MIN_CHARACTERS = 12
"""Minimum length of a rule in characters. A shorter sentence is a label."""


class Rule(msgspec.Struct, frozen=True):
    """A sentence of SKILL.md that its author marked as binding."""

    line: int
    text: str


def find_last_surviving_line(skill: Skill) -> int:
    """Return the number of the last line of SKILL.md that survives a compaction in full."""
    ends = _list_line_ends(skill)
    return next((number - 1 for number, end in ends if end > SURVIVING_TOKENS * 4), len(skill.main.doc.lines))


def map_tokens_by_line(skill: Skill) -> Mapping[int, int]:
    """Map each line number of SKILL.md's body to the number of attached tokens up to the end of the line."""
    return {number: estimate_tokens(end) for number, end in _list_line_ends(skill)}


def _list_line_ends(skill: Skill) -> Iterator[tuple[int, int]]:
    """Yield (line number, number of characters up to the end of the line) for each line of the body.

    The characters include the line that Claude Code puts before the body.
    """
    end = _FIRST_LINE_CHARS
    doc = skill.main.doc
    for number, line in enumerate(doc.lines[doc.body_start - 1 :], doc.body_start):
        end += len(line) + 1
        yield number, end


@memoize_all
def find_rules(skill: Skill) -> Iterator[Rule]:
    """Yield the rules of SKILL.md in order, from prose outside quotes, tables and counterexamples."""
    doc = skill.main.doc
    excluded_lines = (
        doc.quotes | {row.line for row in doc.rows} | {section.start for section in doc.sections if section.level}
    )
    excluded_lines |= _list_lines_between_tags(doc.prose)
    lead = ""
    for number, line in doc.prose:
        if number in excluded_lines or doc.is_counterexample(number):
            lead = ""
            continue
        is_label = _LIST_LABEL.fullmatch(line)
        lead = _CODE_OR_EMPHASIS.sub("", line).strip() if is_label else lead if is_item(line) else ""
        for sentence in split_sentences(strip_list_mark(line)):
            rule_word = _RULE_WORDS.search(_CODE_OR_EMPHASIS.sub("", sentence))
            is_binding = rule_word or (lead and not is_label)
            is_label_or_quote = len(sentence) < _MIN_CHARACTERS or sentence.startswith(_QUOTATION_MARKS)
            if is_binding and not is_label_or_quote:
                yield Rule(number, sentence if rule_word else f"{lead} {sentence}")


def _list_lines_between_tags(prose: tuple[tuple[int, str], ...]) -> frozenset[int]:
    """Return the numbers of the lines between a tag such as `<output_template>` and its closing tag."""
    line_numbers, open_tag, pending = set[int](), "", list[int]()
    for number, line in prose:
        if "<" in line and (tag := _OUTPUT_TAG.fullmatch(line)):
            if open_tag and tag[1] and tag[2] == open_tag:
                line_numbers.update(pending)
            open_tag, pending = ("", []) if tag[1] else (open_tag or tag[2], pending)
        elif open_tag:
            pending.append(number)
    return frozenset(line_numbers)


def find_lost_rules(skill: Skill) -> list[Rule]:
    """Return the rules after the cut that neither a line before the cut nor another file repeats."""
    last = find_last_surviving_line(skill)
    if last >= len(skill.main.doc.lines):
        return []
    beyond = [rule for rule in find_rules(skill) if rule.line > last][:_MAX_RULES]
    if not beyond:
        return []
    before = [set(list_words(line)) for line in skill.main.doc.lines[:last]]
    others = " ".join(normalize_text(file.text) for file in skill.instructions if file.role is not Role.MAIN)

    def is_repeated(rule: Rule) -> bool:
        return normalize_text(rule.text) in others or _has_most_words(before, set(list_words(rule.text)))

    return [rule for rule in beyond if not is_repeated(rule)]


def _has_most_words(lines: list[set[str]], rule: set[str]) -> bool:
    """Return whether one line, or two consecutive lines together, contain most words of a rule."""
    shared_words = [rule & line for line in lines]
    pairs = pairwise([*shared_words, set[str]()])
    return any(len(line | next_line) >= _MIN_SHARED * len(rule) for line, next_line in pairs)
