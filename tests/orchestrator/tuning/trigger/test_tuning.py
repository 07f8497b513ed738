"""Test the tuning of a description: split, screening, the held-out exam, guards, and written files."""

import json
from pathlib import Path

import pytest

from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun
from actions.trigger.split import hash_prompt, split_prompts
from orchestrator.cli import main
from orchestrator.errors import BadInput, WriteFailed
from orchestrator.model import client
from orchestrator.model.query import QueryResult
from orchestrator.run.store import system_clock
from orchestrator.tuning.trial.ledger import Key
from orchestrator.tuning.trial.sandbox import choose_folder, create_bare_sandbox
from orchestrator.tuning.trigger import conduct, report
from orchestrator.tuning.trigger.exam import find_least_change
from orchestrator.tuning.trigger.plan import plan_trigger
from orchestrator.tuning.trigger.tuning import Tuning
from orchestrator.tuning.trigger.writing import find_change, write_description
from schemas.codec import to_json
from templates import render
from tests.full_disk import FullDisk
from tests.orchestrator.tuning.trigger.conftest import list_skills, write_skill
from tests.scripted_api import get_last_user_text, join_user_text, list_tool_names, text_block, tool_call
from tests.terminal import Terminal

BIRD_WORDS = (
    "gulls terns skuas auks ravens herons plovers curlews fulmars grebes ospreys petrels swifts finches owls larks"
)
BOAT_WORDS = "ketch sloop barge yawl"
GOOD_DESCRIPTION = "Counts birds that someone saw, such as " + BIRD_WORDS.replace(" ", ", ")
TOO_BROAD_DESCRIPTION = f"{GOOD_DESCRIPTION}, and everything of a {BOAT_WORDS.replace(' ', ', ')}"
RUN_USD = 0.05
NARROW_DESCRIPTION = "Counts birds such as gulls"


def write_prompts(folder, words=(), name="prompts.json"):
    """Write prompts about birds, which expect `count`, and about boats, which expect no skill."""
    prompts = [
        {"prompt": f"How many {word} sat there on day {n}?", "expect": "count"}
        for n, word in enumerate(words or BIRD_WORDS.split())
    ]
    prompts += [
        {"prompt": f"Paint {word} number {n} blue.", "expect": None} for n, word in enumerate(BOAT_WORDS.split())
    ]
    file = folder / name
    file.write_text(json.dumps({"prompts": prompts}, indent=1))
    return file


def choose_skill(prompt, listed):
    """Return the first listed skill whose description contains a bird or boat in the prompt."""
    words_in_prompt = {word.strip("?.").lower() for word in prompt.split()} & {
        *BIRD_WORDS.split(),
        *BOAT_WORDS.split(),
        "bands",
    }
    return next(
        (name for name, description in listed.items() if any(word in description for word in words_in_prompt)), None
    )


async def play_run(self, prompt, key):
    """Play a run without Claude Code; the skill is chosen by the words in the descriptions."""
    if self.ledger.spent + RUN_USD > self.plan.max_cost_usd:
        self.why = "the cost limit is reached"
        return
    _, skills = self._choose_skills(prompt, key.version)
    self.ledger.record("began", key, RUN_USD, folder=str(choose_folder()))
    skill_name = choose_skill(prompt.text, {skill.name: skill.description for skill in skills})
    facts = {"found": to_json(TriggerRun(skill_name)), "model": "m", "transcript": ""}
    self.ledger.record("held", key, RUN_USD, folder="", **facts)
    self.ledger.record("graded", key, 0.0)


@pytest.fixture
def skills_folder(project):
    write_skill(project / "skills", "count", "Counts what someone saw")
    write_skill(project / "skills", "ring", "Puts bands on legs")
    return project / "skills"


@pytest.fixture
def drafts(monkeypatch):
    """Return the list of drafts to give and the list of the drafter's prompts; runs choose by words in descriptions."""
    drafts_to_give, prompts = [], []

    async def send_query(query, *, within, claude):
        assert "supervisor.py" in claude.read_text()
        assert claude.parent == within
        prompts.append(query.prompt)
        candidates = [{"description": description, "why": "so"} for description in drafts_to_give.pop(0)]
        return QueryResult({"descriptions": candidates}, usd=0.01)

    monkeypatch.setattr(client, "send_query", send_query)
    monkeypatch.setattr(Tuning, "_run_prompt", play_run)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    return drafts_to_give, prompts


def tune_description(skill, prompts, **options):
    values = {"arm": "among", "runs": 3, "max_cost_usd": 50.0, "model": "", "jobs": 1, "tune": True, **options}
    from actions.trigger.causes import Arm

    plan = plan_trigger(str(skill), Path(prompts), (), **{**values, "arm": Arm(values["arm"])})
    return conduct.run_trigger(plan, system_clock(), print)


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


