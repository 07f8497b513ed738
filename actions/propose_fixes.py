"""action-propose-fixes: strategies draft mends of the open issues; drafts become fixes with diffs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from hashlib import sha256

from actions.model import Case, Skill
from actions.outcome import Keep, Outcome, Tools
from actions.patterns import all_patterns
from actions.strategies import Draft, StrategyModule, named
from schemas.records import FileChange, Fix, Issue, State
from schemas.vocabulary import Confidence, Family, FixStatus, IssueStatus, Risk

ORDER = (
    Family.SPEC,
    Family.DATAFLOW,
    Family.AUTHORING,
    Family.AGENT,
    Family.CONTEXT,
    Family.MEMORY,
    Family.CONFLICT,
    Family.REDUNDANCY,
    Family.TOKENS,
    Family.CUSTOM,
)
"""In this order fixes are applied: what others build on comes first."""
STEPS = (
    "the finding is gone",
    "no new finding of medium or worse",
    "frontmatter and links are intact",
    "no rule is lost",
    "the token promise is kept",
)


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Draft a fix for every open issue that a strategy can mend. What failed before is not proposed again.

    A fix of an earlier round that was not chosen keeps its id and is drafted anew, or it is refused.
    """
    drafts = _drafts(state, case)
    waiting = {fix.id: fix for fix in state.proposed_fixes if fix.status is FixStatus.PROPOSED}
    number = len(state.proposed_fixes)
    fixes: dict[str, Fix] = {}
    for name, module, draft, issues in drafts:
        old = _earlier(waiting, name, issues)
        number += old is None
        id, iteration = (old.id, old.iteration) if old else (f"FIX-{number:03d}", state.iteration_count)
        fixes[id] = as_fix(id, name, module, draft, issues, case.skill, iteration)
    gone = {id: replace(fix, status=FixStatus.REFUSED, reason=_GONE) for id, fix in waiting.items()}
    known = {fix.id: fix for fix in state.proposed_fixes}
    rounds = (*state.rounds[:-1], replace(state.rounds[-1], proposed=True))
    return Outcome(
        {"proposed_fixes": tuple({**known, **gone, **fixes}.values()), "rounds": rounds},
        note=f"{len(fixes)} fix{'es' * (len(fixes) != 1)} proposed",
        effects=(Keep(tuple(c for _, _, d, _ in drafts for c in d.writes.values() if c is not None)),),
    )


_ENDED = (FixStatus.ROLLED_BACK, FixStatus.REFUSED, FixStatus.APPLIED)
_GONE = "a later look at the skill does not ask for it any more"


def _earlier(waiting: dict[str, Fix], strategy: str, issues: Sequence[Issue]) -> Fix | None:
    """Take the waiting fix that a draft continues out of `waiting`."""
    mine = {issue.id for issue in issues}
    same = (id for id, fix in waiting.items() if fix.strategy == strategy and mine.intersection(fix.issue_ids))
    return waiting.pop(next(same, ""), None)


Drafted = tuple[str, StrategyModule, Draft, list[Issue]]


def _drafts(state: State, case: Case) -> list[Drafted]:
    """Give strategy, draft and issues; issues with one and the same draft share it."""
    dead = {(id, f.strategy) for f in state.proposed_fixes if f.status in _ENDED for id in f.issue_ids}
    drafts: dict[tuple[object, ...], Drafted] = {}
    by_id = {issue.id: issue for issue in state.issues}
    for issue in in_order(state.issues):
        told = [issue, *(by_id[id] for id in issue.related_issues)]
        for one, name, module, draft in ((each, *found) for each in told for found in proposals(each, case)):
            if (issue.id, name) not in dead:
                key = tuple(sorted(draft.writes.items(), key=lambda item: item[0]))
                mended = drafts.setdefault(key, (name, module, draft, []))[3]
                mended.extend(i for i in dict.fromkeys((issue, one)) if i not in mended)
                break
    return list(drafts.values())


def in_order(issues: Sequence[Issue]) -> list[Issue]:
    """Give the open issues of the skill in the order in which they are mended."""
    opened = [issue for issue in issues if issue.status is IssueStatus.OPEN and issue.source != "session"]
    return sorted(opened, key=lambda i: (ORDER.index(i.type), i.priority, i.location.file, i.location.line_start or 0))


def proposals(issue: Issue, case: Case) -> Iterator[tuple[str, StrategyModule, Draft]]:
    """Give what the strategies of an issue's pattern draft, the best first."""
    pattern = all_patterns().get(issue.pattern)
    for name in pattern.PATTERN.strategies if pattern else ():
        module = named(name)
        draft = module.propose(issue, case) if module else None
        if module and draft and changes_anything(draft, case.skill):
            yield name, module, draft


def changes_anything(draft: Draft, skill: Skill) -> bool:
    """Tell whether a draft differs from what stands there."""
    return any(_bytes(skill, path) != new for path, new in draft.writes.items())


def as_fix(
    id: str, name: str, module: StrategyModule, draft: Draft, issues: Sequence[Issue], skill: Skill, iteration: int
) -> Fix:
    """Make the record of a draft."""
    risk = module.STRATEGY.risk
    if draft.confidence is not Confidence.HIGH or any(i.confidence is not Confidence.HIGH for i in issues):
        risk = max(risk, Risk.MEDIUM, key=list(Risk).index)
    return Fix(
        id=id,
        issue_ids=tuple(issue.id for issue in issues),
        strategy=name,
        description=draft.description,
        rationale=draft.rationale,
        changes=tuple(_change(skill, path, new) for path, new in sorted(draft.writes.items())),
        risk=risk,
        estimated_impact=draft.impact,
        verification_steps=STEPS,
        claims=tuple(issue.fingerprint for issue in issues),
        drops=draft.drops,
        token_limit=draft.token_limit,
        iteration=iteration,
    )


def _change(skill: Skill, path: str, new: bytes | None) -> FileChange:
    old = _bytes(skill, path)
    action = "create" if old is None else "delete" if new is None else "modify"
    return FileChange(path, action, diff_of(path, old, new), _hash(old), _hash(new))


def _bytes(skill: Skill, path: str) -> bytes | None:
    file = skill.by_path.get(path)
    return file.raw if file else None


def _hash(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()


def diff_of(path: str, old: bytes | None, new: bytes | None) -> str:
    """Give the unified diff of a change, as `git diff` would show it."""
    before, after = (_lines((data or b"").decode("utf-8")) for data in (old, new))
    names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    lines = unified_diff(before, after, *names)
    return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Cut at newlines only: a form feed or a Unicode separator does not end a line of a diff."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def contents_of(fix: Fix, contents: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """Give path -> new bytes of a fix."""
    return {c.file: contents[c.sha256_after] if c.sha256_after else None for c in fix.changes}
