"""`tune-skill diagnose`: report what is wrong with skills. No file of a skill is changed."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from orchestrator.cli.input.options import judge_option, max_cost_option, quiet_option, read_sessions, sessions_options
from orchestrator.cli.output.progress import Progress
from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import Diagnosis
from orchestrator.cli.output.text import warn
from orchestrator.cli.output.write import check_file_of_model
from orchestrator.exits import Exit
from schemas.vocabulary import LOADED_KINDS, FailOn, UnitKind
from templates.filters import counted

if TYPE_CHECKING:
    from orchestrator.engine.rows import Row
    from orchestrator.engine.units import ScanOptions
    from orchestrator.project.projects import Projects
    from orchestrator.project.targets import Targets


@click.command()
@click.argument("skills", nargs=-1, metavar="SKILL…")
@format_option(
    Diagnosis,
    "--output-format",
    default="concise",
    help="concise: one line per finding, at most 60 per skill; full (or text): all findings with lines and advice.",
)
@click.option("--select", metavar="ID,…", help="Check only these: ids, prefixes (CTX) or families (docs).")
@click.option("--ignore", metavar="ID,…", help="Skip these: ids, prefixes or families.")
@click.option("--baseline", metavar="FILE", help="Suppress the findings that FILE lists.")
@click.option("--write-baseline", metavar="FILE", help="Write the current findings to FILE, and exit with 0.")
@sessions_options("no sessions")
@judge_option("none")
@max_cost_option
@click.option("--since", metavar="REV", help="Check only units changed since REV, a git commit or branch.")
@click.option(
    "--only", type=click.Choice([kind.value for kind in UnitKind]), multiple=True, help="Check only units of this kind."
)
@click.option(
    "--only-in-skills", is_flag=True, help="Ignore arguments outside skills and other units (for pre-commit)."
)
@click.option("--staged", is_flag=True, help="Also check the units that staged changes affect (for pre-commit).")
@click.option(
    "--fail-on",
    type=click.Choice([threshold.value for threshold in FailOn]),
    help="Exit with 1 if a finding has this severity or worse; gate: if a unit does not pass its gate; never: in no"
    " case.  [default: medium]",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Number of processes. [default: one per core, if there are many skills]",
)
@click.option("--no-cache", is_flag=True, help="Check every skill again, and ask a model every question again.")
@quiet_option
def diagnose(
    skills: tuple[str, ...], format_: str, select: str | None, ignore: str | None, baseline: str | None,
    write_baseline: str | None, sessions: tuple[str, ...], no_sessions: bool, judge: str,
    max_cost_usd: float | None, since: str | None, only: tuple[str, ...], only_in_skills: bool, staged: bool,
    fail_on: str | None, jobs: int | None, no_cache: bool, quiet: bool,
) -> Exit:  # fmt: skip
    """Report what is wrong with each SKILL: a folder with a SKILL.md, another unit of a project, or a folder of units.

    Units are skills, agents, commands, hooks, manifests, MCP files, memory files and output styles. Name one by its
    path, or as Claude Code does (`plugin:name` or `name`).
    No checked file is changed. Exit code 1 if there is a finding of medium severity or worse (--fail-on), or if
    a model was to read a unit and did not, else 0.
    tune-skill.toml in the project or in a skill selects patterns and suppresses findings.

    \b
    Examples:
      tune-skill diagnose my-skill
      tune-skill diagnose . --only agent --only hooks
      tune-skill diagnose . --format sarif > findings.sarif
      tune-skill diagnose my-skill --select CTX,token_consumption --ignore CTX-006
      tune-skill diagnose .claude/skills --write-baseline known.json
      tune-skill diagnose .claude/skills --baseline known.json
      tune-skill diagnose .claude/skills --since origin/main --fail-on high
      tune-skill diagnose my-skill --sessions ~/.claude/projects/-home-me-tool
    """
    if not skills and not staged:
        raise click.MissingParameter(param_hint="SKILL…", param_type="argument")
    if baseline and write_baseline:
        raise click.UsageError("--baseline and --write-baseline are mutually exclusive")
    if write_baseline:
        check_file_of_model(Path(write_baseline), (".json",))
    if since is not None and write_baseline:
        raise click.UsageError("--write-baseline needs all skills, but --since leaves some out; use only one of them")
    if since is not None and staged:
        raise click.UsageError("--since and --staged are mutually exclusive")
    from orchestrator.engine.failure import explain_failures, explain_units
    from orchestrator.engine.rows import Row
    from orchestrator.engine.scan import find_unused_suppressions, scan_project_units, scan_units
    from orchestrator.engine.shared_causes import join_rows
    from orchestrator.model import choose_judge
    from orchestrator.project.targets import find_targets, leave_out_excluded
    from orchestrator.run.workspace.pending import add_note
    from schemas.options import Options

    session_paths = read_sessions(sessions, no_sessions=no_sessions)
    options = _read_settings(select, ignore, baseline, session_paths, uses_model=judge != "none")
    if not no_cache:
        from orchestrator.engine.cache import open_cache

        options = replace(options, cache=open_cache())
    if write_baseline:
        from actions.scoring.scan import MAX_COMPARED_CAUSES

        options = replace(options, max_causes=MAX_COMPARED_CAUSES)
    targets = find_targets(skills, only, options.projects, only_in_skills=only_in_skills)
    if staged:
        targets = targets.join(_find_staged_units(only, options.projects, baseline))
    found = targets
    targets, exclusion_notes = leave_out_excluded(found, () if only else skills, options.projects.settings)
    all_excluded = bool(found.paths) and not targets.paths
    loaded_units = [located for located in targets.units if located.unit.kind in LOADED_KINDS]
    if options.sessions and len(targets.skills) + len(loaded_units) > 1:
        raise click.UsageError("--sessions is evidence about one skill, command or agent; name exactly one")
    if since is not None:
        targets = _select_changed_units(targets, since, _list_shared_files(targets, baseline, options.projects))
    access = choose_judge(Options(judge=judge, max_cost_usd=max_cost_usd), warn, anew=no_cache)
    with access.name_cost_of_failure():
        with Progress("skills", len(targets.skills), quiet=quiet) as progress:
            rows = list(map(add_note, scan_units(targets.skills, options, jobs, access, progress.advance)))
        rows = join_rows([*rows, *scan_project_units(targets.units, options, access)])
        rows += _list_unread(targets, rows)
        rows += [Row(argument, error=problem) for argument, problem in targets.problems.items()]
        has_result = not all(row.error for row in rows)
        baseline_note = _write_baseline(Path(write_baseline), rows) if write_baseline and has_result else ""
        failure = "" if baseline_note else explain_failures(rows, fail_on, options.projects.settings)
        reasons = [] if baseline_note else explain_units(rows, fail_on, options.projects.settings)
        print_result(Diagnosis(rows, len(skills) == 1 and len(rows) == 1, failure, reasons), format_)
    _warn_of_errors(rows)
    if not rows and not all_excluded:
        _warn_of_no_units(since, only, staged=staged)
    for note in (
        *options.projects.list_notes(),
        *_note_settings(targets, options.projects),
        *exclusion_notes,
        *find_unused_suppressions(rows, options.projects),
    ):
        warn(note)
    if baseline_note:
        warn(baseline_note)
        return Exit.OK
    if rows and all(row.error for row in rows):
        return Exit.USAGE
    if failure:
        warn(failure)
    return Exit.GATE if failure else Exit.OK


def _read_settings(
    select: str | None, ignore: str | None, baseline: str | None, sessions: tuple[str, ...], *, uses_model: bool
) -> "ScanOptions":
    from orchestrator.engine.units import ScanOptions
    from orchestrator.project.settings import parse_selection

    options = ScanOptions(*parse_selection(select, ignore, with_model=uses_model), sessions=sessions)
    if baseline:
        from orchestrator.engine.baseline import read_baseline

        return replace(options, baseline=read_baseline(Path(baseline)), baseline_file=Path(baseline))
    return options


def _select_changed_units(targets: "Targets", since: str, shared: list[Path]) -> "Targets":
    from orchestrator.engine.git_changes import find_changed_units

    paths = [*targets.skills, *(str(located.path) for located in targets.units)]
    return targets.keep(set(find_changed_units(since, paths, shared)))


def _find_staged_units(kinds: Sequence[str], projects: "Projects", baseline: str | None) -> "Targets":
    """Return the units below the current folder that staged changes (in a pre-push hook: pushed changes) affect."""
    from orchestrator.engine.git_changes import find_staged_units
    from orchestrator.project.targets import find_targets

    targets = find_targets(["."], kinds, projects)
    rev = os.environ.get("PRE_COMMIT_FROM_REF") or "HEAD"
    staged = set(find_staged_units([*map(str, targets.paths)], _list_shared_files(targets, baseline, projects), rev))
    return targets.keep(staged)


def _list_unread(targets: "Targets", rows: "Sequence[Row]") -> "Iterator[Row]":
    """Yield an error row for each unit that was not read. Warn of units that exceed a project's limit of text."""
    from orchestrator.engine.rows import Row

    checked = {row.unit_path for row in rows}
    for located in targets.units:
        if located.path in checked:
            continue
        if located.project.is_readable(located.unit.path):
            warn(f"{located.path}: not checked, because the project has too much text")
        else:
            problem = f"{located.path}: not checked, because it is not UTF-8, is too large or cannot be opened"
            yield Row(str(located.path), error=problem)


