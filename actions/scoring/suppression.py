"""Suppress findings by nearby comments, settings or a baseline, and find unused suppressions."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.memo import memoize_all
from actions.patterns import get_patterns, suggest_id
from actions.patterns.pattern import Finding, Pattern
from actions.regex import regex
from actions.scoring.causes import find_causes
from actions.skill import Skill, SkillFile
from actions.skill.settings import BaselineEntry, Exemption, is_selected
from schemas.issues import Issue
from schemas.vocabulary import IssueStatus

_ID_PATTERN = r"[A-Za-z]+(?:-[A-Za-z]+)?-\d{1,9}"
_TOOL_NAME = rf"tune-skill:|tun\w{{0,2}}[-_ ]?sk\w{{0,4}}\s*+:?(?=\s*ignore\s+{_ID_PATTERN})"
_COMMENT = regex(rf"(?P<mark><!--|//|#)\s*(?P<to>{_TOOL_NAME})\s*", re.IGNORECASE)
_IGNORE_IDS = regex(r"ignore\s+([^\s,]++(?:\s*,\s*[^\s,]++)*+)\s*([^\s,]*)", re.IGNORECASE)
_SAMPLE_LANGUAGES = frozenset({"md", "markdown", "mdx", "html"})
"""The languages of fences in which an HTML comment may be only an example."""
_COMMENT_IN = "comment in "
_MAX_LISTED = 100
"""Maximum number of unused suppressions per source to list one by one."""
Part = tuple[str, str]
"""One suppression: the name of its source, and its code (in a baseline the fingerprint)."""


class UnusedSuppression(msgspec.Struct, frozen=True):
    """A suppression that matches no finding, and a message about it.

    `is_shared` means that other skills may also use the suppression.
    """

    by: str
    code: str
    message: str
    is_shared: bool


class _Comment(msgspec.Struct, frozen=True):
    """A comment for tune-skill: its line, and the lines and the ids that it covers.

    `problem` is the error in the comment, or "". `is_sample` means that it may be only an example.
    """

    line: int
    covers: tuple[int, ...]
    ids: list[str]
    problem: str
    is_sample: bool


class _Source(msgspec.Struct, frozen=True):
    """A source of suppressions, such as a settings file.

    `match` returns the suppressions that cover a finding. `explain` returns the message for a suppression that is not
    used.
    """

    parts: Iterable[Part]
    match: Callable[[Finding], Collection[Part]]
    explain: Callable[[Part], str]
    is_shared: bool = False

    def list_unused(self, used: Collection[Part]) -> Iterator[UnusedSuppression]:
        unused = [part for part in self.parts if part not in used]
        yield from (UnusedSuppression(*part, self.explain(part), self.is_shared) for part in unused[:_MAX_LISTED])
        if len(unused) > _MAX_LISTED:
            message = f"{len(unused) - _MAX_LISTED:,} more suppressions have no effect"
            yield UnusedSuppression("", "*", message, self.is_shared)


def find_suppressions(
    case: Case, findings: Sequence[Finding], skipped: Collection[str]
) -> tuple[list[str | None], list[UnusedSuppression]]:
    """Return the source of each finding's suppression, or None, and the suppressions that match no finding.

    `skipped` are the ids of patterns that did not run. Suppressions of their findings are never reported as unused.
    """
    sources: list[str | None] = [None] * len(findings)
    unused: list[UnusedSuppression] = []
    exemptions = (_read_exemption(exemption, skipped, case.skill) for exemption in case.settings.exemptions)
    baseline = _read_baseline(case.settings.baseline, skipped, findings)
    for source in (_read_comments(case.skill, skipped), *exemptions, baseline):
        matches = [source.match(finding) for finding in findings]
        sources = [
            known or next((part[0] for part in parts), None) for known, parts in zip(sources, matches, strict=True)
        ]
        unused += source.list_unused({part for parts in matches for part in parts})
    return sources, unused


def has_suppressions(case: Case) -> bool:
    """Return whether comments, settings or a baseline may suppress findings of a case."""
    settings = case.settings
    return bool(settings.exemptions or settings.baseline) or any(_find_comments(file) for file in case.skill.sources)


def suppress_issues(issues: Sequence[Issue], case: Case) -> tuple[Issue, ...]:
    """Apply the author's suppressions to the issues that come from sessions."""
    session_issues = [issue for issue in issues if issue.is_from_session and issue.counts]
    sources, _ = find_suppressions(case, [_to_finding(issue) for issue in session_issues], ())
    source_by_id = {issue.id: reason for issue, reason in zip(session_issues, sources, strict=True) if reason}
    suppressed = IssueStatus.SUPPRESSED
    return tuple(
        replace(i, status=suppressed, suppressed_by=source_by_id[i.id]) if i.id in source_by_id else i for i in issues
    )


def _to_finding(issue: Issue) -> Finding:
    pattern, line = get_patterns()[issue.pattern].PATTERN, issue.location.line_start or 0
    return Finding(issue.location.file, line, "", pattern=pattern, fingerprint=issue.fingerprint)


