"""`tune-skill sessions`: show what recorded sessions did at each line of a skill, a command or an agent."""

import click

from orchestrator.cli.input.options import judge_option, max_cost_option, read_sessions, time_option
from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import SessionTables
from orchestrator.cli.output.text import warn
from orchestrator.errors import BadInput
from orchestrator.exits import Exit


@click.command()
@click.argument("target", metavar="SKILL|PROJECT")
@click.option("--sessions", multiple=True, metavar="PATH", help="Read only this session, or all sessions in a folder.")
@time_option("--since", help="Skip sessions that ended before this time (epoch seconds or ISO 8601: 2026-03-01).")
@judge_option("none")
@max_cost_option
@format_option(SessionTables)
def sessions(
    target: str, sessions: tuple[str, ...], since: float | None, judge: str, max_cost_usd: float | None, format_: str
) -> Exit:
    """Show what recorded sessions did at each line of a skill, a command or an agent, or of all these in a project.

    It shows the faults of the text that appear in sessions; for each line, how many runs reached it, did what it says,
    and failed; what runs often do although no line asks for it; and a timeline of each run. Records are numbered from
    1; lines refer to the current text. By default the newest 200 sessions of the project are read.

    With --judge auto, a model also reads the five newest runs of each: it compares them line by line with the text,
    and two more readings try to refute what it observed.

    \b
    Examples:
      tune-skill sessions my-skill
      tune-skill sessions . --since 2026-03-01 --format markdown
      tune-skill sessions .claude/commands/deploy.md
      tune-skill sessions my-skill --sessions ~/.claude/projects/-home-me-tool
      tune-skill sessions my-skill --judge auto --max-cost-usd 1
    """
    from orchestrator.engine.session_tables import build_tables
    from orchestrator.model import choose_judge
    from orchestrator.project.targets import find_targets
    from schemas.options import Options

    found = find_targets((target,))
    for problem in found.problems.values():
        raise BadInput(problem)
    paths = read_sessions(sessions, no_sessions=False)
    access = choose_judge(Options(judge=judge, max_cost_usd=max_cost_usd), warn)
    with access.name_cost_of_failure():
        result = build_tables(found.skills, found.units, paths, since or 0, access, warn)
        print_result(SessionTables(result.tables, result.notes), format_)
    for note in (*result.notes, *access.notes):
        warn(note)
    return Exit.OK
