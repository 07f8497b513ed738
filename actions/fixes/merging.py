"""Merge the drafts of a strategy if there are many, because the whole unit is scanned to verify each fix."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.fixes.proposals import propose_drafts
from actions.fixes.records import build_fix
from actions.fixes.strategies import Draft, StrategyModule
from actions.fixes.strategies.edits import RemovedStatements
from schemas.issues import Issue
from schemas.records import Fix
from schemas.vocabulary import Grade, Risk
from templates.filters import counted

MAX_UNMERGED = 20
"""Maximum number of fixes of one strategy and risk in a round. More drafts are merged into one."""
_MAX_UNMERGED_BYTES = 1_000_000
"""Maximum total size of the files that several unmerged drafts change, before and after."""
_MAX_DESCRIBED = 3
_LAST_LINE = 1 << 62


class Hunk(msgspec.Struct, frozen=True):
    """A change of a file: `lines` replace the lines from `start` (counted from 0) up to, but not including, `end`.

    If `lines` is None, the file is deleted.
    """

    start: int
    end: int
    lines: tuple[bytes, ...] | None

    def overlaps(self, other: "Hunk") -> bool:
        """Return whether both hunks change the same line or insert lines at the same place."""
        return self.start == other.start or (self.start < other.end and other.start < self.end)


Edits = tuple[tuple[str, tuple[Hunk, ...]], ...]
"""The changed lines of each file that a draft writes, sorted by path."""


class StrategyDraft(msgspec.Struct, frozen=True):
    """A draft of a strategy, and the issues that it fixes, by id. Before a merge, `draft.writes` may be empty.

    `parts` are the groups of files that belong together in a merged draft.
    """

    name: str
    module: StrategyModule
    draft: Draft
    issues: dict[str, Issue]
    edits: Edits
    parts: tuple[tuple[str, ...], ...] = ()

    @property
    def risk(self) -> Risk:
        """The risk of the draft's changes."""
        return self.draft.risk or self.module.STRATEGY.risk

    def build_fix(self, id: str, case: Case, iteration: int) -> Fix:
        """Build the record of the fix."""
        fix = build_fix(id, self.name, self.draft, [*self.issues.values()], case, iteration, self.risk)
        return replace(fix, parts=self.parts)


class _Group(msgspec.Struct):
    """The drafts of one strategy and risk, the files that they change, and their size in bytes."""

    drafts: list[StrategyDraft] = msgspec.field(default_factory=list)
    files: set[str] = msgspec.field(default_factory=set)
    spent: int = 0
    is_merged: bool = False


