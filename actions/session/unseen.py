"""Find possible actions of a session that its records do not show.

The transcript of a sub-agent may be missing, and the oldest records of a long transcript are dropped.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from actions.agent_types import normalize_agent_type
from actions.regex import regex
from actions.session.session import Session
from actions.session.transcript import Call, Result, Step, Transcript
from actions.session.tree_status import list_foreign_changes, lists_other_code, may_be_code, may_be_user_page

AGENT_TOOLS = frozenset({"Task", "Agent"})
_READ_ONLY_AGENTS = frozenset({"explore", "plan"})
"""Normalized agent types of Claude Code that have no tool to change files."""
_READING_TASK = regex(
    r"(?i)\W*(?:analy[sz]e|audit|check|classify|(?:code )?review|compare|examine|explore|fetch|final|find|format"
    r"|fix \w+ (?:format|import)|inspect|investigate|list|look|map|read|re-?run|research|re-?verify|run|search|study"
    r"|summari[sz]e|test|understand|validate|verify)"
)
"""The beginning of the description of a task that changes no files, or only their formatting."""
_CHANGE_WORD = regex(
    r"(?i)\b(?:rewrite|fix|implement|refactor|migrat\w+|edit|create|add|write|remove|delete|apply|replace|rename|modify"
    r"|update|change)\b"
)
"""A word that may ask for a change, in the rest of a task that matches `_READING_TASK`."""
_FORMATTER_CALL = regex(
    r"(?i)\b(?:prettier|black|gofmt|rustfmt|ruff format)"
    r"(?: (?:--)?(?:to )?(?:format |auto)?(?:fix|write)\b(?: format\w*)?)?"
)
"""Matches the call of a formatter."""
_COMMIT_WORDS = regex(
    r"(?i)\bgit (?:commit|push|merge|rebase|pull|cherry-pick|checkout|switch)\b|\bgt \w|graphite|\bsubmit\b"
    r"|\b(?:on|to|into|from|checkout|switch|merge) (?:the )?[`'\"]?(?:main|master)\b"
    r"(?! (?:class|file|function|loop|module))"
    r"|\b(?:commit|push|merge) (?:all|and|changes|each|everything|it|the|them|these|this|to|when|with|your)\b"
    r"|[.,:] commit\b|\b(?:pull|merge) request|\bpr create\b|\bopen (?:a|the) pr\b"
)
"""Words in a task that let the sub-agent commit or leave the branch."""
_DOCUMENT_TASK = regex(
    r"(?i)\W*(?:(?:quick )?(?:re-?)?plan\b|revise [^\n]{0,40}\bplans?\b"
    r"|re-?generate [^\n]{0,40}\b(?:docs?|documentation|readme|changelog)\b)"
)
"""The beginning of a task that writes a plan or documentation but no code."""
_TESTS_ONLY_ORDER = regex(
    r"(?i)\b(?:do not|don't|never) (?:modify|change|edit|touch) (?:any )?(?:source|production) (?:files?|code)"
)
"""An instruction that lets the sub-agent change only tests and documents."""

_PUSH_WORDS = regex(
    r"(?i)\bgit push\b|\bgt \w|\bgraphite\b|\b(?:pr|mr) (?:create|submit)\b|\bpush (?:and|it|the|them|this|to|your)\b"
    r"|\b(?:create|open|submit) (?:a|an|the|your) (?:\w+ )?(?:pr|pull request|merge request)\b"
)
"""Words in a task that let the sub-agent push or open a pull request."""
_REPORTED_CALLS = regex(r"<usage>[^<]{0,80}?\btool_uses: (\d{1,6})\b")
"""The number of calls that a sub-agent reports in the result of the call that started it."""
_TOO_LONG = "the transcript is too long to be read completely"


def list_unseen_agents(transcript: Transcript) -> Iterator[Step]:
    """Yield the calls that started sub-agents whose records are missing, except refused calls."""
    ids = {agent.agent for agent in transcript.agents}
    counts = Counter(call.agent for call in transcript.calls if call.agent and call.agent not in ids)
    for step in (step for step in transcript.steps if step.call.name in AGENT_TOOLS):
        result = step.result
        if result is None or not (
            result.is_refused or any(id in result.text for id in ids) or _has_all_calls(result, counts)
        ):
            yield step


def _has_all_calls(result: Result, counts: Mapping[str, int]) -> bool:
    """Return whether the records contain as many calls of a sub-agent as it reports."""
    reported = _REPORTED_CALLS.search(result.text)
    return reported is not None and any(count >= int(reported[1]) and id in result.text for id, count in counts.items())


def find_unseen_commits(session: Session) -> str:
    """Return why the session may have committed to the main branch without a record, or "" if it did not.

    A sub-agent without records is assumed to commit nothing and to stay on its branch, unless its task mentions
    commits or another branch.
    """
    if session.transcript.skipped.dropped:
        return _TOO_LONG
    for call, _ in list_unseen_agents(session.transcript):
        task = f"{call.get('description')}\n{call.get('prompt')}"
        is_main = session.transcript.find_branch(call.record) in ("", "HEAD", "main", "master")
        if not is_read_only_agent(call) and (is_main or _COMMIT_WORDS.search(task)):
            return "a sub-agent without records may have committed"
    return ""


def find_unseen_pushes(session: Session) -> str:
    """Return why the session may have pushed or opened a pull request without a record, or "" if it did not."""
    if session.transcript.skipped.dropped:
        return _TOO_LONG
    for call, _ in list_unseen_agents(session.transcript):
        if not is_read_only_agent(call) and _PUSH_WORDS.search(f"{call.get('description')}\n{call.get('prompt')}"):
            return "a sub-agent without records may have pushed"
    return ""


def find_unseen_changes(session: Session, *, only_code: bool) -> str:
    """Return why the session may have changed files without a record of it, or "" if it certainly did not.

    With `only_code`, only code files count.
    """
    if session.transcript.skipped.dropped:
        return _TOO_LONG
    if only_code and not session.production_edits and session.changes_code_by_command:
        return "a command may have changed code"
    if only_code and not session.production_edits and lists_other_code(session):
        return "git lists changed code that no edit explains"
    steps = [
        step
        for step in list_unseen_agents(session.transcript)
        if not (is_read_only_agent(step.call) or (only_code and _writes_no_code(step.call)))
    ]
    is_relevant = may_be_code if only_code else may_be_user_page
    changes = list_foreign_changes(session, steps) if steps else []
    if changes is None or any(map(is_relevant, changes)):
        return "a sub-agent without records may have changed files"
    return ""


def _writes_no_code(call: Call) -> bool:
    """Return whether the task of the sub-agent that a call starts is not to write production code."""
    return bool(_DOCUMENT_TASK.match(call.get("description")) or _TESTS_ONLY_ORDER.search(call.get("prompt")))


def is_read_only_agent(call: Call) -> bool:
    """Return whether the sub-agent that a call starts changes no files, judging by its type or its task."""
    task = _FORMATTER_CALL.sub("format", call.get("description"))
    reads = _READING_TASK.match(task)
    is_read_only = normalize_agent_type(call.get("subagent_type")) in _READ_ONLY_AGENTS
    return is_read_only or bool(reads and not _CHANGE_WORD.search(task, reads.end()))
