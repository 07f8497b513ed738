"""Build the record of a fix from a draft: diffs, hashes, claims and risk."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from msgspec.structs import replace

from actions.case import Case
from actions.fixes.invariants.change import Change
from actions.fixes.invariants.losses import list_removals
from actions.fixes.passages import list_line_ranges
from actions.fixes.strategies import Draft
from actions.fixes.unified_diff import format_unified_diff
from actions.review.quotes import flatten
from actions.secrets import withhold_values
from schemas.issues import Issue
from schemas.records import FileChange, Fix, Review
from schemas.vocabulary import FixSource, Grade, Risk

_CHECKED_BY_PARSERS = (
    "no new finding of medium severity or worse, all files parse, frontmatter and links are intact,"
    " only the statements that the fix names are removed, its token limit is kept"
)
EXECUTABLE = 0o755
"""The mode that git records for an executable file. On disk, everyone who can read the file can then execute it."""
_CHECKED_BY_REVIEW = (
    "the fault is gone, every instruction still applies, a maintainer would merge the fix, no new fault"
)


def build_fix(
    id: str, name: str, draft: Draft, issues: Sequence[Issue], case: Case, iteration: int, risk: Risk,
    source: FixSource = FixSource.STRATEGY,
) -> Fix:  # fmt: skip
    """Build the record of a fix from a draft.

    Its risk is `draft.risk` or, if that is None, `risk`. If one of the issues is not proven, the risk is at least
    medium. If a model's draft permanently removes statements, the risk is high and the rationale lists the statements.
    """
    risk = draft.risk or risk
    if any(issue.grade is Grade.READ for issue in issues):
        risk = max(risk, Risk.MEDIUM, key=list(Risk).index)
    skill, drops = case.skill, tuple(draft.drops)
    ranges = [lines for issue in issues for lines in list_line_ranges(issue, skill)]
    removals = (
        list_removals(Change(skill, skill.with_files(draft.writes)), drops, ranges) if source is FixSource.MODEL else ()
    )
    return Fix(
        id=id,
        issue_ids=tuple(issue.id for issue in issues),
        strategy=name,
        description=withhold_values(draft.description),
        rationale=withhold_values(draft.rationale + describe_removals(removals)),
        changes=_show_renames([_make_change(case, draft, path, new) for path, new in sorted(draft.writes.items())]),
        risk=Risk.HIGH if removals else risk,
        estimated_impact=draft.impact,
        verification_steps=(f"parser: {_describe_proof(issues, source)}{_CHECKED_BY_PARSERS}",),
        claims=tuple(issue.fingerprint for issue in issues),
        drops=drops,
        rewrites=tuple(draft.rewrites),
        token_limit=draft.token_limit,
        source=source,
        iteration=iteration,
        takes_out=removals,
    )


def describe_replacement(id: str) -> str:
    """Return the clause that is added to the reason of a fix when the fix `id` replaces it."""
    return f"{id} replaces it"


def find_replaced(fix: Fix, fixes: Iterable[Fix]) -> Fix | None:
    """Return the fix that another fix was drafted to replace, or None."""
    clause = describe_replacement(fix.id)
    return next((other for other in fixes if (other.reason or "").endswith(clause)), None)


def describe_removals(texts: Sequence[str]) -> str:
    """Return a sentence with the statements that a draft permanently removes, or "" if there are none."""
    return f" The fix permanently removes: {' '.join(f'“{flatten(text)}”' for text in texts)}" if texts else ""


def _describe_proof(issues: Sequence[Issue], source: FixSource) -> str:
    """Return a clause with the parsers' proof that the faults are gone, or "" if only a review can verify it."""
    if all(issue.grade is Grade.PROVEN for issue in issues):
        return "the pattern no longer reports the fault, "
    return "the quoted words are gone, " if source is FixSource.STRATEGY else ""


def add_review(fix: Fix, review: Review | None) -> Fix:
    """Add a review to a fix. If the fix changes what the skill does, its risk is high."""
    if review is None:
        return fix
    risk = Risk.HIGH if review.changes else fix.risk
    step = () if review.objections else (f"reviewed in a second reading by {review.by}: {_CHECKED_BY_REVIEW}",)
    return replace(fix, review=review, risk=risk, verification_steps=(*fix.verification_steps[:1], *step))


def _make_change(case: Case, draft: Draft, path: str, new: bytes | None) -> FileChange:
    old = case.find_file(path)
    action = "create" if old is None else "delete" if new is None else "modify"
    mode = EXECUTABLE if path in draft.executable else None
    modes = f"diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n" if mode else ""
    return FileChange(path, action, modes + format_diff(path, old, new), _hash_bytes(old), _hash_bytes(new), mode)


def _show_renames(changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """Show a file that gets another name, and the same contents, as git does: without its lines.

    The diff of the file that is deleted names both, and that of the file that is created is empty.
    """
    deleted = {change.sha256_before: change.file for change in changes if change.action == "delete"}
    created = {change.sha256_after: change.file for change in changes if change.action == "create" and not change.mode}
    diffs = {deleted[hash]: _format_rename(deleted[hash], created[hash]) for hash in deleted.keys() & created.keys()}
    diffs |= {created[hash]: "" for hash in deleted.keys() & created.keys()}
    return tuple(replace(change, diff=diffs.get(change.file, change.diff)) for change in changes)


def _format_rename(old: str, new: str) -> str:
    return f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"


def _hash_bytes(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()


def format_diff(path: str, old: bytes | None, new: bytes | None) -> str:
    """Return the unified diff of a change, as `git diff` would show it."""
    # Not `splitlines`: a form feed or a Unicode separator does not end a line of a diff.
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", (data or b"").decode("utf-8")) for data in (old, new))
    names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    lines = format_unified_diff(before, after, *names)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def get_new_contents(fix: Fix, contents: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """Map the paths of a fix to their new bytes, or None for a deleted file. `contents` maps hashes to bytes."""
    return {c.file: contents[c.sha256_after] if c.sha256_after else None for c in fix.changes}


def list_executable(fix: Fix) -> tuple[str, ...]:
    """Return the files that a fix makes executable."""
    return tuple(change.file for change in fix.changes if change.mode == EXECUTABLE)
