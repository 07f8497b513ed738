"""Test the answers that commands without a run keep: how long, for which model, and when not at all."""

import os
import time
from pathlib import Path

import pytest

from actions.review.judge import Reply
from orchestrator.model.answer_cache import AnswerCache, open_answers
from orchestrator.model.memory import Memory
from schemas.issues import Cost
from tests.orchestrator.model.questions import make_question

ANSWER = {"birds": 1}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return Path(tmp_path, "tune-skill", "answers")


def find_answer(model="haiku"):
    reply = open_answers(model).find(make_question(), model)
    return reply and reply.value


def test_answer_is_kept_for_the_user_and_the_same_model(folder):
    open_answers("haiku").save(make_question(), "", Reply(ANSWER, usd=0.5))
    assert (find_answer(), find_answer("opus"), find_answer("")) == (ANSWER, None, None)
    assert [folder.stat().st_mode & 0o077, *(file.stat().st_mode & 0o077 for file in folder.iterdir())] == [0, 0]


def test_answer_is_removed_after_a_day(folder):
    open_answers("haiku").save(make_question(), "", Reply(ANSWER))
    (file,) = folder.iterdir()
    os.utime(file, (time.time() - 90_000,) * 2)
    assert (find_answer(), file.exists()) == (None, False)


def test_cost_is_that_of_one_command_and_needs_no_disk(folder):
    open_answers("haiku").reserve_cost(Cost(1.0, 0, 1))
    answers = open_answers("haiku")
    (folder / f"room-{os.getpid()}").unlink()
    (folder / f"room-{os.getpid()}").mkdir()
    answers.reserve_cost(Cost(0.5, 0, 1))
    assert answers.cost.usd == 0.5


def test_folder_that_others_can_write_is_not_used(folder):
    open_answers("haiku").save(make_question(), "", Reply(ANSWER))
    folder.chmod(0o777)
    assert type(open_answers("haiku")) is Memory
    folder.chmod(0o700)
    assert isinstance(open_answers("haiku"), AnswerCache)
