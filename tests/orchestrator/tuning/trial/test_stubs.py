"""Test the stubs of programs: strict, with the defaults of the real programs, and with a state that checks can read."""

import json
import subprocess
import sys

import pytest

from orchestrator.tuning.stubs import curl, gh, program
from orchestrator.tuning.stubs.flags import StubError


@pytest.fixture
def state():
    """Return a repository with 45 open pull requests, a merged one, and an issue."""
    pulls = [{"number": n, "title": f"Change {n}", "headRefName": f"b{n}", "state": "OPEN"} for n in range(1, 46)]
    merged_pull = {"number": 46, "title": "Merged", "headRefName": "m", "state": "MERGED"}
    return {"repo": "o/r", "pulls": [*pulls, merged_pull], "issues": [{"number": 90, "title": "Bug", "labels": ["p1"]}]}


def run_gh(state, *arguments):
    return gh.act(list(arguments), state)


def test_list_has_the_default_limit_of_the_real_program(state):
    assert len(run_gh(state, "pr", "list").splitlines()) == 30
    assert len(run_gh(state, "pr", "list", "-L", "100").splitlines()) == 45
    assert len(run_gh(state, "pr", "list", "--state=all", "--limit=100").splitlines()) == 46
    assert len(json.loads(run_gh(state, "api", "repos/o/r/pulls"))) == 30
    assert len(json.loads(run_gh(state, "api", "repos/o/r/pulls?per_page=100&state=all"))) == 46
    assert len(json.loads(run_gh(state, "api", "--paginate", "repos/{owner}/{repo}/pulls"))) == 45


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pr", "list", "--everything"], "unknown flag: --everything"),
        (["pr", "list", "-L"], "flag needs an argument: -L"),
        (["pr", "list", "-L", "none"], "invalid limit: none"),
        (["pr", "explode"], 'unknown command "pr explode"'),
        (["pr", "view", "99"], "Could not resolve"),
        (["pr", "merge", "1"], "--merge, --rebase, or --squash required"),
        (["pr", "merge", "46", "-s"], "is not open"),
        (["pr", "create", "-b", "x"], "must provide `--title`"),
        (["release", "delete", "v1"], "--yes required"),
        (["pr", "view", "1", "--web"], "no browser"),
        (["pr", "list", "--json", "number", "-q", "map(.number)"], "only simple filters"),
        (["api", "repos/other/r/pulls"], "HTTP 404"),
        (["api", "repos/o/r/pulls", "-f", "title=x"], "HTTP 404"),
    ],
)
def test_stub_refuses_what_the_real_program_refuses(state, arguments, message):
    with pytest.raises(StubError, match=message):
        run_gh(state, *arguments)


def test_changes_are_saved_in_the_state(state):
    run_gh(state, "pr", "merge", "1", "-sd")
    run_gh(state, "issue", "close", "90", "-c", "done")
    assert run_gh(state, "pr", "create", "-t", "New", "-b", "x", "-H", "n") == "https://github.com/o/r/pull/91"
    assert (state["pulls"][0]["state"], state["pulls"][0]["branchDeleted"]) == ("MERGED", True)
    assert (state["issues"][0]["state"], state["issues"][0]["comments"]) == ("CLOSED", [{"body": "done"}])


def test_command_without_a_number_uses_the_current_branch(state, tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/b7\n")
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    assert run_gh(state, "pr", "view", "--json", "number", "-q", ".number") == "7"
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/new\n")
    with pytest.raises(StubError, match='no pull requests found for branch "new"'):
        run_gh(state, "pr", "view")
    run_gh(state, "pr", "create", "-t", "New", "-b", "")
    assert state["pulls"][-1]["headRefName"] == "new"


def test_simple_filters_are_applied(state):
    assert run_gh(state, "pr", "list", "--json", "number", "-q", ".[].number").splitlines()[:2] == ["1", "2"]
    assert run_gh(state, "pr", "list", "-L", "100", "--json", "number", "-q", "length") == "45"
    assert run_gh(state, "pr", "view", "2", "--json", "title", "-q", ".title") == "Change 2"
    assert run_gh(state, "issue", "list", "-l", "p1").split("\t")[0] == "90"
    assert run_gh(state, "issue", "list", "-l", "p2") == ""


def test_curl_answers_only_from_its_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    redirect = {"status": 302, "headers": {"Location": "https://a.example/b.txt"}}
    state = {"responses": {"https://a.example/b.txt": {"body": "hello"}, "https://a.example/old": redirect}}
    assert curl.act(["-sS", "https://a.example/b.txt"], state) == "hello"
    assert curl.act(["-sL", "https://a.example/old"], state) == "hello"
    assert curl.act(["-s", "https://a.example/none"], state) == "not found"
    assert curl.act(["-s", "-o", "/dev/null", "-w", "%{http_code}", "https://a.example/none"], state) == "404"
    curl.act(["-LO", "https://a.example/b.txt"], state)
    assert (tmp_path / "b.txt").read_text() == "hello"
    for arguments, code in (
        (["-f", "https://a.example/none"], 22),
        (["https://b.example"], 6),
        (["--wrong"], 1),
        ([], 2),
    ):
        with pytest.raises(StubError) as error:
            curl.act(arguments, state)
        assert error.value.code == code


def test_program_logs_calls_and_saves_the_state(tmp_path, state):
    (tmp_path / "gh.json").write_text(json.dumps(state))
    start = [sys.executable, "-I", "-S", program.__file__, str(tmp_path), "gh"]
    result = subprocess.run([*start, "pr", "close", "3"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    result = subprocess.run([*start, "pr", "list", "--bad"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr.splitlines()[0]) == (1, "unknown flag: --bad")
    assert json.loads((tmp_path / "gh.json").read_text())["pulls"][2]["state"] == "CLOSED"
    calls = [json.loads(line)["arguments"] for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert calls == [["pr", "close", "3"], ["pr", "list", "--bad"]]
