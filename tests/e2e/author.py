"""Script a model that follows the slash command and runs the command lines in its prompt."""

import re
from typing import Any

from tests.e2e.machine import Turns
from tests.scripted_api import tool


def bash(command: str) -> Any:
    """Return a call of the Bash tool."""
    return tool("Bash", command=command, description="tune-skill")


def quoted(text: str) -> str:
    """Quote an argument as the slash command prescribes."""
    return "'" + text.replace("'", "'\\''") + "'"


def line_of(prompt: str, subcommand: str) -> str:
    """Return the command line in the text that has this subcommand."""
    blocks = "\n".join(re.findall(r"```\n(.*?)```", prompt.split("</arguments>")[1], re.DOTALL))
    found = re.search(rf"^.*tune-skill.* {subcommand}\b.*$", blocks, re.MULTILINE)
    assert found, subcommand
    return found[0]


def tuning(heard: list[str], skill: str, words: str) -> Turns:
    """Do what the slash command says, from the diagnosis to the report."""
    prompt = heard[-1]
    line = line_of(prompt, "run").replace("'SKILL'", quoted(skill))
    yield bash(line.replace("'WORDS'", quoted(words)) if words else line.replace(" --issue 'WORDS'", ""))
    yield from going_on(heard, prompt)


def going_on(heard: list[str], prompt: str) -> Turns:
    """Answer everything that a run waits for until it ends, then report."""
    while not (ended := re.search(r"^report: .*/(.+)/report\.md$", heard[-1], re.MULTILINE)):
        if waiting := re.search(r"^Waiting for your answer: .* answer (\S+) ", heard[-1], re.MULTILINE):
            asked = re.findall(r"^  (DIM-\d+): (.*)\n    (\S+(?: \| \S+)+)$", heard[-1], re.MULTILINE)
            yield tool("AskUserQuestion", questions=[_clarifying(id, words, readings) for id, words, readings in asked])
            answers = _answers(heard[-1])
            chosen = " ".join(f"{id}={answers[id]}" for id, _, _ in asked)
            yield bash(line_of(prompt, "answer").replace("RUN", waiting[1]).replace("DIM-001=CHOSEN", chosen))
        else:
            run, ids = re.findall(r"^  .*tune-skill.* apply (\S+)((?: FIX-\d+)+)$", heard[-1], re.MULTILINE)[0]
            fixes = re.findall(r"^(FIX-\d+)  (.*)$", heard[-1], re.MULTILINE)
            offered = [fix for fix in fixes if fix[0] in ids.split()]
            yield tool("AskUserQuestion", questions=[_choosing(offered[n : n + 3]) for n in range(0, len(offered), 3)])
            chosen = " ".join(re.findall(r"FIX-\d+", " ".join(_answers(heard[-1]).values()))) or "--none"
            yield bash(line_of(prompt, "apply").replace("RUN", run).replace("FIX-001 FIX-003", chosen))
    yield bash(line_of(prompt, "report").replace("RUN", ended[1]))
    yield heard[-1]


def _clarifying(id: str, words: str, readings: str) -> Any:
    options = [{"label": reading, "description": words} for reading in readings.split(" | ")[:4]]
    return {"question": id, "header": "Meaning", "options": options, "multiSelect": False}


def _choosing(fixes: list[tuple[str, str]]) -> Any:
    options = [{"label": id, "description": message} for id, message in fixes]
    none = {"label": "None of these", "description": "Leave the skill as it is here."}
    question = f"Which of these fixes should be applied: {', '.join(id for id, _ in fixes)}?"
    return {"question": question, "header": "Fixes", "options": [*options, none], "multiSelect": True}


def _answers(heard: str) -> dict[str, str]:
    return dict(re.findall(r'"([^"]*)"="([^"]*)"', heard))
