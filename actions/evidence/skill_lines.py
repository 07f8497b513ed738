"""Find the lines of a skill that explain a session's faults: lost rules, missing paths, failed sub-agents and more."""

from collections.abc import Iterator, Mapping, Sequence

from actions.code.calls import AGENT_CALLS, find_agent_calls
from actions.code.literals import read_string
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.patterns.pattern import Finding, Occurrence
from actions.regex import regex
from actions.session.answer import MAX_QUOTE
from actions.session.session import Session
from actions.session.transcript import Quote, Step, Transcript
from actions.skill import Role, Skill
from actions.skill.budget import find_lost_rules
from actions.skill.paths import MAIN
from actions.skill.references import find_links, find_spans
from schemas.vocabulary import Severity

_MISSING_FILE_ERROR = regex(r"(?i)does not exist|no such file|not found|ENOENT")
_UNKNOWN_AGENT_ERROR = regex(r"(?i)not found|unknown|no (?:such )?agent|available agents")
_OPTIONAL = regex(r"(?i)\bif\b|\bwhen (?:it|they|present)\b|\boptional|\bexists?\b|如果|若|可选|存在")
"""Words that indicate that a file may be missing."""
_FILE_CHANGING_TOOLS = frozenset({"Bash", "Edit", "MultiEdit", "NotebookEdit", *AGENT_CALLS})
_PARTIAL_READ_INPUTS = frozenset({"offset", "limit", "pages"})
_MIN_READ_BACK = 2_000
"""Minimum number of characters (about 500 tokens) of a file that is reported as read back."""
_MIN_SESSIONS = 2
"""Minimum number of sessions needed to report a phase file that none of them read."""


CONFIRMING = frozenset({"CTX-006", "AGT-001"})
"""Patterns whose findings in sessions only confirm issues, because without an issue the line is not at fault."""
PatternId = str


def find_first_use(transcript: Transcript, skill: Skill) -> int | None:
    """Return the index of the first record in which a session used the skill, or None if it never did."""
    names, folder = {name.rpartition(":")[2] for name in (skill.name, skill.folder)}, "/" + skill.folder
    used = transcript.skills.items()
    return min(
        (at for by, at in used if by.rpartition(":")[2] in names or by.rstrip("/").endswith(folder)), default=None
    )


def find_skill_lines(skill: Skill, sessions: Sequence[Session]) -> Iterator[tuple[PatternId, Finding]]:
    """Yield (pattern id, finding) for each line of the skill that explains a fault in a session that used the skill."""
    using = [(s, since) for s in sessions if (since := find_first_use(s.transcript, skill)) is not None]
    for session, since in using:
        yield from _find_cut_off_rules(skill, session.transcript, since)
        yield from _find_missing_paths(skill, session, since)
        yield from _find_failed_agents(skill, session.transcript, since)
        yield from _find_rereads(skill, session.transcript, since)
    yield from _find_unread_phases(skill, using)


def _find_cut_off_rules(skill: Skill, transcript: Transcript, since: int) -> Iterator[tuple[PatternId, Finding]]:
    boundary = next((c for c in transcript.compactions if c.record > since), None)
    loads = (load for load in transcript.loads if load.is_reattached)
    after = [load.text for load in loads if boundary and load.record > boundary.record]
    lost = [rule for rule in find_lost_rules(skill) if not any(rule.text in text for text in after)] if boundary else []
    if boundary and lost:
        message = "A compaction removed the rules after the first 5,000 tokens from the context."
        place = Occurrence(transcript.session_id, Quote(boundary.record, ""))
        yield _make_finding("CTX-006", (MAIN, lost[0].line), message, place)


def _find_missing_paths(skill: Skill, session: Session, since: int) -> Iterator[tuple[PatternId, Finding]]:
    """Yield paths in the skill that a Read did not find, except files that the session wrote."""
    written = {edit.path for edit in session.edits}
    for step in _find_failed_calls(session.transcript, since, frozenset({"Read"})):
        path = step.call.get("file_path")
        is_missing = path not in written and _MISSING_FILE_ERROR.search(_get_result_start(step))
        place = _find_mention(skill, path) if is_missing else None
        if place:
            message = f"A Read did not find `{place[2]}`, which this line names."
            yield _make_finding("DF-009", place[:2], message, _make_occurrence(session.transcript, step))


def _find_mention(skill: Skill, path: str) -> tuple[str, int, str] | None:
    """Return (file, line, path as written) of the first mention of a path, or None.

    Lines that indicate that the file may be missing are ignored.
    """
    mentions = _list_mentions(skill).get(path.rpartition("/")[2], ())
    return next((place for place in mentions if f"/{path}".endswith(f"/{place[2]}")), None)


@memoize
def _list_mentions(skill: Skill) -> Mapping[str, Sequence[tuple[str, int, str]]]:
    """Map file names to the mentions of files in folders, each as (file, line, path as written)."""
    references = (
        (file, reference.line, reference.target)
        for file in skill.instructions
        for reference in (*find_links(file), *find_spans(file))
    )
    paths = ((file, line, target.removeprefix("../")) for file, line, target in references if "/" in target)
    return group_by_key(
        (path.rpartition("/")[2], (file.path, line, path))
        for file, line, path in paths
        if "/" in path and not (_OPTIONAL.search(file.doc.line(line)) or file.doc.is_counterexample(line))
    )


