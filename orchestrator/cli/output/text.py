"""Make untrusted text printable, and format scores, costs and warnings for a terminal."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from actions.regex import regex
from orchestrator.errors import one_line
from orchestrator.fs import durable
from schemas.vocabulary import Gate, Severity
from templates.filters import counted

if TYPE_CHECKING:
    from schemas.issues import Cost, Issue, Tokens

_CONTROL_CATEGORIES = {"Cc", "Cf", "Zl", "Zp"}
_NOT_ASCII = regex(r"[^\x00-\x7e]")
_SEVERITY_COLOURS = {Severity.CRITICAL: "red", Severity.HIGH: "red", Severity.MEDIUM: "yellow", Severity.LOW: "blue"}
_GATE_COLOURS = {Gate.PASS: "green", Gate.REVIEW: "yellow", Gate.FAIL: "red"}


def json_text(value: Any) -> bytes:
    """Encode a value as JSON in UTF-8 for stdout, with control characters escaped."""
    return _NOT_ASCII.sub(lambda m: _escape(m[0]), durable.encode(value).decode()).encode()


def _escape(char: str) -> str:
    """Return a control character as a JSON escape (or two, a surrogate pair), and any other character unchanged."""
    if unicodedata.category(char) not in _CONTROL_CATEGORIES:
        return char
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[index : index + 4]}" for index in range(0, len(units), 4))


def safe(text: str) -> str:
    """Return untrusted text as one printable line."""
    return one_line(text)


def warn(message: str) -> None:
    """Print a message to stderr."""
    click.echo(prefix_message(message), err=True)


def prefix_message(message: str) -> str:
    """Return a message as one line that begins with the name of the program."""
    return f"tune-skill: {safe(message)}"


def format_severity(severity: Severity) -> str:
    """Return the word for a severity in its colour."""
    return click.style(severity.value, fg=_SEVERITY_COLOURS[severity], bold=severity is Severity.CRITICAL)


def diff(text: str) -> str:
    """Return a unified diff with colours, without control characters."""
    return "\n".join(_format_diff_line(line) for line in text.removesuffix("\n").split("\n"))


def printable(line: str) -> str:
    """Replace unprintable characters other than tabs with U+FFFD."""
    return "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in line)


def _format_diff_line(line: str) -> str:
    text = printable(line)
    if line.startswith(("+++", "---", "@@")):
        return click.style(text, bold=True)
    colour = {"+": "green", "-": "red"}.get(line[:1])
    return click.style(text, fg=colour) if colour else text


def format_gate_line(score: int, gate: Gate, issues: "Sequence[Issue]") -> str:
    """Return score, quality gate and the counts by severity in one line."""
    return f"{format_gate(score, gate)} {format_severity_counts(issues)}".rstrip()


def format_gate(score: int, gate: Gate) -> str:
    """Return score and quality gate."""
    return f"score {score}, gate {click.style(gate.value, fg=_GATE_COLOURS[gate])}"


def format_severity_counts(issues: "Sequence[Issue]") -> str:
    """Return the number of issues by severity, in brackets, or "" if there are no issues.

    The text mentions a limit on the findings of a pattern that count, because the score would otherwise seem too
    high.
    """
    from actions.scoring.quality import MAX_COUNTED_PER_PATTERN

    counting = [issue for issue in issues if issue.counts]
    severities = Counter(issue.severity for issue in counting)
    patterns = Counter(issue.pattern for issue in counting)
    counts = ", ".join(f"{severities[severity]} {severity.value}" for severity in Severity if severities[severity])
    is_capped = max(patterns.values(), default=0) > MAX_COUNTED_PER_PATTERN
    capped = f"; only the first {MAX_COUNTED_PER_PATTERN} of each pattern count" if is_capped else ""
    return f" ({counts}{capped})" if counts else ""


def format_cost(cost: "Cost") -> str:
    """Return the number of questions to a judge and their cost."""
    return f"{counted(cost.queries, 'query', 'queries')}, {cost.summary}"


def format_tokens(tokens: "Tokens") -> str:
    """Return the number of tokens loaded in every session, at every use, and on demand."""
    return (
        f"about {counted(tokens.listing, 'token')} in every session, {tokens.body:,} at every use, "
        f"{tokens.on_demand:,} on demand"
    )
