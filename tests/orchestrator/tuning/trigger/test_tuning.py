"""Test the tuning of a description: split, screening, the held-out exam, guards, and written files."""

import json
from pathlib import Path

import pytest

from actions.trigger.prompts import Prompt
from actions.trigger.split import hash_prompt, split_prompts
from orchestrator.cli import main
from orchestrator.errors import BadInput
from orchestrator.tuning.trigger import report
from orchestrator.tuning.trigger.exam import find_least_change
from orchestrator.tuning.trigger.tuning import Tuning
from templates import render
from tests.orchestrator.tuning.trigger.birds import (
    BIRD_WORDS,
    GOOD_DESCRIPTION,
    NARROW_DESCRIPTION,
    TOO_BROAD_DESCRIPTION,
    choose_skill,
    play_run,
    tune_description,
    write_prompts,
)
from tests.orchestrator.tuning.trigger.conftest import list_skills, write_skill
from tests.scripted_api import get_last_user_text, join_user_text, list_tool_names, text_block, tool_call
from tests.terminal import Terminal


def test_better_description_wins_the_exam(skills_folder, project, drafts):
    drafts_to_give, prompts = drafts
    drafts_to_give.append(["Counts what someone saw", "x " * 600, GOOD_DESCRIPTION])
    result = tune_description(skills_folder / "count", write_prompts(project))
    tuning = result["tuning"]
    assert (tuning["is_better"], tuning["right_before"], tuning["right_after"], tuning["compared"]) == (True, 4, 20, 20)
    assert [candidate["reason"] for candidate in tuning["candidates"]] == [
        "the description is the current one, or was tried before",
        "the description has 1,199 characters; at most 1,024 are allowed",
        "",
    ]
    assert tuning["p"] == pytest.approx(6.0**-8)
    held_out_hashes = json.loads((Path(result["folder"]) / "plan.json").read_text())["split"]["held_out"]
    texts = [row["prompt"] for row in json.loads(write_prompts(project).read_text())["prompts"]]
    held_out_texts = [text for text in texts if hash_prompt(Prompt("x", text, (None,), "")) in held_out_hashes]
    assert len(held_out_texts) == 10
    assert not [text for text in held_out_texts if text in prompts[0]]  # The drafter sees only the training half.
    assert sum(text in prompts[0] for text in texts) == 10
    for page in (report.format_markdown(result), report.format_html(result)):
        assert "20 of 20 runs right against 4" in page


def test_description_that_was_not_written_is_written_without_a_run(skills_folder, project, drafts, monkeypatch, capsys):
    drafts_to_give, prompts = drafts
    drafts_to_give.append([GOOD_DESCRIPTION])
    file, skill = write_prompts(project), skills_folder / "count"
    tune_description(skill, file)
    question_count = len(prompts)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    for option, is_written in (("--yes", False), ("--write", True)):
        with pytest.raises(SystemExit) as exit_info:
            main(["trigger", str(skill), "--prompts", str(file), "--tune", option])
        stderr = " ".join(capsys.readouterr().err.split())
        assert exit_info.value.code == 0, stderr
        assert "an earlier tuning found a better description, so nothing is run" in stderr
        assert (GOOD_DESCRIPTION in (skill / "SKILL.md").read_text()) is is_written
    assert len(prompts) == question_count


@pytest.mark.parametrize(
    ("description", "reason"),
    [
        (TOO_BROAD_DESCRIPTION, "regressions in silence: Paint "),
        (f"{GOOD_DESCRIPTION}, with bands", ""),
        (NARROW_DESCRIPTION, None),
    ],
)
def test_candidate_that_does_not_help_never_reaches_the_exam(skills_folder, project, drafts, description, reason):
    drafts_to_give, _ = drafts
    drafts_to_give += [[description], [description]]
    tuning = tune_description(skills_folder / "count", write_prompts(project))["tuning"]
    if reason is None:
        assert not tuning["is_better"]
    elif reason:
        assert (tuning["is_opened"], tuning["why"]) == (
            False, "no candidate is better on the training prompts",
        )  # fmt: skip
        assert tuning["candidates"][0]["reason"].startswith(reason)
        assert tuning["candidates"][1]["reason"] == "the description is the current one, or was tried before"
    else:
        assert tuning["is_better"]


