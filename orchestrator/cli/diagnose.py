"""`diagnose`: what is wrong with skills. Reads only."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.model_options import judge_option, max_cost_option
from orchestrator.cli.output.progress import Progress, quiet_option
from orchestrator.cli.output.text import json_text, warned
from orchestrator.exits import Exit
from schemas.vocabulary import Gate
from templates.filters import counted

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row
    from orchestrator.engine.units import ScanOptions

_TEXTS = {"concise": False, "full": True, "text": True}
"""The formats for people, and whether they show the lines and the advice. `text` is the first name of `full`."""
FORMATS = (*_TEXTS, "json", "markdown", "sarif")


@click.command()
@click.argument("skills", nargs=-1, required=True, metavar="SKILL…")
@click.option(
    "--format",
    "--output-format",
    "format_",
    type=click.Choice(FORMATS),
    default="concise",
    show_default=True,
    help="concise: one line a finding, of each skill the worst 60; full (or text): all, with lines and advice.",
)
@click.option("--select", metavar="ID,…", help="Check only these: ids, prefixes (CTX) or families (docs).")
@click.option("--ignore", metavar="ID,…", help="Skip these: ids, prefixes or families.")
@click.option("--baseline", metavar="FILE", help="Suppress the findings that FILE lists.")
@click.option("--write-baseline", metavar="FILE", help="Write today's findings to FILE, and exit with 0.")
@click.option(
    "--sessions", multiple=True, metavar="PATH", help="Recorded sessions to use as evidence, or folders of them."
)
@click.option("--no-sessions", is_flag=True, help="Use no sessions. [default, unless --sessions is given]")
@judge_option("none")
@max_cost_option
@click.option("--since", metavar="REV", help="Only skills changed since REV, a commit or branch of git.")
@click.option("--only-in-skills", is_flag=True, help="Ignore arguments that are not in a skill (for pre-commit).")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Processes. [default: one for each core, if there are many skills]",
)
@click.option("--no-cache", is_flag=True, help="Look at every skill, even if it has not changed.")
@quiet_option
def diagnose(
    skills: tuple[str, ...], format_: str, select: str | None, ignore: str | None, baseline: str | None,
    write_baseline: str | None, sessions: tuple[str, ...], no_sessions: bool, judge: str,
    max_cost_usd: float | None, since: str | None, only_in_skills: bool, jobs: int | None,
    no_cache: bool, quiet: bool,
) -> Exit:  # fmt: skip
    """Report what is wrong with each SKILL (a folder with a SKILL.md, or a folder of such folders).

    Reads only: no skill is ever written. Exit code 0 when every gate passes, 1 when one does not.
    tune-skill.toml in the project or the skill selects patterns and sets what does not count.

    \b
    Examples:
      tune-skill diagnose my-skill
      tune-skill diagnose .claude/skills --format sarif > findings.sarif
      tune-skill diagnose my-skill --select CTX,token_consumption --ignore CTX-006
      tune-skill diagnose .claude/skills --write-baseline known.json
      tune-skill diagnose .claude/skills --baseline known.json
      tune-skill diagnose .claude/skills --since origin/main
      tune-skill diagnose my-skill --sessions ~/.claude/projects/-home-me-tool
    """
    if baseline and write_baseline:
        raise click.UsageError("--baseline and --write-baseline exclude each other; give one")
    if since is not None and write_baseline:
        raise click.UsageError("--write-baseline lists all skills, --since leaves some out; give one")
    from orchestrator.cli.output.evidence import given_sessions
    from orchestrator.cli.subjects import subjects
    from orchestrator.engine.cache import open_cache
    from orchestrator.engine.scan import find_idle_suppressions, scan_units
    from orchestrator.model import bench_for
    from orchestrator.run.workspace.pending import add_note
    from schemas.options import Options

    own = given_sessions(sessions, no_sessions=no_sessions)
    options = _options(select, ignore, baseline, own, with_model=judge != "none")
    if not no_cache:
        options = replace(options, cache=open_cache())
    paths = subjects(skills, only_in_skills=only_in_skills)
    if options.sessions and len(paths) > 1:
        raise click.UsageError("--sessions tells of one skill; give one SKILL")
    if since is not None:
        from orchestrator.engine.git_changes import find_changed

        paths = find_changed(since, paths, _shared(options, baseline))
    bench = bench_for(Options(judge=judge, max_cost_usd=max_cost_usd), warned)
    with Progress("skills", len(paths), quiet=quiet) as progress:
        rows = list(map(add_note, scan_units(paths, options, jobs, bench, progress.one_more)))
    listed = _listed(Path(write_baseline), rows) if write_baseline and not all(row.error for row in rows) else ""
    _print(rows, format_, single=len(skills) == 1 and len(rows) == 1)
    _warn_of(rows, since)
    for told in find_idle_suppressions(rows, options):
        warned(told)
    if listed:
        click.echo(listed, err=True)
        return Exit.OK
    return _exit(rows)


def _options(
    select: str | None, ignore: str | None, baseline: str | None, sessions: tuple[str, ...], *, with_model: bool
) -> "ScanOptions":
    from orchestrator.engine.units import ScanOptions
    from orchestrator.project.settings import parse_selection, read_project_settings

    options = ScanOptions(
        *parse_selection(select, ignore, with_model=with_model), read_project_settings(), sessions=sessions
    )
    if baseline:
        from orchestrator.engine.baseline import read_baseline

        return replace(options, baseline=read_baseline(Path(baseline)), baseline_file=Path(baseline))
    return options


def _warn_of(rows: "Sequence[Row]", since: str | None) -> None:
    """Tell of skills that could not be looked at, and where there is none."""
    for row in rows:
        if row.error:
            warned(row.error)
    if not rows:
        warned("no skill is among these files" if since is None else f"no skill has changed since {since}")


def _shared(options: "ScanOptions", baseline: str | None) -> list[Path]:
    """Give the files on which the rows of all skills depend."""
    settings = [options.project.path] if options.project else []
    return [*settings, *([Path(baseline)] if baseline else [])]


def _print(rows: "Sequence[Row]", format_: str, *, single: bool) -> None:
    if format_ in _TEXTS:
        from orchestrator.cli.output.listing import shown

        shown(rows, full=_TEXTS[format_])
        return
    if format_ == "json":
        from orchestrator.engine.rows import as_json

        found = [as_json(row) for row in rows]
        click.echo(json_text(found[0] if single else found), nl=False)
        return
    from orchestrator.cli.output.formats import as_markdown, as_sarif

    click.echo(as_markdown(rows) if format_ == "markdown" else json_text(as_sarif(rows)), nl=False)


def _listed(file: Path, rows: "Sequence[Row]") -> str:
    """Write the baseline, and give what is told of it."""
    from orchestrator.engine.baseline import write_baseline

    count = write_baseline(file, ((Path(row.path), row.issues) for row in rows if row.error is None))
    return f"tune-skill: {counted(count, 'finding')} listed in {file}"


def _exit(rows: "Sequence[Row]") -> Exit:
    if rows and all(row.error for row in rows):
        return Exit.USAGE
    return Exit.OK if all(row.error is None and row.gate is Gate.PASS for row in rows) else Exit.GATE
