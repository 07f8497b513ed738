"""What the strategies draft for the issues of a skill, without a model, in the order in which it is applied."""

from collections.abc import Collection, Iterator, Sequence

from actions.patterns import all_patterns
from actions.scoring.issues import counted
from actions.skill import Case, Skill
from actions.strategies import Draft, StrategyModule, named
from schemas.issues import Issue
from schemas.vocabulary import Family

ORDER = (
    Family.DATAFLOW,
    Family.AGENT,
    Family.CONTEXT,
    Family.MEMORY,
    Family.SPEC,
    Family.AUTHORING,
    Family.CONFLICT,
    Family.REDUNDANCY,
    Family.TOKENS,
    Family.CUSTOM,
)
"""In this order fixes are applied: data flow, agents, context and memory first, on which the rest builds."""
MOST = 4_000_000
"""Bytes of files, before and after, that the drafts of one round may change: each costs as much as its whole files.

What is left is for the next."""


def in_order(issues: Sequence[Issue]) -> list[Issue]:
    """Return the open issues of the skill in the order in which they are mended."""
    return sorted(
        counted(issues), key=lambda i: (ORDER.index(i.type), i.priority, i.location.file, i.location.line_start or 0)
    )


def forced(issues: Sequence[Issue], case: Case) -> Iterator[str]:
    """Return the ids of the open issues that a strategy mends without a model, as many as one round may draft."""
    spent = 0
    for issue in in_order(issues):
        found = next(proposals(issue, case), None) if spent < MOST else None
        if found:
            yield issue.id
            spent += size_of(found[2], case.skill)


def size_of(draft: Draft, skill: Skill) -> int:
    """Return the bytes of the files that a draft changes, before and after."""
    old = (skill.by_path[path].raw for path in draft.writes if path in skill.by_path)
    return sum(map(len, old)) + sum(len(new or b"") for new in draft.writes.values())


def proposals(issue: Issue, case: Case, dead: Collection[str] = ()) -> Iterator[tuple[str, StrategyModule, Draft]]:
    """Return what the strategies of an issue's pattern draft, the best first; those that are `dead` draft nothing."""
    pattern = all_patterns().get(issue.pattern)
    for name in pattern.PATTERN.strategies if pattern else ():
        module = named(name) if name not in dead else None
        draft = module.propose(issue, case) if module else None
        files = {path: file.raw for path in (draft.writes if draft else ()) if (file := case.skill.by_path.get(path))}
        if module and draft and any(files.get(path) != new for path, new in draft.writes.items()):
            yield name, module, draft
