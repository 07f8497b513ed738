"""Text for a terminal: untrusted text made printable, and the small words that say a score or a cost."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from orchestrator.errors import one_line
from orchestrator.fs import durable
from schemas.vocabulary import Gate, Severity
from templates.filters import counted

if TYPE_CHECKING:
    from schemas.issues import Cost, Issue, Tokens

_STEERING = {"Cc", "Cf", "Zl", "Zp"}
_ODD = re.compile(r"[^\x00-\x7e]")
_COLOURS = {Severity.CRITICAL: "red", Severity.HIGH: "red", Severity.MEDIUM: "yellow", Severity.LOW: "blue"}
_GATES = {Gate.PASS: "green", Gate.REVIEW: "yellow", Gate.FAIL: "red"}


def json_text(value: Any) -> bytes:
    """Give JSON for stdout, always UTF-8; what would steer a terminal is written as an escape."""
    return _ODD.sub(lambda m: _escaped(m[0]), durable.encode(value).decode()).encode()


def _escaped(char: str) -> str:
    """Give a steering character as JSON's escape, as a surrogate pair where it needs one; others as they are."""
    if unicodedata.category(char) not in _STEERING:
        return char
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def safe(text: str) -> str:
    """Give untrusted text as one printable line."""
    return one_line(text)


def warned(sentence: str) -> None:
    """Tell the user something on stderr."""
    click.echo(warning(sentence), err=True)


def warning(sentence: str) -> str:
    """Give a sentence as a line that says who speaks."""
    return f"tune-skill: {safe(sentence)}"


def severity_mark(severity: Severity) -> str:
    """Give a severity in its colour."""
    return click.style(severity.value, fg=_COLOURS[severity], bold=severity is Severity.CRITICAL)


def diff(text: str) -> str:
    """Give a unified diff with colours; each line made printable."""
    return "\n".join(_diff_line(line) for line in text.removesuffix("\n").split("\n"))


def printable(line: str) -> str:
    """Return a line as it stands, with its spaces; what would steer a terminal becomes U+FFFD."""
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in line)


def _diff_line(line: str) -> str:
    shown = printable(line)
    if line.startswith(("+++", "---", "@@")):
        return click.style(shown, bold=True)
    colour = {"+": "green", "-": "red"}.get(line[:1])
    return click.style(shown, fg=colour) if colour else shown


def gate_line(score: int, gate: Gate, issues: "Sequence[Issue]") -> str:
    """Give score, gate and counts in one line."""
    return f"{gate_word(score, gate)} {by_severity(issues)}".rstrip()


def gate_word(score: int, gate: Gate) -> str:
    """Give score and gate."""
    return f"score {score}, gate {click.style(gate.value, fg=_GATES[gate])}"


def by_severity(issues: "Sequence[Issue]") -> str:
    """Give how many of the issues that count there are of each severity, in brackets; empty where there is none.

    Where a pattern found more than the score counts of one, it says so: the score is high, and the faults are many.
    """
    from actions.scoring.quality import PER_PATTERN

    counting = [issue for issue in issues if issue.counts]
    severities, patterns = (Counter(getattr(i, name) for i in counting) for name in ("severity", "pattern"))
    counts = ", ".join(f"{severities[s]} {s.value}" for s in Severity if severities[s])
    capped = f"; the score counts {PER_PATTERN} of a kind" if max(patterns.values(), default=0) > PER_PATTERN else ""
    return f" ({counts}{capped})" if counts else ""


def cost_line(cost: "Cost") -> str:
    """Give what a judge was asked and what it cost."""
    return f"{counted(cost.queries, 'query', 'queries')}, {cost.summary}"


def tokens_line(tokens: "Tokens") -> str:
    """Give the tokens per load stage."""
    return (
        f"about {counted(tokens.listing, 'token')} in every session, {tokens.body:,} at every use, "
        f"{tokens.on_demand:,} on demand"
    )