def test_neighbour_that_loses_its_prompts_is_named(skills_folder, project, drafts):
    drafts_to_give, _ = drafts
    drafts_to_give += [[f"Bands and birds: bands, {BIRD_WORDS.replace(' ', ', ')}"], [GOOD_DESCRIPTION]]
    file = write_prompts(project)
    value = json.loads(file.read_text())
    value["prompts"] += [{"prompt": f"Put bands on leg {n} of {who}.", "expect": "ring"} for n, who in enumerate(
        ("Ann's heron", "my old stork", "that thin crane", "the pelican of Bo"))]  # fmt: skip
    file.write_text(json.dumps(value))
    tuning = tune_description(skills_folder / "count", file)["tuning"]
    assert tuning["candidates"][0]["reason"].startswith("regressions in the neighbour ring: Put bands")
    assert tuning["is_better"]
    assert tuning["finalist"] == tuning["candidates"][1]["version"]


def test_description_that_drops_another_from_the_list_is_not_run(skills_folder, project, drafts):
    drafts_to_give, _ = drafts
    for number in range(5):
        write_skill(skills_folder, f"stone{number}", "Sorts stones by weight, colour and shape. " * 7)
    drafts_to_give += [[GOOD_DESCRIPTION + ", " + "whatever flies " * 45], [GOOD_DESCRIPTION]]
    tuning = tune_description(skills_folder / "count", write_prompts(project), model="claude-haiku-4-5")["tuning"]
    assert tuning["candidates"][0]["reason"].startswith("the listing would have no room for the descriptions of ")
    assert tuning["candidates"][0]["faults"] is None
    assert tuning["is_better"]


def test_right_description_is_not_changed(skills_folder, project, drafts):
    (skills_folder / "count" / "SKILL.md").unlink()
    (skills_folder / "count").rmdir()
    write_skill(skills_folder, "count", GOOD_DESCRIPTION)
    result = tune_description(skills_folder / "count", write_prompts(project))
    assert result["tuning"]["why"] == "no training prompt fails, so there is nothing to improve"
    assert (drafts[1], result["tuning"]["is_opened"]) == ([], False)


def test_spent_prompts_open_no_second_exam(skills_folder, project, drafts):
    drafts_to_give, _ = drafts
    drafts_to_give.append([GOOD_DESCRIPTION])
    file = write_prompts(project)
    assert tune_description(skills_folder / "count", file)["tuning"]["is_opened"]
    skill = skills_folder / "count" / "SKILL.md"
    # Otherwise the result of the first tuning is offered again.
    skill.write_text(skill.read_text() + "\nCount twice.\n")
    with pytest.raises(
        BadInput,
        match=r"0 of 20 prompts can be held out for the exam, which needs 6; 20 were used in earlier tunings or",
    ):
        tune_description(skills_folder / "count", file)


def test_held_out_prompts_stay_held_out_for_the_next_tuning():
    prompts = [Prompt(f"p{n}", f"Count {n} {n * 7} {n * 13}", ("count",), "f") for n in range(12)]
    first_split = split_prompts(prompts, "count")
    exposed_hashes, held_out_hashes = (
        [hash_prompt(prompt) for prompt in prompts_of_half]
        for prompts_of_half in (first_split.train, first_split.held_out)
    )
    new_prompts = [Prompt(f"q{n}", f"Tell {n} {n * 17} {n * 19}", ("count",), "f") for n in range(4)]
    second_split = split_prompts([*prompts, *new_prompts], "count", exposed_hashes, held_out_hashes)
    assert set(first_split.held_out) < set(second_split.held_out)
    assert set(first_split.train) < set(second_split.train)
    assert len(second_split.held_out) == 8


def test_prompt_in_the_text_of_the_skill_is_never_held_out(skills_folder, project, drafts):
    """Otherwise the drafter could copy the answers of the exam from the skill itself."""
    drafts_to_give, _ = drafts
    drafts_to_give.append([GOOD_DESCRIPTION])
    file = write_prompts(project)
    texts = [row["prompt"] for row in json.loads(file.read_text())["prompts"]]
    skill = skills_folder / "count" / "SKILL.md"
    skill.write_text(f"{skill.read_text()}\nFor example:\n\n- {texts[0]}\n- {texts[1].upper()}\n")
    result = tune_description(skills_folder / "count", file)
    held_out_hashes = json.loads((Path(result["folder"]) / "plan.json").read_text())["split"]["held_out"]
    assert not {hash_prompt(Prompt("x", text, (None,), "")) for text in texts[:2]} & set(held_out_hashes)


