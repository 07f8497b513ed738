"""Check all invariants of a fix in memory."""

import posixpath
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from actions.case import Case
from actions.fixes.invariants.broken_code import find_broken_code
from actions.fixes.invariants.change import Change
from actions.fixes.invariants.intrusions import find_intrusions
from actions.fixes.invariants.losses import find_additions, find_losses, find_new_contexts
from actions.fixes.invariants.moved_statements import StillValid
from actions.fixes.invariants.prose import find_misplaced_edits, find_unfinished_sentences
from actions.fixes.line_range import LineRange
from actions.patterns.pattern import Finding
from actions.scoring.quality import DEDUCTIONS
from actions.scoring.scan import Scan, list_all_findings, scan
from actions.skill import Skill
from actions.skill.budget import find_lost_rules
from actions.skill.references import find_broken_anchors, find_links, find_spans
from actions.skill.text import estimate_tokens, normalize_text
from schemas.issues import Issue
from schemas.vocabulary import Severity, UnitKind


class Promise(msgspec.Struct, frozen=True):
    """The declarations of a fix: the findings that it claims to fix, and the statements that it drops or rewrites.

    A dropped statement must still be valid elsewhere unless it is in `takes_out`. A model's draft (`drafted`) may add
    text, because it is reviewed. `ranges` are the lines that the claimed findings name. `token_limit` is the number of
    tokens by which the instructions may grow.
    """

    claims: frozenset[str]
    drops: tuple[str, ...] = ()
    token_limit: int | None = None
    rewrites: tuple[str, ...] = ()
    drafted: bool = False
    takes_out: tuple[str, ...] = ()
    ranges: tuple[LineRange, ...] = ()


class Proof(msgspec.Struct, frozen=True):
    """The objections to a fix, one sentence each, and the scan after it."""

    reasons: tuple[str, ...]
    after: Scan

    @property
    def is_passed(self) -> bool:
        """Whether there is no objection to the fix."""
        return not self.reasons


def prove(before: Case, after: Case, scan_before: Scan, promise: Promise, known: Sequence[Issue] = ()) -> Proof:
    """Check the invariants of a fix and run the patterns on the result. `known` are the issues to look for again."""
    scan_after = scan(after, known=known)
    old, new = list_all_findings(before, scan_before), list_all_findings(after, scan_after)
    reasons = [
        *([scan_after.unchecked] if scan_after.unchecked else []),
        *(f"{id} failed on the changed skill: {why}" for id, why in scan_after.failed.items()),
        *_find_remaining_faults(old, new, promise.claims),
        *_find_new_findings(old, new, promise.claims),
        *find_violations(before.skill, after.skill, scan_before, promise, _list_names_elsewhere(before)),
    ]
    return Proof(tuple(reasons), scan_after)


def _list_names_elsewhere(case: Case) -> frozenset[str]:
    unit_prefix = f"{case.unit.folder}/"
    return frozenset(posixpath.basename(path) for path in case.project.files if not path.startswith(unit_prefix))


def find_violations(
    before: Skill, after: Skill, scan_before: Scan, promise: Promise, elsewhere: Collection[str] = ()
) -> Iterator[str]:
    """Yield an objection for each violated invariant, without running the patterns.

    `elsewhere` has the names of the project's files outside the unit.
    """
    change = Change(before, after)
    valid = StillValid(change, promise.ranges, drafted=promise.drafted)
    yield from find_losses(change, valid, promise.drops, promise.rewrites, promise.takes_out)
    yield from find_new_contexts(change)
    if promise.drafted:
        yield from find_misplaced_edits(change, promise.ranges)
        yield from find_unfinished_sentences(change)
    else:
        yield from find_additions(change)
    if before.kind is UnitKind.SKILL:
        yield from _find_cut_off_rules(before, after)
        yield from _find_broken_links(before, after, elsewhere)
    yield from find_intrusions(change, _get_claimed_text(scan_before, promise.claims))
    yield from find_broken_code(change)
    if after.frontmatter.error and not before.frontmatter.error:
        yield f"the frontmatter of {after.main_path} became invalid: {after.frontmatter.error}"
    yield from _find_excess_length(before, after, promise.token_limit)


def _get_claimed_text(scan_before: Scan, claims: frozenset[str]) -> str:
    """Return the messages and quotes of the claimed findings, whose words a fix may add."""
    claimed = [f for f in scan_before.findings if f.fingerprint in claims]
    return "\n".join(text for f in claimed for text in (f.message, *f.also, *(place.quote for place in f.locations)))


