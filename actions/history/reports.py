"""Compare the documents that runs write with the report templates in the text, by their headings."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from actions.history.facts import Fact, FactKind
from actions.regex import regex
from actions.skill.document import Document
from actions.skill.structure import Fence

_LANGUAGES = frozenset({"", "md", "markdown", "text"})
_HEADING = regex(r"\s*#{1,4}\s+(\S.*)")
_POSSIBLE_HEADING = regex(r"\s*(?:#{1,6}\s+(\S.*)|(?:[-*]\s+|\d+[.)]\s+)?\*\*([^*]+)\*\*)")
"""A line of a document that may be a heading: a Markdown heading, or a line that begins with bold words."""
_PLACEHOLDER = regex(r"[\[\]<>{}$]|\.\.\.|…|\bX\b")
_CONDITION = regex(
    r"(?i)\b(?:if|when|where|unless|optional\w*|only|omit\w*|skip\w*|as needed|applicable|may|none|or|adapt\w*)\b"
)
_EXAMPLE = regex(r"(?i)\b(?:examples?|sample|e\.g|for instance|instead of|bad|wrong|such as|like)\b")
_FOR_USER = regex(r"(?i)\b(?:in the (?:conversation|chat)|(?:to|show|tell) the user|present|display|respond|reply)\b")
"""Words above a template that indicate that it is for a message to the user, not for a file."""
_WORD = regex(r"[^\W_]+")
_MIN_HEADINGS, _MIN_SHARE = 2, 0.5
"""A document follows a template if it has at least this number and this share of the template's headings."""
_LINES_AROUND = 3
"""Number of lines around a template to search for words that make it an example or its headings optional."""
_MAX_HEADINGS = 30
"""Maximum number of headings of a template."""

Title = frozenset[str]
"""The words of a heading, regardless of order, case and plural."""


def find_headings(doc: Document) -> Iterator[Fact]:
    """Yield the headings of report templates.

    `key` has the heading, followed by all headings of its template. Templates that share a heading are alternatives, so
    that their headings are conditional.
    """
    headings = list(_find_templates(doc))
    counts = Counter(fact.key[0] for fact in headings)
    yield from (
        replace(fact, is_conditional=fact.is_conditional or any(counts[title] > 1 for title in fact.key[1:]))
        for fact in headings
    )


def _find_templates(doc: Document) -> Iterator[Fact]:
    """Yield the headings of each fence that is a report template."""
    for fence in doc.fences:
        lines = list(doc.code(fence)) if fence.lang.lower() in _LANGUAGES else []
        headings = [(index, match[1]) for index, (_, line) in enumerate(lines) if (match := _HEADING.match(line))]
        titles = tuple(_PLACEHOLDER.split(title)[0].strip(" :(*") for _, title in headings[:_MAX_HEADINGS])
        if len(titles) <= _MIN_HEADINGS or not all(titles) or _is_example(doc, fence):
            continue
        above = range(max(1, fence.start - _LINES_AROUND), fence.start)
        is_for_user = any(_FOR_USER.search(doc.line(n)) for n in above)
        is_optional = any(map(_CONDITION.search, _list_lines_around(doc, fence)))
        for (index, title), fixed in zip(headings, titles, strict=False):
            below = lines[index + 1][1] if index + 1 < len(lines) else ""
            may_vary = _PLACEHOLDER.search(title) or _CONDITION.search(title) or _CONDITION.search(below)
            yield Fact(
                FactKind.HEADING, lines[index][0], title, (fixed, *titles), f"{titles[0]}: {fixed}",
                is_order=True, is_for_user=is_for_user, is_conditional=is_optional or bool(may_vary),
            )  # fmt: skip


def _list_lines_around(doc: Document, fence: Fence) -> list[str]:
    numbers = (*range(fence.start - _LINES_AROUND, fence.start), *range(fence.end + 1, fence.end + 1 + _LINES_AROUND))
    return [doc.line(n) for n in numbers if 0 < n <= len(doc.lines)]


def _is_example(doc: Document, fence: Fence) -> bool:
    """Return whether the lines above a fence, or the title of its section, call it an example."""
    above = [doc.line(n) for n in range(max(1, fence.start - _LINES_AROUND), fence.start)]
    return doc.is_counterexample(fence.start) or any(map(_EXAMPLE.search, (*above, doc.section_at(fence.start).title)))


def read_titles(document: str) -> Sequence[Title]:
    """Return the possible headings of a document."""
    return [
        _parse_title(match[1] or match[2]) for line in document.splitlines() if (match := _POSSIBLE_HEADING.match(line))
    ]


def has_heading(titles: Sequence[Title], heading: str) -> bool:
    """Return whether one of the document's headings contains all words of a heading from a template."""
    return any(_parse_title(heading) <= title for title in titles)


def follows_template(titles: Sequence[Title], fact: Fact) -> bool:
    """Return whether a document has enough of the headings of a template. `fact` is one of these headings."""
    count = sum(has_heading(titles, heading) for heading in fact.key[1:])
    return count >= max(_MIN_HEADINGS, _MIN_SHARE * (len(fact.key) - 1))


def _parse_title(text: str) -> Title:
    return frozenset(word.lower().rstrip("s") for word in _WORD.findall(text))
