"""Whether a model may be asked: nothing is sent that the user did not allow, and the answer is theirs to keep."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.keyed import keyed
from orchestrator.cli.output.text import safe, warned
from orchestrator.fs.project_root import find_project_root
from orchestrator.guard.sessions import consent
from templates.filters import counted

if TYPE_CHECKING:
    from orchestrator.model.forecast import Forecast
    from schemas.options import Options

KEY = "judge"
"""What the user says for a project: `auto` (ask a model), `none`, or `ask` (each time, the default)."""

_WORDS = {"y": "yes", "n": "no", "a": "always", "d": "don't"}
_HELP = """y - send it, this time
n - send nothing: only proven findings are shown
a - send it, and do not ask again in this project
d - send nothing, and do not ask again in this project
`tune-skill config set judge ask` asks again; --judge answers for one run"""


def who_judges(skill: str, options: "Options", focus: tuple[str, ...]) -> str:
    """Return `auto` where a model may be asked, else `none`; the user is asked where nothing says which.

    Raises BadInput for a skill that is none, KeyboardInterrupt.
    """
    from orchestrator.model.access import unusable

    project = Path(find_project_root())
    if (own := said(project)) != "ask":
        return own
    if unusable(os.environ):
        return "auto"  # nothing can be sent, and the run says why
    if options.format != "text" or not (sys.stdin.isatty() and sys.stderr.isatty()):
        warned("no model was asked, for nobody is here to allow it; `--judge auto` allows it, `--judge none` says no")
        return "none"
    return _asked(skill, options, focus, project)


def no_model(judge: str) -> str:
    """Return why nobody would read with this choice of a judge; "" where somebody may."""
    from orchestrator.model.access import unusable

    if judge == "none":
        return "--judge auto asks one"
    return "" if judge == "mcp" else unusable(os.environ)


def said(project: Path) -> str:
    """Return what this user said for a project: auto, none or ask."""
    own = consent.read_consent(project).get(KEY)
    return own if isinstance(own, str) and own in ("auto", "none") else "ask"


def _asked(skill: str, options: "Options", focus: tuple[str, ...], project: Path) -> str:
    from orchestrator.model.forecast import forecast
    from orchestrator.project.skill_finder import find_skill

    for line in _told(forecast(find_skill(skill), focus, options.max_cost_usd), options.sessions):
        click.echo(line, err=True)
    answer = keyed("Send it?", _WORDS, _HELP)
    choice = "auto" if answer in "ya" else "none"
    if answer in "ad":
        consent.give_consent(project, {KEY: choice})
    return choice


def _told(what: "Forecast", sessions: str) -> Iterator[str]:
    more = "" if sessions == "none" else ", and sessions that used it"
    files, questions = counted(what.files, "file"), counted(what.questions, "question")
    yield "A model can read the skill, too. It would be sent:"
    yield f"  what  {what.characters:,} characters of {safe(what.skill)} ({files}){more}"
    yield f"  to    {safe(what.receiver)}, through Claude Code"
    yield f"  cost  about {what.usd:.2f} USD for {questions}; more where it finds something,"
    yield f"        at most {what.ceiling:.2f} USD in all (--max-cost-usd)"
