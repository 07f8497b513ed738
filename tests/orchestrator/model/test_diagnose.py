"""Test `diagnose --judge sdk` through the real Claude Code: a model confirms, rejects and adds findings."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import schemas
from orchestrator.cli.diagnose import diagnose
from tests.fakes import write_skill
from tests.scripted_api import (
    Reply,
    answer_minimally,
    build_smallest_value,
    get_answer_schema,
    get_last_user_text,
    tool_call,
)

AUTH = {"type": "authentication_error", "message": "no"}
BODY = "Count the birds.\n\nRead everything there is in the repository, all files, before you begin.\n"


@pytest.fixture
def diagnose_with_judge(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_skill(tmp_path / "plover", BODY)

    def run(*options):
        result = CliRunner().invoke(diagnose, ["plover", "--format", "json", *options], standalone_mode=False)
        value = json.loads(result.stdout)
        schemas.check("diagnose", value)
        return value | {"stderr": result.stderr, "exit": result.return_value}

    return run


UNREAD = {
    "access": (lambda request: Reply(status=401, error=AUTH), "check Claude Code and its key or login"),
    "connection": (lambda request: Reply(status=500), "a new run asks again"),
    "prose": (lambda request: "I would rather not.", "TUNE_SKILL_JUDGE_MODEL chooses another model"),
}


@pytest.mark.parametrize("choice", ["auto", "sdk"])
@pytest.mark.parametrize("cause", UNREAD)
def test_diagnosis_does_not_pass_if_the_model_answers_nothing(diagnose_with_judge, api, monkeypatch, cause, choice):
    api.script, remedy = UNREAD[cause]
    write_skill(Path("plover"), "Count the birds.\n")
    value = diagnose_with_judge("--judge", choice)
    assert (value["quality_score"], value["quality_gate"], value["exit"]) == (100, "review", 1)
    assert value["unasked"] > 10
    assert "a model was to read 1 unit and did not read all of it" in value["stderr"]
    (why,) = (note for note in value["notes"] if "did not answer (reading)" in note)
    assert why.endswith(remedy) or f"{remedy}, " in why
    assert diagnose_with_judge("--judge", choice, "--fail-on", "gate")["exit"] == 1
    assert diagnose_with_judge("--judge", choice, "--fail-on", "never")["exit"] == 0


@pytest.mark.parametrize(("choice", "gate", "exit_code"), [("auto", "pass", 0), ("sdk", "review", 1)])
def test_only_a_required_model_is_missed(diagnose_with_judge, monkeypatch, choice, gate, exit_code):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    write_skill(Path("plover"), "Count the birds.\n")
    for _ in range(2):  # the second row is from the cache
        value = diagnose_with_judge("--judge", choice)
        assert (value["quality_score"], value["quality_gate"], value["exit"]) == (100, gate, exit_code)
        assert value["unasked"] > 10
    assert ("a model was to read 1 unit" in value["stderr"]) is (gate == "review")
    text = CliRunner().invoke(diagnose, ["plover", "--judge", choice], standalone_mode=False).stdout
    assert ("so the gate is not pass" in " ".join(text.split())) is (gate == "review")


def answer_with_findings(*quotes):
    """Answer reading questions with findings that have these quotes, and other questions with no finding."""

    def script(request):
        answer = build_smallest_value(get_answer_schema(request))
        if "MEM-001" in get_last_user_text(request):
            item = {"pattern": "MEM-006", "file": "SKILL.md", "problem": "No way back is given.",
                    "harm": "A new session starts over.", "severity": "medium", "looked_up": [],
                    "from_knowledge": False, "explains_complaint": False}  # fmt: skip
            answer["added"] = [item | {"quote": quote} for quote in quotes]
        return tool_call("StructuredOutput", **answer)

    return script


def test_diagnosis_asks_once_and_keeps_the_findings(diagnose_with_judge, api):
    result_without_judge = diagnose_with_judge("--judge", "none")
    api.script = answer_minimally
    value = diagnose_with_judge("--judge", "sdk")
    assert len(api.model_requests) == 1
    assert value["judge"].startswith("Claude Agent SDK (")
    assert value["cost"]["queries"] == 1
    assert value["cost"]["usd"] > 0
    assert value["issues"] == result_without_judge["issues"]
    assert (result_without_judge["judge"], result_without_judge["cost"]["queries"]) == (None, 0)


def test_diagnosis_beyond_the_cost_limit_asks_nothing(diagnose_with_judge, api):
    value = diagnose_with_judge("--judge", "sdk", "--max-cost-usd", "0")
    assert not api.requests
    assert (value["judge"], value["cost"]["usd"]) == ("Claude Agent SDK", 0)
    assert value["unasked"] > 10
    assert (value["quality_gate"], value["exit"]) == ("review", 1)
    assert any("but only 0.00 of 0.00 USD are left; --max-cost-usd raises the limit" in n for n in value["notes"])
    assert "sent" not in value["stderr"]


def get_cached_part(request):
    """Return the part of a request before the question, which is the key of the provider's prompt cache."""
    skill_block, _ = request["messages"][0]["content"]
    return json.dumps([request["tools"], request["system"], skill_block])


