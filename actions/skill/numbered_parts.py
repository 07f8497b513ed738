"""Find the numbered parts ("Step 3", "Phase 2.1", 第三步) that a skill defines, and those that it only mentions."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

import msgspec

from actions.grouping import group_by_key
from actions.memo import memoize, memoize_all
from actions.regex import regex
from actions.skill.skill import Skill, SkillFile

_HAN = "一二三四五六七八九十"
_NUMBER = rf"\d{{1,3}}(?:\.\d{{1,3}})?|[{_HAN}]{{1,3}}"
_NUMBER_END = r"(?![A-Za-z0-9_.]*[A-Za-z0-9_]|\s*(?:[-–—/~至到]\s*\d|[°%]))"
"""A lookahead that rejects a longer number, a range, an angle and a percentage."""
_LATIN = regex(
    rf"(?i)(?<![\w/#.-])(?P<word>step|phase|stage|section)\s+#?(?P<number>\d{{1,3}}(?:\.\d{{1,3}})?){_NUMBER_END}"
)
_CHINESE = regex(rf"第\s*(?P<n1>{_NUMBER})\s*(?P<w1>步|阶段|节)|(?P<w2>步骤|阶段)\s*(?P<n2>{_NUMBER}){_NUMBER_END}")
_LATIN_START = regex(r"(?:step|phase|stage|section)\s+#?\d")
_CHINESE_STARTS = ("第", "步骤", "阶段")
_BARE_NUMBER = regex(r"[\s>#*_|`\[(]*(?P<number>\d{1,3}(?:\.\d{1,3})?)(?:[.):：、|\s*\]]|$)")
_OF_SERIES = regex(r"(?i)\b(step|phase|stage|section)\s+\d{1,3}/(\d{1,3})\b")
_IN_NAME = regex(r"\d{1,3}")
_WORDS = {"步": "step", "步骤": "step", "阶段": "phase", "节": "section"}
_DIGIT, _NUMERAL = regex("[0-9]"), regex(rf"[\d{_HAN}]")
"""Patterns for a number. `_NUMERAL` takes ten times as long to compile and is needed only for non-ASCII text."""
_ANY_WORD = ""
"""A key that matches any word."""
_OTHER_TEXT = regex(
    r"(?i)\b(?:skills?|(?:sub)?agents?|old|former|formerly|removed|previous|previously|no longer|earlier|upstream"
    r"|another|other|their|was|were|no|not|without|if)\b|\.\w{2,4}\b|https?:|不再|已删除|旧|原来|另一|没有|技能"
)
"""Words in a sentence that may refer to a part of something other than this skill."""
_OWNER_FOLLOWS = regex(r"\s*(?:of|in|from|before)\b|\s*[的之]")
"""Words after a part of something else: "Step 3 of the release"."""
_POSSESSIVE = regex(r"`['’]s\b")
"""A possessive after a code span, whose content may be the owner of the part."""
_OWNER_PRECEDES = regex(
    r"(?:\*\*[\w:]+(?:-[\w:]+)+\*\*|`[\w:/-]+`|\]\([^()\s]*\))\s*\(\Z|`[\w:/-]+` \Z|\b[A-Z]{1,2}\d+ \Z"
)
"""The owner before a part: "**write-notes** (Step 3)", "`write-notes` step 3", "L3 step 7"."""
_SENDS = regex(
    r"(?i)(?:\b(?:to|into|enter|see|with|at|from|in|of|by|per|after|before|until|through|via|follow|repeat|redo|run|do"
    r"|rerun|re-run|perform|execute|finish|complete|continue|skip|start)(?:\s+(?:the|this|its))?\s+[*_`\[(\"']*"
    r"|[到至见看在从自按照据跳回行成复过入往]\s*[*_`\[(（「]*)\Z"
)
"""The words before a part to which a sentence sends the reader. Without them, the part may be a label or another's."""
_LINE_START_CHARACTERS = " \t>#*_-+|`\"'[]({.0123456789√✓✔✅☐☑"
_MAX_START = 40
"""Number of characters at the beginning of a line or cell that may define a part."""


class Part(msgspec.Struct, frozen=True):
    """A numbered part: its word (`step`, `phase`, …), its number in digits, its line and its text."""

    word: str
    number: str
    line: int
    text: str


class UndefinedPart(msgspec.Struct, frozen=True):
    """A part that prose mentions but no file defines.

    `series` maps the numbers in the headings of `source` to their lines.
    """

    file: SkillFile
    part: Part
    source: SkillFile
    series: Mapping[str, int]


def _has_number(line: str) -> bool:
    return (_DIGIT if line.isascii() else _NUMERAL).search(line) is not None


def find_parts(line: str, number: int) -> Iterator[Part]:
    """Yield the numbered parts that a line mentions."""
    if not _has_number(line):
        return
    for match in _LATIN.finditer(line) if _LATIN_START.search(line.lower()) else ():
        yield Part(match["word"].lower(), _to_digits(match["number"]), number, match[0])
    if not line.isascii() and any(start in line for start in _CHINESE_STARTS):
        for match in _CHINESE.finditer(line):
            yield Part(_WORDS[match["w1"] or match["w2"]], _to_digits(match["n1"] or match["n2"]), number, match[0])


