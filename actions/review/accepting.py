"""Accept the items of the judge's answers whose quotes and ids are correct, and count the rejected ones by reason."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.patterns.page import CUSTOM
from actions.patterns.pattern import Finding, Pattern, compute_fingerprint
from actions.project.lookup_log import LookupLog
from actions.review.checking import (
    CONTRADICTION,
    Item,
    check_addition,
    check_verdict,
    find_quote,
    is_rejection,
    list_lookups,
)
from actions.review.quotes import flatten, list_named_lines, strip_line_numbers
from actions.review.verdicts import apply_verdict
from actions.scoring.issues import make_issue
from actions.scoring.scan import locate_finding
from actions.scoring.suppression import find_suppressions
from actions.secrets import withhold_values
from actions.skill.text import list_words, normalize_text
from schemas.issues import Issue, ReadBy, Verdict
from schemas.vocabulary import Grade, IssueSource, IssueStatus, Ruling, Severity

_RULINGS = {"confirm": Ruling.CONFIRMED, "cannot_tell": None}
_CIRCULAR_DUPLICATE = "duplicate of a finding that is itself called a duplicate"
_TOO_MANY = "finding of low severity beyond the first ten"
_KNOWN = "finding that repeats another"
_MAX_LOW_FINDINGS = 10
_MIN_SHARED = 0.5
"""Minimum share of common words of two sentences about the same lines that state the same fault."""


class AnswerFilter(msgspec.Struct, frozen=True):
    """Checks the answers of a judge against a case. `rejected` maps each reason to the number of rejected items."""

    case: Case
    judge: str
    rejected: Counter[str] = msgspec.field(default_factory=Counter)

    def accept_verdicts(
        self,
        items: Iterable[Item],
        issues: Mapping[str, Issue],
        known: Sequence[str] = (),
        against: Ruling = Ruling.REJECTED,
    ) -> dict[str, Issue]:
        """Return the findings of `issues` that have a verdict, by id. `cannot_tell` is not a verdict.

        `known` are the ids of other findings that may be named as originals of duplicates. `against` is the ruling of a
        rejection.
        """
        by_id: dict[str, dict[Ruling | None, Verdict]] = {}
        for item in items:
            if reason := check_verdict(item, tuple(issues), known, self.case):
                self.rejected[reason] += 1
            else:
                ruling = _RULINGS.get(item["verdict"], against)
                by_id.setdefault(item["id"], {}).setdefault(ruling, self._build_verdict(item, against))
        self.rejected[CONTRADICTION] += sum(len(by_ruling) > 1 for by_ruling in by_id.values())
        clear = {id: by_ruling for id, by_ruling in by_id.items() if len(by_ruling) == 1}
        verdicts = {id: verdict for id, by_ruling in clear.items() for ruling, verdict in by_ruling.items() if ruling}
        circular = [
            id for id, v in verdicts.items() if (other := verdicts.get(v.duplicate_of or "")) and other.duplicate_of
        ]
        self.rejected[_CIRCULAR_DUPLICATE] += len(circular)
        return {id: self._add_verdict(issues[id], verdict) for id, verdict in verdicts.items() if id not in circular}

    def accept_additions(
        self, items: Iterable[Item], patterns: Mapping[str, Pattern], known: Sequence[Issue], log: LookupLog
    ) -> list[Issue]:
        """Return the judge's own findings as issues, except misquoted findings and findings that are already `known`.

        `patterns` maps ids to the patterns that the judge may report. `log` has the judge's lookups in the project.
        Only the first ten findings of low severity are accepted.
        """
        number = max((int(issue.id.rpartition("-")[2]) for issue in known), default=0)
        accepted: list[Issue] = []
        for item in items:
            lines = find_quote(item, self.case)
            if reason := check_addition(item, tuple(patterns), self.case, log):
                self.rejected[reason] += 1
            elif item["severity"] == "low" and _count_low(accepted) >= _MAX_LOW_FINDINGS:
                self.rejected[_TOO_MANY] += 1
            elif not lines:
                continue
            elif _is_known(item, lines, (*known, *accepted)):
                self.rejected[_KNOWN] += 1
            else:
                id = f"ISS-{number + len(accepted) + 1:03d}"
                used_fingerprints = {issue.fingerprint for issue in (*known, *accepted)}
                accepted.append(self._build_issue(item, patterns[item["pattern"]], lines, id, used_fingerprints, log))
        return accepted

    def describe_rejected_items(self, subject: str) -> list[str]:
        """Return one note with the number of rejections for each reason. Returns [] if nothing was rejected."""
        reasons = ", ".join(f"{count} × {reason}" for reason, count in self.rejected.items() if count)
        return [f"{self.judge} on {subject}, rejected: {reasons}"] if reasons else []

    def _build_verdict(self, item: Item, against: Ruling) -> Verdict:
        if not is_rejection(item):
            explains = bool(item.get("explains_complaint"))
            return Verdict(
                Ruling.CONFIRMED,
                withhold_values(flatten(item["reason"])),
                self.judge,
                Severity(item["severity"]),
                explains_complaint=explains,
            )
        other, lines = item.get("duplicate_of") or None, find_quote(item, self.case)
        words = withhold_values(strip_line_numbers(item["quote"])[:300]) if lines else ""
        quote = f"{item['file']}:{lines[0]}: {words}" if lines else ""
        return Verdict(against, withhold_values(flatten(item["reason"])), self.judge, None, other, quote)

    def _add_verdict(self, issue: Issue, verdict: Verdict) -> Issue:
        """Set the verdict of a finding. A verdict may lower the severity of a finding that is not proven."""
        is_lower = verdict.severity and verdict.severity.rank > issue.severity.rank
        is_set = self.case.settings.severity_of(issue.pattern, issue.type) is not None
        if verdict.severity and is_lower and not is_set and issue.grade is Grade.READ:
            issue = replace(issue, severity=verdict.severity)
        return apply_verdict(replace(issue, verdict=verdict))

    def _build_issue(
        self, item: Item, pattern: Pattern, lines: tuple[int, int], id: str, used_fingerprints: set[str], log: LookupLog
    ) -> Issue:
        """Return an accepted finding as the issue `id`. `used_fingerprints` are the fingerprints of other issues."""
        finding = _build_finding(item, pattern, lines, self.case, used_fingerprints)
        (suppression,), _ = find_suppressions(self.case, [finding], ())
        harm = withhold_values(flatten(item["harm"]))
        issue = make_issue(locate_finding(replace(finding, suppressed_by=suppression)), id)
        read_by = ReadBy(
            self.judge, harm, list_lookups(item, self.case, log), item["from_knowledge"], item["explains_complaint"]
        )
        named_lines = list_named_lines(finding.message, finding.file, self.case.skill.by_path)
        evidence = tuple(dict.fromkeys((*issue.evidence, *map(withhold_values, named_lines))))
        issue = replace(issue, source=IssueSource.MODEL, impact=harm, read_by=read_by, evidence=evidence)
        return issue if pattern.id != CUSTOM else replace(issue, root_cause=issue.description)


def _count_low(issues: Iterable[Issue]) -> int:
    return sum(issue.severity is Severity.LOW for issue in issues)


def _build_finding(
    item: Item, pattern: Pattern, lines: tuple[int, int], case: Case, used_fingerprints: set[str]
) -> Finding:
    quote = strip_line_numbers(item["quote"])[:300]
    identity = (IssueSource.MODEL, pattern.family, pattern.id, item["file"], normalize_text(quote))
    fingerprint = compute_fingerprint(*identity)
    if fingerprint in used_fingerprints:  # another fault on the same line
        fingerprint = compute_fingerprint(*identity, flatten(item["problem"]))
    return Finding(
        item["file"],
        lines[0],
        flatten(item["problem"]),
        lines[1],
        pattern=pattern,
        quote=quote,
        fingerprint=fingerprint,
        severity=case.settings.severity_of(pattern.id, pattern.family) or Severity(item["severity"]),
        grade=Grade.READ,
    )


def _is_known(item: Item, lines: tuple[int, int], known: Iterable[Issue]) -> bool:
    """Return whether another finding on the same lines reports the fault in similar words or proves the same pattern.

    Two unproven findings on the same line can be different faults, even if they have the same pattern.
    """
    on_lines = (i for i in known if any(place.file == item["file"] and place.overlaps(*lines) for place in i.places))
    return any(
        issue.status is not IssueStatus.RESOLVED
        and (_proves(issue, item["pattern"]) or _are_alike(item["problem"], issue.description))
        for issue in on_lines
    )


def _proves(issue: Issue, pattern: str) -> bool:
    return issue.grade is Grade.PROVEN and issue.pattern == pattern


def _are_alike(first: str, second: str) -> bool:
    first_words, second_words = set(list_words(first.lower())), set(list_words(second.lower()))
    return len(first_words & second_words) >= _MIN_SHARED * len(first_words | second_words)
