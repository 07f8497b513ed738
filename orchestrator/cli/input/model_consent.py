"""Ask the user whether the skill can be sent to a model, and save the answer for the project."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.prompt import ask_key
from orchestrator.cli.input.terminal import can_ask
from orchestrator.cli.output.text import safe, warn
from orchestrator.fs.project_root import find_project_root
from orchestrator.guard.sessions import consent
from templates.filters import counted

if TYPE_CHECKING:
    from orchestrator.model.forecast import Forecast
    from schemas.options import Options

KEY = "judge"
"""The name of the user's setting for a project. Values: `auto` (use a model), `none`, `ask` (each time; default)."""

_KEY_WORDS = {"y": "yes", "n": "no", "a": "always", "d": "don't"}
_KEY_HELP = """y - send it this time
n - send nothing: only findings that a parser proves are reported
a - send it, and do not ask again in this project
d - send nothing, and do not ask again in this project
To be asked again: `tune-skill config set judge ask`. For one run: --judge."""


def choose_judge(skill: str, options: "Options", focus: tuple[str, ...]) -> str:
    """Return `auto` if the user allows a model, otherwise `none`. Ask the user unless the setting decides.

    Raises BadInput if `skill` is not a skill, and KeyboardInterrupt after Ctrl-C.
    """
    from orchestrator.model.environment import find_access_problem

    project = Path(find_project_root())
    if (setting := read_setting(project)) != "ask":
        return setting
    if find_access_problem(os.environ):
        return "auto"  # without a model nothing can be sent, and the run reports why
    if options.format != "text" or not can_ask():
        warn("no model was used: you could not be asked without a terminal; pass `--judge auto` or `--judge none`")
        return "none"
    return _ask_user(skill, options, focus, project)


def explain_no_model(judge: str) -> str:
    """Return why no model is available with this value of --judge, or "" if no reason is known."""
    from orchestrator.model.environment import find_access_problem

    if judge == "none":
        return "pass --judge auto"
    return "" if judge == "mcp" else find_access_problem(os.environ)


def read_setting(project: Path) -> str:
    """Return the setting of this user for a project: auto, none or ask."""
    setting = consent.read_consent(project).get(KEY)
    return setting if isinstance(setting, str) and setting in ("auto", "none") else "ask"


def _ask_user(skill: str, options: "Options", focus: tuple[str, ...], project: Path) -> str:
    from orchestrator.model.forecast import forecast
    from orchestrator.project.targets import find_target
    from orchestrator.run.case_reader import read_target

    case = read_target(find_target(skill))
    for line in _describe_request(forecast(case, focus, options.max_cost_usd), options.sessions):
        click.echo(line, err=True)
    answer = ask_key("Send it?", _KEY_WORDS, _KEY_HELP)
    choice = "auto" if answer in "ya" else "none"
    if answer in "ad":
        consent.give_consent(project, {KEY: choice})
    return choice


def _describe_request(forecast: "Forecast", sessions: str) -> Iterator[str]:
    more = "" if sessions == "none" else " and sessions that used it"
    files, questions = counted(forecast.files, "file"), counted(forecast.questions, "question")
    yield "A model can review the skill as well. This would be sent:"
    yield f"  what  {forecast.characters:,} characters of {safe(forecast.skill)} ({files}){more}"
    yield "        a digest of its project (other skills and agents, scripts, headings of CLAUDE.md, ...),"
    yield "        and files of its project that the model asks for, nothing that git ignores;"
    yield "        what looks like a secret is withheld from the digest and these files"
    yield f"  to    {safe(forecast.receiver)}, through Claude Code"
    yield f"  cost  about {forecast.usd:.2f} USD for {questions}, more if the model finds something,"
    yield f"        at most {forecast.ceiling:.2f} USD in total (--max-cost-usd)"
