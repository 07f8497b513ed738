"""What of a judge's answers counts for findings, and what does not and why."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from actions.case import Case
from actions.patterns.page import CUSTOM
from actions.patterns.pattern import Finding, Pattern, compute_fingerprint
from actions.review.checking import CONTRADICTION, Item, check_addition, check_verdict, find_quote, is_rejection
from actions.review.quotes import flatten, strip_line_numbers
from actions.review.verdicts import apply_verdict
from actions.scoring.issues import make_issue
from actions.scoring.suppression import find_suppressions
from actions.skill.text import plain
from schemas.issues import Issue, ReadBy, Verdict
from schemas.vocabulary import Grade, IssueSource, IssueStatus, Ruling, Severity

_CIRCLE = "duplicate of what is called a duplicate itself"


@dataclass(frozen=True)
class AnswerFilter:
    """Where a judge's answers are checked against a case. `dropped` counts what did not count, by why."""

    case: Case
    judge: str
    dropped: Counter[str] = field(default_factory=Counter)

    def verdicts(
        self,
        said: Iterable[Item],
        asked: Mapping[str, Issue],
        known: Sequence[str] = (),
        against: Ruling = Ruling.REJECTED,
    ) -> dict[str, Issue]:
        """Return the findings of `asked` that a verdict changes, by id."""
        words: dict[str, dict[Ruling, Verdict]] = {}
        for one in said:
            if why := check_verdict(one, tuple(asked), known, self.case.skill):
                self.dropped[why] += 1
            else:
                verdict = self._verdict(one, against)
                words.setdefault(one["id"], {}).setdefault(verdict.word, verdict)
        self.dropped[CONTRADICTION] += sum(len(each) > 1 for each in words.values())
        clear = {id: next(iter(each.values())) for id, each in words.items() if len(each) == 1}
        circles = [id for id, v in clear.items() if (other := clear.get(v.duplicate_of or "")) and other.duplicate_of]
        self.dropped[_CIRCLE] += len(circles)
        return {id: self._judged(asked[id], verdict) for id, verdict in clear.items() if id not in circles}

    def added(self, said: Iterable[Item], patterns: Mapping[str, Pattern], known: Sequence[Issue]) -> list[Issue]:
        """Return the judge's own findings as issues: those whose words stand there and which nobody has told yet."""
        number = max((int(issue.id.rpartition("-")[2]) for issue in known), default=0)
        out: list[Issue] = []
        for one in said:
            lines = find_quote(one, self.case.skill)
            if why := check_addition(one, tuple(patterns), self.case.skill):
                self.dropped[why] += 1
            elif lines and not _is_told(one["file"], lines, one["pattern"], (*known, *out)):
                out.append(self._issue(one, patterns[one["pattern"]], lines, f"ISS-{number + len(out) + 1:03d}"))
        return out

    def note(self, where: str) -> list[str]:
        """Return the note of what of the answers did not count; none where all did."""
        what = ", ".join(f"{count} × {why}" for why, count in self.dropped.items() if count)
        return [f"{self.judge} on {where}, left out: {what}"] * bool(what)

    def _verdict(self, said: Item, against: Ruling) -> Verdict:
        if not is_rejection(said):
            return Verdict(Ruling.CONFIRMED, flatten(said["reason"]), self.judge, Severity(said["severity"]))
        other, lines = said.get("duplicate_of") or None, find_quote(said, self.case.skill)
        quote = f"{said['file']}:{lines[0]}: {strip_line_numbers(said['quote'])[:300]}" if lines else ""
        return Verdict(against, flatten(said["reason"]), self.judge, None, other, quote)

    def _judged(self, issue: Issue, verdict: Verdict) -> Issue:
        """Return a finding with its verdict. What is read can become milder; what is proven stays as it is."""
        milder = verdict.severity and verdict.severity.rank > issue.severity.rank
        is_set = self.case.settings.severity_of(issue.pattern, issue.type) is not None
        if verdict.severity and milder and not is_set and issue.grade is Grade.READ:
            issue = replace(issue, severity=verdict.severity)
        return apply_verdict(replace(issue, verdict=verdict))

    def _issue(self, said: Item, pattern: Pattern, lines: tuple[int, int], id: str) -> Issue:
        finding = _finding(said, pattern, lines, self.case)
        (by,), _ = find_suppressions(self.case, [finding], ())
        harm = flatten(said["harm"])
        issue = make_issue(replace(finding, suppressed_by=by), id)
        issue = replace(issue, source=IssueSource.MODEL, impact=harm, read_by=ReadBy(self.judge, harm))
        return issue if pattern.id != CUSTOM else replace(issue, root_cause=issue.description)


def _finding(said: Item, pattern: Pattern, lines: tuple[int, int], case: Case) -> Finding:
    quote = strip_line_numbers(said["quote"])[:300]
    own = Severity(said["severity"])
    allowed = own if pattern.id == CUSTOM else max(own, pattern.severity, key=lambda s: s.rank)
    return Finding(
        said["file"],
        lines[0],
        flatten(said["problem"]),
        lines[1],
        pattern=pattern,
        quote=quote,
        fingerprint=compute_fingerprint(IssueSource.MODEL, pattern.family, pattern.id, said["file"], plain(quote)),
        severity=case.settings.severity_of(pattern.id, pattern.family) or allowed,
        grade=Grade.READ,
    )


def _is_told(file: str, lines: tuple[int, int], pattern: str, known: Iterable[Issue]) -> bool:
    told = (i.location for i in known if i.pattern == pattern and i.status is not IssueStatus.RESOLVED)
    return any(at.file == file and at.meets(*lines) for at in told)