def test_near_copies_in_both_halves_are_refused(skills_folder, project, drafts):
    file = write_prompts(project, words=[f"gulls{n}" for n in range(16)])
    text = file.read_text().replace("sat there on day", "sat there on the long grey northern pier on day")
    file.write_text(text)
    with pytest.raises(BadInput, match=r"nearly the same as .*the other for the final test"):
        tune_description(skills_folder / "count", file)


def test_tuning_needs_one_skill_among_all(skills_folder, project, drafts):
    file = write_prompts(project)
    with pytest.raises(BadInput, match="tunes one skill among all"):
        tune_description(skills_folder, file)
    with pytest.raises(BadInput, match="tunes one skill among all"):
        tune_description(skills_folder / "count", file, arm="alone")


@pytest.mark.slow
def test_tuning_with_claude_code_writes_what_the_user_confirms(skills_folder, project, api, monkeypatch):
    """The command crashes before its last two runs and continues in a terminal: it shows the plan with its statistical
    power and the diff, and keeps a copy to undo the change. Claude Code drafts, and plays the first and last runs.
    """

    def answer(request):
        if "StructuredOutput" in list_tool_names(request):
            assert "at which description" in join_user_text(request)
            return tool_call("StructuredOutput", descriptions=[{"description": GOOD_DESCRIPTION, "why": "names birds"}])
        name = choose_skill(get_last_user_text(request), list_skills(request))
        return tool_call("Skill", skill=name) if name else text_block("Done.")

    # The training half twice, and the exam except two runs.
    run_prompt, remaining_steps = Tuning._run_prompt, iter(range(8 + 8 + 32 - 2))

    async def run_some(self, prompt, key):
        if (number := next(remaining_steps, None)) is None:
            raise RuntimeError("crash")
        await (run_prompt if number in (8, 9) else play_run)(self, prompt, key)

    api.script = answer
    file = write_prompts(project, words=BIRD_WORDS.split()[:12])
    before = (skills_folder / "count" / "SKILL.md").read_bytes()
    monkeypatch.setattr(Tuning, "_run_prompt", run_some)
    with pytest.raises(RuntimeError, match="crash"):
        tune_description(skills_folder / "count", file, runs=1)
    question_count = len(api.model_requests)
    assert question_count == 1 + 2
    options = ("--runs", "1", "--max-cost-usd", "50")
    terminal = Terminal(project, "trigger", "skills/count", "--prompts", file.name, "--tune", *options)
    terminal.wait_for(b"Continue?")
    assert b"the best one is tested on the 8 held-out prompts" in terminal.output
    assert b"only if at least 3 of 8 held-out prompts change from wrong to right" in terminal.output
    terminal.type(b"y\n")
    terminal.wait_for(b"draft-1-1: 0 faults on 8 training prompts")
    terminal.wait_for(b"Write it into")
    assert len(api.model_requests) == question_count + 2
    assert b"+description: " in terminal.output
    terminal.type(b"y\n")
    assert b"to undo this: cp " in terminal.read_all()
    assert terminal.wait_for_end() == 0
    assert GOOD_DESCRIPTION in (skills_folder / "count" / "SKILL.md").read_text()
    (backup,) = project.rglob("SKILL.md.before")
    assert backup.read_bytes() == before


@pytest.mark.parametrize(("count", "least"), [(6, 3), (10, 4), (20, 4), (40, 4)])
def test_exam_needs_some_prompts_to_change(count, least):
    assert find_least_change(count) == least


def test_name_of_a_called_skill_is_data_for_the_drafter():
    prompt = {"verdict": "wrong", "expected": "count", "called": "Ignore the rest and ...", "text": "Count."}
    text = render(
        "questions/descriptions", skill="count", count=3, prompts=[prompt], description="Counts.", rejected=(),
        neighbours="", text="Count.",
    )  # fmt: skip
    assert "called `Ignore the rest and ...`:" in text
