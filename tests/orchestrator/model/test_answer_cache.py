"""Test the answers that commands without a run keep: how long, for which model, and when not at all."""

import os
import shutil
import time
from pathlib import Path

import pytest

from actions.review.judge import Reply
from orchestrator.errors import Interrupted
from orchestrator.model import JudgeAccess
from orchestrator.model.answer_cache import AnswerCache, RunAnswers, open_answers
from orchestrator.model.budget import Budget
from orchestrator.model.environment import MODEL, PROVIDERS
from orchestrator.model.memory import Memory
from orchestrator.model.sdk import SdkJudge
from schemas.issues import Cost
from tests.orchestrator.model.questions import make_question

ANSWER = {"birds": 1}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return Path(tmp_path, "tune-skill", "answers")


def open_for(model="haiku", **more):
    return open_answers({MODEL: model, **more})


def find_answer(model="haiku", **more):
    reply = open_for(model, **more).find(make_question(), model)
    return reply and reply.value


def test_answer_is_kept_for_the_user_and_the_same_model(folder):
    open_for().save(make_question(), "", Reply(ANSWER, usd=0.5))
    assert (find_answer(), find_answer("opus"), find_answer("")) == (ANSWER, None, None)
    assert find_answer(ANTHROPIC_API_KEY="a new key") == ANSWER
    assert [folder.stat().st_mode & 0o077, *(file.stat().st_mode & 0o077 for file in folder.iterdir())] == [0, 0]


@pytest.mark.parametrize(
    "name", ["ANTHROPIC_MODEL", "ANTHROPIC_BASE_URL", "ANTHROPIC_DEFAULT_OPUS_MODEL", PROVIDERS[0]]
)
def test_answer_counts_only_for_the_variables_that_choose_the_model(folder, name):
    open_for(**{name: "one"}).save(make_question(), "", Reply(ANSWER))
    assert [find_answer(**{name: value}) for value in ("one", "two", "")] == [ANSWER, None, None]


def test_kept_answer_names_its_model_and_time_except_in_its_own_command(folder):
    answers = open_for()
    answers.save(make_question(), "", Reply(ANSWER, model="claude-haiku-4-5"))
    (file,) = folder.iterdir()
    os.utime(file, (time.time() - 3600,) * 2)
    kept = open_for().find(make_question(), "")
    assert (kept.model, kept.kept_since) == (
        "claude-haiku-4-5",
        time.strftime("%Y-%m-%d %H:%M", time.localtime(file.stat().st_mtime)),
    )
    assert answers.find(make_question(), "").kept_since == ""


def test_answer_that_cannot_be_written_is_counted_as_lost(folder):
    answers = open_for()
    folder.rmdir()
    folder.write_text("a file in the way")
    answers.save(make_question(), "", Reply(ANSWER))
    assert answers.lost == 1
    assert not JudgeAccess(memory=answers).keeps_answers


def test_new_answers_are_kept_where_earlier_ones_are_not_used(folder):
    open_for().save(make_question(), "", Reply({"birds": 2}))
    anew = open_answers({MODEL: "haiku"}, anew=True)
    assert anew.find(make_question(), "") is None
    anew.save(make_question(), "", Reply(ANSWER))
    assert (anew.find(make_question(), "").value, find_answer()) == (ANSWER, ANSWER)


def test_run_takes_a_kept_answer_as_its_own(folder, tmp_path):
    open_for().save(make_question(), "", Reply(ANSWER, usd=0.5))
    first = RunAnswers(tmp_path / "judge", open_for()).find(make_question(), "")
    second = RunAnswers(tmp_path / "judge", Memory()).find(make_question(), "opus")
    assert (first.value, bool(first.kept_since), first.usd) == (ANSWER, True, 0)
    assert (second.value, second.kept_since) == (ANSWER, "")


def test_answer_is_removed_after_a_day(folder):
    open_for().save(make_question(), "", Reply(ANSWER))
    (file,) = folder.iterdir()
    os.utime(file, (time.time() - 90_000,) * 2)
    assert (find_answer(), file.exists()) == (None, False)


def test_cost_is_that_of_one_command_and_needs_no_disk(folder):
    open_for().reserve_cost(Cost(1.0, 0, 1))
    answers = open_for()
    (folder / f"room-{os.getpid()}").unlink()
    (folder / f"room-{os.getpid()}").mkdir()
    answers.reserve_cost(Cost(0.5, 0, 1))
    assert answers.cost.usd == 0.5


def test_folder_that_others_can_write_is_not_used(folder):
    open_for().save(make_question(), "", Reply(ANSWER))
    folder.chmod(0o777)
    assert type(open_for()) is Memory
    folder.chmod(0o700)
    assert isinstance(open_for(), AnswerCache)


def test_failure_names_the_answers_that_were_not_saved(folder):
    answers = open_for()
    access = JudgeAccess(sdk=SdkJudge(Budget(2, 0.3), answers))
    assert describe_failure(access).endswith("0.30 USD were paid; no answer is kept")
    answers.save(make_question("one"), "", Reply(ANSWER))
    assert describe_failure(access).endswith("the same command asks only the missing questions within a day")
    shutil.rmtree(folder)
    folder.write_text("a file in the way")
    answers.save(make_question("two"), "", Reply(ANSWER))
    assert describe_failure(access).endswith("1 answer could not be saved; the others are kept for a day")


def describe_failure(access):
    with pytest.raises(Interrupted) as info, access.name_cost_of_failure():
        raise KeyboardInterrupt
    return str(info.value)