def _find_failed_agents(skill: Skill, transcript: Transcript, since: int) -> Iterator[tuple[PatternId, Finding]]:
    for step in _find_failed_calls(transcript, since, AGENT_CALLS):
        kind = step.call.get("subagent_type")
        is_unknown = _UNKNOWN_AGENT_ERROR.search(_get_result_start(step)) is not None
        message = f"A call to the sub-agent `{kind}` failed." if kind else ""
        files: set[str] = set()
        for file, line in _find_agent_calls(skill, kind) if kind else ():
            if not (is_unknown and file in files):
                files.add(file)
                id, severity = ("AGT-007", Severity.HIGH) if is_unknown else ("AGT-001", Severity.LOW)
                yield _make_finding(id, (file, line), message, _make_occurrence(transcript, step), severity)


def _find_agent_calls(skill: Skill, kind: str) -> Iterator[tuple[str, int]]:
    for file in skill.sources:
        for code in file.codes:
            calls = find_agent_calls(code)
            matching = (call for call in calls if read_string(code, call.named.get("subagent_type")) == kind)
            yield from ((file.path, call.line) for call in matching)
    for file, line in skill.mentions(kind):
        if "subagent_type" in file.doc.line(line) and not file.doc.fence_at(line):
            yield file.path, line


def _find_rereads(skill: Skill, transcript: Transcript, since: int) -> Iterator[tuple[PatternId, Finding]]:
    """Yield files that were read back after they were written, which costs the tokens of their text twice.

    A read after a compaction, a command or an edit is not reported, because it may have been needed.
    """
    written: dict[tuple[str, str], str] = {}
    seen: set[str] = set()
    boundary = max((c.record for c in transcript.compactions), default=-1)
    for step in transcript.steps:
        path, name = step.call.get("file_path"), step.call.name
        if name in _FILE_CHANGING_TOOLS:
            written.clear()
        elif name == "Write" and step.result and not step.result.is_error and step.call.record >= max(since, boundary):
            written[step.call.agent, path] = step.call.get("content")
        elif name == "Read" and path not in seen and _PARTIAL_READ_INPUTS.isdisjoint(step.call.input):
            content = written.get((step.call.agent, path), "")
            place = _find_mention(skill, path) if len(content) >= _MIN_READ_BACK else None
            if place:
                seen.add(path)
                message = f"`{place[2]}` was read back after it was written: about {len(content) // 4:,} tokens twice."
                quote = Quote(step.call.record, path, step.call.agent)
                yield _make_finding("TKN-005", place[:2], message, Occurrence(transcript.session_id, quote))


def _find_unread_phases(skill: Skill, using: Sequence[tuple[Session, int]]) -> Iterator[tuple[PatternId, Finding]]:
    """Yield phase files that SKILL.md references but no session read, if all transcripts are complete."""
    complete = [(session.transcript, since) for session, since in using if not session.transcript.skipped.dropped]
    if len(complete) < max(_MIN_SESSIONS, len(using)):
        return
    seen: set[str] = set()
    for link in sorted((*find_links(skill.main), *find_spans(skill.main)), key=lambda link: link.line):
        path = skill.resolve(link.target, skill.main.path)
        file = skill.by_path.get(path or "")
        if path is None or path in seen or file is None or file.role is not Role.PHASE:
            continue
        seen.add(path)
        if not any(_may_have_read(transcript, path) for transcript, _ in complete):
            message = f"No session that used the skill read `{path}`."
            for transcript, since in complete:
                unread = Occurrence(transcript.session_id, Quote(since, ""))
                yield _make_finding("DF-010", (link.file, link.line), message, unread)


def _may_have_read(transcript: Transcript, path: str) -> bool:
    """Return whether a call or a prompt contains the name of a file, or a command contains its folder."""
    folder, _, name = path.rpartition("/")
    if any(name in prompt.text for prompt in transcript.prompts):
        return True
    inputs = ((step.call.name, value) for step in transcript.steps for value in step.call.input.values())
    return any(isinstance(v, str) and (name in v or (tool == "Bash" and folder in v)) for tool, v in inputs)


def _make_finding(
    id: PatternId, place: tuple[str, int], message: str, occurrence: Occurrence, severity: Severity = Severity.LOW
) -> tuple[PatternId, Finding]:
    return id, Finding(*place, message, severity=severity, occurrences=(occurrence,))


def _find_failed_calls(transcript: Transcript, since: int, tools: frozenset[str]) -> Iterator[Step]:
    """Yield the calls of some tools that failed while the skill was in use. Refused calls do not count as failed."""
    for step in transcript.steps:
        result, in_use = step.result, bool(step.call.agent) or step.call.record >= since
        if step.call.name in tools and in_use and result and result.is_error and not result.is_refused:
            yield step


def _get_result_start(step: Step) -> str:
    return step.result.text[:500] if step.result else ""


def _make_occurrence(transcript: Transcript, step: Step) -> Occurrence:
    record = step.result.record if step.result else step.call.record
    text = _get_result_start(step).strip()[:MAX_QUOTE]
    return Occurrence(transcript.session_id, Quote(record, text, step.call.agent))
