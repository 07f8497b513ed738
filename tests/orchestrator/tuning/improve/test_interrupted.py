"""Test what Ctrl-C of an improvement prints."""

from orchestrator.tuning.improve import conduct
from orchestrator.tuning.improve.store import ImprovementStore
from tests.orchestrator.tuning.improve.conftest import write_tasks
from tests.orchestrator.tuning.improve.test_consent import OPTIONS, InterruptedInThirdSession


def save_and_interrupt(save):
    def interrupt(store, state, **more):
        saved_state = save(store, state, **more)
        if state.has_ended:
            raise KeyboardInterrupt
        return saved_state

    return interrupt


def test_ctrl_c_names_the_improvement_if_there_is_one(project, play, command, monkeypatch):
    arguments = ("improve", "greeter", "--tasks", write_tasks(project), *OPTIONS)
    play(InterruptedInThirdSession())
    with monkeypatch.context() as patch:
        patch.setattr(conduct, "create_folder", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        code, _, err = command(*arguments)
    assert (code, err.splitlines()[-1]) == (130, "tune-skill: interrupted; nothing was started")
    code, _, err = command(*arguments)
    (folder,) = project.glob(".workflow/skill-improvements/*")
    assert code == 130
    assert err.splitlines()[-1].startswith(f"tune-skill: interrupted; to continue: `tune-skill resume {folder.name}`, ")
    with monkeypatch.context() as patch:
        patch.setattr(ImprovementStore, "save", save_and_interrupt(ImprovementStore.save))
        code, _, err = command("resume", folder.name)
    assert code == 130
    assert err.splitlines()[-1].endswith(f"its work is saved; see `tune-skill report {folder.name}`")
