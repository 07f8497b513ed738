"""A Markdown file as lines, fences, sections, prose and comments. One pass, never an error."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

_FENCE = re.compile(r"^(\s*(?:>\s?)*)(`{3,}|~{3,})\s*([^`]*)$")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*)")
_NUMBERED = re.compile(r"\s{0,3}(\d{1,2})[.)、]\s")
_NESTING = frozenset({"", "markdown", "md", "text", "txt"})
_COUNTER_HEADING = re.compile(
    r"anti-?patterns?|common (?:mistakes|errors|pitfalls)|pitfalls|bad examples?|what not to do|red flags|❌|🚫"
    r"|^\W*(?:wrong|incorrect)\b|\bwhy\b.*\bwrong\b|\b(?:wrong|incorrect) (?:ways?|uses?|usage|examples?|approach)"
    r"|反模式|反例|错误示例|常见错误|错误做法"
)
_BLAME = re.compile(
    r"❌|✗|✘|🚫|\bnot like this\b|\b(?:bad|wrong|incorrect|anti-?pattern)\b|反例|错误(?:示[例范]|例子|[做写用]法|方式)"
    r"|^\W*(?:错误|不要|避免|切勿)\W*$|\((?:do not|don['’]t|never) use\b",
    re.IGNORECASE,
)
"""Words for what is shown as bad."""
_FORBIDS = re.compile(
    r"(?:^|[.;。；]\s*)\W*(?:(?:avoid|don['’]?t|do not|never)\b|不要|避免|切勿)[^.;。；]*$", re.IGNORECASE
)
"""An order not to do what comes next, as the last clause of a line."""
_LABEL_WORDS = 3
"""As many words at most before and after a blame make a line a label."""
_GOOD_LINE = re.compile(
    r"✅|✓|\b(?:good|correct|right|instead|better|prefer|(?<!not )(?<!n['’]t )(?<!never )do this)\b|正确|推荐",
    re.IGNORECASE,
)

_MAY_MARK = re.compile(
    r"[❌✗✘🚫✅✓反错不避切正推]|bad|wrong|incorrect|avoid|anti|don|do not|never|not like|good|correct|right|instead"
    r"|better|prefer|do this"
)
"""Part of each of the two above, in lower case without word borders: far quicker, so it is asked first."""


@dataclass(frozen=True)
class Fence:
    """A fenced block: `start` and `end` are the lines of the fence marks themselves."""

    start: int
    end: int
    lang: str
    closed: bool


@dataclass(frozen=True)
class Section:
    """A heading and all that stands under it, subsections included. Level 0 is the text before the first."""

    title: str
    level: int
    start: int
    end: int


@dataclass(frozen=True)
class Comment:
    """An HTML comment outside of fences."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Document:
    """The structure of one text file. Lines count from 1; `body_start` is the first line after frontmatter."""

    lines: tuple[str, ...]
    body_start: int
    fences: tuple[Fence, ...]
    sections: tuple[Section, ...]
    comments: tuple[Comment, ...]
    prose: tuple[tuple[int, str], ...]

    def line(self, number: int) -> str:
        """Give line `number` without its line end; empty outside of the document."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def code(self, fence: Fence) -> list[tuple[int, str]]:
        """Give the numbered lines inside a fence."""
        return list(enumerate(self.inside(fence), fence.start + 1))

    def inside(self, fence: Fence) -> tuple[str, ...]:
        """Give the lines inside a fence."""
        return self.lines[fence.start : fence.end - 1 if fence.closed else fence.end]

    def fence_at(self, number: int) -> Fence | None:
        """Give the fence that holds a line."""
        place = bisect_right(self._fence_starts, number) - 1
        return self.fences[place] if place >= 0 and number <= self.fences[place].end else None

    def section_at(self, number: int) -> Section:
        """Give the innermost section that holds a line."""
        return self.sections[self._innermost(number)]

    def headings_over(self, number: int) -> Iterator[Section]:
        """Give every section that holds a line, outermost first."""
        chain: list[Section] = []
        place = self._innermost(number)
        while place:
            chain.append(self.sections[place])
            place = self._parents[place]
        return reversed(chain)

    def is_counterexample(self, number: int) -> bool:
        """Tell whether a line stands in an example of what not to do."""
        found = self._counterexamples.get(number)
        if found is None:
            found = self._counterexamples[number] = self._is_counterexample(number)
        return found

    def _is_counterexample(self, number: int) -> bool:
        if self._shows_what_not_to_do[self._innermost(number)]:
            return True
        fence = self.fence_at(number)
        return fence is not None and self._marked_bad(fence, number)

    def _innermost(self, number: int) -> int:
        place = bisect_right(self._section_starts, number) - 1
        while place > 0 and self.sections[place].end < number:
            place = self._parents[place]
        return max(place, 0)

    def _marked_bad(self, fence: Fence, number: int) -> bool:
        """Tell what the nearest comment above says of a line, else what the text over its fence says."""
        if fence.start not in self._marks:
            self._marks[fence.start] = _marks_in(self.inside(fence), fence.start + 1)
        places, verdicts = self._marks[fence.start]
        mark = bisect_left(places, number) - 1
        if mark >= 0:
            return verdicts[mark]
        if fence.start not in self._blamed:
            above = (self.line(n) for n in range(fence.start - 1, max(fence.start - 4, 0), -1))
            intro = next((line for line in above if line.strip()), "")
            self._blamed[fence.start] = len(intro) < 160 and not _GOOD_LINE.search(intro) and _announces_bad(intro)
        return self._blamed[fence.start]

    @cached_property
    def prose_at(self) -> dict[int, str]:
        """The lines of prose by their numbers."""
        return dict(self.prose)

    @cached_property
    def body(self) -> list[tuple[int, str]]:
        """The numbered lines below the frontmatter that are not blank, without blanks at their ends."""
        below = enumerate(map(str.strip, self.lines[self.body_start - 1 :]), self.body_start)
        return [place for place in below if place[1]]

    @cached_property
    def _section_starts(self) -> list[int]:
        return [section.start for section in self.sections]

    @cached_property
    def _parents(self) -> list[int]:
        """For each section the place of the one around it; 0 where there is none."""
        parents: list[int] = []
        around: list[int] = []
        for place, section in enumerate(self.sections):
            while around and self.sections[around[-1]].level >= section.level:
                around.pop()
            parents.append(around[-1] if around else 0)
            if section.level:
                around.append(place)
        return parents

    @cached_property
    def _shows_what_not_to_do(self) -> list[bool]:
        """For each section whether its title, or one around it, announces what not to do."""
        shown: list[bool] = []
        for section, parent in zip(self.sections, self._parents, strict=True):
            shown.append((parent > 0 and shown[parent]) or bool(_COUNTER_HEADING.search(section.title.lower())))
        return shown

    @cached_property
    def rows(self) -> list[tuple[int, str]]:
        """The lines of prose that are rows of tables."""
        return [place for place in self.prose if place[1].lstrip().startswith("|")]

    @cached_property
    def numbered(self) -> list[tuple[int, int]]:
        """The lines of prose that begin an entry of a numbered list, with its number."""
        found = ((number, _NUMBERED.match(line)) for number, line in self.prose)
        return [(number, int(match[1])) for number, match in found if match]

    @cached_property
    def _counterexamples(self) -> dict[int, bool]:
        return {}

    @cached_property
    def _marks(self) -> dict[int, tuple[list[int], list[bool]]]:
        return {}

    @cached_property
    def _blamed(self) -> dict[int, bool]:
        return {}

    @cached_property
    def _fence_starts(self) -> list[int]:
        return [fence.start for fence in self.fences]


def parse_document(text: str) -> Document:
    """Parse a Markdown text. Unclosed fences and comments run to the end of the file."""
    lines = tuple(text.lstrip("\ufeff").split("\n"))
    if "\r" in text:
        lines = tuple(line.rstrip("\r") for line in lines)
    if lines and lines[-1] == "":
        lines = lines[:-1]
    start = frontmatter_end(lines) + 1
    fences = tuple(_fences(lines, start, [mark for mark in ("```", "~~~") if mark in text]))
    prose = tuple((n, line) for n, line in _outside(lines, start, fences) if line and not line.isspace())
    comments = tuple(_comments(lines, start, fences)) if "<!--" in text else ()
    if comments:
        hidden = {n for c in comments for n in range(c.start, c.end + 1)}
        prose = tuple(place for place in prose if place[0] not in hidden)
    return Document(lines, start, fences, tuple(_sections(lines, start, prose)), comments, prose)


def frontmatter_end(lines: tuple[str, ...]) -> int:
    """Give the line of the closing `---` of the frontmatter, 0 without one."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((n for n, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)


