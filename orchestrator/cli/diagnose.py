"""`tune-skill diagnose`: report what is wrong with skills. It only reads."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.options import judge_option, max_cost_option, quiet_option, read_sessions, sessions_options
from orchestrator.cli.output.progress import Progress
from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import Diagnosis
from orchestrator.cli.output.text import warn
from orchestrator.exits import Exit
from schemas.vocabulary import FailOn
from templates.filters import counted

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row
    from orchestrator.engine.units import ScanOptions


@click.command()
@click.argument("skills", nargs=-1, required=True, metavar="SKILL…")
@format_option(
    Diagnosis,
    "--output-format",
    default="concise",
    help="concise: one line per finding, at most 60 per skill; full (or text): all findings with lines and advice.",
)
@click.option("--select", metavar="ID,…", help="Check only these: ids, prefixes (CTX) or families (docs).")
@click.option("--ignore", metavar="ID,…", help="Skip these: ids, prefixes or families.")
@click.option("--baseline", metavar="FILE", help="Suppress the findings that FILE lists.")
@click.option("--write-baseline", metavar="FILE", help="Write today's findings to FILE, and exit with 0.")
@sessions_options("yes, unless --sessions is given")
@judge_option("none")
@max_cost_option
@click.option("--since", metavar="REV", help="Check only skills changed since REV, a git commit or branch.")
@click.option("--only-in-skills", is_flag=True, help="Ignore arguments outside of skills (for pre-commit).")
@click.option(
    "--fail-on",
    type=click.Choice([one.value for one in FailOn]),
    help="Exit with 1 for a finding of this severity or worse; gate: for a gate that is not passed; never: for none."
    "  [default: medium]",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Number of processes. [default: one per core, if there are many skills]",
)
@click.option("--no-cache", is_flag=True, help="Check every skill again, even if it has not changed.")
@quiet_option
def diagnose(
    skills: tuple[str, ...], format_: str, select: str | None, ignore: str | None, baseline: str | None,
    write_baseline: str | None, sessions: tuple[str, ...], no_sessions: bool, judge: str,
    max_cost_usd: float | None, since: str | None, only_in_skills: bool, fail_on: str | None,
    jobs: int | None, no_cache: bool, quiet: bool,
) -> Exit:  # fmt: skip
    """Report what is wrong with each SKILL (a folder with a SKILL.md, or a folder of such folders).

    In a folder of skills the agents, commands, hooks, manifests, MCP and memory files are checked too.
    No checked file is changed. Exit code 1 if there is a finding of medium severity or worse (--fail-on), else 0.
    tune-skill.toml in the project or in a skill selects patterns and suppresses findings.

    \b
    Examples:
      tune-skill diagnose my-skill
      tune-skill diagnose . --format sarif > findings.sarif
      tune-skill diagnose my-skill --select CTX,token_consumption --ignore CTX-006
      tune-skill diagnose .claude/skills --write-baseline known.json
      tune-skill diagnose .claude/skills --baseline known.json
      tune-skill diagnose .claude/skills --since origin/main --fail-on high
      tune-skill diagnose my-skill --sessions ~/.claude/projects/-home-me-tool
    """
    if baseline and write_baseline:
        raise click.UsageError("--baseline and --write-baseline exclude each other; give one")
    if since is not None and write_baseline:
        raise click.UsageError("--write-baseline lists all skills, --since leaves some out; give one")
    from orchestrator.cli.input.find_skills import find_project_folders, find_skills
    from orchestrator.engine.cache import open_cache
    from orchestrator.engine.failure import choose_fail_on, explain_failure
    from orchestrator.engine.scan import find_idle_suppressions, scan_project_units, scan_units
    from orchestrator.model import choose_judge
    from orchestrator.run.workspace.pending import add_note
    from schemas.options import Options

    session_paths = read_sessions(sessions, no_sessions=no_sessions)
    options = _read_settings(select, ignore, baseline, session_paths, uses_model=judge != "none")
    if not no_cache:
        options = replace(options, cache=open_cache())
    paths = find_skills(skills, only_in_skills=only_in_skills)
    if options.sessions and len(paths) > 1:
        raise click.UsageError("--sessions is evidence for one skill; give one SKILL")
    if since is not None:
        from orchestrator.engine.git_changes import find_changed

        paths = find_changed(since, paths, _list_shared_files(options, baseline))
    access = choose_judge(Options(judge=judge, max_cost_usd=max_cost_usd), warn)
    folders = [] if only_in_skills or since is not None else find_project_folders(skills)
    others = scan_project_units(folders, options)
    paths = [path for path in paths if not (others and Path(path) in folders)]
    with Progress("skills", len(paths), quiet=quiet) as progress:
        rows = list(map(add_note, scan_units(paths, options, jobs, access, progress.advance)))
    rows += others
    has_result = not all(row.error for row in rows)
    baseline_note = _write_baseline(Path(write_baseline), rows) if write_baseline and has_result else ""
    print_result(Diagnosis(rows, is_single=len(skills) == 1 and len(rows) == 1), format_)
    _warn_of_errors(rows, since)
    for note in find_idle_suppressions(rows, options):
        warn(note)
    if baseline_note:
        warn(baseline_note)
        return Exit.OK
    if rows and all(row.error for row in rows):
        return Exit.USAGE
    if failure := explain_failure(rows, choose_fail_on(fail_on, options.project)):
        warn(failure)
    return Exit.GATE if failure or any(row.error for row in rows) else Exit.OK


def _read_settings(
    select: str | None, ignore: str | None, baseline: str | None, sessions: tuple[str, ...], *, uses_model: bool
) -> "ScanOptions":
    from orchestrator.engine.units import ScanOptions
    from orchestrator.project.settings import parse_selection, read_project_settings

    options = ScanOptions(
        *parse_selection(select, ignore, with_model=uses_model), read_project_settings(), sessions=sessions
    )
    if baseline:
        from orchestrator.engine.baseline import read_baseline

        return replace(options, baseline=read_baseline(Path(baseline)), baseline_file=Path(baseline))
    return options


def _warn_of_errors(rows: "Sequence[Row]", since: str | None) -> None:
    """Warn of skills that could not be read, or if there is no skill."""
    for row in rows:
        if row.error:
            warn(row.error)
    if not rows:
        warn("no skill is among these files" if since is None else f"no skill has changed since {since}")


def _list_shared_files(options: "ScanOptions", baseline: str | None) -> list[Path]:
    """Return the files that affect the results of all skills."""
    settings = [options.project.path] if options.project else []
    return [*settings, *([Path(baseline)] if baseline else [])]


def _write_baseline(file: Path, rows: "Sequence[Row]") -> str:
    """Write the baseline, and return a message about it."""
    from orchestrator.engine.baseline import write_baseline

    count = write_baseline(file, ((Path(row.path), row.issues) for row in rows if row.error is None))
    return f"{counted(count, 'finding')} listed in {file}"
