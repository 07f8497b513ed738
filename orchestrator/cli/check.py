"""`tune-skill check`: check one recorded session as the Stop hook would. No file is changed."""

from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.options import judge_option, max_cost_option
from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import SessionCheck
from orchestrator.cli.output.session_check import count_skipped
from orchestrator.cli.output.text import warn
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from orchestrator.fs.home import parse_path

if TYPE_CHECKING:
    from actions.session.transcript import Transcript


@click.command()
@click.argument("session", metavar="SESSION.jsonl")
@format_option(SessionCheck)
@judge_option("none")
@max_cost_option
def check(session: str, format_: str, judge: str, max_cost_usd: float | None) -> Exit:
    """Check a recorded session as the Stop hook would: is the work finished, tested, free of stubs?

    Exit code 0 if the Stop hook would let the session stop, 1 if it would block it. Nothing is written.

    \b
    Examples:
      tune-skill check ~/.claude/projects/-home-me-tool/1f2e3d4c.jsonl
      tune-skill check session.jsonl --format json
    """
    from orchestrator.guard.steering.checker import PowerSteeringChecker
    from orchestrator.guard.transcripts import read_transcript
    from orchestrator.model import choose_session_judge
    from orchestrator.project.settings import get_current_project

    transcript = read_transcript(parse_path(session))
    if not (transcript.messages or transcript.calls):
        raise BadInput(f"{session}: no messages{_explain_empty(transcript)}; give the .jsonl file of a session")
    access = choose_session_judge(judge, max_cost_usd, warn)
    with access.name_cost_of_failure():
        checker = PowerSteeringChecker(get_current_project(), access.get_session_judge())
        analysis, compaction = checker.examine(transcript)
        print_result(SessionCheck(transcript, analysis, compaction, access), format_)
    return Exit.GATE if analysis.has_blockers else Exit.OK


def _explain_empty(transcript: "Transcript") -> str:
    skipped = count_skipped(transcript)
    return f" ({skipped})" if skipped else ""
