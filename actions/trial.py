"""A fix tried in memory: proven against the patterns, and against the findings that only a judge has seen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from actions.findings import Scan
from actions.judging.agreement import agreed, still_quoted
from actions.judging.judge import Judge
from actions.judging.judged import BY_JUDGE
from actions.passages import places_of
from actions.proof.prove import Promise, Proof, prove
from actions.skill import Case, Skill
from schemas.issues import Cost, Issue
from schemas.records import Fix


@dataclass(frozen=True)
class Trial:
    """What a trial showed, what asking about it cost, and why there was no answer."""

    proof: Proof
    cost: Cost
    notes: tuple[str, ...]


def proven(case: Case, after: Skill, seen: Scan, fix: Fix, issues: Sequence[Issue]) -> Proof:
    """Prove a fix on a text of the skill; `seen` is the scan of the text before. Nobody is asked."""
    places = tuple(place for issue in issues if issue.id in fix.issue_ids for place in places_of(issue, case.skill))
    drafted = fix.source == BY_JUDGE
    promise = Promise(frozenset(fix.claims), fix.drops, fix.token_limit, fix.rewrites, drafted, places)
    proof = prove(case, case.with_skill(after), seen, promise)
    return replace(proof, reasons=(*proof.reasons, *still_quoted(issues, fix, after)))


def tried(case: Case, after: Skill, seen: Scan, fix: Fix, issues: Sequence[Issue], judge: Judge | None) -> Trial:
    """Prove a fix; then ask the judge about findings of its own that it seems to end, and about drafts of its own."""
    proof = proven(case, after, seen, fix, issues)
    if not proof.passed:
        return Trial(proof, Cost(), ())
    heard = agreed(issues, fix, case.skill, after, judge)
    return Trial(replace(proof, reasons=heard.reasons), heard.cost, heard.notes)
