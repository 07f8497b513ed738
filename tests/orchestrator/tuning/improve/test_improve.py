"""Test whole improvements: one with the real Claude Code, the others with the scripted model in this process."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from orchestrator.tuning.improve.plan import Settings
from orchestrator.tuning.improve.plan_checks import plan_improvement
from tests.orchestrator.tuning.improve.conftest import (
    GOOD_EDIT,
    RULE,
    SKILL,
    FirstOfEachKindPlayer,
    Model,
    make_edit,
    read_state,
    replace_claude_code,
    write_tasks,
)

OPTIONS = ("--max-cost-usd", "100", "--exam-runs", "3", "--practice-runs", "2", "--format", "json", "--quiet")
USELESS_EDIT = make_edit("Say hello to the person, with a smile.", rewords=("Say hello to the person.",))
TOO_LONG_EDIT = make_edit("Say hello to the person.\n\n" + "\n".join(f"{n}. Smile for {n} seconds." for n in range(45)))


def list_failing_tasks(state):
    """Return the practice tasks that ask for what the skill does not cover."""
    return [name for name in state["practice"] if int(name.rpartition("-")[2]) % 2]


def get_tasks_file(project):
    """Return the path of the file that `write_tasks` wrote."""
    return str(project / "tasks.json")


def get_first_prompt(state, project):
    """Return the prompt of the first practice task."""
    tasks = json.loads((project / "tasks.json").read_text())["tasks"]
    return next(task["prompt"] for task in tasks if task["name"] == state["practice"][0])


def read_skill_text(project):
    return (project / "greeter" / "SKILL.md").read_text()


@pytest.mark.slow
def test_improve_fixes_a_planted_defect_with_claude_code(project, api, run_improve, command, monkeypatch):
    """Claude Code plays one session with each text of the skill, and answers one question of each kind."""
    api.script = model = Model()
    player = replace_claude_code(FirstOfEachKindPlayer(model), monkeypatch)
    tasks = write_tasks(project, 8, warm=20)
    code, out, err = run_improve("greeter", "--tasks", tasks, "--jobs", "4", *OPTIONS, "--exam-runs", "2")
    state = read_state(out)
    assert code == 0, err + state["why"]
    assert [moment["stage"] for moment in state["walk"]] == [
        "planned", "split", "measured", "diagnosed", "drafted", "proved", "screened", "examined", "applied"
    ]  # fmt: skip
    assert state["exam"]["verdict"] == "better"
    assert {failure["quote"] for failure in state["failures"]} == {"formal words"}
    assert RULE in read_skill_text(project)
    assert [
        RULE in prompt_of_question for prompt_of_question in player.kinds if isinstance(prompt_of_question, str)
    ] == [False, True]
    assert len(api.model_requests) == 2 * 2 + 3
    code, out, err = command("rollback", state["id"], "--all")
    assert (code, out) == (0, "rolled back: FIX-001\n"), err
    assert read_skill_text(project) == SKILL


def test_improve_applies_a_proven_edit_and_undoes_it(project, play, run_improve, command):
    play(Model())
    code, out, err = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    state = read_state(out)
    assert code == 0, err
    assert (state["stage"], state["openings"], state["exam"]["level"]) == ("applied", 1, 0.025)
    assert state["steps"][0]["status"] == "kept"
    assert state["steps"][0]["fix"]["review"]["gone"] is True
    assert command("status", Path(state["run"]).name)[0] == 0
    assert "FIX-001" in command("report", Path(state["run"]).name)[1]
    assert command("rollback", Path(state["run"]).name, "FIX-001")[0] == 0
    assert read_skill_text(project) == SKILL


def test_report_of_the_run_names_the_exam_as_its_reason(project, play, run_improve, command):
    play(Model())
    state = read_state(run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)[1])
    run, path = Path(state["run"]).name, str(project / "greeter" / "SKILL.md")
    exam_result = "runs of unseen tasks succeed with the edits"
    for name in ("html", "markdown"):
        code, page, err = command("report", run, "--format", name)
        assert code == 0, err
        assert exam_result in page
        assert path in page
        assert "Your request" not in page
        assert "The score went" not in page
        assert "No sentence of SKILL.md has a binding word" in page  # This is true for this skill.
    assert "[*] --> verify" in page
    assert "Not known\n\n- applied by" not in page
    code, text, _ = command("status", run)
    assert (code, exam_result in text, "need a model" in text) == (0, True, True)


def test_useless_drafts_change_no_skill_and_open_no_exam(project, play, run_improve):
    declined_draft = {**make_edit(""), "edits": [], "declined": "It is meant so."}
    model = Model(USELESS_EDIT, USELESS_EDIT, TOO_LONG_EDIT, declined_draft)
    player = play(model)
    code, out, _ = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    state = read_state(out)
    assert (code, state["stage"], state["exam"], state["openings"]) == (1, "left", None, 0)
    assert read_skill_text(project) == SKILL
    reasons = [step["reason"] for step in state["steps"]]
    assert reasons[0].startswith(f"the edit does not help: 0 of {len(list_failing_tasks(state))} runs")
    assert reasons[1].startswith("not tried again: step 1 was the same edit")
    assert len(reasons) == 2  # One defect gets two attempts.
    exam = set(state["exam_tasks"])
    assert not [prompt for prompt, _ in player.sessions if any(name in prompt for name in exam)]
    assert sum("with a smile" in skill for _, skill in player.sessions) == len(
        list_failing_tasks(state)
    )  # The same edit was run once.
    reviews = [prompt for prompt in model.prompts if "The question: are these fixes?" in prompt]
    assert len(reviews) == 1


def test_edit_beyond_the_bounds_is_rejected_without_a_run(project, play, run_improve):
    model = Model(TOO_LONG_EDIT, GOOD_EDIT)
    play(model)
    _, out, _ = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    state = read_state(out)
    assert "at most 4 hunks and 40 lines are allowed" in state["steps"][0]["reason"]
    assert [step["status"] for step in state["steps"]] == ["rejected", "kept"]
    assert sum("The question: are these fixes?" in prompt for prompt in model.prompts) == 1
    assert (
        "This edit was tried and rejected" in model.prompts[-2]
    )  # The prompt of the second draft contains the first draft.


def test_edit_that_the_review_rejects_is_not_run(project, play, run_improve):
    player = play(Model(agrees=False))
    code, out, _ = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    state = read_state(out)
    assert code == 1
    assert "a maintainer would not merge the fix" in state["steps"][0]["reason"]
    assert len(player.sessions) == 12


@pytest.mark.parametrize(
    ("model", "cause"),
    [
        (Model(uses=False), "skill not used"),
        (Model(cause="execution lapse"), "execution lapse"),
        (Model(cause="bad check"), "bad check"),
        (Model(cause="environment"), "environment"),
        (Model(quote="words that no one said"), "unknown"),
    ],
)
def test_only_defects_of_the_skill_are_edited(project, play, run_improve, model, cause):
    play(model)
    code, out, _ = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    state = read_state(out)
    expected_questions = (
        0 if cause == "skill not used" else len(list_failing_tasks(state))
    )  # There is one question for equal records.
    assert (code, state["steps"], state["questions"]) == (1, [], expected_questions)
    assert {failure["cause"] for failure in state["failures"]} == {cause}
    assert ("is unknown" if cause == "unknown" else "no run failed because of the skill's text") in state["why"]


def test_skill_that_passes_all_practice_is_not_edited(project, play, run_improve):
    model = Model()
    play(model)
    (project / "greeter" / "SKILL.md").write_text(SKILL + RULE)
    code, out, _ = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    state = read_state(out)
    assert (code, state["runs"], model.prompts) == (1, 12, [])
    assert state["why"].startswith("every practice run succeeded")


class OverfittingModel(Model):
    """A model that obeys the new rule only in practice tasks; `practice` has their prompts."""

    practice: tuple[str, ...] = ()

    def greet(self, prompt, skill):
        return super().greet(prompt, skill if prompt in self.practice else "")


def test_edit_that_helps_in_practice_only_fails_the_exam(project, play, run_improve):
    tasks = write_tasks(project)
    plan = plan_improvement("greeter", Settings(tasks, max_cost_usd=100))
    model = OverfittingModel()
    model.practice = tuple(plan.texts[name].prompt for name in plan.split.practice)
    play(model)
    code, out, _ = run_improve("greeter", "--tasks", tasks, *OPTIONS)
    state = read_state(out)
    assert (code, state["openings"], state["exam"]["verdict"]) == (1, 1, "not known")
    assert state["why"].startswith("the edits did not pass the exam (not known")
    assert read_skill_text(project) == SKILL
    code, _, err = run_improve("greeter", "--tasks", tasks, *OPTIONS)
    assert code == 2
    assert "pass --reopen to use the tasks of an earlier exam again" in err
    code, out, _ = run_improve("greeter", "--tasks", tasks, "--reopen", *OPTIONS)
    second_state = read_state(out)
    assert second_state["exam_tasks"] == state["exam_tasks"]
    assert "it did not pass an earlier exam" in second_state["steps"][0]["reason"]
    assert second_state["openings"] == 0  # The same edit is not examined twice.
    model.drafts = (make_edit(f"Say hello to the person. {RULE} Smile."),)
    code, out, err = run_improve("greeter", "--tasks", tasks, "--reopen", "--steps", "1", *OPTIONS[:-1])
    third_state = read_state(out)
    assert (third_state["openings"], third_state["exam"]["level"]) == (2, 0.0125)
    assert "tasks of this exam were used in 1 earlier exam" in err


def test_rejected_edit_is_remembered_by_later_improvements(project, play, run_improve):
    tasks = write_tasks(project)
    play(Model(USELESS_EDIT))
    run_improve("greeter", "--tasks", tasks, "--steps", "1", *OPTIONS)
    player = play(Model(USELESS_EDIT))
    _, out, _ = run_improve("greeter", "--tasks", tasks, *OPTIONS)
    reason = read_state(out)["steps"][0]["reason"]
    assert reason.startswith("not tried again: an earlier improvement rejected it (the edit does not help")
    assert not [skill for _, skill in player.sessions if "with a smile" in skill]


def test_skill_that_is_edited_meanwhile_is_not_overwritten(project, play, run_improve):
    class Editor(Model):
        """A model that edits the skill during the exam, as its author might."""

        def session(self, prompt, skill, usd):
            if "PLEASE" in skill:
                (project / "greeter" / "SKILL.md").write_text(SKILL + "Mine.\n")
            return super().session(prompt, skill, usd)

    play(Editor())
    code, _, err = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    assert code == 2
    assert "passed its exam, but SKILL.md changed since it began" in err
    assert read_skill_text(project) == SKILL + "Mine.\n"


def test_cost_limit_leaves_the_exam_unused(project, play, run_improve):
    player = play(Model(), usd=4.0)
    code, out, _ = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    state = read_state(out)
    assert (code, state["openings"]) == (1, 0)
    assert state["usd"] <= 100
    assert "the cost limit" in state["why"]
    assert len(player.sessions) == 12  # The money is enough for the practice, but not for the exam.
    assert "repeat the command with a higher --max-cost-usd" in state["why"]
    second_player = play(Model(), usd=4.0)
    code, out, err = run_improve("greeter", "--tasks", get_tasks_file(project), *OPTIONS, "--max-cost-usd", "900")
    assert (code, read_state(out)["stage"]) == (0, "applied"), err
    assert len(second_player.sessions) < 60
    assert (
        sum(
            "PLEASE" not in skill and get_first_prompt(state, project) == prompt
            for prompt, skill in second_player.sessions
        )
        == 0
    )


def test_exam_texts_reach_no_question_and_no_run(project, play, run_improve):
    (project / "greeter" / "evals").mkdir()
    tasks = write_tasks(project / "greeter" / "evals")
    (project / "greeter" / "evals" / "answers.md").write_text("Say hello, please, to everyone at the gate.\n")
    (project / "greeter" / "SKILL.md").write_text(SKILL + "\nThe file evals/answers.md is for tests.\n")
    model = Model()
    player = play(model)
    code, out, err = run_improve("greeter", "--tasks", tasks, *OPTIONS)
    state = read_state(out)
    assert code == 0, err
    prompts = {task["name"]: task["prompt"] for task in json.loads(Path(tasks).read_text())["tasks"]}
    assert not [name for name in state["exam_tasks"] for prompt in model.prompts if prompts[name] in prompt]
    assert all("please, to everyone" not in prompt for prompt in model.prompts)
    assert player.files == {"SKILL.md"}
    ledger = (Path(state["folder"]) / "ledger.jsonl").read_text()
    assert "please, to everyone" not in ledger


def test_edit_with_text_of_the_exam_is_rejected(project, play, run_improve):
    tasks = write_tasks(project)
    plan = plan_improvement("greeter", Settings(tasks, max_cost_usd=100))
    exam_prompt = plan.texts[plan.split.exam[0]].prompt
    play(Model(make_edit(f"Say hello to the person. {RULE} For {exam_prompt} add PLEASE.")))
    _, out, _ = run_improve("greeter", "--tasks", tasks, *OPTIONS)
    assert "the edit contains text of an exam task" in read_state(out)["steps"][0]["reason"]


class TwoDefectsModel(Model):
    """A model with two causes of failure: formal greetings need PLEASE, and warm ones need a SMILE."""

    warm = make_edit("Keep it short. Add a SMILE.", search="Keep it short.")

    def greet(self, prompt, skill):
        if "formal words" in prompt:
            return super().greet(prompt, skill)
        return "hello, smile" if "SMILE" in skill else "hi"

    def answer(self, prompt, schema):
        answer = super().answer(prompt, schema)
        if "cause" in answer and "warmly" in prompt.partition("## The task")[2].partition("## The checks")[0]:
            return {**answer, "reason": "It has no smile.", "run_quote": "warmly", "skill_quote": "Keep it short."}
        if "drafts" in answer and "It has no smile." in prompt.partition("## The files to edit")[0]:
            return {"drafts": [{**answer["drafts"][0], **self.warm}]}
        return answer


def test_two_defects_are_fixed_in_two_steps_and_undone_one_by_one(project, play, run_improve, command):
    play(TwoDefectsModel())
    code, out, err = run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    state = read_state(out)
    assert code == 0, err + state["why"]
    assert [(step["status"], step["fix"]["id"]) for step in state["steps"]] == [
        ("kept", "FIX-001"),
        ("kept", "FIX-002"),
    ]
    assert {counts["task"] for counts in state["steps"][1]["base"]} >= {
        counts["task"] for counts in state["base"] if not all(counts["passed"])
    } - {counts["task"] for counts in state["steps"][0]["screening"] if all(counts["passed"])}
    assert RULE in read_skill_text(project)
    assert "Add a SMILE." in read_skill_text(project)
    run = Path(state["run"]).name
    assert command("rollback", run, "FIX-002")[0] == 0
    assert command("rollback", run, "FIX-001")[0] == 0
    assert read_skill_text(project) == SKILL


def test_questions_show_flags_of_failed_checks(project, play, run_improve):
    model, tasks = Model(), write_tasks(project)
    tasks_data = json.loads(Path(tasks).read_text())
    for task in tasks_data["tasks"]:
        task["checks"] = [
            {"regex": "^HELLO.*PLEASE" if task["checks"][0]["text"] == "please" else "hello", "flags": "mi"}
        ]
    Path(tasks).write_text(json.dumps(tasks_data))
    play(model)
    _, out, err = run_improve("greeter", "--tasks", tasks, *OPTIONS[:-1])
    state = read_state(out)
    assert "regex: /^HELLO.*PLEASE/mi: not found" in err
    draft = next(
        prompt_of_question for prompt_of_question in model.prompts if "how are these faults fixed" in prompt_of_question
    )
    review = next(prompt_of_question for prompt_of_question in model.prompts if "are these fixes" in prompt_of_question)
    assert "regex: /^HELLO.*PLEASE/mi: not found" in model.prompts[0]
    assert "regex: /^HELLO.*PLEASE/mi: not found" in draft
    assert "each draft has" in draft
    assert '"elsewhere": "The table is' in draft
    for prompt in (draft, review):
        assert "look up what decides" not in prompt
        assert "could decide it, look" not in prompt
        assert "then the project around it" not in prompt
    description = state["steps"][0]["fix"]
    assert "second model" not in json.dumps(description)
    assert "reviewed in a second reading by Claude Agent SDK (scripted)" in description["verification_steps"][1]


class EverySecondTimeModel(Model):
    """A model that does formal tasks correctly in every second session."""

    def session(self, prompt, skill, usd):
        self.sessions = getattr(self, "sessions", 0) + 1
        session = super().session(prompt, skill, usd)
        return (
            session
            if self.sessions <= 6 or "formal" not in prompt
            else replace(session, answer="please, as it happens")
        )


def test_sorting_shows_the_run_of_the_task_that_passed(project, play, run_improve):
    model = EverySecondTimeModel(cause="execution lapse")
    play(model)
    run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    assert "please, as it happens" in model.prompts[0].partition("passed all checks")[2]


class LeakingModel(Model):
    """A model whose runs print a password."""

    def greet(self, prompt, skill):
        return f"{super().greet(prompt, skill)} DB_PASSWORD=hunter22"


def test_questions_of_an_improvement_have_no_secret_of_its_runs(project, play, run_improve):
    play(model := LeakingModel())
    run_improve("greeter", "--tasks", write_tasks(project), *OPTIONS)
    assert any("[hidden]" in prompt for prompt in model.prompts)
    assert not any("hunter22" in prompt for prompt in model.prompts)