def test_added_finding_counts_if_quoted_and_not_refuted(diagnose_with_judge, api):
    """The refutation question shares the cached prefix, and covers only findings with valid quotes."""
    kept_quote, refuted_quote, false_quote = (
        "Count the birds.",
        "Read everything there is in the repository",
        "Count the bees.",
    )

    def script(request):
        if "Your task is to refute" not in get_last_user_text(request):
            return answer_with_findings(kept_quote, refuted_quote, false_quote)(request)
        ids = re.findall(r"^(ISS-\d+) MEM-006 \S+ SKILL.md:10 ", get_last_user_text(request), re.MULTILINE)
        read_by = {"file": "SKILL.md", "quote": kept_quote}
        verdicts = [
            {"id": id, "verdict": "reject", "severity": "low", "reason": "It begins anew.", **read_by} for id in ids
        ]
        return tool_call("StructuredOutput", notes=[], unchecked=[], verdicts=verdicts, added=[])

    api.script = script
    value = diagnose_with_judge("--judge", "sdk", "--select", "MEM,CTX,AGT")
    findings = [issue for issue in (*value["issues"], *value["suppressed"]) if issue["pattern"] == "MEM-006"]
    issues_by_quote = {issue["evidence"][0]: issue for issue in findings}
    assert {quote: issue["status"] for quote, issue in issues_by_quote.items()} == {
        kept_quote: "open",
        refuted_quote: "rejected",
    }
    assert {issue["source"] for issue in findings} == {"sdk"}
    assert issues_by_quote[refuted_quote]["verdict"]["word"] == "refuted"
    assert issues_by_quote[refuted_quote]["verdict"]["quote"] == "SKILL.md:8: Count the birds."
    result_without_judge = diagnose_with_judge("--judge", "none")
    assert value["issues_by_severity"]["medium"] == result_without_judge["issues_by_severity"]["medium"] + 1
    assert len(api.model_requests) == 2
    assert len({get_cached_part(request) for request in api.model_requests}) == 1


def test_refusing_judge_leaves_the_findings_and_a_note(diagnose_with_judge, api):
    result_without_judge = diagnose_with_judge("--judge", "none")
    api.script = lambda request: Reply(status=401, error={"type": "authentication_error", "message": "no"})
    value = diagnose_with_judge("--judge", "auto")
    assert value["issues"] == result_without_judge["issues"]
    assert any("only proven findings" in note for note in value["notes"])
    assert value["cost"]["usd"] == 0


def test_diagnosis_skips_questions_above_the_cost_limit(diagnose_with_judge, api):
    api.script = answer_minimally
    value = diagnose_with_judge("--judge", "sdk", "--max-cost-usd", "0.03")
    assert len(api.model_requests) < 6
    assert value["cost"]["usd"] <= 0.03
    assert any("--max-cost-usd" in note for note in value["notes"])
