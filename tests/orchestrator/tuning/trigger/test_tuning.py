"""Test the tuning of a description: split, screening, the held-out exam, guards, and written files."""

import json
from pathlib import Path

import pytest

from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun
from actions.trigger.split import hash_prompt, split_prompts
from orchestrator.cli import main
from orchestrator.errors import BadInput
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
from tests.orchestrator.tuning.trigger.conftest import list_skills, put_skill
from tests.scripted_api import last_said, said, text, tool, tools_of
from tests.terminal import Terminal

BIRDS = "gulls terns skuas auks ravens herons plovers curlews fulmars grebes ospreys petrels swifts finches owls larks"
BOATS = "ketch sloop barge yawl"
GOOD = "Counts birds that someone saw, such as " + BIRDS.replace(" ", ", ")
BROAD = f"{GOOD}, and everything of a {BOATS.replace(' ', ', ')}"
RUN_USD = 0.05
NARROW = "Counts birds such as gulls"


def write_prompts(folder, birds=(), name="prompts.json"):
    """Write prompts about birds, which expect `count`, and about boats, which expect no skill."""
    asked = [
        {"prompt": f"How many {one} sat there on day {n}?", "expect": "count"}
        for n, one in enumerate(birds or BIRDS.split())
    ]
    asked += [{"prompt": f"Paint {one} number {n} blue.", "expect": None} for n, one in enumerate(BOATS.split())]
    file = folder / name
    file.write_text(json.dumps({"prompts": asked}, indent=1))
    return file


def choose(prompt, listed):
    """Return the first listed skill whose description contains a bird or boat in the prompt."""
    asked = {word.strip("?.").lower() for word in prompt.split()} & {*BIRDS.split(), *BOATS.split(), "bands"}
    return next((name for name, about in listed.items() if any(word in about for word in asked)), None)


async def play_run(self, prompt, key):
    """Play a run without Claude Code; the skill is chosen by the words in the descriptions."""
    if self.ledger.spent + RUN_USD > self.plan.max_cost_usd:
        self.why = "the cost limit is reached"
        return
    _, skills = self._choose_skills(prompt, key.version)
    self.ledger.record("began", key, RUN_USD, folder=str(choose_folder()))
    called = choose(prompt.text, {skill.name: skill.description for skill in skills})
    facts = {"found": to_json(TriggerRun(called)), "model": "m", "transcript": ""}
    self.ledger.record("held", key, RUN_USD, folder="", **facts)
    self.ledger.record("graded", key, 0.0)


@pytest.fixture
def birds(project):
    put_skill(project / "skills", "count", "Counts what someone saw")
    put_skill(project / "skills", "ring", "Puts bands on legs")
    return project / "skills"


@pytest.fixture
def drafts(monkeypatch):
    """Return the list of drafts to give and the list of the drafter's prompts; runs choose by words in descriptions."""
    given, prompts = [], []

    async def send_query(query, *, within, claude):
        assert "supervisor.py" in claude.read_text()
        assert claude.parent == within
        prompts.append(query.prompt)
        found = [{"description": one, "why": "so"} for one in given.pop(0)]
        return QueryResult({"descriptions": found}, usd=0.01)

    monkeypatch.setattr(client, "send_query", send_query)
    monkeypatch.setattr(Tuning, "_run_prompt", play_run)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    return given, prompts


def tune(skill, prompts, **options):
    values = {"arm": "among", "runs": 3, "max_cost_usd": 50.0, "model": "", "jobs": 1, "tune": True, **options}
    from actions.trigger.causes import Arm

    plan = plan_trigger(str(skill), Path(prompts), (), **{**values, "arm": Arm(values["arm"])})
    return conduct.run_trigger(plan, system_clock(), print)


def test_better_description_wins_the_sealed_exam(birds, project, drafts):
    given, prompts = drafts
    given.append(["Counts what someone saw", "x " * 600, GOOD])
    result = tune(birds / "count", write_prompts(project))
    found = result["tuning"]
    assert (found["is_better"], found["right_before"], found["right_after"], found["compared"]) == (True, 4, 20, 20)
    assert [one["reason"] for one in found["candidates"]] == [
        "the description is the current one, or was tried before",
        "the description has 1,199 characters; at most 1,024 are allowed",
        "",
    ]
    assert found["p"] == pytest.approx(6.0**-8)
    sealed = json.loads((Path(result["folder"]) / "plan.json").read_text())["split"]["held_out"]
    texts = [one["prompt"] for one in json.loads(write_prompts(project).read_text())["prompts"]]
    hidden = [one for one in texts if hash_prompt(Prompt("x", one, (None,), "")) in sealed]
    assert len(hidden) == 10
    assert not [one for one in hidden if one in prompts[0]]  # the drafter sees only the training half
    assert sum(one in prompts[0] for one in texts) == 10
    for page in (report.format_markdown(result), report.format_html(result)):
        assert "20 of 20 runs right against 4" in page


