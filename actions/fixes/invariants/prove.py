"""The proof that a fix is one: what must hold between a skill before and after. Pure; nothing is written."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from actions.case import Case
from actions.fixes.invariants.broken_code import find_broken_code
from actions.fixes.invariants.change import Change
from actions.fixes.invariants.intrusions import find_intrusions
from actions.fixes.invariants.losses import find_additions, find_losses, find_new_contexts
from actions.fixes.invariants.moved_statements import holding
from actions.fixes.invariants.prose import Place, find_misplaced, find_unfinished
from actions.patterns.pattern import Finding
from actions.scoring.quality import DEDUCTIONS
from actions.scoring.scan import Scan, scan
from actions.skill import Skill
from actions.skill.budget import lost_rules
from actions.skill.references import broken_anchors, links, spans
from actions.skill.text import plain, tokens_of
from schemas.vocabulary import Severity


@dataclass(frozen=True)
class Promise:
    """What a fix says of itself: the findings it mends, the statements it drops or says otherwise, its token budget.

    What it drops holds all the same, unless it is announced that it `takes_out` just that. A draft (`drafted`) may say
    something more, for it is read; `places` are those of its fault.
    """

    claims: frozenset[str]
    drops: tuple[str, ...] = ()
    token_limit: int | None = None
    rewrites: tuple[str, ...] = ()
    drafted: bool = False
    takes_out: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Proof:
    """Passed when there is no reason against it; each reason is a sentence for the user."""

    reasons: tuple[str, ...]
    after: Scan

    @property
    def passed(self) -> bool:
        """Whether the fix holds what it promised."""
        return not self.reasons


def prove(before: Case, after: Case, seen: Scan, promise: Promise) -> Proof:
    """Compare two texts of a skill; `seen` is the scan of the first."""
    now = scan(after)
    reasons = [
        *(f"{id} could not look at the changed skill: {why}" for id, why in now.failed.items()),
        *_still_there(seen, now, promise.claims),
        *_new(seen, now, promise.claims),
        *find_violations(before.skill, after.skill, seen, promise),
    ]
    return Proof(tuple(reasons), now)


def find_violations(before: Skill, after: Skill, seen: Scan, promise: Promise) -> Iterator[str]:
    """Say what speaks against a change without asking a pattern, so at little cost."""
    change = Change(before, after)
    stands = holding(change, promise.places, drafted=promise.drafted)
    yield from find_losses(change, stands, promise.drops, promise.rewrites, promise.takes_out)
    yield from find_new_contexts(change)
    if promise.drafted:
        yield from find_misplaced(change, promise.places)
        yield from find_unfinished(change)
    else:
        yield from find_additions(change)
    yield from _cut_off(before, after)
    yield from find_intrusions(change, _told(seen, promise.claims))
    yield from find_broken_code(change)
    if after.frontmatter.error and not before.frontmatter.error:
        yield f"the frontmatter of SKILL.md broke: {after.frontmatter.error}"
    yield from _broken_links(before, after)
    yield from _too_long(before, after, promise.token_limit)


def _told(seen: Scan, claims: frozenset[str]) -> str:
    """Return what claimed findings say, and their lines: what a fix brings in on their word is no intrusion."""
    claimed = [f for f in seen.findings if f.fingerprint in claims]
    return "\n".join(text for f in claimed for text in (f.message, *f.also, f.quote))


def _cut_off(before: Skill, after: Skill) -> Iterator[str]:
    """Return the rules that a compaction would leave standing before the change, and not after it."""
    known = {rule.text for rule in lost_rules(before)}
    cut = (rule for rule in lost_rules(after) if rule.text not in known)
    yield from (f"SKILL.md:{rule.line}: a compaction would cut this off: {rule.text[:120]}" for rule in cut)


def _key(finding: Finding) -> tuple[str, str]:
    return finding.pattern.id, plain(finding.quote)


def _still_there(seen: Scan, now: Scan, claims: frozenset[str]) -> Iterator[str]:
    """Return patterns that see as much as before: a finding that is only reworded, moved or hushed is not gone."""
    claimed = Counter(f.pattern.id for f in seen.findings if f.fingerprint in claims)
    before, after = (Counter(f.pattern.id for f in found.findings) for found in (seen, now))
    for id, count in claimed.items():
        if after[id] > before[id] - count:
            first = next(f for f in now.findings if f.pattern.id == id)
            yield f"{id} is still found, in {first.file}:{first.line}: {first.quote[:80]}"


def _new(seen: Scan, now: Scan, claims: frozenset[str]) -> Iterator[str]:
    """Return serious findings that were not there; one that only stands in another line of its pattern is not new."""
    room = Counter(map(_key, seen.findings))
    budget = _weights(f for f in seen.findings if f.fingerprint not in claims)
    heavier = {id for id, weight in _weights(now.findings).items() if weight > budget[id]}
    for finding in now.findings:
        key = _key(finding)
        room[key] -= 1
        if room[key] < 0 and key[0] in heavier and finding.severity.rank <= Severity.MEDIUM.rank:
            at = f"{finding.file}:{finding.line}"
            yield f"new finding {key[0]} in {at}: {finding.message}"


def _weights(findings: Iterable[Finding]) -> Counter[str]:
    total: Counter[str] = Counter()
    for finding in findings:
        total[finding.pattern.id] += DEDUCTIONS[finding.severity]
    return total


def _broken_links(before: Skill, after: Skill) -> Iterator[str]:
    known = Counter(target for target, _ in _unresolved(before))
    for target, place in _unresolved(after):
        known[target] -= 1
        if known[target] < 0:
            yield f"{place}: {target} is not there"


def _unresolved(skill: Skill) -> Iterator[tuple[str, str]]:
    for file in skill.instructions:
        for link in (*links(file), *spans(file)):
            if link.target and skill.resolve(link.target, file.path) is None:
                yield posixpath.basename(link.target), f"{file.path}:{link.line}"
        yield from ((f"#{link.anchor}", f"{file.path}:{link.line}") for link in broken_anchors(skill, file))


def _too_long(before: Skill, after: Skill, limit: int | None) -> Iterator[str]:
    grown = _size(after) - _size(before)
    if limit is not None and limit < 0 <= grown:
        yield "the instructions did not get shorter, which was promised"
    elif limit is not None and grown > limit:
        yield f"the instructions grew by about {grown} tokens, {limit} were promised"


def _size(skill: Skill) -> int:
    return sum(tokens_of(len(file.text)) for file in skill.instructions)
