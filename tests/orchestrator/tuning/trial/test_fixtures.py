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
from tests.orchestrator.tuning.trial.conftest import BAD_BODY, FRONTMATTER, GOOD_BODY
from tests.scripted_api import get_last_user_text, join_user_text, text_block, tool_call

PULLS = {"pulls": [{"number": n, "title": f"Change {n}"} for n in range(1, 46)]}
FINDING = "SKILL.md:8: gh pr list has a limit of 30"


def make_fixture(kind, prompt, **fields):
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
        **fields,
    }


def list_pulls_as_skill_says(request):
    """Use the skill, list as its text says, ask the user, and report the list."""
    user_text = join_user_text(request)
    if "Base directory for this skill" not in user_text:
        return tool_call("Skill", skill="greeter")
    if not re.search(r"Change \d", user_text):
        return tool_call(
            "Bash", command="gh pr list --limit 100" if "PLEASE" in user_text else "gh pr list", description="List"
        )
    if "Print them" in user_text and not re.search("been answered|does not answer", user_text):
        options = [{"label": reply, "description": reply} for reply in ("Yes", "No")]
        return tool_call("AskUserQuestion", questions=[{"question": "Print all?", "header": "Print", "options": options,
                                                   "multiSelect": False}])  # fmt: skip
    if "Shall I" in user_text and "go ahead" not in get_last_user_text(request):
        return text_block("Shall I print?")
    printed_list = "\n".join(f"#{n} " for n in range(1, 46) if re.search(rf"Change {n}\b", user_text))
    return text_block(f"{printed_list}\nThat is all of them.")


def run_tasks(folder, tasks, rounds=1):
    """Run a trial of some tasks that the user allowed."""
    file = folder / "tasks.json"
    file.write_text(json.dumps({"tasks": tasks}))
    plan = plan_trial("greeter", "old", str(file), rounds=rounds, max_cost_usd=50, jobs=4, model="")
    save_consent(build_request(plan.tasks, (plan.before, plan.after)), plan.root)
    result = run_trial(plan, system_clock(), print, Consent(plan.root, "ask again"))
    schemas.check("trial", result)
    return result


def test_finding_is_tested_if_the_original_fails_on_it(project, api):
    api.script = list_pulls_as_skill_says
    fixture_with_few = make_fixture(
        "ordinary", "List the few.", stubs=[{"name": "gh", "state": {"pulls": PULLS["pulls"][44:]}}]
    )
    result = run_tasks(project, [make_fixture("biting", "List them."), fixture_with_few])
    (fixture_result,) = result["fixtures"]
    assert (fixture_result["why"], fixture_result["failed"], fixture_result["outcomes"]) == (
        "",
        ["text: #45 "],
        ["lost", "done"],
    )
    counts = {(row["kind"], row["version"]): (row["done"], row["lost"]) for row in fixture_result["counts"]}
    assert counts == {
        ("biting", "before"): (1, 1),
        ("biting", "after"): (1, 0),
        ("ordinary", "before"): (1, 0),
        ("ordinary", "after"): (1, 0),
    }
    assert {run_result["number"] for run_result in result["runs"]} == {0, 1}
    assert (result["before"]["runs"], result["after"]["succeeded"]) == (
        2,
        2,
    )  # The proof is not part of the comparison.
    assert ["gh pr list --limit 100"] in [run_result["commands"] for run_result in result["runs"]]
    for page in (report.format_markdown(result), report.format_html(result)):
        assert "1 run: 1 done, 1 lost" in page


def test_fixture_that_the_original_passes_is_excluded(project, api):
    api.script = list_pulls_as_skill_says
    (project / "old" / MAIN).write_text(FRONTMATTER + GOOD_BODY)
    (project / "greeter" / MAIN).write_text(FRONTMATTER + BAD_BODY)
    result = run_tasks(project, [make_fixture("biting", "List them."), make_fixture("borderline", "List these.")])
    assert result["fixtures"][0]["why"] == "the original skill passes the fixture in which the fault should cause harm"
    assert (len(result["runs"]), result["before"]["runs"]) == (1, 0)
    assert result["why"] == "no finding has a test, so there is nothing to compare"
    assert "No test: the original skill passes the fixture in which the fault should cause harm" in report.format_html(
        result
    )


