"""The proof that a fix is one: what must hold between a skill before and after. Pure; nothing is written."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from actions.findings import Finding, Scan, scan
from actions.model import Case, Skill, SkillFile
from actions.model.links import links, spans
from actions.model.rules import force_of
from actions.model.text import plain, sentences, strip_list_mark, tokens_of, words
from actions.quality import DEDUCTIONS
from schemas.vocabulary import Severity

_TARGET = re.compile(r"\]\([^)\s]*\)|`[^`\n]*`")
_BINDING = frozenset(
    "never must not no don't cannot can't mustn't shan't only always unless except before after without forbidden"
    " required mandatory optional may should least most exactly 不 必 须 禁 止 只 仅 勿 严 未 非 无 前 后".split()
)
_ALIKE = 0.9


@dataclass(frozen=True)
class Promise:
    """What a fix says of itself: the findings it mends, the sentences it drops on purpose, its token budget."""

    claims: frozenset[str]
    drops: tuple[str, ...] = ()
    token_limit: int | None = None


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
        *_broken_head(before.skill, after.skill),
        *_broken_links(before.skill, after.skill),
        *_lost(before.skill, after.skill, promise.drops),
        *_too_long(before.skill, after.skill, promise.token_limit),
    ]
    return Proof(tuple(reasons), now)


def _key(finding: Finding) -> tuple[str, str]:
    return finding.pattern.id, plain(finding.quote)


def _unread(now: Scan) -> Iterator[str]:
    for id, why in now.failed.items():
        yield f"{id} could not look at the changed skill: {why}"


def _still_there(seen: Scan, now: Scan, claims: frozenset[str]) -> Iterator[str]:
    claimed = Counter(_key(f) for f in seen.findings if f.fingerprint in claims)
    before, after = Counter(map(_key, seen.findings)), Counter(map(_key, now.findings))
    for key, count in claimed.items():
        if after[key] > before[key] - count:
            yield f"{key[0]} is still found: {key[1][:80]}"


def _new(seen: Scan, now: Scan, claims: frozenset[str]) -> Iterator[str]:
    """Tell of serious findings that were not there; one that only stands in another line of its pattern is not new."""
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
    """Give what each pattern's findings weigh together."""
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
            if skill.resolve(link.target, file.path) is None:
                yield posixpath.basename(link.target), f"{file.path}:{link.line}"


def statements(file: SkillFile) -> Iterator[str]:
    """Give what a file says: each prose sentence, and each binding line inside a fence (a prompt's rules)."""
    for _, line in file.doc.prose:
        yield from sentences(strip_list_mark(line))
    for fence in file.doc.fences:
        yield from (line for _, line in file.doc.code(fence) if force_of(line))


def _norm(statement: str) -> str:
    return plain(_TARGET.sub("]", statement))


def _lost(before: Skill, after: Skill, drops: Sequence[str]) -> Iterator[str]:
    touched = [f for f in before.instructions if after.by_path.get(f.path) != f]
    if not touched:
        return
    old = {_norm(s) for file in before.instructions for s in statements(file)}
    kept = {_norm(s) for file in after.instructions for s in statements(file)}
    dropped = {_norm(part) for drop in drops for line in drop.splitlines() for part in (line, *sentences(line))}
    fresh = [s for s in kept if s not in old]
    for file in touched:
        for statement in statements(file):
            key = _norm(statement)
            if len(words(key)) >= 3 and key not in kept and key not in dropped and not _like_any(key, fresh):
                yield f"{file.path}: this sentence is lost: {statement[:120]}"


def _like_any(key: str, fresh: Iterable[str]) -> bool:
    mine = words(key)
    return any(_binding(mine) == _binding(words(other)) and _ratio(mine, words(other)) >= _ALIKE for other in fresh)


def _binding(text: Sequence[str]) -> Counter[str]:
    return Counter(word for word in text if word in _BINDING or word.isdigit())


def _ratio(one: Sequence[str], other: Sequence[str]) -> float:
    if abs(len(one) - len(other)) > 0.2 * max(len(one), len(other)):
        return 0.0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _too_long(before: Skill, after: Skill, limit: int | None) -> Iterator[str]:
    grown = _size(after) - _size(before)
    if limit is not None and grown > limit:
        yield f"the instructions grew by about {grown} tokens, {limit} were promised"


def _size(skill: Skill) -> int:
    return sum(tokens_of(len(file.text)) for file in skill.instructions)
