"""What suppresses a finding: a comment beside it, a per-file-ignore, a baseline. One without effect is told."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from actions.case import Case
from actions.memo import memoize_all
from actions.patterns import all_patterns, suggest_id
from actions.patterns.pattern import Finding, Pattern
from actions.skill import Skill, SkillFile
from actions.skill.settings import Accepted, Exemption, meant

_ID = r"[A-Za-z]+(?:-[A-Za-z]+)?-\d{1,9}"
_NAME = rf"tune-skill:|tun\w{{0,2}}[-_ ]?sk\w{{0,4}}\s*+:?(?=\s*ignore\s+{_ID})"
_COMMENT = re.compile(rf"(?P<mark><!--|//|#)\s*(?P<to>{_NAME})\s*", re.IGNORECASE)
_IGNORE = re.compile(r"ignore\s+([^\s,]++(?:\s*,\s*[^\s,]++)*+)\s*([^\s,]*)", re.IGNORECASE)
_SAMPLES = frozenset({"md", "markdown", "mdx", "html"})
"""The languages of fences in which a comment of HTML may be there to be shown."""
_IN = "comment in "
_MOST = 100
"""Suppressions without effect that are told one by one, of each source."""
By = str | None
Part = tuple[str, str]
"""One suppression: how what it suppresses is told, and its code (of a baseline the fingerprint)."""


class UnusedSuppression(NamedTuple):
    """A suppression that meets no finding, and what is told of it. for_many: other skills may need it."""

    by: str
    code: str
    told: str
    for_many: bool


class _Comment(NamedTuple):
    """A comment to tune-skill: its line, those it covers, what it ignores, what is wrong with it, if anything is."""

    line: int
    covers: tuple[int, ...]
    ids: list[str]
    wrong: str
    is_sample: bool


@dataclass(frozen=True)
class _Source:
    """What suppresses findings: its parts, which of them `meets` a finding, what is `told` of one without effect."""

    parts: Iterable[Part]
    meets: Callable[[Finding], Collection[Part]]
    told: Callable[[Part], str]
    for_many: bool = False


def find_suppressions(
    case: Case, found: Sequence[Finding], silent: Sequence[Pattern]
) -> tuple[list[By], list[UnusedSuppression]]:
    """Return for each finding what suppresses it (None: nothing), and each suppression that met no finding.

    `silent` are the patterns that did not look: nobody knows whether what suppresses them is idle.
    """
    by: list[By] = [None] * len(found)
    idle: list[UnusedSuppression] = []
    exempt = (_exempt(one, silent) for one in case.settings.exemptions)
    for source in (_comments(case.skill, silent), *exempt, _baseline(case.settings.baseline, silent)):
        met = [source.meets(finding) for finding in found]
        by = [known or next((part[0] for part in parts), None) for known, parts in zip(by, met, strict=True)]
        needed = {part for parts in met for part in parts}
        left = [part for part in source.parts if part not in needed]
        idle += (UnusedSuppression(*part, source.told(part), source.for_many) for part in left[:_MOST])
        idle += (
            [UnusedSuppression("", "*", f"{len(left) - _MOST:,} more have no effect", source.for_many)]
            if left[_MOST:]
            else []
        )
    return by, idle


def _comments(skill: Skill, silent: Sequence[Pattern]) -> _Source:
    """`<!-- tune-skill: ignore ID, ID reason -->` on a line, or alone above it (a whole fence counts as one).

    In code and frontmatter the comment is the language's own: `// tune-skill: ignore ID`, `# tune-skill: ignore ID`.
    Right below the `---` that opens the frontmatter it covers that line too.
    """
    said = [(file.path, f"{_IN}{file.path}:{one.line}", one) for file in skill.told for one in _comments_in(file)]
    places = {(path, at, id): by for path, by, one in said for id in one.ids for at in one.covers}
    unknown = {pattern.id for pattern in silent}
    heeded = [(by, one) for _, by, one in said if not one.is_sample]
    parts = [(by, id) for by, one in heeded for id in one.ids if id not in unknown]
    wrong = {(by, ""): one.wrong for by, one in heeded if one.wrong}

    def meets(found: Finding) -> Collection[Part]:
        path, first, id = found.file, found.line, found.pattern.id
        file = skill.by_path.get(path)
        fence = file.doc.fence_at(first) if file else None
        lines = (first, fence.start) if fence else (first,)
        return [(by, id) for line in lines if (by := places.get((path, line, id)))][:1]

    return _Source((*parts, *wrong), meets, lambda part: f"{part[0][len(_IN) :]}: {wrong.get(part) or _idle(part[1])}")


def _idle(id: str) -> str:
    otherwise = "; a comment takes ids such as CTX-003, with commas between them"
    why = " meets no finding" if id in all_patterns() else f": no such pattern{suggest_id(id) or otherwise}"
    return f"ignore {id}{why}"


def _exempt(one: Exemption, silent: Sequence[Pattern]) -> _Source:
    """`ignore`, or one line of `per-file-ignores`."""
    what = f"per-file-ignores {one.glob!r}" if one.glob else "ignore"
    by, covers = f"{what} in {one.source}", lru_cache(maxsize=1024)(one.covers)

    def known(pattern: Pattern) -> list[Part]:
        return [(by, code) for code in one.codes if meant((code,), pattern.id, pattern.family)]

    unknown = {part for pattern in silent for part in known(pattern)}
    parts = (part for code in one.codes if (part := (by, code)) not in unknown)
    return _Source(
        parts,
        lambda found: known(found.pattern) if covers(found.file) else (),
        lambda part: f"{one.source}: {what}: {part[1]} meets no finding",
        for_many=bool(one.below),
    )


def _baseline(entries: Sequence[Accepted], silent: Sequence[Pattern]) -> _Source:
    by, unknown = "baseline", {pattern.id for pattern in silent}
    known = {(by, entry.fingerprint): entry for entry in entries}
    told = "baseline: {0.pattern} in {0.file} ({1!r}) meets no finding".format
    return _Source(
        (part for part, entry in known.items() if entry.pattern not in unknown),
        lambda found: known.keys() & {(by, found.fingerprint)},
        lambda part: told(known[part], known[part].quote[:60]),
    )


@memoize_all
def _comments_in(file: SkillFile) -> Iterator[_Comment]:
    """Yield the comments to tune-skill: those of HTML in prose, those of the language elsewhere."""
    doc, below = file.doc, list[int]()
    for number, line in enumerate(doc.lines if "tun" in file.text.lower() else (), 1):
        match = _COMMENT.search(line) if "tun" in line.lower() else None
        fence = doc.fence_at(number) if match else None
        if match and (match["mark"] == "<!--" or fence or not file.is_markdown or number < doc.body_start):
            below = below or _below(doc.lines)
            opens = (1,) if number == 2 < doc.body_start else ()
            covers = (number,) if line[: match.start()].strip() else (number, below[number - 1], *opens)
            yield _Comment(number, covers, *_read(match), is_sample=bool(fence and fence.lang in _SAMPLES))


def _read(comment: re.Match[str]) -> tuple[list[str], str]:
    """Return what a comment ignores, in upper case, and what is wrong with it."""
    said, end, _ = comment.string[comment.end() :].partition("-->")
    if comment["mark"] == "<!--" and not end:
        return [], "this comment has no end in its line; write --> there"
    asked = _IGNORE.match(said) if comment["to"].lower() == "tune-skill:" else None
    if not asked:
        return [], "this says nothing to tune-skill; write `tune-skill: ignore ID`"
    late = f"{asked[2]} is taken for the reason; write a comma before it to ignore it as well"
    ids = [id[:80].rstrip(":.;") for id in re.split(r"\s*,\s*", asked[1].upper())]
    return ids, late if asked[2].upper() in all_patterns() else ""


def _below(lines: Sequence[str]) -> list[int]:
    """Return for each line the next one with text that is no such comment; 0 for none."""
    found, last = [], 0
    for number in range(len(lines), 0, -1):
        found.append(last)
        if (text := lines[number - 1].strip()) and not _COMMENT.match(text):
            last = number
    return found[::-1]