class DraftCollection:
    """The drafts of a round, without duplicates. Drafts of one strategy and risk are merged if there are many."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._issues: dict[object, dict[str, Issue]] = {}
        self._groups: dict[object, _Group] = defaultdict(_Group)

    @property
    def spent(self) -> int:
        """The size of the drafts in bytes: the changed files before and after, and the changed lines.

        A file that several merged drafts change is counted once.
        """
        return sum(group.spent for group in self._groups.values())

    def add(self, name: str, module: StrategyModule, draft: Draft, issues: Iterable[Issue]) -> None:
        """Add a draft with its issues, or add the issues to an equal draft that is already in the collection."""
        fixed_issues = {issue.id: issue for issue in issues}
        edits = _list_edits(draft, self._case)
        key = edits, draft.executable
        if key in self._issues:
            self._issues[key].update(fixed_issues)
            return
        self._issues[key] = fixed_issues
        new = StrategyDraft(name, module, draft, fixed_issues, edits)
        is_proven = all(issue.grade is Grade.PROVEN for issue in fixed_issues.values())
        group = self._groups[(name, new.risk) if is_proven else key]
        self._extend(group, [new])
        is_many = len(group.drafts) > MAX_UNMERGED or (len(group.drafts) > 1 and group.spent > _MAX_UNMERGED_BYTES)
        if is_many and not group.is_merged:
            drafts, group.drafts, group.spent, group.is_merged = group.drafts, [], 0, True
            group.files.clear()
            self._extend(group, drafts)

    def _extend(self, group: _Group, drafts: Iterable[StrategyDraft]) -> None:
        for draft in drafts:
            known = group.files if group.is_merged else ()
            group.spent += sum(_count_bytes(self._case, path, hunks, known) for path, hunks in draft.edits)
            group.files.update(path for path, _ in draft.edits)
            group.drafts.append(_drop_writes(draft) if group.is_merged else draft)

    def list_drafts(self) -> tuple[list[StrategyDraft], list[Issue]]:
        """Return the drafts, and the issues of the drafts that are left out.

        A draft is left out if its group is merged and it overlaps too many other drafts of the group.
        """
        drafts, left_out = list[StrategyDraft](), list[Issue]()
        for group in self._groups.values():
            rest = group.drafts
            for _ in range(MAX_UNMERGED if group.is_merged else 0):
                if rest:
                    merged, rest = merge_drafts(rest, self._case)
                    drafts.append(merged)
            if group.is_merged:
                left_out += [issue for draft in rest for issue in draft.issues.values()]
            else:
                drafts += rest
        return drafts, left_out


def draft_parts(strategy: str, issues: Sequence[Issue], case: Case) -> list[StrategyDraft]:
    """Return the drafts of a strategy for issues, without duplicates, up to the time limit."""
    parts = dict[object, StrategyDraft]()

    def propose() -> None:
        for issue in issues:
            proposals = (proposal for proposal in propose_drafts(issue, case) if proposal[0] == strategy)
            for name, module, draft in islice(proposals, 1):
                edits = _list_edits(draft, case)
                part = parts.setdefault((edits, draft.executable), StrategyDraft(name, module, draft, {}, edits))
                part.issues[issue.id] = issue

    with suppress(TimeoutError):
        case.limited(propose)
    return [*parts.values()]


def merge_drafts(drafts: Sequence[StrategyDraft], case: Case) -> tuple[StrategyDraft, list[StrategyDraft]]:
    """Merge the first draft with others that change different lines. Return the merged draft and the other drafts."""
    merged_hunks: dict[str, list[Hunk]] = defaultdict(list)
    chosen, rest = list[StrategyDraft](), list[StrategyDraft]()
    for draft in drafts:
        if any(_overlaps_any(merged_hunks[path], hunk) for path, hunks in draft.edits for hunk in hunks):
            rest.append(draft)
            continue
        chosen.append(draft)
        for path, hunks in draft.edits:
            for hunk in hunks:
                insort(merged_hunks[path], hunk, key=_get_start)
    first, edits = chosen[0], tuple(sorted((path, tuple(hunks)) for path, hunks in merged_hunks.items()))
    issues = {id: issue for draft in chosen for id, issue in draft.issues.items()}
    joined = _join_drafts([draft.draft for draft in chosen], edits, case)
    parts = _group_files([path for path, _ in draft.edits] for draft in chosen)
    return StrategyDraft(first.name, first.module, joined, issues, edits, parts if len(chosen) > 1 else ()), rest


def _group_files(drafts: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Group files so that the files that one draft changes are in one group."""
    groups: dict[str, set[str]] = {}
    for files in drafts:
        joined = set(files).union(*(groups.get(path, ()) for path in files))
        groups |= dict.fromkeys(joined, joined)
    return tuple(dict.fromkeys(tuple(sorted(group)) for group in groups.values()))


def _get_start(hunk: Hunk) -> int:
    return hunk.start


def _overlaps_any(hunks: Sequence[Hunk], new: Hunk) -> bool:
    index = bisect_left(hunks, new.start, key=_get_start)
    return any(new.overlaps(old) for old in hunks[max(index - 1, 0) : index + 1])