def _to_digits(number: str) -> str:
    """Convert a number in digits or in Han numerals up to 99 to digits without leading zeros."""
    if number[0] not in _HAN:
        return ".".join(str(int(part)) for part in number.split("."))
    tens, ten, ones = number.rpartition("十")
    return str((_HAN.find(tens) + 1 if tens else 1) * 10 * bool(ten) + (_HAN.find(ones) + 1 if ones else 0))


@memoize
def map_headings(file: SkillFile) -> Mapping[str, Mapping[str, int]]:
    """Map each part word (`step`, `phase` …) in a file's headings to its numbers, and these to their lines."""
    numbers_by_word: dict[str, dict[str, int]] = {}
    for section in file.doc.sections if file.is_markdown else ():
        for part in find_parts(section.title, section.start):
            numbers_by_word.setdefault(part.word, {}).setdefault(part.number, section.start)
    return numbers_by_word


@memoize
def map_defined_parts(skill: Skill) -> Mapping[str, frozenset[str]]:
    """Map each part word to the numbers that the skill may define for it, and "" to numbers without a word.

    Numbers are defined by headings, beginnings of lines and cells, items of numbered lists and file names. When in
    doubt, a number counts as defined.
    """
    numbers_by_word: dict[str, set[str]] = defaultdict(set)
    for file in skill.files:
        numbers_by_word[_ANY_WORD].update(str(int(digits)) for digits in _IN_NAME.findall(file.path))
        numbers_by_word[_ANY_WORD].update(str(number) for _, number in (file.doc.numbered if file.is_markdown else ()))
        for word, numbers in map_headings(file).items():
            numbers_by_word[word].update(numbers)
        for number, line in enumerate(file.doc.lines, 1):
            if _has_number(line):
                _add_defined_numbers(line, number, numbers_by_word)
                _add_numbers_of_series(line, numbers_by_word)
    return {word: frozenset(numbers) for word, numbers in numbers_by_word.items()}


def _add_defined_numbers(line: str, number: int, numbers_by_word: dict[str, set[str]]) -> None:
    """Add the numbers at the beginning of a line, or of one of its table cells, to `numbers_by_word`."""
    for cell in line.split("|") if "|" in line else (line,):
        begin = cell.lstrip(_LINE_START_CHARACTERS)[:_MAX_START]
        for part in find_parts(begin, number):
            if begin.startswith(part.text):
                numbers_by_word[part.word].add(part.number)
        if bare := _BARE_NUMBER.match(cell):
            numbers_by_word[_ANY_WORD].add(_to_digits(bare["number"]))


def _add_numbers_of_series(line: str, numbers_by_word: dict[str, set[str]]) -> None:
    """Add the numbers up to the last one of a series such as "Step 3/6", whose other parts are in other texts."""
    for word, last in _OF_SERIES.findall(line) if "/" in line else ():
        numbers_by_word[word.lower()].update(map(str, range(1, int(last) + 1)))


@memoize_all
def find_undefined_parts(skill: Skill) -> Iterator[UndefinedPart]:
    """Yield the parts that prose mentions but no file of the skill defines.

    A part is compared with the headings that number parts of its kind (`Step 1`, `Step 2`). If only one file has such
    headings, they count for all files. Otherwise only those of the part's own file count.
    """
    sources = group_by_key((word, file) for file in skill.instructions for word in map_headings(file))
    for file in skill.instructions if sources else ():
        for part in _find_mentioned_parts(file, sources.keys()):
            source, *others = sources.get(part.word) or [file]
            source = file if others else source
            series = map_headings(source).get(part.word, {})
            known = (part.number in map_defined_parts(skill).get(word, ()) for word in (part.word, _ANY_WORD))
            is_unknown = part.number not in series and _is_in_series(part.number, series) and not any(known)
            if is_unknown and _is_of_skill(file, part):
                yield UndefinedPart(file, part, source, series)


def _find_mentioned_parts(file: SkillFile, words: Collection[str]) -> Iterator[Part]:
    """Yield the parts with one of `words` that the prose of a file mentions, each once per line."""
    lines = file.lowercase_index.find(*words, *(() if file.lower.isascii() else _CHINESE_STARTS))
    prose = dict(file.doc.prose) if lines else {}
    for number in filter(prose.__contains__, lines):
        yield from dict.fromkeys(part for part in find_parts(prose[number], number) if part.word in words)


def _is_of_skill(file: SkillFile, part: Part) -> bool:
    """Return whether a sentence sends the reader to a part that can only belong to this skill."""
    sentence = file.doc.sentence(part.line)
    before, _, after = sentence.partition(part.text)
    is_other = _OTHER_TEXT.search(sentence) or _POSSESSIVE.search(sentence) or file.doc.is_counterexample(part.line)
    has_owner = _OWNER_PRECEDES.search(before) or _OWNER_FOLLOWS.match(after)
    return part.number != "0" and _SENDS.search(before) is not None and not is_other and not has_owner


def _is_in_series(number: str, series: Mapping[str, int]) -> bool:
    """Return whether the siblings of `number` in a series begin at 0 or 1 and have no gap.

    The siblings of `2.7` are `2.1`, `2.2` and so on. The siblings of `3` are all numbers without a dot.
    """
    major, dot, _ = number.partition(".")
    numbers = sorted(
        int(other.rpartition(".")[2]) for other in series if other.rpartition(".")[0] == (major if dot else "")
    )
    return len(numbers) > 1 and numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))
