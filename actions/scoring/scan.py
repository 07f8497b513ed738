"""Check a case with patterns. Findings get stable fingerprints, and the author's suppressions are applied."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.memo import compute_once
from actions.patterns import Facts, get_patterns, list_checked_patterns, list_read_patterns
from actions.patterns.pattern import (
    Check,
    Finding,
    Pattern,
    PatternModule,
    compute_fingerprint,
    get_check,
    get_grades,
)
from actions.project.generated import is_generated
from actions.project.mentions import is_named_elsewhere
from actions.project.resolve_path import get_project_path
from actions.project.upkeep import find_sign_of_copy
from actions.scoring.causes import merge_by_cause
from actions.scoring.suppression import UnusedSuppression, find_suppressions, has_suppressions
from actions.skill.paths import Role, get_role
from actions.skill.text import normalize_text
from schemas.issues import Issue, Place
from schemas.vocabulary import Grade, IssueStatus, Severity, UnitKind

MAX_CAUSES = 1000
"""Maximum number of causes of one pattern in one unit. Each may have any number of locations."""
MAX_COMPARED_CAUSES = 20_000
"""The maximum number of causes in `list_all_findings` and in the search for known issues and suppressed findings."""
_UNREAD_TEXT = "DF-010"
"""The pattern that reports a text that nothing references."""
_MAX_FINGERPRINT_CHARS = 2000
"""Maximum number of characters of a line that go into the fingerprint."""


class Scan(msgspec.Struct, frozen=True):
    """The findings of a case, most severe first.

    - `failed`: the patterns whose check failed, each with the reason.
    - `unused`: suppressions that match no finding.
    - `model_only`: the selected patterns without a check, which only a model can apply.
    - `truncated`: the patterns with more findings than are listed.
    - `unsearched`: the patterns whose search stopped at the limit. An issue from an earlier scan can still exist
      although this scan does not list it.
    - `unchecked`: why the unit was not checked, or "". Then nothing follows from missing findings.
    - `left_out`: the files in which a correction would be lost, each with the findings that are not listed there.
    """

    findings: tuple[Finding, ...]
    failed: Mapping[str, str]
    unused: tuple[UnusedSuppression, ...] = ()
    model_only: tuple[str, ...] = ()
    truncated: tuple[str, ...] = ()
    unsearched: frozenset[str] = frozenset()
    unchecked: str = ""
    left_out: tuple["LeftOut", ...] = ()

    @property
    def is_incomplete(self) -> bool:
        """Whether there may be more findings, because a check failed or the unit was not checked."""
        return bool(self.failed or self.unchecked)

    @property
    def truncation_notes(self) -> tuple[str, ...]:
        """A note for each pattern with more findings than the limit."""
        return tuple(map(describe_truncation, self.truncated))

    @property
    def open(self) -> tuple[Finding, ...]:
        """The findings that are not suppressed."""
        return tuple(f for f in self.findings if f.suppressed_by is None)

    def list_conclusive(self, checked: Iterable[str]) -> set[str]:
        """Return the patterns in `checked` whose results are complete.

        If the scan does not list a known issue of such a pattern, the issue is gone.
        """
        return set() if self.unchecked else {*checked} - self.failed.keys() - self.unsearched


def describe_truncation(id: str) -> str:
    """Return the note for a pattern with more findings than the limit."""
    return f"{id}: more than {MAX_CAUSES:,} findings; the others are not listed"


def list_all_findings(case: Case, result: Scan) -> tuple[Finding, ...]:
    """Return all findings of a scan, including the unlisted findings of truncated patterns.

    When a fix removes findings, others are listed in their place. Compared with the listed findings only, these would
    seem to be caused by the fix.
    """
    truncated = result.truncated
    if not truncated:
        return result.findings
    modules = (module for module in list_checked_patterns(case.skill.kind) if module.PATTERN.id in truncated)
    complete = scan(case, modules, MAX_COMPARED_CAUSES).findings
    ids = {finding.pattern.id for finding in complete}
    return (*(finding for finding in result.findings if finding.pattern.id not in ids), *complete)


class LeftOut(msgspec.Struct, frozen=True):
    """The number of findings that are not listed in a file (its path in the project), and why a correction is lost."""

    path: str
    count: int
    why: str


class _CheckResults(msgspec.Struct, frozen=True):
    """The results of the checks of some patterns.

    `truncated` are the patterns with more causes than the limit. `left_out` are the places of the findings that are not
    listed, by file and reason.
    """

    findings: Mapping[str, Sequence[Finding]]
    failed: Mapping[str, str]
    truncated: frozenset[str]
    left_out: Mapping[tuple[str, str], Collection[object]]


def scan(
    case: Case,
    patterns: Iterable[PatternModule] | None = None,
    max_causes: int | None = None,
    known: Iterable[Issue] = (),
) -> Scan:
    """Check a case with the patterns (by default all for its kind) that its settings select.

    `max_causes` is the maximum number of causes of one pattern (None: MAX_CAUSES, open and suppressed ones separately).
    `known` are issues of earlier scans. Their findings are listed even if their pattern has more findings than the
    limit. If a check raises or takes too long, its findings so far are kept, and the other checks still run.
    """
    kind, settings = case.skill.kind, case.settings
    if patterns is None:
        chosen, read = [*list_checked_patterns(kind)], _select_reportable_ids(list_read_patterns(kind), case)
    else:
        chosen = [m for m in patterns if kind in m.PATTERN.kinds and not m.PATTERN.from_sessions]
        read = list_model_only_patterns(chosen, case)
    enabled = (m for m in chosen if settings.is_enabled(m.PATTERN.id, m.PATTERN.family))
    checks = [(module.PATTERN, check) for module in enabled if (check := get_check(module))]
    results, expected = _run_checks(case, checks, max_causes or MAX_CAUSES), list[Issue]()
    if results.truncated and max_causes is None:
        expected = [issue for issue in known if issue.pattern in results.truncated]
        results = _search_further(case, checks, results, expected)
    ids = {pattern.id for pattern, _ in checks} - results.failed.keys()
    failed = {
        p.id: results.failed[p.id] for p, _ in checks if p.id in results.failed and settings.may_report(p.id, p.family)
    }
    findings, main = [f for found in results.findings.values() for f in found], case.skill.main_path
    findings.sort(key=lambda f: (f.severity.rank, f.file != main, f.file, f.line, f.pattern.id))
    sources, unused = find_suppressions(case, findings, _list_skipped_ids(kind, ids) | results.truncated)
    merged = merge_by_cause(
        [replace(f, suppressed_by=why) if why else f for f, why in zip(findings, sources, strict=True)]
    )
    listed = merged if max_causes else list(_limit_findings(merged, expected))
    all_counts, listed_counts = (Counter(f.pattern.id for f in group) for group in (merged, listed))
    truncated = [id for id, count in all_counts.items() if count > listed_counts[id] or id in results.truncated]
    left_out = tuple(LeftOut(path, len(places), why) for (path, why), places in sorted(results.left_out.items()))
    return Scan(
        tuple(listed), failed, tuple(unused), read, tuple(truncated), results.truncated, case.unchecked, left_out
    )


def _list_skipped_ids(kind: UnitKind, checked: Collection[str]) -> set[str]:
    """Return the patterns that may have findings in a unit of this kind, but are not among the checked ones."""
    applicable = {module.PATTERN.id for module in list_checked_patterns(kind)}
    applicable |= {pattern.id for pattern in list_read_patterns(kind)}
    return {id for id in get_patterns() if id in applicable or id.startswith("SES-")}.difference(checked)


def _run_checks(case: Case, checks: Iterable[tuple[Pattern, Check]], max_causes: int) -> _CheckResults:
    findings, failed = dict[str, Sequence[Finding]](), dict[str, str]()
    truncated, left_out = set[str](), dict[tuple[str, str], set[object]]()
    case.unread  # noqa: B018 - searched here, because a search in a check would count as time of the check
    for pattern, check in checks:
        found: list[Finding] = []
        try:
            case.limited(partial(_collect_findings, check, case, max_causes, found, truncated, left_out, pattern))
        except Exception as error:  # noqa: BLE001 - reported in Scan.failed; the loop re-raises under TUNE_SKILL_STRICT
            failed[pattern.id] = f"{type(error).__name__}: {error}"
        if found:
            findings[pattern.id] = [*_complete_findings(pattern, found, case)]
    return _CheckResults(findings, failed, frozenset(truncated), left_out)


def _search_further(
    case: Case, checks: Iterable[tuple[Pattern, Check]], first: _CheckResults, expected: Sequence[Issue]
) -> _CheckResults:
    """Run the check of a truncated pattern again with a higher limit if its first findings are not enough.

    They are not enough if an issue in `expected` is missing. They are also not enough if the case has suppressions,
    because suppressed findings must not displace open ones and their suppressions must not be reported as unused. If
    the second run of a check fails, its first findings are kept.
    """
    fingerprints = {
        place.fingerprint for findings in first.findings.values() for f in findings for place in f.locations
    }
    missing = {i.pattern for i in expected if not any(place.fingerprint in fingerprints for place in i.places)}
    numbers = Counter(issue.pattern for issue in expected if issue.status is not IssueStatus.RESOLVED)
    missing |= {id for id, count in numbers.items() if count > MAX_CAUSES}
    incomplete = first.truncated if has_suppressions(case) else first.truncated & missing
    more = _run_checks(case, [(p, c) for p, c in checks if p.id in incomplete], MAX_COMPARED_CAUSES)
    done = incomplete - more.failed.keys()
    complete = {id: more.findings[id] if id in done else findings for id, findings in first.findings.items()}
    return _CheckResults(complete, first.failed, (first.truncated - done) | more.truncated, first.left_out)


def _limit_findings(findings: Iterable[Finding], expected: Iterable[Issue]) -> Iterator[Finding]:
    """Yield at most MAX_CAUSES open and MAX_CAUSES suppressed findings of each pattern.

    The findings of known issues are always included. If a pattern has more unresolved issues than MAX_CAUSES, their
    number is the limit, because only a number distinguishes the findings on equal lines.
    """
    issues = [*expected]
    known = {place.fingerprint for issue in issues for place in issue.places}
    unresolved = Counter(issue.pattern for issue in issues if issue.status is not IssueStatus.RESOLVED)
    numbers: Counter[tuple[str, bool]] = Counter()
    for finding in findings:
        key = (finding.pattern.id, finding.suppressed_by is None)
        is_known = any(place.fingerprint in known for place in finding.locations)
        if is_known or numbers[key] < max(MAX_CAUSES, unresolved[key[0]]):
            numbers[key] += 1
            yield finding


def list_model_only_patterns(modules: Iterable[PatternModule], case: Case) -> tuple[str, ...]:
    """Return the ids of the selected patterns whose faults only a model can find."""
    read = (m.PATTERN for m in modules if get_grades(m) == (Grade.READ,) and not m.PATTERN.from_sessions)
    return _select_reportable_ids(read, case)


def _select_reportable_ids(patterns: Iterable[Pattern | Facts], case: Case) -> tuple[str, ...]:
    return tuple(pattern.id for pattern in patterns if case.settings.may_report(pattern.id, pattern.family))


def _collect_findings(
    check: Check, case: Case, max_causes: int, found: list[Finding], truncated: set[str],
    left_out: dict[tuple[str, str], set[object]], pattern: Pattern,
) -> None:  # fmt: skip
    """Add the findings of a check to `found`, one per cause and line.

    If there are more than `max_causes` causes, stop and add the pattern's id to `truncated`. A fault in a text that no
    run reads has no effect, so it is left out; only DF-010 reports such a text. A fault in a copy or a generated file,
    which would come back, is added to `left_out` instead, unless it blocks a run.
    """
    causes: set[tuple[str, ...]] = set()
    places: set[tuple[str, str, int]] = set()
    for n, finding in enumerate(check(case)):
        if pattern.id != _UNREAD_TEXT and _is_unread(case, finding.file):
            continue
        if not _blocks_run(pattern, finding) and (why := _explain_loss(case, pattern, finding.file)):
            path, cause = get_project_path(case.unit, finding.file), finding.folder or finding.cause or finding.line
            left_out.setdefault((path, why), set()).add((pattern.id, cause))
            continue
        place = (finding.cause, finding.file, finding.line)
        if finding.cause and place in places:
            continue
        causes.add((finding.folder or finding.cause,) if finding.cause else ("", str(n)))
        if len(causes) > max_causes:
            truncated.add(pattern.id)
            return
        places.add(place)
        found.append(finding)


def _is_unread(case: Case, path: str) -> bool:
    """Return whether a file of a skill is a text that nothing in the skill or its project references."""
    if path not in case.unread:
        return False
    return not compute_once(case, f"named elsewhere {path}", lambda: is_named_elsewhere(case.project, case.unit, path))


def _blocks_run(pattern: Pattern, finding: Finding) -> bool:
    return pattern.blocks_run and finding.severity is not Severity.LOW


def _explain_loss(case: Case, pattern: Pattern, path: str) -> str:
    """Return why a correction of a fault in a file would be lost, or ""."""
    if (file := case.skill.by_path.get(path)) is None:
        return ""
    arguments = case.project, case.unit, file
    sign = compute_once(case, f"sign of a copy {path}", lambda: find_sign_of_copy(*arguments))
    if sign or not pattern.in_source:
        return sign
    return "it is generated" if compute_once(case, f"generated {path}", lambda: is_generated(*arguments)) else ""


def _complete_findings(pattern: Pattern, findings: Sequence[Finding], case: Case) -> Iterator[Finding]:
    """Add pattern, quote, fingerprint, location and effective severity to the findings of a pattern.

    If findings are on equal lines, their fingerprints differ by a number. In each file, the first finding of each cause
    gets its number before the other findings.
    """
    firsts = {(f.folder or f.cause, f.file): n for n, f in reversed([*enumerate(findings)]) if f.cause}
    is_further = [f.cause != "" and firsts[f.folder or f.cause, f.file] != n for n, f in enumerate(findings)]
    seen: Counter[tuple[str, str]] = Counter()
    chosen = case.settings.severity_of(pattern.id, pattern.family)
    for n in sorted(range(len(findings)), key=is_further.__getitem__):
        finding = findings[n]
        file = case.skill.by_path.get(finding.file)
        quote = file.doc.line(finding.line).strip() if file else ""
        key = (finding.file, normalize_text(quote[:_MAX_FINGERPRINT_CHARS]))
        severity = chosen or max(finding.severity, pattern.severity, key=lambda s: s.rank)
        yield locate_finding(
            replace(
                finding,
                pattern=pattern,
                line_end=max(finding.line, finding.line_end),
                quote=quote[:300],
                fingerprint=compute_fingerprint(pattern.id, *key, str(seen[key])),
                severity=severity,
            )
        )
        seen[key] += 1


def locate_finding(finding: Finding) -> Finding:
    """Set a finding's only location from its file and lines."""
    phase = finding.file if get_role(finding.file) is Role.PHASE else None
    place = Place(finding.file, finding.line, finding.line_end, phase, finding.quote, finding.fingerprint)
    return replace(finding, locations=(place,))
