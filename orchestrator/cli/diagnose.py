"""`diagnose`: what is wrong with skills. Reads only."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from actions.findings import Scan, scan
from actions.issues import issues_of
from actions.model import Case, Skill
from actions.quality import measure, tokens
from orchestrator import durable
from orchestrator.cli.exits import Exit
from orchestrator.cli.text import gate_line, issue_lines, safe, tokens_line
from orchestrator.errors import BadInput
from orchestrator.readers import read_skill, skill_root, skills_below
from orchestrator.workspace import inspect
from schemas.codec import to_json
from schemas.records import SCHEMA_VERSION, Issue, SeverityCounts
from schemas.vocabulary import Gate, IssueStatus

NONE = SeverityCounts()


@dataclass(frozen=True)
class Diagnosed:
    """A skill and what is wrong with it; `error` when it could not be read."""

    path: str
    skill: Skill | None = None
    issues: tuple[Issue, ...] = ()
    counts: SeverityCounts = NONE
    score: int = 0
    gate: Gate = Gate.FAIL
    notes: tuple[str, ...] = ()
    error: str | None = None


@click.command()
@click.argument("skills", nargs=-1, required=True, metavar="SKILL…")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def diagnose(skills: tuple[str, ...], format_: str) -> Exit:
    """Say what is wrong with each SKILL (a folder with a SKILL.md, or a folder of such folders).

    Reads only: nothing is ever written. Exit code 0 when every gate passes, 1 when one does not.

    \b
    Examples:
      tune-skill diagnose my-skill
      tune-skill diagnose .claude/skills --format json
    """
    found = [diagnosed(path) for argument in skills for path in _expanded(argument)]
    if format_ == "json":
        rows = [as_json(one) for one in found]
        single = len(skills) == 1 and len(rows) == 1
        click.echo(durable.encode(rows[0] if single else rows).decode(), nl=False)
    else:
        _print(found)
    for one in found:
        if one.error:
            click.echo(f"tune-skill: {safe(one.error)}", err=True)
    if all(one.error for one in found):
        return Exit.USAGE
    return Exit.OK if all(one.error is None and one.gate is Gate.PASS for one in found) else Exit.GATE


def _expanded(argument: str) -> list[str]:
    """Give the skills below a folder that is no skill itself."""
    below = skills_below(Path(argument).expanduser())
    return [str(path) for path in below] or [argument]


def diagnosed(argument: str) -> Diagnosed:
    """Diagnose one skill; an unusable one costs its own row."""
    try:
        root = skill_root(argument)
        skill = read_skill(root)
    except BadInput as error:
        return Diagnosed(argument, error=str(error))
    found = scan(Case(skill))
    issues = issues_of(found)
    counts, score, gate = measure(issues)
    waiting = inspect(root)
    notes = (*skill.notes, *_unknown(found), *((waiting.sentence,) if waiting else ()))
    return Diagnosed(str(root), skill, issues, counts, score, gate, notes)


def _unknown(found: Scan) -> list[str]:
    failed = [f"{id} could not look: {why}" for id, why in found.failed.items()]
    return failed + [f"suppression without effect: {place}" for place in found.idle_suppressions]


def as_json(one: Diagnosed) -> dict[str, Any]:
    """Give a row as `diagnose.schema.json` says."""
    if one.skill is None:
        return {"schema_version": SCHEMA_VERSION, "skill": {"path": one.path}, "error": one.error}
    return {
        "schema_version": SCHEMA_VERSION,
        "skill": {"name": one.skill.name, "path": one.path, "execution_mode": one.skill.execution_mode},
        "tokens": to_json(tokens(one.skill)),
        "issues": [to_json(i) for i in one.issues if i.status is IssueStatus.OPEN],
        "suppressed": [to_json(i) for i in one.issues if i.status is not IssueStatus.OPEN],
        "issues_by_severity": to_json(one.counts),
        "quality_score": one.score,
        "quality_gate": one.gate,
        "notes": list(one.notes),
    }


def _print(found: list[Diagnosed]) -> None:
    for one in found:
        if one.skill is None:
            continue
        click.echo(click.style(f"{safe(one.skill.name)}  {safe(one.path)}", bold=True))
        for issue in (i for i in one.issues if i.status is IssueStatus.OPEN):
            click.echo("\n".join(issue_lines(issue)))
        for note in one.notes:
            click.echo(f"note: {safe(note)}")
        click.echo(gate_line(one.score, one.gate, one.issues))
        click.echo(tokens_line(tokens(one.skill)))
        click.echo("")