def _warn_of_errors(rows: "Sequence[Row]") -> None:
    """Warn about units that could not be read."""
    for row in rows:
        if row.error:
            warn(row.error)


def _warn_of_no_units(since: str | None, kinds: Sequence[str], *, staged: bool) -> None:
    what = " or ".join(kinds) or "skill or other unit"
    why = "affected by staged changes" if staged else "among these files"
    warn(f"no {what} {why}" if since is None else f"no {what} has changed since {since}")


def _list_shared_files(targets: "Targets", baseline: str | None, projects: "Projects") -> list[Path]:
    """Return the files that affect the results of all units."""
    return [*_list_settings(targets, projects), *([Path(baseline)] if baseline else [])]


def _list_settings(targets: "Targets", projects: "Projects") -> list[Path]:
    from orchestrator.project.settings import find_settings_start

    paths = (*map(Path, targets.skills), *(located.path for located in targets.units))
    starts = {find_settings_start(path) for path in paths}
    return sorted({settings.path for start in starts for settings in projects.settings.list_all(start)})


def _note_settings(targets: "Targets", projects: "Projects") -> list[str]:
    """Return a note for each settings file outside the current folder and its parents, because users overlook these."""
    cwd = Path.cwd()
    files = (file for file in _list_settings(targets, projects) if not cwd.is_relative_to(file.parent))
    return [f"{os.path.relpath(file)} applies to the units below it" for file in files]


def _write_baseline(file: Path, rows: "Sequence[Row]") -> str:
    from orchestrator.engine.baseline import write_baseline

    count = write_baseline(file, ((row.unit_path, row.issues) for row in rows if row.error is None))
    return f"{counted(count, 'finding')} listed in {file}"