def _find_cut_off_rules(before: Skill, after: Skill) -> Iterator[str]:
    """Yield an objection for each rule that a compaction would cut off after the change, but not before."""
    known = {rule.text for rule in find_lost_rules(before)}
    cut = (rule for rule in find_lost_rules(after) if rule.text not in known)
    yield from (f"SKILL.md:{rule.line}: a compaction would now cut off this rule: {rule.text[:120]}" for rule in cut)


def _list_finding_keys(findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    yield from ((f.pattern.id, normalize_text(place.quote)) for f in findings for place in f.locations)


def _find_remaining_faults(
    findings_before: Sequence[Finding], findings_after: Sequence[Finding], claims: frozenset[str]
) -> Iterator[str]:
    """Yield an objection for each claimed pattern that still has more findings than the claims allow.

    Moved and suppressed findings also count.
    """
    claimed = Counter(f.pattern.id for f in findings_before if f.fingerprint in claims)
    before, after = (Counter(f.pattern.id for f in found) for found in (findings_before, findings_after))
    for id, count in claimed.items():
        if after[id] > before[id] - count:
            first = next(f for f in findings_after if f.pattern.id == id)
            yield f"{id} is still found, in {first.file}:{first.line}: {first.quote[:80]}"


def _find_new_findings(
    findings_before: Sequence[Finding], findings_after: Sequence[Finding], claims: frozenset[str]
) -> Iterator[str]:
    """Yield an objection for each new finding of medium or higher severity. A moved finding is not new."""
    known = Counter(_list_finding_keys(findings_before))
    allowed = _sum_deductions(f for f in findings_before if f.fingerprint not in claims)
    worse = {id for id, sum in _sum_deductions(findings_after).items() if sum > allowed[id]}
    places = ((finding, place) for finding in findings_after for place in finding.locations)
    for (finding, place), key in zip(places, _list_finding_keys(findings_after), strict=True):
        known[key] -= 1
        if known[key] < 0 and key[0] in worse and finding.severity.rank <= Severity.MEDIUM.rank:
            yield f"new finding {key[0]} in {place.file}:{place.line_start}: {finding.message}"


def _sum_deductions(findings: Iterable[Finding]) -> Counter[str]:
    total: Counter[str] = Counter()
    for finding in findings:
        total[finding.pattern.id] += DEDUCTIONS[finding.severity] * len(finding.locations)
    return total


def _find_broken_links(before: Skill, after: Skill, elsewhere: Collection[str]) -> Iterator[str]:
    """Yield an objection for each new reference to a missing file or heading.

    A path in a code span is accepted if the text named the file before, or if the file exists elsewhere in the project
    (`elsewhere`), because a run may read or write it there.
    """
    known = Counter((name, kind) for name, kind, _ in _find_unresolved_references(before))
    named = {*elsewhere, *(name for name, kind in known if kind == "span")}
    for name, kind, place in _find_unresolved_references(after):
        known[name, kind] -= 1
        if known[name, kind] < 0 and not (kind == "span" and name in named):
            yield f"{place}: {name} does not exist; refer to an existing file or heading"


def _find_unresolved_references(skill: Skill) -> Iterator[tuple[str, str, str]]:
    """Yield (file name or `#anchor`, kind, `FILE:LINE`) for each reference to a missing file or heading."""
    for file in skill.instructions:
        for link in (*find_links(file), *find_spans(file)):
            if link.target and skill.resolve(link.target, file.path) is None:
                yield posixpath.basename(link.target), link.kind, f"{file.path}:{link.line}"
        yield from ((f"#{link.anchor}", "", f"{file.path}:{link.line}") for link in find_broken_anchors(skill, file))


def _find_excess_length(before: Skill, after: Skill, limit: int | None) -> Iterator[str]:
    grown = _count_tokens(after) - _count_tokens(before)
    if limit is not None and limit < 0 <= grown:
        yield "the instructions did not get shorter, although the fix was to shorten them"
    elif limit is not None and grown > limit:
        yield f"the instructions grew by about {grown} tokens; at most {limit} are allowed for this fix"


def _count_tokens(skill: Skill) -> int:
    return sum(estimate_tokens(len(file.text)) for file in skill.instructions)