def test_description_that_was_not_written_is_written_without_a_run(birds, project, drafts, monkeypatch, capsys):
    given, prompts = drafts
    given.append([GOOD])
    file, skill = write_prompts(project), birds / "count"
    tune(skill, file)
    asked = len(prompts)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    for option, is_written in (("--yes", False), ("--write", True)):
        with pytest.raises(SystemExit) as end:
            main(["trigger", str(skill), "--prompts", str(file), "--tune", option])
        said = " ".join(capsys.readouterr().err.split())
        assert end.value.code == 0, said
        assert "an earlier tuning found a better description, so nothing is run" in said
        assert (GOOD in (skill / "SKILL.md").read_text()) is is_written
    assert len(prompts) == asked


def test_description_written_before_a_kill_can_be_undone(birds, project, drafts, monkeypatch, capsys):
    def call(*words):
        with pytest.raises(SystemExit) as end:
            main([*words])
        return end.value.code, " ".join(capsys.readouterr().err.split())

    drafts[0].append([GOOD])
    file, skill = write_prompts(project), birds / "count" / "SKILL.md"
    before = skill.read_bytes()
    folder = Path(tune(birds / "count", file)["folder"])
    write_description(find_change(skill, before.decode(), GOOD), folder)  # a kill ends the command here
    undo = f"{folder.name} has written the description in {skill}; to undo this: cp {folder}/SKILL.md.before {skill}"
    again = ("trigger", "skills/count", "--prompts", str(file), "--tune", "--write", "--yes")
    for words in (again, ("report", folder.name), ("status", folder.name)):
        assert undo in call(*words)[1]
    skill.write_text(f"{skill.read_text()}More.\n")
    assert "undo" not in call("report", folder.name)[1]


@pytest.mark.parametrize(
    ("description", "reason"),
    [
        (BROAD, "regressions in silence: Paint "),
        (f"{GOOD}, with bands", ""),
        (NARROW, None),
    ],
)
def test_candidate_that_spoils_or_does_not_help_never_reaches_the_exam(birds, project, drafts, description, reason):
    given, _ = drafts
    given += [[description], [description]]
    found = tune(birds / "count", write_prompts(project))["tuning"]
    if reason is None:
        assert not found["is_better"]
    elif reason:
        assert (found["is_opened"], found["why"]) == (
            False, "no candidate is better on the training prompts; the exam stays sealed",
        )  # fmt: skip
        assert found["candidates"][0]["reason"].startswith(reason)
        assert found["candidates"][1]["reason"] == "the description is the current one, or was tried before"
    else:
        assert found["is_better"]


def test_neighbour_that_loses_its_prompts_is_named(birds, project, drafts):
    given, _ = drafts
    given += [[f"Bands and birds: bands, {BIRDS.replace(' ', ', ')}"], [GOOD]]
    file = write_prompts(project)
    value = json.loads(file.read_text())
    value["prompts"] += [{"prompt": f"Put bands on leg {n} of {who}.", "expect": "ring"} for n, who in enumerate(
        ("Ann's heron", "my old stork", "that thin crane", "the pelican of Bo"))]  # fmt: skip
    file.write_text(json.dumps(value))
    found = tune(birds / "count", file)["tuning"]
    assert found["candidates"][0]["reason"].startswith("regressions in the neighbour ring: Put bands")
    assert found["is_better"]
    assert found["finalist"] == found["candidates"][1]["version"]


def test_description_that_pushes_another_out_of_the_listing_is_not_run(birds, project, drafts):
    given, _ = drafts
    for number in range(5):
        put_skill(birds, f"stone{number}", "Sorts stones by weight, colour and shape. " * 7)
    given += [[GOOD + ", " + "whatever flies " * 45], [GOOD]]
    found = tune(birds / "count", write_prompts(project), model="claude-haiku-4-5")["tuning"]
    assert found["candidates"][0]["reason"].startswith("the listing would have no room for the descriptions of ")
    assert found["candidates"][0]["faults"] is None
    assert found["is_better"]


