"""Where a draft may write: in a table, a quote or a bad sample only where the fault is in one; and that it is whole."""

import re
from collections.abc import Iterator, Sequence

from actions.fixes.invariants.change import Change, Hunk
from actions.fixes.invariants.statements import PROSE, Statement
from actions.skill import SkillFile
from actions.skill.document import Document
from actions.skill.text import is_item, strip_list_mark

Place = tuple[str, int, int]
"""A file, and the first and last line of a place of the fault."""
_WHOLE = re.compile(r"(?:[.!?:;…。！？：；][\"'”’」*_)\]）]*|`[*_)]*)$")
"""The end of a sentence, or of a code span, which often has no stop behind it."""


def find_misplaced(change: Change, places: Sequence[Place]) -> Iterator[str]:
    """Return what a draft changes in a table, a quote or a bad sample, where no place of the fault stands in such."""
    for file in change.touched:
        new = change.after.by_path.get(file.path)
        own = {part for path, first, last in places if path == file.path for part in _parts(file.doc, first, last)}
        for hunk in change.hunks if new and file.is_markdown else ():
            said = [(s, file.doc, change.after.files) for s in hunk.gone if s.file == file.path]
            said += [(s, new.doc, change.before.files) for s in hunk.new if new and s.file == file.path]
            for statement, doc, others in said:
                for part in sorted(_parts(doc, statement.line, statement.end, others) - own):
                    yield f"{file.path}: this edit is in {part}: {statement.text.strip()[:120]}"


def _parts(doc: Document, first: int, last: int, others: Sequence[SkillFile] = ()) -> set[str]:
    """Return what lines stand in; a table or a quote that stands whole in one of the others only moves."""
    lines, block = range(first, last + 1), "\n".join(map(doc.line, doc.stretch(first)))
    whole = (file for file in others if block in file.text)
    found = {
        "a table": any(row.line in lines for row in doc.rows) and not any(whole),
        "a quote": not doc.quotes.isdisjoint(lines) and not any(whole),
        "a sample of what not to do": any(doc.fence_at(n) and doc.is_counterexample(n) for n in lines),
    }
    return {name for name, there in found.items() if there}


def find_unfinished(change: Change) -> Iterator[str]:
    """Return the prose of a draft that ends within a sentence where what stood there did not."""
    for hunk in change.hunks:
        last = hunk.new[-1] if hunk.new else None
        file = change.after.by_path.get(last.file) if last else None
        if last and file and last.kind == PROSE and not _WHOLE.search(last.text) and _must_end(hunk, last, file):
            yield f"{last.file}: this ends within a sentence: {last.text[-120:]}"


def _must_end(hunk: Hunk, last: Statement, file: SkillFile) -> bool:
    if hunk.gone:
        return bool(_WHOLE.search(hunk.gone[-1].text))
    line = file.doc.line(last.line)
    begins = is_item(line) and last.text.startswith(" ".join(strip_list_mark(line).split()))
    return not begins and not line.lstrip().startswith("|")
