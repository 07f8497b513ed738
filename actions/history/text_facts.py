"""Parse the facts of a text: commands, files, skills, agents, tools, JSON fields, approval gates, prompts, rules."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice

from msgspec.structs import replace

from actions.grouping import group_by_key
from actions.history.commands import is_specific, parse_form, parse_key
from actions.history.facts import Fact, FactKind
from actions.history.reports import find_headings
from actions.history.steps import TextStep, find_steps, strip_tags
from actions.history.text_names import find_names, is_negative
from actions.memo import memoize
from actions.regex import regex
from actions.session.shell import split_commands
from actions.skill.budget import find_rules
from actions.skill.document import Document
from actions.skill.references import find_links, find_spans
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Fence
from actions.skill.text import is_item

_MAX_TEXT, _MAX_AROUND = 200, 300
"""Maximum numbers of characters of a fact's text, and of the text around a command that may forbid it."""
_MAX_ABOVE = 60
"""Maximum number of lines above a line to search for its lead-in lines."""
_MAX_CALLS, _MAX_CALL_LENGTH = 50, 8_000
"""Maximum numbers of sub-agent calls to read in a fence, and of characters of a call."""

_CONDITION = regex(
    r"(?i)\b(?:if|when|whenever|unless|optional(?:ly)?|otherwise|only|examples?|e\.g|in case|alternatively|depending"
    r"|fallback|fall back|as needed|might|instead|unsure|detect\w*|mentions?|such as|not yet)\b|如果|可选|例如"
)
"""Words that make an instruction conditional."""
_ALTERNATIVE = regex(r"(?i)\b(?:or|either|any|one of|can|could|may|per|where|like|without|skip|until)\b|\?|->|→|::|或")
"""Words in a line that indicate that a file or a name is one of several choices."""
_ASIDE_TITLE = regex(
    r"(?i)\b(?:usage|examples?|troubleshoot\w*|related|prerequisites?|when to|mistakes?|pitfalls?|quick reference|faq"
    r"|errors?|notes?|see also|resources?|references?|documentation|optional|alternatives?|options?|tips?|appendix"
    r"|overview|background|about|conditional|if|output|format|template|anti-patterns?|commands|cheat ?sheet|recovery)\b"
)
"""Words in titles of sections that not every run follows."""
_CASES_LABEL = regex(r"(?i)\W*(?:when|if) (?:to use|needed|to run|applicable)\W*$")
"""A label above a list of cases, which makes the rest of its section conditional."""
_JUMP = regex(
    r"(?i)\b(?:skip|jump|go|proceed|continue|return|move|fall)\b[^.\n]{0,60}?\b(?:step|phase|stage|part)\s+(\d+[a-z]?)\b"
)
"""An instruction to continue at another step."""
_FORBIDS_LIST = regex(
    r"(?i)(?:(?:\bnever|\bdo not|\bdon['’]t|\bmust not)\W{1,4}(?:ever |directly )?(?:run|use|call|invoke|execute)\b"
    r"|\b(?:forbidden|prohibited)\b)[^.:`]{0,120}:\s*\W*$"
)
_FORBIDS_NEXT = regex(
    r"(?i)(?:\bnever|\bdo not|\bdon['’]t|\bmust not|❌|🚫)\W*(?:(?:ever|directly|manually|just|simply)\s+)?"
    r"(?:(?:run|use|call|invoke|execute|using|running)\s+(?:(?:the|raw|direct|plain|bare)\s+)*)?$"
)
_RUN_ORDER = regex(
    r"(?i)(?:^|[.:;]\s+|\d[.)]\s+|[-*]\s+|\*\*)\W{0,2}(?:(?:then|first|always|now),?\s+)?(?:run|execute)\b\W{0,4}$"
)
"""The words before a command in an instruction to run it."""
_NO_CONDITION = regex(r"(?i)\s*(?:$|[—–:(.,;/*_|]|-\s|and\b|or\b|directly\W*$|manually\W*$)")
"""The text after a command that is forbidden for every purpose, not only "to …" or "for …"."""
_CHOICE = " / "
"""The separator between alternative commands."""
_BULLETS = ("-", "*")
_IS_COMMAND = regex(r"[a-z][\w./-]* [\w./<\[\"'$-]")
_READ_ORDER = regex(
    r"(?i)^\W*(?:\d+[.)]\s*)?(?:[*_]{2})?(?:first,?\s+|then,?\s+|always\s+|must\s+)?(?:read|load|open)\b"
)
_IMPORT = regex(r"^\s*(?:[-*]\s+)?@([\w./-]+\.\w{1,5})\s*$")
_INSPECT_ORDER = regex(r"(?i)\b(?:check|identify|detect|determine|look|inspect|find)\w*\b")
_BARE_FILE = regex(r"\.[\w-]+|\.?[\w-]+(?:\.[\w-]+){1,2}")
_MAX_CHECKS, _MAX_ITEMS = 20, 8
"""Maximum numbers of numbered lists of files to inspect, and of lines of such a list."""
_CALL = regex(r"\b(?:Task|Agent)\s*\(")
_ARGUMENT = regex(r"\b(subagent_type|model|description|prompt)\s*[:=]\s*\"((?:[^\"\\]|\\.)*)\"")
_PATH = regex(r"[\w./-]+")


