"""Accept the judge's answers whose quotes and ids are correct, and count the rejected ones by reason."""

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
from actions.skill.text import plain, words
from schemas.issues import Issue, ReadBy, Verdict
from schemas.vocabulary import Grade, IssueSource, IssueStatus, Ruling, Severity

_RULINGS = {"confirm": Ruling.CONFIRMED, "cannot_tell": None}
_CIRCULAR_DUPLICATE = "duplicate of a finding that is itself called a duplicate"
_TOO_MANY = "finding of low severity beyond the first ten"
_KNOWN = "finding that repeats another"
_MAX_LOW_FINDINGS = 10
_MIN_SHARED = 0.5
"""Minimum share of common words at which two sentences about the same lines state the same fault."""


class AnswerFilter(msgspec.Struct, frozen=True):
    """Checks the answers of one judge against a case. `rejected` counts the items not accepted, by reason."""

    case: Case
    judge: str
    rejected: Counter[str] = msgspec.field(default_factory=Counter)

    def accept_verdicts(
        self,
        items: Iterable[Item],
        asked: Mapping[str, Issue],
        known: Sequence[str] = (),
        against: Ruling = Ruling.REJECTED,
    ) -> dict[str, Issue]:
        """Return the findings of `asked` that have a verdict, by id. `cannot_tell` is not a verdict.

        `against` is the ruling that a rejection stands for.
        """
        given: dict[str, dict[Ruling | None, Verdict]] = {}
        for item in items:
            if reason := check_verdict(item, tuple(asked), known, self.case):
                self.rejected[reason] += 1
            else:
                ruling = _RULINGS.get(item["verdict"], against)
                given.setdefault(item["id"], {}).setdefault(ruling, self._build_verdict(item, against))
        self.rejected[CONTRADICTION] += sum(len(each) > 1 for each in given.values())
        clear = {id: each for id, each in given.items() if len(each) == 1}
        ruled = {id: verdict for id, each in clear.items() for ruling, verdict in each.items() if ruling}
        circles = [id for id, v in ruled.items() if (other := ruled.get(v.duplicate_of or "")) and other.duplicate_of]
        self.rejected[_CIRCULAR_DUPLICATE] += len(circles)
        return {id: self._add_verdict(asked[id], verdict) for id, verdict in ruled.items() if id not in circles}

    def accept_additions(
        self, items: Iterable[Item], patterns: Mapping[str, Pattern], known: Sequence[Issue], log: LookupLog
    ) -> list[Issue]:
        """Return the judge's own findings whose quote is in the unit and that are not known yet, as issues.

        `log` has the judge's lookups in the project. Only the first ten findings of low severity are accepted.
        """
        number = max((int(issue.id.rpartition("-")[2]) for issue in known), default=0)
        out: list[Issue] = []
        for item in items:
            lines = find_quote(item, self.case)
            if reason := check_addition(item, tuple(patterns), self.case, log):
                self.rejected[reason] += 1
            elif item["severity"] == "low" and sum(one.severity is Severity.LOW for one in out) >= _MAX_LOW_FINDINGS:
                self.rejected[_TOO_MANY] += 1
            elif not lines:
                continue
            elif _is_known(item, lines, (*known, *out)):
                self.rejected[_KNOWN] += 1
            else:
                id = f"ISS-{number + len(out) + 1:03d}"
                taken = {issue.fingerprint for issue in (*known, *out)}
                out.append(self._build_issue(item, patterns[item["pattern"]], lines, id, taken, log))
        return out

    def describe_rejected(self, where: str) -> list[str]:
        """Return one note with the number of rejections for each reason; empty if nothing was rejected."""
        reasons = ", ".join(f"{count} × {reason}" for reason, count in self.rejected.items() if count)
        return [f"{self.judge} on {where}, rejected: {reasons}"] * bool(reasons)

    def _build_verdict(self, item: Item, against: Ruling) -> Verdict:
        if not is_rejection(item):
            explains = bool(item.get("explains_complaint"))
            return Verdict(
                Ruling.CONFIRMED,
                flatten(item["reason"]),
                self.judge,
                Severity(item["severity"]),
                explains_complaint=explains,
            )
        other, lines = item.get("duplicate_of") or None, find_quote(item, self.case)
        quote = f"{item['file']}:{lines[0]}: {strip_line_numbers(item['quote'])[:300]}" if lines else ""
        return Verdict(against, flatten(item["reason"]), self.judge, None, other, quote)

    def _add_verdict(self, issue: Issue, verdict: Verdict) -> Issue:
        """Return a finding with its verdict. The verdict may lower the severity, unless the finding is proven."""
        milder = verdict.severity and verdict.severity.rank > issue.severity.rank
        is_set = self.case.settings.severity_of(issue.pattern, issue.type) is not None
        if verdict.severity and milder and not is_set and issue.grade is Grade.READ:
            issue = replace(issue, severity=verdict.severity)
        return apply_verdict(replace(issue, verdict=verdict))

    def _build_issue(
        self, item: Item, pattern: Pattern, lines: tuple[int, int], id: str, taken: set[str], log: LookupLog
    ) -> Issue:
        finding = _build_finding(item, pattern, lines, self.case, taken)
        (by,), _ = find_suppressions(self.case, [finding], ())
        harm = flatten(item["harm"])
        issue = make_issue(locate_finding(replace(finding, suppressed_by=by)), id)
        read_by = ReadBy(
            self.judge, harm, list_lookups(item, self.case, log), item["from_knowledge"], item["explains_complaint"]
        )
        named = list_named_lines(finding.message, finding.file, self.case.skill.by_path)
        evidence = tuple(dict.fromkeys((*issue.evidence, *named)))
        issue = replace(issue, source=IssueSource.MODEL, impact=harm, read_by=read_by, evidence=evidence)
        return issue if pattern.id != CUSTOM else replace(issue, root_cause=issue.description)


def _build_finding(item: Item, pattern: Pattern, lines: tuple[int, int], case: Case, taken: set[str]) -> Finding:
    quote = strip_line_numbers(item["quote"])[:300]
    identity = (IssueSource.MODEL, pattern.family, pattern.id, item["file"], plain(quote))
    fingerprint = compute_fingerprint(*identity)
    if fingerprint in taken:  # another fault on the same line
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
    """Return whether a finding is known: another one on its lines says mostly the same or proves the same pattern.

    Two read findings of one pattern on one line may be two faults, for example two things that the line leaves out.
    """
    here = (i for i in known if any(at.file == item["file"] and at.overlaps(*lines) for at in i.places))
    return any(
        issue.status is not IssueStatus.RESOLVED
        and (_is_proven_by(item["pattern"], issue) or _are_alike(item["problem"], issue.description))
        for issue in here
    )


def _is_proven_by(pattern: str, issue: Issue) -> bool:
    return issue.grade is Grade.PROVEN and issue.pattern == pattern


def _are_alike(one: str, other: str) -> bool:
    left, right = set(words(one.lower())), set(words(other.lower()))
    return len(left & right) >= _MIN_SHARED * len(left | right)
