"""The proof that a fix is one: what must hold between a skill before and after. Pure; nothing is written."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from actions.findings import Finding, Scan, scan
from actions.proof.change import Change
from actions.proof.framing import framed
from actions.proof.intrusions import intrusions
from actions.proof.losses import losses, reworded
from actions.proof.parsing import broken_code
from actions.proof.rewording import numbers
from actions.proof.undermining import undermined
from actions.quality import DEDUCTIONS
from actions.skill import Case, Skill
from actions.skill.anchors import broken_anchors
from actions.skill.references import links, spans
from actions.skill.text import plain, tokens_of
from schemas.vocabulary import Severity


@dataclass(frozen=True)
class Promise:
    """What a fix says of itself: the findings it mends, the sentences it drops or rewords, its token budget."""

    claims: frozenset[str]
    drops: tuple[str, ...] = ()
    token_limit: int | None = None
    rewrites: tuple[str, ...] = ()


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
        *_unread(now),
        *_still_there(seen, now, promise.claims),
        *_new(seen, now, promise.claims),
        *objections(before.skill, after.skill, seen, promise),
    ]
    return Proof(tuple(reasons), now)


def objections(before: Skill, after: Skill, seen: Scan, promise: Promise) -> Iterator[str]:
    """Say what speaks against a change without asking a pattern, so at little cost."""
    change, told = Change(before, after), _told(seen, promise.claims)
    yield from losses(change, promise.drops, promise.rewrites, numbers(told))
    yield from undermined(change)
    yield from framed(change)
    yield from intrusions(change, f"{told}\n{_quoted(seen, promise.claims)}")
    yield from broken_code(change)
    yield from _broken_head(before, after)
    yield from _broken_links(before, after)
    yield from _only_reworded(change, seen, promise.claims)
    yield from _too_long(before, after, promise.token_limit)


def _told(seen: Scan, claims: frozenset[str]) -> str:
    """Return what claimed findings say: what a fix brings in on their word is no intrusion."""
    claimed = (f.evidence for f in seen.findings if f.fingerprint in claims)
    return "\n".join(text for e in claimed for text in (e.message, *e.also))


def _quoted(seen: Scan, claims: frozenset[str]) -> str:
    """Return the lines that claimed findings stand on: a list of tools may gain what is called there."""
    return "\n".join(f.quote for f in seen.findings if f.fingerprint in claims)


def _key(finding: Finding) -> tuple[str, str]:
    return finding.pattern.id, plain(finding.quote)


def _unread(now: Scan) -> Iterator[str]:
    for id, why in now.failed.items():
        yield f"{id} could not look at the changed skill: {why}"


def _still_there(seen: Scan, now: Scan, claims: frozenset[str]) -> Iterator[str]:
    """Return patterns that see as much as before: a finding that is only reworded, moved or hushed is not gone."""
    claimed = Counter(f.pattern.id for f in seen.findings if f.fingerprint in claims)
    before, after = (Counter(f.pattern.id for f in found.findings) for found in (seen, now))
    for id, count in claimed.items():
        if after[id] > before[id] - count:
            first = next(f for f in now.findings if f.pattern.id == id)
            yield f"{id} is still found, in {first.evidence.file}:{first.evidence.line}: {first.quote[:80]}"


def _only_reworded(change: Change, seen: Scan, claims: frozenset[str]) -> Iterator[str]:
    """Return claimed findings whose sentence is said in other words, when the fix does nothing else."""
    changed = reworded(change)
    for finding in (f for f in seen.findings if f.fingerprint in claims):
        if (finding.file, finding.line) in changed:
            at = f"{finding.file}:{finding.line}"
            yield f"{finding.id} in {at} is only reworded: {changed[finding.file, finding.line][:80]}"


def _new(seen: Scan, now: Scan, claims: frozenset[str]) -> Iterator[str]:
    """Return serious findings that were not there; one that only stands in another line of its pattern is not new."""
    room = Counter(map(_key, seen.findings))
    budget = _weights(f for f in seen.findings if f.fingerprint not in claims)
    heavier = {id for id, weight in _weights(now.findings).items() if weight > budget[id]}
    for finding in now.findings:
        key = _key(finding)
        room[key] -= 1
        if room[key] < 0 and key[0] in heavier and finding.severity.rank <= Severity.MEDIUM.rank:
            at = f"{finding.evidence.file}:{finding.evidence.line}"
            yield f"{key[0]} is found anew in {at}: {finding.evidence.message}"


def _weights(findings: Iterable[Finding]) -> Counter[str]:
    """Return what each pattern's findings weigh together."""
    total: Counter[str] = Counter()
    for finding in findings:
        total[finding.pattern.id] += DEDUCTIONS[finding.severity]
    return total


def _broken_head(before: Skill, after: Skill) -> Iterator[str]:
    if after.frontmatter.error and not before.frontmatter.error:
        yield f"the frontmatter of SKILL.md broke: {after.frontmatter.error}"


def _broken_links(before: Skill, after: Skill) -> Iterator[str]:
    known = {target for target, _ in _unresolved(before)}
    for target, place in _unresolved(after):
        if target not in known:
            yield f"{place}: {target} is not there"


def _unresolved(skill: Skill) -> Iterator[tuple[str, str]]:
    for file in skill.instructions:
        for link in (*links(file), *spans(file)):
            if link.target and skill.resolve(link.target, file.path) is None:
                yield posixpath.basename(link.target), f"{file.path}:{link.line}"
        for link in broken_anchors(skill, file):
            yield f"#{link.anchor}", f"{file.path}:{link.line}"


def _too_long(before: Skill, after: Skill, limit: int | None) -> Iterator[str]:
    grown = _size(after) - _size(before)
    if limit is not None and grown > limit:
        yield f"the instructions grew by about {grown} tokens, {limit} were promised"


def _size(skill: Skill) -> int:
    return sum(tokens_of(len(file.text)) for file in skill.instructions)