@memoize
def parse_facts(file: SkillFile) -> tuple[Fact, ...]:
    """Return the facts of a text in the order of their lines. A fact on several lines is returned once."""
    steps = find_steps(file)
    file = strip_tags(file)
    doc = file.doc
    contexts = _LineContexts(doc, steps)
    facts = [
        *_find_commands(doc),
        *_find_files(file),
        *find_names(doc),
        *_find_prompts(doc),
        *find_headings(doc),
        *islice(_find_checks(doc), _MAX_CHECKS),
        *(
            Fact(FactKind.RULE, rule.line, rule.text[:_MAX_TEXT], (rule.text,))
            for rule in find_rules(Skill("text", (_rename_to_main(file),)))
        ),
    ]
    completed = sorted(map(contexts.add_context, facts), key=lambda fact: fact.line)
    groups = group_by_key((fact.identity, fact) for fact in completed).values()
    return tuple(sorted(map(_merge_facts, groups), key=lambda fact: (fact.line, fact.kind)))


def _rename_to_main(file: SkillFile) -> SkillFile:
    return replace(file, path="SKILL.md")


def _merge_facts(facts: list[Fact]) -> Fact:
    """Merge equal facts, keeping the line that orders the fact, preferably without a condition."""
    first = min(facts, key=lambda fact: (not fact.is_order, fact.is_conditional, fact.line))
    return replace(first, other_lines=tuple(dict.fromkeys(f.line for f in facts if f.line != first.line)))


@lru_cache(maxsize=4096)
def _has_condition(line: str) -> bool:
    return _CONDITION.search(line) is not None


@lru_cache(maxsize=4096)
def _has_alternative(line: str) -> bool:
    return _ALTERNATIVE.search(line) is not None


