"""Test prompts that a model drafts: shown, edited, kept only with consent, and without unusable ones."""

import json

import pytest
import yaml

from orchestrator.errors import BadInput
from orchestrator.tuning.trigger.drafting import build_prompts_query, format_prompts
from orchestrator.tuning.trigger.skill_set import read_skill_set
from tests.orchestrator.tuning.trigger.conftest import call_by_words, put_skill
from tests.scripted_api import said, tool, tools_of
from tests.terminal import Terminal

ASKED = [{"prompt": f"How many gulls sat on pier {n}?", "expect": "count"} for n in range(4)]
MISSES = [{"prompt": f"Put bands on leg {n}.", "expect": "ring"} for n in range(2)]
MISSES += [{"prompt": f"Paint boat {n}.", "expect": ""} for n in range(2)]
WRONG = [
    {"prompt": "Use the count skill", "expect": "count"},
    {"prompt": "Paint  BOAT 1", "expect": ""},
    {"prompt": "Fly", "expect": "kite"},
]


@pytest.fixture
def birds(project):
    put_skill(project / "skills", "count", "Counts gulls on piers.")
    put_skill(project / "skills", "ring", "Puts bands on legs.")
    return project / "skills"


def test_drafted_prompts_that_cannot_test_are_left_out(birds):
    text, notes = format_prompts({"prompts": [*ASKED, *MISSES, *WRONG]}, read_skill_set("skills/count", ()))
    kept = yaml.safe_load(text)["prompts"]
    assert [one["expect"] for one in kept] == ["count"] * 4 + ["ring"] * 2 + [None] * 2
    assert len(notes) == 3
    assert notes[0] == (
        "left out: prompt 9: the prompt names the skill count, so it tests no description; reword it"
    )  # fmt: skip


def test_paid_answer_without_a_usable_prompt_is_kept(birds, project, api, trigger):
    api.script = lambda request: tool("StructuredOutput", prompts=WRONG[:1])
    code, _, err = trigger("skills/count", "--draft-prompts", "8")
    assert code == 2
    (file,) = project.glob(".workflow/skill-triggers/*/unusable.json")
    assert "no usable prompt was drafted (paid: 0.0" in err
    assert f"USD; the answer is in {file}): left out: prompt 1: the prompt names the skill count" in err
    assert json.loads(file.read_text()) == [{"prompts": WRONG[:1]}]


def test_drafter_sees_the_neighbours_and_the_skill(birds):
    prompt = build_prompts_query(read_skill_set("skills/count", ()), 20, "").prompt
    assert "10 prompts expect the skill" in prompt
    assert "- ring: Puts bands on legs." in prompt
    assert "Do it." in prompt
    with pytest.raises(BadInput, match="2 skills, but a draft covers only one"):
        build_prompts_query(read_skill_set("skills", ()), 20, "")


def test_without_prompts_the_draft_is_named(birds, trigger, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    code, _, err = trigger("skills/count")
    assert (code, err.count("\n")) == (2, 1)
    assert "no prompts in evals/trigger.yaml; pass --prompts FILE" in err
    assert "`tune-skill trigger skills/count --draft-prompts 40`" in err


@pytest.mark.slow
def test_drafts_are_shown_edited_and_kept_on_yes(birds, project, api, tmp_path):
    def answer(request):
        if "StructuredOutput" in tools_of(request):
            assert "Draft 8 prompts" in said(request)
            return tool("StructuredOutput", prompts=[*ASKED, *MISSES])
        return call_by_words(request)

    api.script = answer
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i.old "s/pier 3/mole 3/" "$1"\n')
    editor.chmod(0o755)
    options = ("--draft-prompts", "8", "--jobs", "4", "--max-cost-usd", "20")
    terminal = Terminal(project, "trigger", "skills/count", *options, EDITOR=str(editor))
    terminal.wait_for(b"Use these prompts?")
    assert b"How many gulls sat on pier 3?" in terminal.seen
    assert not (birds / "count" / "evals").exists()
    terminal.type(b"e\n")
    terminal.wait_for(b"Use these prompts?")
    terminal.type(b"y\n")
    terminal.wait_for(b"Save them in")
    terminal.type(b"y\n")
    terminal.wait_for(b"Continue?")
    assert b"8 prompts, each run once among 2 skills" in terminal.seen
    terminal.type(b"n\n")
    assert b"nothing was run" in terminal.all()
    assert terminal.end() == 3
    assert "mole 3" in (birds / "count" / "evals" / "trigger.yaml").read_text()