def test_right_description_is_left_and_nothing_is_drafted(birds, project, drafts):
    (birds / "count" / "SKILL.md").unlink()
    (birds / "count").rmdir()
    put_skill(birds, "count", GOOD)
    result = tune(birds / "count", write_prompts(project))
    assert result["tuning"]["why"] == "no training prompt fails, so there is nothing to improve"
    assert (drafts[1], result["tuning"]["is_opened"]) == ([], False)


def test_stopped_tuning_continues_and_pays_nothing_twice(birds, project, drafts):
    """The command stops after each cost in turn; nothing is paid again, and the split and drafts stay the same."""
    given, prompts = drafts
    given += [[NARROW, GOOD]]
    file = write_prompts(project)
    usd, seen = 0.2, []
    while not seen or seen[-1]["tuning"]["why"].startswith("the cost limit"):
        usd += 0.3
        seen.append(tune(birds / "count", file, max_cost_usd=usd))
    assert seen[-1]["tuning"]["is_better"]
    assert len(seen) > 3
    assert {one["folder"] for one in seen} == {seen[0]["folder"]}
    assert len(prompts) == 1
    ledger = (Path(seen[0]["folder"]) / "ledger.jsonl").read_text().splitlines()
    held = [tuple(record["run"]) for record in map(json.loads, ledger) if record["event"] == "held"]
    assert len(held) == len(set(held))
    assert Key("draft", 1, "draft") in held


