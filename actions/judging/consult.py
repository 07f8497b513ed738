"""The judge's part of a diagnosis: a question for each dimension, asked together, and what the answers are worth."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from actions.concerns import NAMES
from actions.findings import Finding, fingerprint_of
from actions.issues import CUSTOM, clauses_of, issue_of, told_of, updated
from actions.judging.asking import ask, question
from actions.judging.judge import Judge, Question
from actions.judging.judged import BY_JUDGE, is_open, settled
from actions.judging.quotes import bare, place, words_of
from actions.judging.skill_view import View, cut, view
from actions.patterns import Evidence, Pattern, of_skill
from actions.skill import Case
from actions.skill.text import plain
from actions.suppression import suppressions
from schemas.issues import Cost, Issue, ReadBy, Verdict
from schemas.vocabulary import FOCUS, Family, Grade, IssueStatus, Ruling, Severity

_ASKED = 60
"""Findings that one question puts before the judge, the worst first. The specification is no matter of opinion."""


@dataclass(frozen=True)
class Consulted:
    """The issues of a case as they are after the judge spoke, what that cost, and what was not usable of it."""

    issues: tuple[Issue, ...]
    cost: Cost
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Dimension:
    """One of the six diagnoses as a question: what is shown, its patterns by id, and the findings asked about."""

    name: str
    seen: View
    patterns: Mapping[str, Pattern]
    asked: Mapping[str, Issue]


def consulted(issues: Sequence[Issue], case: Case, judge: Judge, focus: Iterable[str] = tuple(FOCUS)) -> Consulted:
    """Put what was found before a judge, for the named dimensions (all by default).

    Where the judge has no answer, or one that does not count, the findings stand as they are.
    """
    dimensions = [one for one in (_dimension(name, issues, case) for name in focus) if one.patterns or one.asked]
    heard = ask(judge, [_question(one) for one in dimensions], "diagnosis")
    spoken = [(d, answer) for d, answer in zip(dimensions, heard.answers, strict=True) if answer is not None]
    left_out: dict[str, list[str]] = {}
    found = {issue.id: issue for issue in issues}
    for dimension, answer in spoken:
        hearing = Hearing(case, judge.name, Counter())
        found.update(hearing.verdicts(answer["verdicts"], dimension.asked))
        for issue in hearing.added(answer["added"], dimension.patterns, list(found.values())):
            found[issue.id] = issue
        left_out.setdefault(hearing.left_out, []).append(dimension.name)
    notes = (left_out_note(judge.name, ", ".join(names), what) for what, names in left_out.items() if what)
    unseen = cut(judge.name, case.skill, (dimension.seen for dimension, _ in spoken))
    return Consulted(updated((), tuple(found.values()), ()), heard.cost, (*heard.notes, *unseen, *notes))


def left_out_note(judge: str, where: str, what: str) -> str:
    """Say what of a judge's answers did not count."""
    return f"{judge} on {where}, left out: {what}"


def _dimension(name: str, issues: Sequence[Issue], case: Case) -> _Dimension:
    mine = [i for i in issues if i.type in _families(name) and i.source != "session" and _may_be_judged(i)]
    seen = view(case.skill, {issue.location.file for issue in mine})
    asked = [issue for issue in mine if seen.shows(issue.location.file, issue.location.line_start)]
    return _Dimension(name, seen, patterns_of(name, case), {issue.id: issue for issue in asked[:_ASKED]})


def _families(name: str) -> list[Family]:
    return [family for family in FOCUS[name] if family is not Family.SPEC]


def patterns_of(name: str, case: Case) -> dict[str, Pattern]:
    """Give by id what a judge may find in a dimension: its patterns, and `custom` for what has none."""
    families = _families(name)
    patterns = [module.PATTERN for module in of_skill().values() if module.PATTERN.family in families]
    own = Pattern(CUSTOM, families[0], ())
    return {p.id: p for p in (*patterns, own) if p.asked and case.settings.wants(p)}


def _may_be_judged(issue: Issue) -> bool:
    return is_open(issue) or issue.status is IssueStatus.REJECTED


def _question(dimension: _Dimension) -> Question:
    told = [(id, told_of(id)) for id in dimension.patterns if id != CUSTOM]
    return question(
        f"diagnosis of {dimension.name}",
        "diagnosis",
        concern="; ".join(NAMES[family] for family in FOCUS[dimension.name]),
        patterns=[{"id": id, "title": page["title"], "parts": clauses_of(page)} for id, page in told],
        own=CUSTOM in dimension.patterns,
        skill=dimension.seen.text,
        hidden=dimension.seen.hidden,
        candidates="\n".join(line_of(issue, issue.severity) for issue in dimension.asked.values()),
    )


