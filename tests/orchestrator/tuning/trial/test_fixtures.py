"""Test findings as tests, with the real Claude Code: proof on the old text, outcomes, stubs and scripted users."""

import json
import re

import pytest

import schemas
from actions.skill.paths import MAIN
from orchestrator.errors import Refused
from orchestrator.run.store import system_clock
from orchestrator.tuning.trial import report
from orchestrator.tuning.trial.conduct import plan_trial, run_trial
from orchestrator.tuning.trial.consent import Consent, build_request, save_consent
from orchestrator.tuning.trial.fixtures import Stub, list_remotes
from tests.orchestrator.tuning.trial.conftest import BAD, GOOD, HEAD
from tests.scripted_api import last_said, said, text, tool

PULLS = {"pulls": [{"number": n, "title": f"Change {n}"} for n in range(1, 46)]}
FINDING = "SKILL.md:8: gh pr list has a limit of 30"


def fixture(kind, prompt, **more):
    """Return a fixture with 45 open pull requests, all of which must be named."""
    return {
        "name": kind,
        "prompt": prompt,
        "fixture": {"finding": FINDING, "kind": kind, "claim": "all of them"},
        "tools": ["Bash"],
        "stubs": [{"name": "gh", "state": PULLS}],
        "checks": [
            {"text": "#45 ", "shows": "lost"},
            {"regex": "gh pr list", "in": "calls"},
        ],
        **more,
    }


def list_pulls(request):
    """Use the skill, list as its text says, ask the user, and report the list."""
    words = said(request)
    if "Base directory for this skill" not in words:
        return tool("Skill", skill="greeter")
    if not re.search(r"Change \d", words):
        return tool("Bash", command="gh pr list --limit 100" if "PLEASE" in words else "gh pr list", description="List")
    if "Print them" in words and not re.search("been answered|does not answer", words):
        options = [{"label": one, "description": one} for one in ("Yes", "No")]
        return tool("AskUserQuestion", questions=[{"question": "Print all?", "header": "Print", "options": options,
                                                   "multiSelect": False}])  # fmt: skip
    if "Shall I" in words and "go ahead" not in last_said(request):
        return text("Shall I print?")
    listed = "\n".join(f"#{n} " for n in range(1, 46) if re.search(rf"Change {n}\b", words))
    return text(f"{listed}\nThat is all of them.")


def run(folder, tasks, rounds=1):
    """Run a trial of some tasks that the user allowed."""
    file = folder / "tasks.json"
    file.write_text(json.dumps({"tasks": tasks}))
    plan = plan_trial("greeter", "old", str(file), rounds=rounds, max_cost_usd=50, jobs=4, model="")
    save_consent(build_request(plan.tasks, (plan.before, plan.after)), plan.root)
    result = run_trial(plan, system_clock(), print, Consent(plan.root, "ask again"))
    schemas.check("trial", result)
    return result


def test_finding_is_a_test_when_the_original_fails_where_it_bites(project, api):
    api.script = list_pulls
    few = fixture("ordinary", "List the few.", stubs=[{"name": "gh", "state": {"pulls": PULLS["pulls"][44:]}}])
    result = run(project, [fixture("biting", "List them."), few])
    (found,) = result["fixtures"]
    assert (found["why"], found["failed"], found["outcomes"]) == ("", ["text: #45 "], ["lost", "done"])
    counts = {(row["kind"], row["version"]): (row["done"], row["lost"]) for row in found["counts"]}
    assert counts == {
        ("biting", "before"): (1, 1),
        ("biting", "after"): (1, 0),
        ("ordinary", "before"): (1, 0),
        ("ordinary", "after"): (1, 0),
    }
    assert {one["number"] for one in result["runs"]} == {0, 1}
    assert (result["before"]["runs"], result["after"]["succeeded"]) == (2, 2)  # the proof is not part of the comparison
    assert ["gh pr list --limit 100"] in [one["commands"] for one in result["runs"]]
    for page in (report.format_markdown(result), report.format_html(result)):
        assert "1 run: 1 done, 1 lost" in page


def test_fixture_that_the_original_passes_is_left_out(project, api):
    api.script = list_pulls
    (project / "old" / MAIN).write_text(HEAD + GOOD)
    (project / "greeter" / MAIN).write_text(HEAD + BAD)
    result = run(project, [fixture("biting", "List them."), fixture("borderline", "List these.")])
    assert result["fixtures"][0]["why"] == "the original skill passes the fixture in which the fault should cause harm"
    assert (len(result["runs"]), result["before"]["runs"]) == (1, 0)
    assert result["why"] == "no finding has a test, so there is nothing to compare"
    assert "No test: the original skill passes the fixture in which the fault should cause harm" in report.format_html(
        result
    )