def test_crash_at_each_state_pays_nothing_twice(birds, project, drafts, monkeypatch):
    """The command crashes in a measurement, before and after a draft, in a screening and in the exam, and continues."""
    given, prompts = drafts
    given += [[NARROW, GOOD]]
    file, run_one = write_prompts(project), Tuning._run_prompt
    ledger, crashes = [], 0
    for limit in (5, 30, 44, 60, 75):
        left = [limit - len(ledger)]

        async def crash(self, prompt, key, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise RuntimeError("crash")
            await run_one(self, prompt, key)

        monkeypatch.setattr(Tuning, "_run_prompt", crash)
        with pytest.raises(RuntimeError, match="crash"):
            tune(birds / "count", file)
        crashes += 1
        (path,) = project.rglob("ledger.jsonl")
        ledger = [line for line in path.read_text().splitlines() if '"held"' in line]
    monkeypatch.setattr(Tuning, "_run_prompt", run_one)
    found = tune(birds / "count", file)
    assert (crashes, len(prompts), found["tuning"]["is_better"]) == (5, 1, True)
    held = [tuple(json.loads(line)["run"]) for line in path.read_text().splitlines() if '"held"' in line]
    assert len(held) == len(set(held)) > 75


def test_killed_draft_leaves_no_files_and_is_charged_in_full(birds, project, drafts, monkeypatch):
    given, _ = drafts
    given += [[GOOD]]
    file, answer, folders = write_prompts(project), client.send_query, list[Path]()

    async def send_query(query, *, within, claude):
        folders.append(within)
        raise KeyboardInterrupt

    monkeypatch.setattr(client, "send_query", send_query)
    with pytest.raises(KeyboardInterrupt):
        tune(birds / "count", file)
    monkeypatch.setattr(client, "send_query", answer)
    create_bare_sandbox(folders[0], ())  # as a kill leaves it
    result = tune(birds / "count", file)
    assert result["tuning"]["is_better"]
    assert not folders[0].exists()
    records = [json.loads(line) for line in (Path(result["folder"]) / "ledger.jsonl").read_text().splitlines()]
    began, lost = (next(one for one in records if one["event"] == event and one["run"][0] == "draft")
                   for event in ("began", "lost"))  # fmt: skip
    assert lost["usd"] == began["usd"]


def test_spent_prompts_open_no_second_exam(birds, project, drafts):
    given, _ = drafts
    given.append([GOOD])
    file = write_prompts(project)
    assert tune(birds / "count", file)["tuning"]["is_opened"]
    skill = birds / "count" / "SKILL.md"
    # otherwise the result of the first tuning is offered again
    skill.write_text(skill.read_text() + "\nCount twice.\n")
    with pytest.raises(
        BadInput,
        match=r"0 of 20 prompts are left for the sealed exam, which needs 6; 20 were used in earlier tunings or",
    ):
        tune(birds / "count", file)


def test_sealed_prompts_stay_sealed_for_the_next_tuning():
    prompts = [Prompt(f"p{n}", f"Count {n} {n * 7} {n * 13}", ("count",), "f") for n in range(12)]
    first = split_prompts(prompts, "count")
    spent, sealed = ([hash_prompt(one) for one in half] for half in (first.train, first.held_out))
    more = [Prompt(f"q{n}", f"Tell {n} {n * 17} {n * 19}", ("count",), "f") for n in range(4)]
    again = split_prompts([*prompts, *more], "count", spent, sealed)
    assert set(first.held_out) < set(again.held_out)
    assert set(first.train) < set(again.train)
    assert len(again.held_out) == 8


def test_prompt_in_the_text_of_the_skill_is_never_sealed(birds, project, drafts):
    """Otherwise the drafter could copy the answers of the exam from the skill itself."""
    given, _ = drafts
    given.append([GOOD])
    file = write_prompts(project)
    texts = [one["prompt"] for one in json.loads(file.read_text())["prompts"]]
    skill = birds / "count" / "SKILL.md"
    skill.write_text(f"{skill.read_text()}\nFor example:\n\n- {texts[0]}\n- {texts[1].upper()}\n")
    result = tune(birds / "count", file)
    sealed = json.loads((Path(result["folder"]) / "plan.json").read_text())["split"]["held_out"]
    assert not {hash_prompt(Prompt("x", one, (None,), "")) for one in texts[:2]} & set(sealed)


def test_near_copies_in_both_halves_are_refused(birds, project, drafts):
    file = write_prompts(project, birds=[f"gulls{n}" for n in range(16)])
    text = file.read_text().replace("sat there on day", "sat there on the long grey northern pier on day")
    file.write_text(text)
    with pytest.raises(BadInput, match=r"nearly the same as .*so the exam would not be sealed"):
        tune(birds / "count", file)


def test_tuning_needs_one_skill_among_all(birds, project, drafts):
    file = write_prompts(project)
    with pytest.raises(BadInput, match="tunes one skill among all"):
        tune(birds, file)
    with pytest.raises(BadInput, match="tunes one skill among all"):
        tune(birds / "count", file, arm="alone")


@pytest.mark.slow
def test_tuning_with_claude_code_writes_what_the_user_confirms(birds, project, api, monkeypatch):
    """The command crashes before its last two runs and continues in a terminal: it shows the plan with its statistical
    power and the diff, and keeps a copy to undo the change. Claude Code drafts, and plays the first and last runs.
    """

    def answer(request):
        if "StructuredOutput" in tools_of(request):
            assert "at which description" in said(request)
            return tool("StructuredOutput", descriptions=[{"description": GOOD, "why": "names birds"}])
        name = choose(last_said(request), list_skills(request))
        return tool("Skill", skill=name) if name else text("Done.")

    # the training half twice, and the exam except two runs
    run_one, left = Tuning._run_prompt, iter(range(8 + 8 + 32 - 2))

    async def run_some(self, prompt, key):
        if (number := next(left, None)) is None:
            raise RuntimeError("crash")
        await (run_one if number in (8, 9) else play_run)(self, prompt, key)

    api.script = answer
    file = write_prompts(project, birds=BIRDS.split()[:12])
    before = (birds / "count" / "SKILL.md").read_bytes()
    monkeypatch.setattr(Tuning, "_run_prompt", run_some)
    with pytest.raises(RuntimeError, match="crash"):
        tune(birds / "count", file, runs=1)
    asked = len(api.asked)
    assert asked == 1 + 2
    options = ("--runs", "1", "--max-cost-usd", "50")
    terminal = Terminal(project, "trigger", "skills/count", "--prompts", file.name, "--tune", *options)
    terminal.wait_for(b"Continue?")
    assert b"the best one is tested on the 8 sealed prompts" in terminal.seen
    assert b"only if at least 3 of 8 sealed prompts change from wrong to right" in terminal.seen
    terminal.type(b"y\n")
    terminal.wait_for(b"draft-1-1: 0 faults on 8 training prompts")
    terminal.wait_for(b"Write it into")
    assert len(api.asked) == asked + 2
    assert b"+description: " in terminal.seen
    terminal.type(b"y\n")
    assert b"to undo this: cp " in terminal.all()
    assert terminal.end() == 0
    assert GOOD in (birds / "count" / "SKILL.md").read_text()
    (backup,) = project.rglob("SKILL.md.before")
    assert backup.read_bytes() == before


@pytest.mark.parametrize(("count", "least"), [(6, 3), (10, 4), (20, 4), (40, 4)])
def test_exam_needs_some_prompts_to_change(count, least):
    assert find_least_change(count) == least