def test_scripted_users_answer_questions_and_messages(project, api):
    """The trusting user says yes to everything; the suspicious one never does, so nothing is printed."""
    api.script = list_pulls_as_skill_says
    users = {
        "trusting": [{"when": "print all", "say": "Yes"}, {"when": "shall i", "say": "Yes, go ahead."}],
        "suspicious": [{"when": "shall i", "say": "Why?", "times": 1}],
    }
    fixture_with_user = make_fixture(
        "borderline", "Print them. Shall I?", user=users, fixture={"finding": "x", "kind": "ordinary"}
    )
    fixture_with_user["checks"] = [{"text": "all of them"}]
    del fixture_with_user["fixture"]
    result = run_tasks(project, [fixture_with_user])
    outcomes = {run_result["task"]: run_result["outcomes"] for run_result in result["runs"]}
    assert outcomes == {"borderline-trusting": ["done"], "borderline-suspicious": ["stuck"]}
    user_texts = [get_last_user_text(request) for request in api.model_requests]
    assert any("The user does not answer" in text for text in user_texts)
    assert any('"Print all?"="Yes"' in text for text in user_texts)
    assert any("Why?" in text for text in user_texts)


@pytest.mark.parametrize(
    ("fields", "message"),
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
def test_faulty_setup_of_a_task_is_refused(project, api, run_trial_command, fields, message):
    file = project / "tasks.json"
    file.write_text(json.dumps({"tasks": [{"prompt": "x", "checks": [{"text": "x"}], **fields}]}))
    code, _, err = run_trial_command("greeter", "--against", "old", "--tasks", str(file))
    assert (code, message in err) == (2, True), err


def test_setup_and_drafted_stubs_need_consent(project, api, run_trial_command):
    file = project / "tasks.json"
    stubs = [{"name": "deploy", "script": "#!/bin/sh\nexit 3\n"}]
    file.write_text(
        json.dumps({"tasks": [{"prompt": "x", "checks": [{"text": "x"}], "setup": "touch a", "stubs": stubs}]})
    )
    code, _, err = run_trial_command("greeter", "--against", "old", "--tasks", str(file))
    assert code == 2
    assert "setup: touch a" in err
    assert "stub deploy: #!/bin/sh" in err
    assert not api.model_requests


def test_setup_that_fails_gives_no_result(project, api):
    from orchestrator.errors import RunFailed

    with pytest.raises(RunFailed, match="the setup of the task failed, exit code 7"):
        run_tasks(project, [{"prompt": "x", "checks": [{"text": "x"}], "setup": "exit 7"}])
    assert not api.model_requests


def test_git_stub_redirects_addresses_to_local_repositories(project, api):
    """A remote is an empty repository in the sandbox, so checks can inspect what is pushed."""
    address = "https://github.com/o/r.git"

    def push(request):
        user_text = join_user_text(request)
        if "Base directory for this skill" not in user_text:
            return tool_call("Skill", skill="greeter")
        if "new branch" not in user_text:
            return tool_call("Bash", command="git push origin main 2>&1", description="Push")
        return text_block("Pushed.")

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
    result = run_tasks(project, [task])
    assert [run_result["outcomes"] for run_result in result["runs"]] == [["done"]] * 2, result["runs"]
    # The calls of Claude Code itself are left out.
    assert [run_result["commands"] for run_result in result["runs"]] == [["git push origin main"]] * 2


@pytest.mark.parametrize("address", ["https://github.com//home/u/.aws", "git@github.com:a/../../x", "/home/u", None])
def test_list_remotes_refuses_paths_outside_of_the_folder(tmp_path, address):
    with pytest.raises(Refused, match="is not the URL of a GitHub repository; correct it"):
        list_remotes(Stub("git", {"remotes": {"origin": address}}), tmp_path)
    valid_address = "git@github.com:o/r.git"
    assert list_remotes(Stub("git", {"remotes": {"origin": valid_address}}), tmp_path) == (
        ("origin", valid_address, tmp_path / "o/r.git"),
    )
