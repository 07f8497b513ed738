"""Check a case with patterns. Findings get stable fingerprints, and the author's suppressions are applied."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from actions.case import Case
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
from actions.scoring.causes import merge_by_cause
from actions.scoring.suppression import UnusedSuppression, find_suppressions
from actions.skill.paths import Role, get_role
from actions.skill.text import normalize_text
from schemas.issues import Place
from schemas.vocabulary import Grade

MAX_CAUSES = 1000
"""Maximum number of causes of one pattern in one unit. Each may have any number of locations."""
MAX_COMPARED_CAUSES = 20_000
"""The maximum number of causes in `list_all`, whose result is used to compare two texts."""
_MAX_FINGERPRINT_CHARS = 2000
"""Maximum number of characters of a line that go into the fingerprint."""


class Scan(msgspec.Struct, frozen=True):
    """The findings of a case, most severe first.

    `failed` maps the patterns whose check failed to the reason. `unused` are suppressions that match no finding.
    `model_only` are the selected patterns without a check, whose faults only a model can find.
    """

    findings: tuple[Finding, ...]
    failed: Mapping[str, str]
    unused: tuple[UnusedSuppression, ...] = ()
    model_only: tuple[str, ...] = ()

    @property
    def truncation_notes(self) -> tuple[str, ...]:
        """A note for each pattern with more findings than the limit."""
        return tuple(map(describe_truncation, self.truncated))

    @property
    def truncated(self) -> tuple[str, ...]:
        """The ids of the patterns that may have more findings than are listed."""
        counts = Counter(finding.pattern.id for finding in self.findings)
        return tuple(id for id, count in counts.items() if count >= MAX_CAUSES)

    @property
    def open(self) -> tuple[Finding, ...]:
        """The findings that are not suppressed."""
        return tuple(f for f in self.findings if f.suppressed_by is None)


def describe_truncation(id: str) -> str:
    """Return the note for a pattern with more findings than the limit."""
    return f"{id}: only the first {MAX_CAUSES:,} findings are listed"


def list_all(case: Case, found: Scan) -> tuple[Finding, ...]:
    """Return the findings of a scan, and the findings of its truncated patterns that the scan does not list.

    Without the latter, a fix would seem to cause findings that are only listed because earlier ones are gone.
    """
    truncated = found.truncated
    if not truncated:
        return found.findings
    modules = (module for module in list_checked_patterns(case.skill.kind) if module.PATTERN.id in truncated)
    complete = scan(case, modules, MAX_COMPARED_CAUSES).findings
    ids = {finding.pattern.id for finding in complete}
    return (*(finding for finding in found.findings if finding.pattern.id not in ids), *complete)


def scan(case: Case, patterns: Iterable[PatternModule] | None = None, max_causes: int | None = None) -> Scan:
    """Check a case with the patterns (by default all for its kind) that its settings select.

    max_causes: the maximum number of causes of one pattern (None: MAX_CAUSES).
    If a check raises or takes too long, its findings so far are kept, and the other checks still run.
    """
    findings: list[Finding] = []
    failed: dict[str, str] = {}
    kind, settings = case.skill.kind, case.settings
    if patterns is None:
        chosen, read = [*list_checked_patterns(kind)], _select_reported(list_read_patterns(kind), case)
    else:
        chosen = [m for m in patterns if kind in m.PATTERN.kinds and not m.PATTERN.from_sessions]
        read = list_model_only(chosen, case)
    asked = (m for m in chosen if settings.is_enabled(m.PATTERN.id, m.PATTERN.family))
    checks = [(module.PATTERN, check) for module in asked if (check := get_check(module))]
    for pattern, check in checks:
        found: list[Finding] = []
        try:
            case.limited(partial(_collect, check, case, max_causes or MAX_CAUSES, found))
        except Exception as error:  # noqa: BLE001 - reported in Scan.failed; the loop re-raises under TUNE_SKILL_STRICT
            failed[pattern.id] = f"{type(error).__name__}: {error}"
        if found:
            findings += _complete_findings(pattern, found, case)
    ids = {pattern.id for pattern, _ in checks} - failed.keys()
    failed = {p.id: failed[p.id] for p, _ in checks if p.id in failed and settings.may_report(p.id, p.family)}
    skipped = get_patterns().keys() - ids
    main = case.skill.main_path
    findings.sort(key=lambda f: (f.severity.rank, f.file != main, f.file, f.line, f.pattern.id))
    by, unused = find_suppressions(case, findings, skipped)
    complete = [replace(f, suppressed_by=why) if why else f for f, why in zip(findings, by, strict=True)]
    return Scan(tuple(merge_by_cause(complete)), failed, tuple(unused), read)


def list_model_only(modules: Iterable[PatternModule], case: Case) -> tuple[str, ...]:
    """Return the ids of the selected patterns whose faults only a model can find."""
    read = (m.PATTERN for m in modules if get_grades(m) == (Grade.READ,) and not m.PATTERN.from_sessions)
    return _select_reported(read, case)


def _select_reported(patterns: Iterable[Pattern | Facts], case: Case) -> tuple[str, ...]:
    """Return the ids of the patterns whose findings may be reported."""
    return tuple(pattern.id for pattern in patterns if case.settings.may_report(pattern.id, pattern.family))


def _collect(check: Check, case: Case, max_causes: int, found: list[Finding]) -> None:
    found.extend(_limit_findings(check, case, max_causes))


def _limit_findings(check: Check, case: Case, max_causes: int) -> Iterator[Finding]:
    """Yield the findings of a check, one per cause and line, until it has too many causes."""
    causes: set[tuple[str, ...]] = set()
    places: set[tuple[str, str, int]] = set()
    for n, finding in enumerate(check(case)):
        place = (finding.cause, finding.file, finding.line)
        if finding.cause and place in places:
            continue
        causes.add((finding.folder or finding.cause,) if finding.cause else ("", str(n)))
        if len(causes) > max_causes:
            return
        places.add(place)
        yield finding


def _complete_findings(pattern: Pattern, findings: Sequence[Finding], case: Case) -> Iterator[Finding]:
    """Add pattern, quote, fingerprint, location and effective severity to the findings of a pattern.

    The fingerprints of findings on equal lines contain a number. The first finding of each cause in a file gets its
    number before the further findings of the cause.
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