def test_scripted_users_answer_questions_and_messages(project, api):
    """The trusting user says yes to everything; the suspicious one never does, so nothing is printed."""
    api.script = list_pulls
    users = {
        "trusting": [{"when": "print all", "say": "Yes"}, {"when": "shall i", "say": "Yes, go ahead."}],
        "suspicious": [{"when": "shall i", "say": "Why?", "times": 1}],
    }
    asked = fixture("borderline", "Print them. Shall I?", user=users, fixture={"finding": "x", "kind": "ordinary"})
    asked["checks"] = [{"text": "all of them"}]
    del asked["fixture"]
    result = run(project, [asked])
    outcomes = {one["task"]: one["outcomes"] for one in result["runs"]}
    assert outcomes == {"borderline-trusting": ["done"], "borderline-suspicious": ["stuck"]}
    said_to = [last_said(request) for request in api.asked]
    assert any("The user does not answer" in words for words in said_to)
    assert any('"Print all?"="Yes"' in words for words in said_to)
    assert any("Why?" in words for words in said_to)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"stubs": [{"name": "deploy"}]}, "deploy needs a `script` (built-in stubs: gh, git, curl)"),
        ({"stubs": [{"name": "gh", "script": "x"}]}, "gh has a built-in stub; specify its `state`"),
        ({"project": {"../x": ""}}, "'../x' is outside the folder"),
        ({"project": {"/x": ""}}, "outside the folder"),
        ({"project": {".git/config": ""}}, "outside the folder"),
        ({"project": {".": ""}}, "outside the folder"),
        ({"project": {"a//b": ""}}, "outside the folder"),
        ({"user": [{"when": "(", "say": "x"}]}, "invalid regular expression"),
        ({"user": {"angry": []}}, "tasks.json"),
        ({"stubs": [{"name": "a/b", "script": "x"}]}, "tasks.json"),
    ],
)
def test_faulty_stage_is_refused_with_its_line(project, api, trial, more, message):
    file = project / "tasks.json"
    file.write_text(json.dumps({"tasks": [{"prompt": "x", "checks": [{"text": "x"}], **more}]}))
    code, _, err = trial("greeter", "--against", "old", "--tasks", str(file))
    assert (code, message in err) == (2, True), err


def test_setup_and_drafted_stubs_need_consent(project, api, trial):
    file = project / "tasks.json"
    stubs = [{"name": "deploy", "script": "#!/bin/sh\nexit 3\n"}]
    file.write_text(
        json.dumps({"tasks": [{"prompt": "x", "checks": [{"text": "x"}], "setup": "touch a", "stubs": stubs}]})
    )
    code, _, err = trial("greeter", "--against", "old", "--tasks", str(file))
    assert code == 2
    assert "setup: touch a" in err
    assert "stub deploy: #!/bin/sh" in err
    assert not api.asked


def test_setup_that_fails_is_no_result(project, api):
    from orchestrator.errors import RunFailed

    with pytest.raises(RunFailed, match="the setup of the task failed, exit code 7"):
        run(project, [{"prompt": "x", "checks": [{"text": "x"}], "setup": "exit 7"}])
    assert not api.asked


def test_git_stub_leads_addresses_to_local_repositories(project, api):
    """A remote is an empty repository in the sandbox, so checks can inspect what is pushed."""
    address = "https://github.com/o/r.git"

    def push(request):
        words = said(request)
        if "Base directory for this skill" not in words:
            return tool("Skill", skill="greeter")
        if "new branch" not in words:
            return tool("Bash", command="git push origin main 2>&1", description="Push")
        return text("Pushed.")

    api.script = push
    task = {
        "name": "push",
        "prompt": "Push it.",
        "tools": ["Bash"],
        "network": False,
        "stubs": [{"name": "git", "state": {"remotes": {"origin": address}}}],
        "setup": "echo a > a && git add a && git commit -qm a",
        "checks": [{"command": f"git ls-remote {address} main | grep main"}, {"text": "git push", "in": "calls"}],
    }
    result = run(project, [task])
    assert [one["outcomes"] for one in result["runs"]] == [["done"]] * 2, result["runs"]
    # without Claude Code's own calls
    assert [one["commands"] for one in result["runs"]] == [["git push origin main"]] * 2


@pytest.mark.parametrize("address", ["https://github.com//home/u/.aws", "git@github.com:a/../../x", "/home/u", None])
def test_list_remotes_refuses_paths_outside_of_the_folder(tmp_path, address):
    with pytest.raises(Refused, match="is not the address of a repository of GitHub; correct `remotes`"):
        list_remotes(Stub("git", {"remotes": {"origin": address}}), tmp_path)
    good = "git@github.com:o/r.git"
    assert list_remotes(Stub("git", {"remotes": {"origin": good}}), tmp_path) == (
        ("origin", good, tmp_path / "o/r.git"),
    )