def test_description_written_before_a_kill_can_be_undone(skills_folder, project, drafts, monkeypatch, capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as exit_info:
            main([*arguments])
        return exit_info.value.code, " ".join(capsys.readouterr().err.split())

    drafts[0].append([GOOD_DESCRIPTION])
    file, skill = write_prompts(project), skills_folder / "count" / "SKILL.md"
    before = skill.read_bytes()
    folder = Path(tune_description(skills_folder / "count", file)["folder"])
    write_description(find_change(skill, before.decode(), GOOD_DESCRIPTION), folder)  # A kill ends the command here.
    undo = f"{folder.name} has written the description in {skill}; to undo this: cp {folder}/SKILL.md.before {skill}"
    repeated_command = ("trigger", "skills/count", "--prompts", str(file), "--tune", "--write", "--yes")
    for arguments in (repeated_command, ("report", folder.name), ("status", folder.name)):
        assert undo in call(*arguments)[1]
    skill.write_text(f"{skill.read_text()}More.\n")
    assert "undo" not in call("report", folder.name)[1]


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


def test_stopped_tuning_continues_and_pays_nothing_twice(skills_folder, project, drafts):
    """The command stops after each cost in turn; nothing is paid again, and the split and drafts stay the same."""
    drafts_to_give, prompts = drafts
    drafts_to_give += [[NARROW_DESCRIPTION, GOOD_DESCRIPTION]]
    file = write_prompts(project)
    usd, results = 0.2, []
    while not results or results[-1]["tuning"]["why"].startswith("the cost limit"):
        usd += 0.3
        results.append(tune_description(skills_folder / "count", file, max_cost_usd=usd))
    assert results[-1]["tuning"]["is_better"]
    assert len(results) > 3
    assert {result["folder"] for result in results} == {results[0]["folder"]}
    assert len(prompts) == 1
    ledger = (Path(results[0]["folder"]) / "ledger.jsonl").read_text().splitlines()
    reserved_runs = [tuple(record["run"]) for record in map(json.loads, ledger) if record["event"] == "held"]
    assert len(reserved_runs) == len(set(reserved_runs))
    assert Key("draft", 1, "draft") in reserved_runs


def test_crash_at_each_state_pays_nothing_twice(skills_folder, project, drafts, monkeypatch):
    """The command crashes in a measurement, before and after a draft, in a screening and in the exam, and continues."""
    drafts_to_give, prompts = drafts
    drafts_to_give += [[NARROW_DESCRIPTION, GOOD_DESCRIPTION]]
    file, run_prompt = write_prompts(project), Tuning._run_prompt
    ledger, crashes = [], 0
    for limit in (5, 30, 44, 60, 75):
        remaining_steps = [limit - len(ledger)]

        async def crash(self, prompt, key, remaining_steps=remaining_steps):
            remaining_steps[0] -= 1
            if remaining_steps[0] < 0:
                raise RuntimeError("crash")
            await run_prompt(self, prompt, key)

        monkeypatch.setattr(Tuning, "_run_prompt", crash)
        with pytest.raises(RuntimeError, match="crash"):
            tune_description(skills_folder / "count", file)
        crashes += 1
        (path,) = project.rglob("ledger.jsonl")
        ledger = [line for line in path.read_text().splitlines() if '"held"' in line]
    monkeypatch.setattr(Tuning, "_run_prompt", run_prompt)
    tuning = tune_description(skills_folder / "count", file)
    assert (crashes, len(prompts), tuning["tuning"]["is_better"]) == (5, 1, True)
    reserved_runs = [tuple(json.loads(line)["run"]) for line in path.read_text().splitlines() if '"held"' in line]
    assert len(reserved_runs) == len(set(reserved_runs)) > 75


def test_killed_draft_leaves_no_files_and_is_charged_in_full(skills_folder, project, drafts, monkeypatch):
    drafts_to_give, _ = drafts
    drafts_to_give += [[GOOD_DESCRIPTION]]
    file, answer, folders = write_prompts(project), client.send_query, list[Path]()

    async def send_query(query, *, within, claude):
        folders.append(within)
        raise KeyboardInterrupt

    monkeypatch.setattr(client, "send_query", send_query)
    with pytest.raises(KeyboardInterrupt):
        tune_description(skills_folder / "count", file)
    monkeypatch.setattr(client, "send_query", answer)
    create_bare_sandbox(folders[0], ())  # A kill leaves such a sandbox.
    result = tune_description(skills_folder / "count", file)
    assert result["tuning"]["is_better"]
    assert not folders[0].exists()
    records = [json.loads(line) for line in (Path(result["folder"]) / "ledger.jsonl").read_text().splitlines()]
    start_record, loss_record = (next(record for record in records if record["event"] == event and record["run"][0] == "draft")
                   for event in ("began", "lost"))  # fmt: skip
    assert loss_record["usd"] == start_record["usd"]


def test_disk_that_fills_during_a_draft_loses_no_answer(skills_folder, project, drafts, monkeypatch):
    drafts_to_give, prompts = drafts
    drafts_to_give += [[GOOD_DESCRIPTION]]
    file, answer = write_prompts(project), client.send_query
    with monkeypatch.context() as patch:
        disk = FullDisk(project, patch)

        async def send_query(query, **options):
            disk.fill()
            return await answer(query, **options)

        patch.setattr(client, "send_query", send_query)
        with pytest.raises(WriteFailed, match="No space left"):
            tune_description(skills_folder / "count", file)
    assert tune_description(skills_folder / "count", file)["tuning"]["is_better"]
    assert len(prompts) == 1


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
