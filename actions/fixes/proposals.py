"""Get the drafts of the strategies, which need no model, in the order in which fixes are applied."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from actions.case import Case
from actions.fixes.strategies import Draft, StrategyModule, find_strategy
from actions.patterns import get_patterns
from actions.scoring.issues import select_counted_issues
from schemas.issues import Issue

DRAFT_LIMIT = 4_000_000
"""Maximum total size in bytes, before and after, of the files that the drafts of one round change."""


def sort_by_fix_order(issues: Sequence[Issue]) -> list[Issue]:
    """Return the open issues, sorted by the order in which they will be fixed."""
    return sorted(
        select_counted_issues(issues),
        key=lambda i: (i.type.fix_order, i.priority, i.location.file, i.location.line_start or 0),
    )


def find_fixable(issues: Sequence[Issue], case: Case) -> tuple[list[str], int]:
    """Return the ids of the open issues that strategies can fix in one round, and the number of untried issues.

    Issues are untried if the limit of bytes or time is reached first.
    """
    fixable, rest = list[str](), sort_by_fix_order(issues)

    def propose() -> None:
        spent = 0
        while rest and spent < DRAFT_LIMIT:
            for _, _, draft in islice(propose_drafts(rest[0], case), 1):
                fixable.append(rest[0].id)
                spent += count_bytes(draft, case)
            del rest[0]

    with suppress(TimeoutError):
        case.limited(propose)
    return fixable, len(list_with_strategy(rest))


def list_with_strategy(issues: Sequence[Issue]) -> tuple[str, ...]:
    """Return the ids of issues whose pattern has an automatic strategy."""
    return tuple(issue.id for issue in issues if any(map(find_strategy, _list_strategies(issue))))


def _list_strategies(issue: Issue) -> tuple[str, ...]:
    pattern = get_patterns().get(issue.pattern)
    return tuple(pattern.PATTERN.strategies) if pattern else ()


def count_bytes(draft: Draft, case: Case) -> int:
    """Count the bytes of the files that a draft changes, before and after."""
    return sum(len(case.find_file(path) or b"") + len(new or b"") for path, new in draft.writes.items())


def propose_drafts(
    issue: Issue, case: Case, skipped: Collection[str] = ()
) -> Iterator[tuple[str, StrategyModule, Draft]]:
    """Yield (name, strategy, draft) for each strategy that can fix an issue and is not in `skipped`, best first."""
    for name in _list_strategies(issue):
        module = find_strategy(name) if name not in skipped else None
        draft = module.propose(issue, case) if module else None
        if module and draft and _changes_something(draft, case):
            yield name, module, draft


def _changes_something(draft: Draft, case: Case) -> bool:
    return bool(draft.executable) or any(case.find_file(path) != new for path, new in draft.writes.items())
