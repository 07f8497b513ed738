"""A draft as the record of a fix: what it changes with diffs and hashes, what it claims, how risky it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from hashlib import sha256

from actions.fixes.invariants.change import Change
from actions.fixes.invariants.losses import list_removals
from actions.fixes.passages import list_places
from actions.fixes.strategies import Draft
from actions.review.quotes import flatten
from actions.skill import Skill
from schemas.issues import Issue
from schemas.records import FileChange, Fix, Review
from schemas.vocabulary import FixSource, Grade, Risk

_PARSED = (
    "nothing new of medium or worse is found, the files parse, frontmatter and links are intact,"
    " no statement is lost that it did not name, the token promise is kept"
)
_HEARD = "the fault is gone, each instruction holds, a maintainer would merge it, nothing new is wrong"


def build_fix(
    id: str, name: str, draft: Draft, issues: Sequence[Issue], skill: Skill, iteration: int, risk: Risk,
    source: FixSource = FixSource.STRATEGY,
) -> Fix:  # fmt: skip
    """Make the record of a draft; `risk` is the strategy's own. What is only read has at least a medium one.

    A judge's draft that takes something out for good is of high risk, and says what.
    """
    risk = draft.risk or risk
    if any(issue.grade is Grade.READ for issue in issues):
        risk = max(risk, Risk.MEDIUM, key=list(Risk).index)
    drops, places = tuple(draft.drops), [place for issue in issues for place in list_places(issue, skill)]
    gone = (
        list_removals(Change(skill, skill.with_files(draft.writes)), drops, places) if source is FixSource.MODEL else ()
    )
    return Fix(
        id=id,
        issue_ids=tuple(issue.id for issue in issues),
        strategy=name,
        description=draft.description,
        rationale=draft.rationale + describe_removals(gone),
        changes=tuple(_change(skill, path, new) for path, new in sorted(draft.writes.items())),
        risk=Risk.HIGH if gone else risk,
        estimated_impact=draft.impact,
        verification_steps=(f"parser: {_silent(issues, source)}{_PARSED}",),
        claims=tuple(issue.fingerprint for issue in issues),
        drops=drops,
        rewrites=tuple(draft.rewrites),
        token_limit=draft.token_limit,
        source=source,
        iteration=iteration,
        takes_out=gone,
    )


def describe_removals(texts: Sequence[str]) -> str:
    """Return what the user is told of the statements that a draft takes out for good."""
    return f" It takes out for good: {' '.join(f'“{flatten(text)}”' for text in texts)}" if texts else ""


def _silent(issues: Sequence[Issue], source: FixSource) -> str:
    """Return what a parser can say of the faults: nothing of what was read, where the fix is read as well."""
    if all(issue.grade is Grade.PROVEN for issue in issues):
        return "the pattern is silent, "
    return "the words that were quoted are gone, " if source is FixSource.STRATEGY else ""


def add_review(fix: Fix, review: Review | None) -> Fix:
    """Return a fix with what a reader said of it: one that changes what the skill does is of high risk."""
    if review is None:
        return fix
    risk = Risk.HIGH if review.changes else fix.risk
    read = () if review.objections else (f"read by {review.by}: {_HEARD}",)
    return replace(fix, review=review, risk=risk, verification_steps=(*fix.verification_steps[:1], *read))


def _change(skill: Skill, path: str, new: bytes | None) -> FileChange:
    old = file.raw if (file := skill.by_path.get(path)) else None
    action = "create" if old is None else "delete" if new is None else "modify"
    return FileChange(path, action, format_diff(path, old, new), _hash(old), _hash(new))


def _hash(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()


def format_diff(path: str, old: bytes | None, new: bytes | None) -> str:
    """Return the unified diff of a change, as `git diff` would show it."""
    # cut at newlines only: a form feed or a Unicode separator does not end a line of a diff
    before, after = (re.findall(r"[^\n]*\n|[^\n]+", (data or b"").decode("utf-8")) for data in (old, new))
    names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    lines = unified_diff(before, after, *names)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def get_new_contents(fix: Fix, contents: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """Return path -> new bytes of a fix."""
    return {c.file: contents[c.sha256_after] if c.sha256_after else None for c in fix.changes}