def _outside(lines: tuple[str, ...], start: int, fences: tuple[Fence, ...]) -> Iterator[tuple[int, str]]:
    """Give the numbered lines that stand in no fence."""
    for fence in fences:
        yield from enumerate(lines[start - 1 : fence.start - 1], start)
        start = fence.end + 1
    yield from enumerate(lines[start - 1 :], start)


def _fences(lines: tuple[str, ...], start: int, marks: Sequence[str]) -> Iterator[Fence]:
    opened: list[tuple[int, str, str]] = []
    for n in sorted({n for mark in marks for n, line in enumerate(lines[start - 1 :], start) if mark in line}):
        match = _FENCE.match(lines[n - 1])
        if match is None:
            continue
        mark, info = match[2], match[3].strip()
        if not opened:
            opened.append((n, mark, info))
        elif mark[0] == opened[-1][1][0] and not info and len(mark) >= len(opened[-1][1]):
            first, _, words = opened.pop()
            if not opened:
                yield Fence(first, n, _lang(words), closed=True)
        elif info and len(mark) == len(opened[0][1]) and _lang(opened[0][2]) in _NESTING:
            opened.append((n, mark, info))
    if opened:
        yield Fence(opened[0][0], len(lines), _lang(opened[0][2]), closed=False)


def _marks_in(lines: tuple[str, ...], first: int) -> tuple[list[int], list[bool]]:
    """Give the comments of a fence that praise or blame what follows: their lines, and whether they blame."""
    places: list[int] = []
    verdicts: list[bool] = []
    for number, line in enumerate(lines, first):
        text = line.strip()
        if not text.startswith(("//", "#", "--", "/*")) or not _MAY_MARK.search(text.lower()):
            continue
        good = bool(_GOOD_LINE.search(text))
        if good or _announces_bad(text):
            places.append(number)
            verdicts.append(not good and len(text) < 120)
    return places, verdicts