def _join_drafts(drafts: Sequence[Draft], edits: Edits, case: Case) -> Draft:
    writes = {path: _apply_hunks(case.find_file(path), hunks) for path, hunks in edits}
    if len(drafts) == 1:
        (draft,) = drafts
        drops, rewrites = (_join_statements([texts], writes, case) for texts in (draft.drops, draft.rewrites))
        return replace(draft, writes=writes, drops=drops, rewrites=rewrites)
    described = " ".join(draft.description for draft in drafts[:_MAX_DESCRIBED])
    files = counted(len(writes), "file")
    return Draft(
        writes,
        f"{len(drafts)} similar changes in {files}: {described}{' …' if len(drafts) > _MAX_DESCRIBED else ''}",
        " ".join(dict.fromkeys(draft.rationale for draft in drafts[:_MAX_DESCRIBED])),
        drafts[0].impact,
        sum(draft.token_limit for draft in drafts),
        _join_statements([draft.drops for draft in drafts], writes, case),
        _join_statements([draft.rewrites for draft in drafts], writes, case),
        drafts[0].risk,
        tuple(dict.fromkeys(path for draft in drafts for path in draft.executable)),
    )


class _AllStatements(msgspec.Struct, frozen=True, eq=False):
    """The statements of several drafts. Those in `removed` are computed on first use."""

    listed: tuple[str, ...]
    removed: RemovedStatements

    def __iter__(self) -> Iterator[str]:
        return chain(self.listed, self.removed)


def _join_statements(texts: Sequence[Iterable[str]], writes: dict[str, bytes | None], case: Case) -> Iterable[str]:
    listed, places = list[str](), set[tuple[str, int]]()
    for statements in texts:
        if isinstance(statements, RemovedStatements):
            places.update(statements.places)
        else:
            listed += statements
    return _AllStatements(tuple(listed), RemovedStatements(case.skill, writes, places)) if places else tuple(listed)


def _drop_writes(draft: StrategyDraft) -> StrategyDraft:
    """Return a draft without the bytes of whole files, to save memory. Its edits still contain the changed lines."""
    drops, rewrites = (
        replace(texts, writes={}) if isinstance(texts, RemovedStatements) else tuple(texts)
        for texts in (draft.draft.drops, draft.draft.rewrites)
    )
    return replace(draft, draft=replace(draft.draft, writes={}, drops=drops, rewrites=rewrites))


def _count_bytes(case: Case, path: str, hunks: Iterable[Hunk], known: Collection[str]) -> int:
    lines = sum(len(line) for hunk in hunks for line in hunk.lines or ())
    return lines if path in known else lines + 2 * len(case.find_file(path) or b"")


def _list_edits(draft: Draft, case: Case) -> Edits:
    return tuple((path, _list_hunks(case.find_file(path), new)) for path, new in sorted(draft.writes.items()))


def _list_hunks(old: bytes | None, new: bytes | None) -> tuple[Hunk, ...]:
    """Return one hunk per changed line or, if the number of lines differs, one hunk around all changes."""
    if old is None or new is None:
        return (Hunk(0, _LAST_LINE, None if new is None else (new,)),)
    was, now = old.split(b"\n"), new.split(b"\n")
    if len(was) == len(now):
        pairs = enumerate(zip(was, now, strict=True))
        return tuple(Hunk(n, n + 1, (after,)) for n, (before, after) in pairs if before != after)
    short = min(len(was), len(now))
    start = next((n for n in range(short) if was[n] != now[n]), short)
    end = next((n for n in range(short - start) if was[-n - 1] != now[-n - 1]), short - start)
    return (Hunk(start, len(was) - end, tuple(now[start : len(now) - end])),)


def _apply_hunks(old: bytes | None, hunks: Sequence[Hunk]) -> bytes | None:
    if old is None or (hunks and hunks[0].end == _LAST_LINE):
        return b"".join(hunks[0].lines) if hunks[0].lines is not None else None
    lines = old.split(b"\n")
    for hunk in reversed(hunks):
        lines[hunk.start : hunk.end] = hunk.lines or ()
    return b"\n".join(lines)
