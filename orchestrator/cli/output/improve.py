"""Format an improvement for a terminal."""

from collections.abc import Iterator
from typing import Any

import click

from orchestrator.cli.output.text import printable, safe
from orchestrator.cli.output.wrap import fit
from orchestrator.tuning.improve import report
from schemas.improvement import Improvement, Stage, StepStatus

_STATUS_COLOURS = {StepStatus.KEPT: "green", StepStatus.REJECTED: "red", StepStatus.PROPOSED: "yellow"}


def format_improvement(state: Improvement) -> Iterator[str]:
    """Yield the headline, the practice, the failures with their causes, the steps, the exam and the cost."""
    context = report.build_context(state)
    colour = "green" if state.stage is Stage.APPLIED else None
    yield from fit("", click.style(f"{safe(state.name)}: {safe(context['headline'])}", bold=True, fg=colour))
    yield ""
    yield f"practice  {context['practice']} succeed with the unchanged skill"
    for failure in context["failures"]:
        place = f" in {failure['place']}" if failure["place"] else ""
        yield from fit("  ", safe(f"{failure['cause']}{place} ({failure['runs']}): {failure['reason']}"))
        if failure["quote"]:
            yield from fit("      ", safe(f"“{failure['quote'][:200]}”"))
    for details in context["steps"]:
        yield from _format_step(details)
    if state.exam:
        yield from _format_exam(state, context["exam"])
    else:
        yield "exam      not started" if not state.openings else "exam      started"
    yield f"cost      {state.usd:.2f} of {state.ceiling:.2f} USD, {state.runs} runs and {state.questions} questions"
    yield from (f"note: {safe(note)}" for note in state.notes)
    for path in context["written"]:
        yield f"changed   {safe(path)}: read it, then commit it"
    if context["undo"]:
        yield f"undo      {safe(context['undo'])}"
    yield f"files     {safe(state.folder)}"


def _format_step(details: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a step. details: as `report.describe_step` returns them."""
    step = details["step"]
    status = click.style(step.status.value, fg=_STATUS_COLOURS[step.status])
    size = f" ({details['size']})" if details["size"] else ""
    yield from fit(f"step {step.number}    ", f"{status}: {safe(details['what'])}{size}, for {safe(details['place'])}")
    failing, passing = details["failing"], details["others"]
    for label, text in (("", step.reason), ("failing tasks: ", failing), ("passing tasks: ", passing)):
        if text:
            yield from fit("          ", safe(label + text))
    yield from (f"    {_colour_diff_line(printable(line))}" for line in details["diff"].splitlines())


def _colour_diff_line(line: str) -> str:
    colours = {"+": "green", "-": "red", "@": "cyan"}
    return click.style(line, fg=colours[line[0]]) if line[:1] in colours else line


def _format_exam(state: Improvement, summary: str) -> Iterator[str]:
    assert state.exam is not None, "the caller has checked it"
    yield from fit("exam      ", safe(summary + report.describe_end(state.exam)))
    width = max(len(pair.task) for pair in state.exam.tasks) if state.exam.tasks else 0
    for pair in state.exam.tasks:
        before, after = (f"{sum(runs)}/{len(runs)}" for runs in (pair.before, pair.after))
        yield f"  {safe(pair.task):<{width}}  {before:>5} -> {after}"
    yield from fit("          ", safe(report.describe_error_rate(state)))
    if advice := report.advise_exam(state):
        yield from fit("          ", advice)
