"""Script a model that follows the slash command and runs the command lines in its prompt."""

import re
from typing import Any

from tests.e2e.machine import Turns
from tests.scripted_api import tool_call


def call_bash(command: str) -> Any:
    """Return a call of the Bash tool."""
    return tool_call("Bash", command=command, description="tune-skill")


def quote_argument(text: str) -> str:
    """Quote an argument as the slash command prescribes."""
    return "'" + text.replace("'", "'\\''") + "'"


def find_command_line(prompt: str, subcommand: str) -> str:
    """Return the command line in the text that has this subcommand."""
    blocks = "\n".join(re.findall(r"```\n(.*?)```", prompt.split("</arguments>")[1], re.DOTALL))
    match = re.search(rf"^.*tune-skill.* {subcommand}\b.*$", blocks, re.MULTILINE)
    assert match, subcommand
    return match[0]


def follow_command(inputs: list[str], skill: str, words: str) -> Turns:
    """Yield the turns of a model that does what the slash command says, from the diagnosis to the report."""
    prompt = inputs[-1]
    line = find_command_line(prompt, "run").replace("'SKILL'", quote_argument(skill))
    yield call_bash(line.replace("'WORDS'", quote_argument(words)) if words else line.replace(" --issue 'WORDS'", ""))
    yield from answer_run(inputs, prompt)


def answer_run(inputs: list[str], prompt: str) -> Turns:
    """Yield the turns that answer everything that a run waits for until it ends, then the report."""
    while not (report_line := re.search(r"^report: .*/(.+)/report\.md$", inputs[-1], re.MULTILINE)):
        if question_line := re.search(r"^Waiting for your answer: .* answer (\S+) ", inputs[-1], re.MULTILINE):
            questions = re.findall(r"^  (DIM-\d+): (.*)\n    (\S+(?: \| \S+)+)$", inputs[-1], re.MULTILINE)
            yield tool_call(
                "AskUserQuestion",
                questions=[_make_clarification(id, words, readings) for id, words, readings in questions],
            )
            answers = _read_answers(inputs[-1])
            chosen = " ".join(f"{id}={answers[id]}" for id, _, _ in questions)
            yield call_bash(
                find_command_line(prompt, "answer").replace("RUN", question_line[1]).replace("DIM-001=CHOSEN", chosen)
            )
        else:
            run, ids = re.findall(r"^  .*tune-skill.* apply (\S+)((?: FIX-\d+)+)$", inputs[-1], re.MULTILINE)[0]
            fixes = re.findall(r"^(FIX-\d+)  (.*)$", inputs[-1], re.MULTILINE)
            offered = [fix for fix in fixes if fix[0] in ids.split()]
            yield tool_call(
                "AskUserQuestion", questions=[_make_fix_choice(offered[n : n + 3]) for n in range(0, len(offered), 3)]
            )
            chosen = " ".join(re.findall(r"FIX-\d+", " ".join(_read_answers(inputs[-1]).values()))) or "--none"
            yield call_bash(find_command_line(prompt, "apply").replace("RUN", run).replace("FIX-001 FIX-003", chosen))
    yield call_bash(find_command_line(prompt, "report").replace("RUN", report_line[1]))
    yield inputs[-1]


def _make_clarification(id: str, words: str, readings: str) -> Any:
    options = [{"label": reading, "description": words} for reading in readings.split(" | ")[:4]]
    return {"question": id, "header": "Meaning", "options": options, "multiSelect": False}


def _make_fix_choice(fixes: list[tuple[str, str]]) -> Any:
    options = [{"label": id, "description": message} for id, message in fixes]
    none = {"label": "None of these", "description": "Leave the skill as it is here."}
    question = f"Which of these fixes should be applied: {', '.join(id for id, _ in fixes)}?"
    return {"question": question, "header": "Fixes", "options": [*options, none], "multiSelect": True}


def _read_answers(inputs: str) -> dict[str, str]:
    return dict(re.findall(r'"([^"]*)"="([^"]*)"', inputs))