def _announces_bad(line: str) -> bool:
    """Tell whether a line says of what stands below it that it is bad: a label, or an order that ends with a colon."""
    text = line.strip().strip("*_`")
    announces = text.endswith((":", "："))
    found = _BLAME.search(text)
    if found and (announces or len(text[: found.start()].split()) <= _LABEL_WORDS):
        return True
    forbidden = _FORBIDS.search(text)
    return bool(forbidden) and (announces or len(text.split()) <= _LABEL_WORDS)


def _lang(info: str) -> str:
    return info.split()[0].strip("{}.").lower() if info.split() else ""


def _comments(lines: tuple[str, ...], start: int, fences: tuple[Fence, ...]) -> Iterator[Comment]:
    fenced = {n for fence in fences for n in range(fence.start, fence.end + 1)}
    first = 0
    parts: list[str] = []
    for n in range(start, len(lines) + 1):
        line = lines[n - 1]
        if not first:
            if n in fenced or not line.lstrip().startswith("<!--"):
                continue
            first, parts = n, []
        parts.append(line)
        if "-->" in line:
            yield Comment(first, n, "\n".join(parts))
            first = 0
    if first:
        yield Comment(first, len(lines), "\n".join(parts))


def _sections(lines: tuple[str, ...], start: int, prose: tuple[tuple[int, str], ...]) -> Iterator[Section]:
    marked = ((n, _HEADING.match(line)) for n, line in prose if "#" in line)
    heads = [(n, len(m[1]), m[2].rstrip().rstrip("#").rstrip()) for n, m in marked if m]
    last = len(lines)
    yield Section("", 0, start, heads[0][0] - 1 if heads else last)
    ends: list[int] = [last] * len(heads)
    open_heads: list[int] = []
    for i, (n, level, _) in enumerate(heads):
        while open_heads and heads[open_heads[-1]][1] >= level:
            ends[open_heads.pop()] = n - 1
        open_heads.append(i)
    for (n, level, title), end in zip(heads, ends, strict=True):
        yield Section(title, level, n, end)
