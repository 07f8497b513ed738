"""Find test runs that are known only from the reports of sub-agents, because their transcripts are missing.

A report is prose. It counts only if it quotes the test runner's line with the number of passed tests and the time, if
it mentions no failure, and if the sub-agent changed nothing.
"""

from actions.regex import regex
from actions.session.session import Session
from actions.session.transcript import Call, Quote, Result
from actions.session.unseen import is_read_only_agent, list_unseen_agents

_SUMMARY = regex(
    r"(?m)^.*(?<![\d.,])[1-9][\d,]* (?:tests? )?passed(?:, [^\n]{0,80})? in \d+(?:\.\d+)? ?(?:ms|s|seconds)\b.*$"
)
_FAILURE_WORDS = regex(
    r"(?i)fail|error|broke|time(?:d |-)?out|could not|cannot|crash|not run|abort|exception|\bskipping\b|✗|❌"
)
_NO_FAILURE = regex(
    r"(?i)\b(?:no|0|zero|without(?: any)?) (?:\w+ )?(?:failures?|errors?|failed)\b"
    r"(?:,? (?:or|and) (?:errors?|failures?)\b)?"
)
"""Words that deny a failure."""


def find_reported_run(session: Session) -> Quote | None:
    """Return the test runner's line in the last report, or None if the reports do not prove a passed run.

    They do not if a report on tests since the last code change does not count, or if code may have been changed
    without a record.
    """
    if session.transcript.skipped.dropped or session.changes_code_by_command or any(e.agent for e in session.edits):
        return None
    steps = list(list_unseen_agents(session.transcript))
    changes = [edit.record for edit in session.edits if edit.is_code]
    changes += [result.record if result else call.record for call, result in steps if not is_read_only_agent(call)]
    since = max(changes, default=-1)
    by_prompt = {call.get("prompt"): (call, result) for call, result in steps if call.record > since}
    quotes = [_read_report(call, result) for call, result in by_prompt.values() if _concerns_tests(call, result)]
    return quotes[-1] if quotes and all(quotes) else None


def _concerns_tests(call: Call, result: Result | None) -> bool:
    """Return whether a sub-agent ran tests, or may have run failing tests."""
    report = result.text if result else ""
    mentions_tests = "test" in f"{call.get('description')} {call.get('prompt')} {report}".lower()
    return _SUMMARY.search(report) is not None or (mentions_tests and not _is_without_failure(report))


def _is_without_failure(report: str) -> bool:
    """Return whether a report is not empty and mentions no failure."""
    is_started = "Async agent launched" in report[:200]
    return bool(report) and not is_started and _FAILURE_WORDS.search(_NO_FAILURE.sub("", report)) is None


def _read_report(call: Call, result: Result | None) -> Quote | None:
    """Return the last line of a test runner in a report, or None if it has no such line or mentions a failure."""
    lines = _SUMMARY.findall(result.text) if result and not result.is_error and _is_without_failure(result.text) else []
    return Quote(result.record, lines[-1], call.agent) if result and lines else None
