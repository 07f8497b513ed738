"""A skill with a planted defect, tasks of two kinds, and a model that obeys the text of the skill."""

import json
import re
from pathlib import Path

import pytest

from orchestrator.cli import main
from tests.orchestrator.tuning.trial.conftest import api as _api
from tests.scripted_api import said, schema_of, text, tool, tools_of

api = _api
SKILL = """---
name: greeter
description: Greets people. Use when someone is to be greeted.
---
# Greeter

Say hello to the person.

Keep it short.
"""
RULE = "For a formal greeting, add PLEASE."
NAMES = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo", "Kim", "Lea")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Give a project that the command runs in, with the skill `greeter`."""
    folder = tmp_path / "project"
    (folder / "greeter").mkdir(parents=True)
    (folder / "greeter" / "SKILL.md").write_text(SKILL)
    monkeypatch.chdir(folder)
    return folder


def write_tasks(folder: Path, count: int = 12, **more) -> str:
    """Write tasks; every second one asks for a formal greeting, which the skill does not know."""
    kinds = ("warmly at the garden gate of", "with formal words as the guest of honour of")
    tasks = [
        {"name": f"greet-{n}", "prompt": f"Greet {NAMES[n]} {kinds[n % 2]} {NAMES[-1 - n]} and {n} friends.",
         "checks": [{"text": "please" if n % 2 else "hello"}], "seconds": 60, **more}
        for n in range(count)
    ]  # fmt: skip
    file = folder / "tasks.json"
    file.write_text(json.dumps({"tasks": tasks}))
    return str(file)


def edit(replace: str, search: str = "Say hello to the person.", rewords: tuple[str, ...] = ()):
    """Return the draft of one edit, for the fault that a question asks about."""
    return {
        "edits": [{"file": "SKILL.md", "search": search, "replace": replace}], "removes": [],
        "rewords": list(rewords), "description": "Add the rule for formal greetings.",
        "rationale": "Runs did not know it.", "declined": "",
    }  # fmt: skip


GOOD = edit(f"Say hello to the person. {RULE}")


class Model:
    """The scripted model: it plays the tasks by the text of the skill, and answers the questions of an improvement.

    `drafts` are given in turn, the last one again and again; `asked` has every question.
    """

    def __init__(self, *drafts, cause="skill defect", agrees=True):
        self.drafts, self.cause, self.agrees = drafts or (GOOD,), cause, agrees
        self.asked: list[str] = []
        self.drafted = 0

    def __call__(self, request):
        if "StructuredOutput" not in tools_of(request):
            return self.play(request)
        prompt = said(request)
        self.asked.append(prompt)
        return tool("StructuredOutput", **self.answer(prompt, schema_of(request)))

    def play(self, request):
        words = said(request)
        if "Base directory for this skill" not in words:
            return tool("Skill", skill="greeter")
        is_formal = "formal words" in words
        return text("hello, please" if is_formal and "PLEASE" in words else "hello")

    def answer(self, prompt, schema):
        properties = schema["properties"]
        if "cause" in properties:
            return {"cause": self.cause, "reason": "The text has no rule for formal greetings.", "harm": "It is rude.",
                    "run_quote": "formal words", "file": "SKILL.md", "skill_quote": "Say hello to the person."}  # fmt: skip
        if "drafts" in properties:
            draft = self.drafts[min(self.drafted, len(self.drafts) - 1)]
            self.drafted += 1
            return {"drafts": [{"faults": re.findall(r"^### (ISS-\d+)$", prompt, re.MULTILINE), **draft}]}
        ids = re.findall(r"\bISS-\d+\b", prompt.partition("## Fix 1")[2].partition("The change")[0])
        verdicts = [{"id": id, "gone": self.agrees, "reason": "read"} for id in dict.fromkeys(ids)]
        objections = [] if self.agrees else ["SKILL.md: it is not needed."]
        review = {"fix": 1, "verdicts": verdicts, "holds": True, "merge": self.agrees, "sound": True, "changes": False,
                  "objections": objections}  # fmt: skip
        return {"reviews": [review]}


@pytest.fixture
def improve(capsys):
    """Give what runs `tune-skill improve` and returns exit code, stdout and stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        return run_command(capsys, "improve", *arguments)

    return run


@pytest.fixture
def command(capsys):
    """Give what runs any command and returns exit code, stdout and stderr."""
    return lambda *arguments: run_command(capsys, *arguments)


def run_command(capsys, *arguments):
    """Run a command of the front door; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    out, err = capsys.readouterr()
    return ended.value.code or 0, out, err
