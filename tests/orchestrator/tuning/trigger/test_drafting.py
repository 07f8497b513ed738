"""Test prompts that a model drafts: shown, edited, kept only with consent, and without unusable ones."""

import json

import pytest
import yaml

from actions.trigger.prompts import Prompt
from actions.trigger.split import split_prompts
from orchestrator.errors import BadInput
from orchestrator.tuning.trigger.drafting import build_prompts_query, format_prompts
from orchestrator.tuning.trigger.held_out import ensure_enough_drafts
from orchestrator.tuning.trigger.skill_set import read_skill_set
from tests.orchestrator.tuning.trigger.conftest import call_by_words, write_skill
from tests.scripted_api import join_user_text, list_tool_names, tool_call
from tests.terminal import Terminal

DRAFTED_PROMPTS = [{"prompt": f"How many gulls sat on pier {n}?", "expect": "count"} for n in range(4)]
PROMPTS_OF_OTHER_SKILL = [{"prompt": f"Put bands on leg {n}.", "expect": "ring"} for n in range(2)]
PROMPTS_OF_OTHER_SKILL += [{"prompt": f"Paint boat {n}.", "expect": ""} for n in range(2)]
UNUSABLE_PROMPTS = [
    {"prompt": "Use the count skill", "expect": "count"},
    {"prompt": "Paint  BOAT 1", "expect": ""},
    {"prompt": "Fly", "expect": "kite"},
]


@pytest.fixture
def skills_folder(project):
    write_skill(project / "skills", "count", "Counts gulls on piers.")
    write_skill(project / "skills", "ring", "Puts bands on legs.")
    return project / "skills"


def test_unusable_drafted_prompts_are_left_out(skills_folder):
    text, notes = format_prompts(
        {"prompts": [*DRAFTED_PROMPTS, *PROMPTS_OF_OTHER_SKILL, *UNUSABLE_PROMPTS]}, read_skill_set("skills/count", ())
    )
    saved_prompts = yaml.safe_load(text)["prompts"]
    assert [prompt["expect"] for prompt in saved_prompts] == ["count"] * 4 + ["ring"] * 2 + [None] * 2
    assert len(notes) == 3
    assert notes[0] == (
        "left out: prompt 9: the prompt names the skill count, so it tests no description; reword it"
    )  # fmt: skip


def test_paid_answer_without_a_usable_prompt_is_kept(skills_folder, project, api, run_trigger_command):
    api.script = lambda request: tool_call("StructuredOutput", prompts=UNUSABLE_PROMPTS[:1])
    code, _, err = run_trigger_command("skills/count", "--draft-prompts", "8")
    assert code == 2
    (file,) = project.glob(".workflow/skill-triggers/*/unusable.json")
    assert "no usable prompt was drafted (paid: 0.0" in err
    assert f"USD; the answer is in {file}): left out: prompt 1: the prompt names the skill count" in err
    assert json.loads(file.read_text()) == [{"prompts": UNUSABLE_PROMPTS[:1]}]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ("--tune",),
            "of 8 drafted prompts as few as 3 can be held out for the exam, which needs 6; draft at least 13",
        ),
        (("--tune", "--arm", "uncut"), "--tune tunes one skill among all"),
        (("--max-cost-usd", "0.4"), "one run may cost 0.36 USD, and the drafts 0.08, at"),
    ],
)
def test_prompts_that_would_be_refused_are_not_drafted(skills_folder, api, run_trigger_command, options, why):
    code, _, err = run_trigger_command("skills/count", "--draft-prompts", "8", "--yes", *options)
    assert (code, api.model_requests) == (2, []), err
    assert why in " ".join(err.split())


@pytest.mark.parametrize("expecting", range(14))
def test_each_division_of_enough_drafts_can_be_tuned(expecting):
    """A model may draft more prompts for the skill than for the others, or fewer."""
    with pytest.raises(BadInput):
        ensure_enough_drafts(12)
    ensure_enough_drafts(13)
    prompts = [
        Prompt(f"p{n}", f"word{n} pier{n} gull{n}", ("count" if n < expecting else None,), "") for n in range(13)
    ]
    assert len(split_prompts(prompts, "count").held_out) >= 6


def test_drafter_sees_the_neighbours_and_the_skill(skills_folder):
    prompt = build_prompts_query(read_skill_set("skills/count", ()), 20, "").prompt
    assert "10 prompts expect the skill" in prompt
    assert "- ring: Puts bands on legs." in prompt
    assert "Do it." in prompt
    with pytest.raises(BadInput, match="2 skills, but a draft covers only one"):
        build_prompts_query(read_skill_set("skills", ()), 20, "")


def test_without_prompts_the_draft_is_named(skills_folder, run_trigger_command, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    code, _, err = run_trigger_command("skills/count")
    assert (code, err.count("\n")) == (2, 1)
    assert "no prompts in evals/trigger.yaml; pass --prompts FILE" in err
    assert "`tune-skill trigger skills/count --draft-prompts 40`" in err


@pytest.mark.slow
def test_drafts_are_shown_edited_and_kept_on_yes(skills_folder, project, api, tmp_path):
    def answer(request):
        if "StructuredOutput" in list_tool_names(request):
            assert "Draft 8 prompts" in join_user_text(request)
            return tool_call("StructuredOutput", prompts=[*DRAFTED_PROMPTS, *PROMPTS_OF_OTHER_SKILL])
        return call_by_words(request)

    api.script = answer
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i.old "s/pier 3/mole 3/" "$1"\n')
    editor.chmod(0o755)
    options = ("--draft-prompts", "8", "--jobs", "4", "--max-cost-usd", "20")
    terminal = Terminal(project, "trigger", "skills/count", *options, EDITOR=str(editor))
    terminal.wait_for(b"Use these prompts?")
    assert b"How many gulls sat on pier 3?" in terminal.output
    assert not (skills_folder / "count" / "evals").exists()
    terminal.type(b"e\n")
    terminal.wait_for(b"Use these prompts?")
    terminal.type(b"y\n")
    terminal.wait_for(b"Save them in")
    terminal.type(b"y\n")
    terminal.wait_for(b"Continue?")
    assert b"8 prompts, each run once among 2 skills" in terminal.output
    terminal.type(b"n\n")
    assert b"nothing was run" in terminal.read_all()
    assert terminal.wait_for_end() == 3
    assert "mole 3" in (skills_folder / "count" / "evals" / "trigger.yaml").read_text()
