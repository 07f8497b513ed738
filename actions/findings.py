"""Runs patterns over a case: evidence becomes findings with a stable fingerprint, suppressed where the author asks."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from actions.model import Case, Skill
from actions.model.text import plain
from actions.patterns import Evidence, Pattern, PatternModule, of_skill
from schemas.vocabulary import Confidence, Severity

_IGNORE = re.compile(
    r"<!--\s*tune-skill:\s*ignore\s+([A-Z]+(?:-[A-Z]+)?-\d{3}(?:\s*,\s*[A-Z]+(?:-[A-Z]+)?-\d{3})*)([^>]*)-->"
)


@dataclass(frozen=True)
class Finding:
    """What a pattern saw, with severity and confidence settled.

    `suppressed_by` names the comment that suppresses it.
    """

    pattern: Pattern
    evidence: Evidence
    quote: str
    fingerprint: str
    severity: Severity
    confidence: Confidence
    suppressed_by: str | None = None


@dataclass(frozen=True)
class Scan:
    """All findings of a case, worst first; the patterns that failed with why; suppressions that met nothing."""

    findings: tuple[Finding, ...]
    failed: Mapping[str, str]
    idle_suppressions: tuple[str, ...] = ()

    @property
    def open(self) -> tuple[Finding, ...]:
        """The findings that nothing suppresses."""
        return tuple(f for f in self.findings if f.suppressed_by is None)


def scan(case: Case, patterns: Iterable[PatternModule] | None = None) -> Scan:
    """Look at a case with the patterns (all that read a skill by default). A failing pattern fails alone."""
    findings: list[Finding] = []
    failed: dict[str, str] = {}
    for module in of_skill().values() if patterns is None else patterns:
        try:
            findings.extend(_findings(module, case))
        except Exception as error:  # noqa: BLE001 - told in Scan.failed; the loop re-raises under TUNE_SKILL_STRICT
            failed[module.PATTERN.id] = f"{type(error).__name__}: {error}"
    suppressed, idle = _suppress(sorted(findings, key=_order), case.skill)
    return Scan(tuple(suppressed), failed, tuple(idle))


def _order(finding: Finding) -> tuple[int, int, str, int, str]:
    evidence = finding.evidence
    return finding.severity.rank, finding.confidence.rank, evidence.file, evidence.line, finding.pattern.id


def _findings(module: PatternModule, case: Case) -> Iterable[Finding]:
    seen: Counter[tuple[str, str]] = Counter()
    for evidence in module.look(case):
        file = case.skill.by_path.get(evidence.file)
        quote = file.doc.line(evidence.line).strip() if file else ""
        key = (evidence.file, plain(quote))
        mark = "\0".join((module.PATTERN.id, *key, str(seen[key])))
        seen[key] += 1
        yield Finding(
            pattern=module.PATTERN,
            evidence=replace(evidence, line_end=max(evidence.line, evidence.line_end)),
            quote=quote[:300],
            fingerprint=hashlib.sha256(mark.encode()).hexdigest()[:16],
            severity=max(evidence.severity or module.PATTERN.severity, module.PATTERN.severity, key=lambda s: s.rank),
            confidence=evidence.confidence or module.PATTERN.confidence,
        )


def _suppress(findings: list[Finding], skill: Skill) -> tuple[list[Finding], list[str]]:
    """Apply `<!-- tune-skill: ignore ID reason -->` on or above a line; give also the comments that met nothing."""
    places = dict(_ignores(skill))
    met: set[tuple[str, int, str]] = set()
    out: list[Finding] = []
    for finding in findings:
        place = (finding.evidence.file, finding.evidence.line, finding.pattern.id)
        if place in places:
            met.add(place)
            finding = replace(finding, suppressed_by=f"comment in {place[0]}:{places[place]}")
        out.append(finding)
    used = {(file, places[file, line, id], id) for file, line, id in met}
    declared = {(file, at, id) for (file, _, id), at in places.items()}
    return out, [f"{file}:{at}: ignore {id} meets no finding" for file, at, id in sorted(declared - used)]


def _ignores(skill: Skill) -> Iterable[tuple[tuple[str, int, str], int]]:
    """Give (file, covered line, id) -> line of the comment."""
    for file in skill.instructions:
        if "tune-skill:" not in file.text:
            continue
        for number, line in enumerate(file.doc.lines, 1):
            match = _IGNORE.search(line) if file.doc.fence_at(number) is None else None
            if match:
                for id in re.split(r"\s*,\s*", match[1]):
                    for covered in _covered(file.doc.lines, number):
                        yield (file.path, covered, id), number


def _covered(lines: tuple[str, ...], number: int) -> Iterable[int]:
    """The comment's own line; when it stands alone, the next line with text, through a whole fence."""
    yield number
    if not lines[number - 1].lstrip().startswith("<!--"):
        return
    following = next((n for n in range(number + 1, len(lines) + 1) if lines[n - 1].strip()), None)
    if following is None:
        return
    yield following
    mark = lines[following - 1].lstrip()[:3]
    if mark in ("```", "~~~"):
        for n in range(following + 1, len(lines) + 1):
            yield n
            if lines[n - 1].lstrip().startswith(mark):
                return