class _LineContexts:
    """Determines the step that contains a line, and whether the line is conditional."""

    def __init__(self, doc: Document, steps: Sequence[TextStep]) -> None:
        self._doc = doc
        self._steps = steps
        sections = [s for s in doc.sections if s.level and (_ASIDE_TITLE.search(s.title) or _CONDITION.search(s.title))]
        labels = ((line, doc.section_at(line).end) for line, text in doc.prose if _CASES_LABEL.match(text))
        asides = [*((section.start, section.end) for section in sections), *labels]
        self._asides = frozenset(line for start, end in asides for line in range(start, end + 1))
        self._starts = [s.start for s in self._steps]
        self._skippable = frozenset(self._find_skippable_steps())
        self._rows = {row.line for row in doc.rows}
        self._conditions = [n for n, text in doc.prose if _has_condition(text)]

    def add_context(self, fact: Fact) -> Fact:
        """Return a fact with `step` and `is_conditional` set."""
        step = self._find_step(fact.line)
        if fact.kind in (FactKind.HEADING, FactKind.MESSAGE):
            return replace(fact, step=step)
        is_conditional = fact.is_conditional or step in self._skippable or self._is_conditional(fact.line)
        if fact.kind is FactKind.COMMAND and not is_conditional:
            is_conditional = self._follows_condition(fact.line)
        return replace(fact, step=step, is_conditional=is_conditional)

    def _find_skippable_steps(self) -> Iterator[int]:
        """Yield the steps that a run may skip because of an instruction to continue at another step."""
        numbers = [step.number for step in self._steps]
        positions = {number: n for n, number in reversed(list(enumerate(numbers, 1)))}
        ends = [0] * (len(numbers) + 1)
        for line, text in self._doc.prose if self._steps else ():
            start = self._find_step(line)
            targets = (positions.get(target.lower(), len(numbers) + 1) for target in _JUMP.findall(text))
            ends[start] = max((ends[start], *targets))
        furthest = accumulate(ends, max)
        yield from (n for n, end in enumerate(furthest, 1) if end > n)

    def _find_step(self, line: int) -> int:
        number = bisect_right(self._starts, line)
        return number if number and line <= self._steps[number - 1].end else 0

    def _follows_condition(self, line: int) -> bool:
        """Return whether an earlier line of the same section, and of the same step if there is one, has a condition."""
        step = self._find_step(line)
        start = max(self._doc.section_at(line).start, self._starts[step - 1] if step else 0)
        index = bisect_left(self._conditions, start)
        return index < len(self._conditions) and self._conditions[index] < line

    def _is_conditional(self, line: int) -> bool:
        """Return whether a line, its lead-in lines or the title of its section make it conditional."""
        doc = self._doc
        if line in self._asides or doc.is_counterexample(line):
            return True
        fence = doc.fence_at(line)
        if line in self._rows or (not fence and (self._has_condition(line) or self._offers_choice(line))):
            return True
        return any(map(self._has_condition, self._find_lead_ins(fence.start if fence else line)))

    def _has_condition(self, line: int) -> bool:
        return _has_condition(self._doc.line(line))

    def _offers_choice(self, line: int) -> bool:
        return _has_alternative(self._doc.line(line))

    def _find_lead_ins(self, line: int) -> Iterator[int]:
        """Yield the numbers of a line's lead-in lines: the paragraph before it, and the list items that contain it."""
        text = self._doc.line(line)
        indent, is_in_list = _count_indent(text), is_item(text)
        number = line - 1
        while number > 0 and not self._doc.line(number).strip():
            number -= 1
        end = max(0, number - _MAX_ABOVE)
        while number > end and (text := self._doc.line(number)).strip() and not text.startswith("#"):
            if not (is_in_list and is_item(text) and _count_indent(text) >= indent):
                yield number
                indent, is_in_list = min(indent, _count_indent(text)), is_item(text)
            number -= 1


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _find_commands(doc: Document) -> Iterator[Fact]:
    for fence in doc.fences:
        if fence.is_shell:
            yield from _find_fence_commands(doc, fence)
    for span in doc.spans:
        parts = split_commands(span.text) if _IS_COMMAND.match(span.text) else ()
        key = parse_key(parts[0]) if parts else ()
        is_forbidden = len(key) > 1 and _is_forbidden(doc, span.line, span.text)
        if is_forbidden or (len(key) > 1 and is_specific(key)):
            line = doc.line(span.line)
            is_denied = not is_forbidden and is_negative(line)
            before = line.partition(f"`{span.text}`")[0]
            is_order = not is_denied and not is_forbidden and _RUN_ORDER.search(before) is not None
            yield Fact(
                FactKind.COMMAND, span.line, span.text[:_MAX_TEXT], key, parse_form(parts[0]), is_order=is_order,
                is_conditional=is_denied, is_forbidden=is_forbidden,
            )  # fmt: skip


def _find_fence_commands(doc: Document, fence: Fence) -> Iterator[Fact]:
    depth = 0  # of nested conditions and loops
    for start, text in _join_lines(doc, fence):
        first = text.split(None, 1)[0]
        for part in split_commands(text):
            key = parse_key(part)
            if is_specific(key) and not key[0].startswith("/"):
                is_choice = depth > 0 or first in ("if", "for", "while") or _CHOICE in text
                is_conditional = is_choice or doc.is_counterexample(start)
                yield Fact(
                    FactKind.COMMAND, start, " ".join(text.split())[:_MAX_TEXT], key, parse_form(part),
                    is_order=True, is_conditional=is_conditional,
                )  # fmt: skip
        depth += first in ("if", "for", "while", "case")
        depth -= first in ("fi", "done", "esac", "fi;", "done;")


