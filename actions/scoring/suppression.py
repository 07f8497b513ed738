"""What suppresses a finding: a comment beside it, a per-file-ignore, a baseline. One without effect is told."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from actions.memo import once_all
from actions.patterns import all_patterns
from actions.patterns.pattern import Pattern
from actions.scoring.finding import Finding
from actions.skill import Case, Skill, SkillFile
from actions.skill.settings import Accepted, Exemption, meant
from templates.filters import did_you_mean

_ID = r"[A-Za-z]+(?:-[A-Za-z]+)?-\d{1,9}"
_NAME = rf"tune-skill:|tun\w{{0,2}}[-_ ]?sk\w{{0,4}}\s*+:?(?=\s*ignore\s+{_ID})"
_COMMENT = re.compile(rf"(?P<mark><!--|//|#)\s*(?P<to>{_NAME})\s*(?P<said>[^>\n]{{0,500}}?)\s*(?P<end>-->|$)", re.I)
_IGNORE = re.compile(rf"ignore\s+({_ID}(?:\s*,\s*{_ID})*+)(?:\s|$)", re.IGNORECASE)


_MOST = 100
"""Suppressions without effect that are told one by one, of each source."""


@dataclass(frozen=True)
class _Source:
    """What suppresses findings: its parts, and what is `told` of one that meets nothing.

    `meets` says which of the parts meet a finding, and how the finding is told to be suppressed.
    """

    parts: Iterable[Hashable]
    told: Callable[[Any], str]
    meets: Callable[[Finding], tuple[Collection[Hashable], str]]


def suppressions(case: Case, found: Sequence[Finding], silent: Sequence[Pattern]) -> tuple[list[str | None], list[str]]:
    """Return for each finding what suppresses it (None: nothing), and each suppression that met no finding.

    `silent` are the patterns that did not look: nobody knows whether what suppresses them is idle.
    """
    by: list[str | None] = [None] * len(found)
    idle: list[str] = []
    exempt = (_exempt(one, case.skill, silent) for one in case.settings.exemptions)
    for source in (_comments(case.skill, silent), *exempt, _baseline(case.settings.baseline, silent)):
        met: set[Hashable] = set()
        for i, finding in enumerate(found):
            parts, told = source.meets(finding)
            met.update(parts)
            by[i] = by[i] or (told if parts else None)
        left = [part for part in source.parts if part not in met]
        idle += map(source.told, left[:_MOST])
        idle += [f"{len(left) - _MOST:,} more have no effect"] if left[_MOST:] else []
    return by, idle


def _comments(skill: Skill, silent: Sequence[Pattern]) -> _Source:
    """`<!-- tune-skill: ignore ID, ID reason -->` on a line, or alone above it (a whole fence counts as one).

    In code and frontmatter the comment is the language's own: `// tune-skill: ignore ID`, `# tune-skill: ignore ID`.
    Right below the `---` that opens the frontmatter it covers that line too.
    """
    places, unknown = dict(_ignores(skill)), {pattern.id for pattern in silent}
    declared = {(file, at, id) for (file, _, id), at in places.items() if id not in unknown}

    def meets(found: Finding) -> tuple[Collection[Hashable], str]:
        path, first, id = found.evidence.file, found.evidence.line, found.pattern.id
        file = skill.by_path.get(path)
        fence = file.doc.fence_at(first) if file else None
        lines = (first, fence.start) if fence else (first,)
        at = next((at for line in lines if (at := places.get((path, line, id)))), None)
        return ([(path, at, id)] if at else []), f"comment in {path}:{at}"

    odd = ((file.path, at, "") for file in skill.told for at, _, ids in _comments_in(file) if not ids)
    return _Source((*sorted(declared), *odd), _idle, meets)


def _idle(comment: tuple[str, int, str]) -> str:
    file, at, id = comment
    why = " meets no finding" if id in all_patterns() else f": no such pattern{did_you_mean(id, all_patterns())}"
    said = f"ignore {id}{why}" if id else "this says nothing to tune-skill; write `tune-skill: ignore ID`"
    return f"{file}:{at}: {said}"


def _exempt(one: Exemption, skill: Skill, silent: Sequence[Pattern]) -> _Source:
    """One line of `per-file-ignores`. A line that speaks of no file of this skill is not called idle."""
    told = f"per-file-ignores {one.glob!r}"
    means_none = one.below and not any(map(one.covers, skill.by_path))
    known = (code for code in one.codes if not any(meant((code,), pattern.id, pattern.family) for pattern in silent))

    def meets(found: Finding) -> tuple[Collection[Hashable], str]:
        pattern, covered = found.pattern, one.covers(found.evidence.file)
        codes = [code for code in one.codes if covered and meant((code,), pattern.id, pattern.family)]
        return codes, f"{told} in {one.source}"

    return _Source(() if means_none else known, lambda code: f"{one.source}: {told}: {code} meets no finding", meets)


def _baseline(entries: Sequence[Accepted], silent: Sequence[Pattern]) -> _Source:
    known, unknown = {entry.fingerprint for entry in entries}, {pattern.id for pattern in silent}

    def meets(found: Finding) -> tuple[Collection[Hashable], str]:
        return known & {found.fingerprint}, "baseline"

    rest = {e.fingerprint: e for e in entries if e.pattern not in unknown}
    told = "baseline: {0.pattern} in {0.file} ({1!r}) meets no finding".format
    return _Source(rest, lambda key: told(rest[key], rest[key].quote[:60]), meets)


def _ignores(skill: Skill) -> Iterator[tuple[tuple[str, int, str], int]]:
    """Yield (file, covered line, id) -> line of the comment; the first line of a fence stands for all of it."""
    for file in skill.told:
        below = _below(file.doc.lines) if (comments := _comments_in(file)) else []
        for number, comment, ids in comments:
            alone = not comment.string[: comment.start()].strip()
            opens = (1,) if number == 2 < file.doc.body_start else ()
            covered = (number, below[number - 1], *opens) if alone else (number,)
            yield from (((file.path, at, id), number) for id in ids for at in covered)


@once_all
def _comments_in(file: SkillFile) -> Iterator[tuple[int, re.Match[str], list[str]]]:
    """Yield the comments to tune-skill: those of HTML in prose, those of the language elsewhere.

    Each with its line and the ids that it ignores: none where it, or its name, is misspelt.
    """
    for number, line in enumerate(file.doc.lines if "tun" in file.text.lower() else (), 1):
        match = _COMMENT.search(line) if "tun" in line.lower() else None
        in_code = match and (not file.is_markdown or number < file.doc.body_start or file.doc.fence_at(number))
        if match and (match["mark"] == "<!--") == (match["end"] == "-->") and (in_code or match["mark"] == "<!--"):
            asked = _IGNORE.match(match["said"]) if match["to"].lower() == "tune-skill:" else None
            yield number, match, re.split(r"\s*,\s*", asked[1].upper()) if asked else []


def _below(lines: Sequence[str]) -> list[int]:
    """Return for each line the next one with text that is no such comment; 0 for none."""
    found, last = [], 0
    for number in range(len(lines), 0, -1):
        found.append(last)
        if (text := lines[number - 1].strip()) and not _COMMENT.match(text):
            last = number
    return found[::-1]