def line_of(issue: Issue, word: str) -> str:
    """Give a finding as a line for a judge; `word` is what it is to know of it."""
    at = issue.location
    return bare(f"{issue.id} {issue.pattern} {word} {at.file}:{at.line_start or 1} {issue.description}")


@dataclass(frozen=True)
class Hearing:
    """Where a judge's answers are checked against a case. `dropped` counts what did not count, by why."""

    case: Case
    judge: str
    dropped: Counter[str]

    def verdicts(self, said: Iterable[Mapping[str, Any]], asked: Mapping[str, Issue]) -> dict[str, Issue]:
        """Give the findings of `asked` that a verdict changes, by id."""
        words: dict[str, dict[Ruling, str]] = {}
        for verdict in said:
            if verdict["id"] not in asked:
                self.dropped["verdict for an unknown finding"] += 1
            elif verdict["verdict"] == "reject" and self._place(verdict) is None:
                self.dropped["rejection without words of the skill that show it"] += 1
            else:
                word = Ruling.REJECTED if verdict["verdict"] == "reject" else Ruling.CONFIRMED
                words.setdefault(verdict["id"], {}).setdefault(word, bare(verdict["reason"]))
        self.dropped["contradiction in itself: the findings stand"] += sum(len(said) > 1 for said in words.values())
        clear = {id: next(iter(said.items())) for id, said in words.items() if len(said) == 1}
        return {id: settled(replace(asked[id], verdict=Verdict(*one, self.judge))) for id, one in clear.items()}

    def added(
        self, said: Iterable[Mapping[str, Any]], patterns: Mapping[str, Pattern], known: Sequence[Issue]
    ) -> list[Issue]:
        """Give the judge's own findings as issues: those whose words stand there and which nobody has told yet."""
        number = max((int(issue.id.rpartition("-")[2]) for issue in known), default=0)
        out: list[Issue] = []
        for one in said:
            pattern, lines = patterns.get(one["pattern"]), self._place(one)
            if pattern is None:
                self.dropped["addition of an unknown kind"] += 1
            elif lines is None:
                self.dropped["addition whose quote stands nowhere in its file"] += 1
            elif not _is_told(one["file"], lines, pattern.id, (*known, *out)):
                out.append(self._issue(one, pattern, lines, f"ISS-{number + len(out) + 1:03d}"))
        return out

    @property
    def left_out(self) -> str:
        """What of the answers did not count; empty where all did."""
        return ", ".join(f"{count} × {why}" for why, count in self.dropped.items() if count)

    def _place(self, said: Mapping[str, Any]) -> tuple[int, int] | None:
        file = self.case.skill.by_path.get(said["file"])
        return place(file, said["quote"]) if file else None

    def _issue(self, said: Mapping[str, Any], pattern: Pattern, lines: tuple[int, int], id: str) -> Issue:
        finding = _finding(said, pattern, lines, self.case)
        (by,), _ = suppressions(self.case, [finding], ())
        harm = bare(said["harm"])
        issue = issue_of(replace(finding, suppressed_by=by), id)
        issue = replace(issue, source=BY_JUDGE, impact=harm, read_by=ReadBy(self.judge, harm))
        return issue if pattern.id != CUSTOM else replace(issue, root_cause=issue.description)


def _finding(said: Mapping[str, Any], pattern: Pattern, lines: tuple[int, int], case: Case) -> Finding:
    quote = words_of(said["quote"])[:300]
    own = Severity(said["severity"])
    allowed = own if pattern.id == CUSTOM else max(own, pattern.severity, key=lambda s: s.rank)
    return Finding(
        pattern=pattern,
        evidence=Evidence(said["file"], lines[0], bare(said["problem"]), lines[1]),
        quote=quote,
        fingerprint=fingerprint_of(BY_JUDGE, pattern.family, pattern.id, said["file"], plain(quote)),
        severity=case.settings.severity_of(pattern) or allowed,
        grade=Grade.READ,
    )


def _is_told(file: str, lines: tuple[int, int], pattern: str, known: Iterable[Issue]) -> bool:
    """Tell whether a finding of this pattern is known at these lines."""
    return any(
        i.pattern == pattern
        and i.location.file == file
        and (i.location.line_start or 0) <= lines[1]
        and lines[0] <= (i.location.line_end or 0)
        for i in known
        if i.status is not IssueStatus.RESOLVED
    )