def _join_lines(doc: Document, fence: Fence) -> Iterator[tuple[int, str]]:
    """Yield (number, line) for each line of shell code, joined with the next after a backslash or in open quotes."""
    text, start = "", 0
    for number, line in doc.code(fence):
        line = line.strip().removeprefix("$ ")
        if not text and (not line or line.startswith("#")):
            continue
        start = start or number
        text = f"{text}\n{line}" if text else line
        if not line.endswith("\\") and text.count('"') % 2 == 0 and text.count("'") % 2 == 0:
            yield start, text
            text, start = "", 0


def _is_forbidden(doc: Document, line: int, text: str) -> bool:
    """Return whether the line of a command, or the line that introduces its list, forbids it for every purpose."""
    item = doc.line(line)
    before, _, after = item.partition(f"`{text}`")
    before, after = before[-_MAX_AROUND:], after[:_MAX_AROUND]
    if not _NO_CONDITION.match(after):
        return False
    if _FORBIDS_NEXT.search(f"{before.rstrip('`*_ ')} "):
        return True
    if item.lstrip()[:1] not in _BULLETS or len(before) == _MAX_AROUND or not _follows_only_commands(before):
        return False
    number, end = line - 1, max(0, line - _MAX_ABOVE)
    while number > end and (not (other := doc.line(number).strip()) or other.startswith(("- ", "* "))):
        number -= 1
    return _FORBIDS_LIST.search(doc.line(number)) is not None


def _follows_only_commands(before: str) -> bool:
    """Return whether only a list mark or other code spans come before a code span."""
    rest = before.lstrip(" -*")
    return not any(piece.strip(" /,") for piece in rest.split("`")[::2])


def _find_files(file: SkillFile) -> Iterator[Fact]:
    for number, line in file.doc.prose:
        if match := _IMPORT.match(line):
            yield Fact(FactKind.IMPORT, number, f"@{match[1]}", (match[1],), is_order=True)
    for reference in (*find_links(file), *find_spans(file)):
        target = reference.target.removeprefix("./")
        if target and _PATH.fullmatch(target) and not file.doc.is_counterexample(reference.line):
            line = file.doc.line(reference.line)
            is_order = _READ_ORDER.search(line) is not None and not is_negative(line)
            yield Fact(FactKind.FILE, reference.line, target, (target,), is_order=is_order)


def _find_prompts(doc: Document) -> Iterator[Fact]:
    """Yield the templates of sub-agent calls. Their `key` alternates argument names and values."""
    for fence in doc.fences:
        text = "\n".join(doc.lines_inside(fence))
        for call in islice(_CALL.finditer(text), _MAX_CALLS):
            arguments = _ARGUMENT.findall(text[call.end() : _find_call_end(text, call.end())])
            if arguments:
                line = fence.start + 1 + text.count("\n", 0, call.start())
                key = tuple(word for name_and_value in arguments for word in name_and_value)
                yield Fact(FactKind.PROMPT, line, " ".join(key)[:_MAX_TEXT], key, is_order=True)


def _find_checks(doc: Document) -> Iterator[Fact]:
    """Yield a fact for each numbered list of files to inspect.

    Its `key` has the names of the files, followed by the last line of the section.
    """
    spans_by_line = group_by_key((span.line, span.text) for span in doc.spans)
    lines = sorted({line for line, _ in doc.numbered})
    for first in sorted({line for line, number in doc.numbered if number == 1}):
        lead = next((n for n in range(first - 1, max(0, first - 4), -1) if doc.line(n).strip()), 0)
        items = lines[bisect_left(lines, first) : bisect_left(lines, first + _MAX_ITEMS)]
        names = [name for line in items for name in spans_by_line.get(line, ())[:1] if _BARE_FILE.fullmatch(name)]
        if lead and len(names) > 1 and _INSPECT_ORDER.search(doc.line(lead)) and len(names) * 2 >= len(items):
            end = doc.section_at(lead).end
            text = " ".join(doc.line(lead).split())[:_MAX_TEXT]
            yield Fact(FactKind.CHECK, lead, text, (*names, str(end)), is_order=True)


def _find_call_end(text: str, start: int) -> int:
    end = text.find("\n)", start, start + _MAX_CALL_LENGTH)
    return end if end >= 0 else start + _MAX_CALL_LENGTH
