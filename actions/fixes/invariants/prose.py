"""Find edits in a table, quote or bad example that does not contain the fault, and unfinished sentences."""

from collections.abc import Iterator, Sequence

from actions.fixes.invariants.change import Change, Hunk
from actions.fixes.invariants.statements import PROSE, Statement
from actions.fixes.line_range import LineRange
from actions.regex import regex
from actions.skill import SkillFile
from actions.skill.document import Document
from actions.skill.text import is_item, strip_list_mark

_SENTENCE_END = regex(r"(?:[.!?:;…。！？：；][\"'”’」*_)\]）]*|`[*_)]*)$")
"""The end of a sentence, or of a code span, which often has no full stop."""


def find_misplaced_edits(change: Change, ranges: Sequence[LineRange]) -> Iterator[str]:
    """Yield an objection for each edit in a table, quote or bad example if the fault (`ranges`) is not in one.

    A new quote is allowed in a file that already has quotes, because its questions may be formatted as quotes.
    """
    for file in change.changed_files:
        new = change.after.by_path.get(file.path)
        parts_with_fault = {
            part for path, first, last in ranges if path == file.path for part in _list_parts(file.doc, first, last)
        }
        usual_parts = parts_with_fault | ({"a quote"} if file.doc.quotes else set())
        for hunk in change.hunks if new and file.is_markdown else ():
            edited = [(s, file.doc, change.after.files, parts_with_fault) for s in hunk.removed if s.file == file.path]
            edited += [
                (s, new.doc, change.before.files, usual_parts) for s in hunk.added if new and s.file == file.path
            ]
            for statement, doc, others, allowed in edited:
                for part in sorted(_list_parts(doc, statement.line, statement.end, others) - allowed):
                    yield f"{file.path}: this edit is in {part}, but the fault is not: {statement.excerpt}"


def _list_parts(doc: Document, first: int, last: int, others: Sequence[SkillFile] = ()) -> set[str]:
    """Return which of these parts contain the lines: a table, a quote, or an example of what not to do.

    A table or quote that is also in one of the `others` does not count, because the fix has only moved it.
    """
    lines, block = range(first, last + 1), "\n".join(map(doc.line, doc.passage_at(first)))
    has_moved = any(block in file.text for file in others)
    found = {
        "a table": any(row.line in lines for row in doc.rows) and not has_moved,
        "a quote": not doc.quotes.isdisjoint(lines) and not has_moved,
        "an example of what not to do": any(doc.fence_at(n) and doc.is_counterexample(n) for n in lines),
    }
    return {name for name, is_inside in found.items() if is_inside}


def find_unfinished_sentences(change: Change) -> Iterator[str]:
    """Yield an objection for each added text that ends in mid-sentence, unless the replaced text did, too."""
    for hunk in change.hunks:
        last = hunk.added[-1] if hunk.added else None
        file = change.after.by_path.get(last.file) if last else None
        if (
            last
            and file
            and last.kind == PROSE
            and not _SENTENCE_END.search(last.text)
            and _must_be_complete(hunk, last, file)
        ):
            yield f"{last.file}: this sentence is cut off; end it with a full stop: {last.text[-120:]}"


def _must_be_complete(hunk: Hunk, last: Statement, file: SkillFile) -> bool:
    """Return whether the last added statement must end like a sentence, unlike some list items and table rows."""
    if is_item(file.doc.line(last.end)) and not _items_have_full_stops(file):
        return False
    if hunk.removed:
        return bool(_SENTENCE_END.search(hunk.removed[-1].text))
    line = file.doc.line(last.line)
    begins = is_item(line) and last.text.startswith(" ".join(strip_list_mark(line).split()))
    return not begins and not line.lstrip().startswith("|")


def _items_have_full_stops(file: SkillFile) -> bool:
    """Return whether at least half of a file's list items end their first line with a full stop."""
    items = [line.rstrip() for _, line in file.doc.prose if is_item(line)]
    return 2 * sum(_SENTENCE_END.search(line) is not None for line in items) >= len(items)
