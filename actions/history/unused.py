"""Find text that runs load but do not use: files that they read but do not need, and steps that they never reach."""

from collections.abc import Iterator, Sequence

import msgspec

from actions.case import Case
from actions.history.facts import FactKind
from actions.history.line_history import LineHistory, read_history
from actions.history.line_map import map_lines
from actions.history.matched_uses import MatchedUse, match_uses
from actions.history.matches import Match
from actions.history.steps import find_steps
from actions.memo import memoize
from actions.regex import regex
from actions.session.transcript import Kind
from actions.skill.skill import SkillFile
from actions.skill.text import estimate_tokens

_MIN_SESSIONS, _MIN_RUNS = 2, 3
_MIN_NAMES = 10
"""Minimum number of names in a file, so that its use can be recognized."""
_STEPS_AFTER = 3
"""Minimum number of calls after a read, so that the run had a chance to use the file."""
_MIN_TOKENS = 500
"""Minimum size of unreached steps in tokens."""
_PARTIAL_READ_INPUTS = frozenset({"offset", "limit", "pages"})
_NAME = regex(r"[^\W\d_][\w-]{3,}")
_ACTION_KINDS = (FactKind.COMMAND, FactKind.FILE, FactKind.SKILL, FactKind.AGENT, FactKind.TOOL, FactKind.PROMPT)


class UnusedFile(msgspec.Struct, frozen=True, eq=False):
    """A file that sessions read because of a line of the current text, although they used no name from it."""

    line: int
    path: str
    tokens: int
    matches: Sequence[Match]


class UnreachedSteps(msgspec.Struct, frozen=True, eq=False):
    """The last numbered steps of a text, from `line` of the current text, if no use carried them out.

    `first` is the title of the first of these steps, and `steps` is their number.
    """

    line: int
    first: str
    steps: int
    tokens: int
    uses: Sequence[MatchedUse]


def find_unused_files(case: Case) -> Iterator[UnusedFile]:
    """Yield the files that two or more sessions read as a whole but that no use needed.

    A file is needed if a name from its headings or code, which the skill's text lacks, occurs afterwards.
    """
    for history in read_history(case):
        reads = [match for match in history.matches if history.kind is FactKind.FILE and _reads_whole_file(match)]
        file = _find_file(case, history) if history.line and reads else None
        if file is None or history.line is None or len({match.use.session for match in reads}) < _MIN_SESSIONS:
            continue
        names = _list_names(file)
        is_fixed = history.is_fixed(reads, history.reached_uses) or _became_conditional(history)
        if not is_fixed and all(_is_unused(names, match) for match in reads):
            yield UnusedFile(history.line, history.text, estimate_tokens(len(file.text)), reads)


def find_unreached_steps(case: Case) -> UnreachedSteps | None:
    """Return the last steps of the newest loaded text if no use carried out any of them, else None.

    At least three uses of this text, in two sessions, must have ended.
    """
    uses = match_uses(case)
    ended_uses = [
        matched for matched in uses if matched.use.load.text == uses[-1].use.load.text and _has_ended(matched)
    ]
    if len(ended_uses) < _MIN_RUNS or len({matched.use.session for matched in ended_uses}) < _MIN_SESSIONS:
        return None
    facts, loaded = ended_uses[-1].use.facts, ended_uses[-1].use.load.text
    last = max(matched.last_step for matched in ended_uses)
    missed = [fact for fact in facts if fact.step > last and not fact.is_forbidden and fact.kind in _ACTION_KINDS]
    sections = find_steps(ended_uses[-1].use.file)[last:]
    tokens = estimate_tokens(sum(len(line) + 1 for s in sections for line in loaded.split("\n")[s.start - 1 : s.end]))
    line = map_lines(loaded, case.skill.main.text).get(sections[0].start) if sections else None
    if not last or line is None or len({fact.step for fact in missed}) < 2 or tokens < _MIN_TOKENS:
        return None
    if any(matched.is_done(fact) for matched in ended_uses for fact in missed):
        return None
    return UnreachedSteps(line, sections[0].title, len(sections), tokens, ended_uses)


def _became_conditional(history: LineHistory) -> bool:
    return history.current is not None and history.current.is_conditional and not history.fact.is_conditional


def _reads_whole_file(match: Match) -> bool:
    """Return whether a step read a whole file, and the run then continued long enough to use the file."""
    call, transcript = match.step.call, match.use.transcript
    has_read = call.name == "Read" and match.step.result is not None and not match.failure
    if not has_read or not _PARTIAL_READ_INPUTS.isdisjoint(call.input):
        return False
    later = sum(step.call.record > match.record and step.call.agent == call.agent for step in match.use.steps)
    return later >= _STEPS_AFTER and not transcript.skipped.dropped


def _find_file(case: Case, history: LineHistory) -> SkillFile | None:
    """Return the file of the skill that a line names, or None if it is missing or is the main file."""
    path = case.skill.resolve(history.text, case.skill.main.path)
    return case.skill.by_path.get(path) if path and path != case.skill.main.path else None


@memoize
def _list_names(file: SkillFile) -> frozenset[str]:
    doc = file.doc
    texts = [section.title for section in doc.sections] + [span.text for span in doc.spans]
    texts += [line for fence in doc.fences for line in doc.lines_inside(fence)]
    return frozenset(name.lower() for text in texts for name in _NAME.findall(text))


def _is_unused(names: frozenset[str], match: Match) -> bool:
    """Return whether no name of a file occurs after the read. Names in the skill's text do not count."""
    own_names = names - {name.lower() for name in _NAME.findall(match.use.load.text)}
    if len(own_names) < _MIN_NAMES:
        return False
    later_steps = (step for step in match.use.steps if step.call.record > match.record or step.call.agent)
    inputs = (value for step in later_steps for value in step.call.input.values())
    answers = (m.text for m in match.use.transcript.messages if m.kind is Kind.ANSWER and m.record > match.record)
    return all(own_names.isdisjoint(map(str.lower, _NAME.findall(str(text)))) for text in (*inputs, *answers))


def _has_ended(matched: MatchedUse) -> bool:
    """Return whether the session ended with an answer, and no records were dropped from its transcript."""
    messages = matched.use.transcript.messages
    return bool(messages) and messages[-1].kind is Kind.ANSWER and not matched.use.transcript.skipped.dropped