def _read_comments(skill: Skill, skipped: Collection[str]) -> _Source:
    """Read `<!-- tune-skill: ignore ID, ID reason -->` comments.

    A comment covers its own line. If nothing else is on that line, it also covers the next line of text. If it covers
    the first line of a fence, it covers the whole fence. In code and frontmatter, comments have the syntax of the
    language: `// tune-skill: ignore ID`, `# tune-skill: ignore ID`. A comment directly below the opening `---` of the
    frontmatter also covers that `---`.
    """
    comments = [
        (file.path, f"{_COMMENT_IN}{file.path}:{comment.line}", comment)
        for file in skill.sources
        for comment in _find_comments(file)
    ]
    places = {
        (path, at, id): source for path, source, comment in comments for id in comment.ids for at in comment.covers
    }
    active = [(source, comment) for _, source, comment in comments if not comment.is_sample]
    parts = [(source, id) for source, comment in active for id in comment.ids if id not in skipped]
    problem = {(source, ""): comment.problem for source, comment in active if comment.problem}

    def match(finding: Finding) -> Collection[Part]:
        path, first, id = finding.file, finding.line, finding.pattern.id
        file = skill.by_path.get(path)
        fence = file.doc.fence_at(first) if file else None
        lines = (first, fence.start) if fence else (first,)
        return [(source, id) for line in lines if (source := places.get((path, line, id)))][:1]

    def explain(part: Part) -> str:
        return f"{part[0].removeprefix(_COMMENT_IN)}: {problem.get(part) or _explain_unused_id(part[1])}"

    return _Source((*parts, *problem), match, explain)


def _explain_unused_id(id: str) -> str:
    form = "; write ids such as CTX-003, separated by commas"
    problem = " matches no finding" if id in get_patterns() else f": no such pattern{suggest_id(id) or form}"
    return f"ignore {id}{problem}"


def _read_exemption(exemption: Exemption, skipped: Collection[str], skill: Skill) -> _Source:
    """Read `ignore`, or one line of `per-file-ignores`.

    A glob that matches no file of the unit is unused here, whatever the skipped patterns would find.
    """
    what = f"per-file-ignores {exemption.glob!r}" if exemption.glob else "ignore"
    source, covers = f"{what} in {exemption.source}", lru_cache(maxsize=1024)(exemption.covers)

    def list_parts(pattern: Pattern) -> list[Part]:
        return [(source, code) for code in exemption.codes if is_selected((code,), pattern.id, pattern.family)]

    may_match = any(covers(path) for path in skill.paths)
    unknown = {part for id in skipped if may_match for part in list_parts(get_patterns()[id].PATTERN)}
    parts = (part for code in exemption.codes if (part := (source, code)) not in unknown)
    return _Source(
        parts,
        lambda finding: list_parts(finding.pattern) if covers(finding.file) else (),
        lambda part: f"{exemption.source}: {what}: {part[1]} matches no finding",
        is_shared=exemption.is_shared,
    )


def _read_baseline(entries: Sequence[BaselineEntry], skipped: Collection[str], findings: Sequence[Finding]) -> _Source:
    """Read a baseline. An entry of an earlier version (`is_whole`) covers all locations of a cause in the unit."""
    source = "baseline"
    known = {(source, entry.fingerprint): entry for entry in entries}
    causes = dict(zip((f.fingerprint for f in findings), find_causes(findings), strict=True))
    whole = {causes[e.fingerprint]: (source, e.fingerprint) for e in entries if e.is_whole and e.fingerprint in causes}

    def match(finding: Finding) -> Collection[Part]:
        exact = known.keys() & {(source, finding.fingerprint)}
        cause = causes.get(finding.fingerprint)
        return exact or ([whole[cause]] if cause in whole else ())

    text = "baseline: {0.pattern} in {0.file} ({1!r}) matches no finding".format
    return _Source(
        (part for part, entry in known.items() if entry.pattern not in skipped),
        match,
        lambda part: text(known[part], known[part].quote[:60]),
    )


@memoize_all
def _find_comments(file: SkillFile) -> Iterator[_Comment]:
    """Yield the comments for tune-skill: HTML comments anywhere, and `//` and `#` comments outside prose."""
    doc, below = file.doc, list[int]()
    for number in file.lowercase_index.find("tun") if "tun" in file.lower else ():
        line = doc.line(number)
        match = _COMMENT.search(line)
        fence = doc.fence_at(number) if match else None
        if match and (match["mark"] == "<!--" or fence or not file.is_markdown or number < doc.body_start):
            below = below or _find_next_lines(doc.lines)
            opens = (1,) if number == 2 < doc.body_start else ()
            covers = (number,) if line[: match.start()].strip() else (number, below[number - 1], *opens)
            yield _Comment(
                number, covers, *_parse_comment(match), is_sample=bool(fence and fence.lang in _SAMPLE_LANGUAGES)
            )


def _parse_comment(comment: re.Match[str]) -> tuple[list[str], str]:
    """Return the ids, in upper case, that a comment ignores, and an error message or ""."""
    text, end, _ = comment.string[comment.end() :].partition("-->")
    if comment["mark"] == "<!--" and not end:
        return [], "this comment does not end on its line; add -->"
    match = _IGNORE_IDS.match(text) if comment["to"].lower() == "tune-skill:" else None
    if not match:
        return [], "not a tune-skill comment; write `tune-skill: ignore ID`"
    missing_comma = f"{match[2]} is read as the reason; add a comma before it to ignore it too"
    ids = [id[:80].rstrip(":.;") for id in re.split(r"\s*,\s*", match[1].upper())]
    return ids, missing_comma if match[2].upper() in get_patterns() else ""


def _find_next_lines(lines: Sequence[str]) -> list[int]:
    """Return, for each line, the number of the next line with content, or 0.

    Blank lines and comments for tune-skill are not content.
    """
    found, last = [], 0
    for number in range(len(lines), 0, -1):
        found.append(last)
        if (text := lines[number - 1].strip()) and not _COMMENT.match(text):
            last = number
    return found[::-1]
