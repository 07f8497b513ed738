"""Classify a session by its edits and commands and, if these are not enough, by the user's words."""

from actions.regex import regex
from actions.session.session import Session
from schemas.considerations import SessionType

_OPERATION_PROGRAMS = frozenset(
    "git gh docker kubectl helm terraform ansible aws gcloud az systemctl ssh scp rsync rm mv cp mkdir tar apt apt-get "
    "brew pip npm pnpm yarn cargo make psql redis-cli crontab kill chmod chown".split()
)
_READ_SUBCOMMANDS = frozenset({"status", "log", "diff", "show", "branch", "list", "view", "remote"})
_INVESTIGATION_WORDS = regex(
    r"\b(?:investigat\w*|analy[sz]e\w*|debug\w*|diagnos\w*|root cause|figure out|find out|look into|research|explore|"
    r"audit|trace|why (?:does|do|is|are|did|was|were|has|have)|how come|compare)\b"
)
_DEVELOPMENT_WORDS = regex(
    r"(?:^|[.!;\n] *|\b(?:please|then|and|to|you|let's) )"
    r"(?:implement|add|build|create|develop|fix|refactor|port|write)\b"
)
_TIDYING_WORDS = regex(
    r"\b(?:clean ?up|tidy|fetch|sync|pull|workspace|switch|checkout|delete|remove|rename|move|install|update)\b"
)
_QUESTION_WORDS = regex(
    r"\?|\b(?:what|how|why|when|where|which|who|explain|describe|tell me|show me|summari[sz]e|list)\b"
)
_READ_TOOLS = frozenset({"Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "Task", "Agent"})
_MIN_READS = 5
"""Minimum number of reads that make a question an investigation."""


def classify_session(session: Session) -> SessionType:
    """Return the type of a session."""
    if session.code_edit or session.runs or session.git.pull_requests:
        return SessionType.DEVELOPMENT
    if any(edit.kind != "scratch" for edit in session.edits):
        return SessionType.MAINTENANCE
    operations = (
        part
        for command in session.commands
        for part in command.parts
        if part[0].rpartition("/")[2] in _OPERATION_PROGRAMS
    )
    if any("--help" not in part and _READ_SUBCOMMANDS.isdisjoint(part[1:2]) for part in operations):
        return SessionType.OPERATIONS
    reads = sum(call.name in _READ_TOOLS for call in session.transcript.calls)
    wording = session.user_words
    if reads and (_INVESTIGATION_WORDS.search(wording) or reads >= _MIN_READS):
        return SessionType.INVESTIGATION
    if _DEVELOPMENT_WORDS.search(wording):
        return SessionType.DEVELOPMENT
    if reads or (_QUESTION_WORDS.search(wording) and not _TIDYING_WORDS.search(wording)):
        return SessionType.INFORMATIONAL
    return SessionType.SIMPLE
