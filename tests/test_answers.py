"""The benchmark that lets any reader answer: it exports the product's own questions and scores by the product's own checks."""

import json

import pytest

from benchmarks.answers import export, score
from schemas.vocabulary import Family
from tests.fakes import a_read_pattern, a_skill, install
from tests.judges import add, confirm, refute, says
from tests.scripted_api import looked

BODY = "The keeper feeds each bird at noon.\n\nThe ferry leaves at dawn.\n\nThe town pays the ferry.\n"
FED, FERRY, PAID = "The keeper feeds each bird", "The ferry leaves at dawn", "The town pays the ferry"


@pytest.fixture
def skill(tmp_path, monkeypatch):
    patterns = [a_read_pattern("CTX-005", "TERN"), a_read_pattern("MEM-001", "GULL", family=Family.MEMORY)]
    install(monkeypatch, patterns, [])
    root = a_skill(tmp_path / "skills" / "plover", BODY)
    faults = [{"id": "CTX-005", "file": "SKILL.md", "line": 8, "wrong": "Fed at noon"},
              {"id": "MEM-001", "file": "SKILL.md", "line": 30, "wrong": "Forgotten"}]  # fmt: skip
    (root.parent / "expected.json").write_text(json.dumps({"plover": faults}))
    return root


def answer(out, name, value):
    prompt = (out / "plover" / f"{name}.md").read_text()
    (out / "plover" / f"{name}.answer.json").write_text(json.dumps({"looked": looked(prompt), **value}))


def answered(out, context):
    for file in (out / "plover").glob("diagnosis-of-*.md"):
        answer(out, file.stem, context if file.stem.endswith("context") else says())


def test_export_writes_refutations_after_all_answers(skill, tmp_path, capsys):
    out = tmp_path / "questions"
    export([skill], out)
    names = {file.name for file in (out / "plover").iterdir()}
    assert len([name for name in names if name.endswith(".md")]) == 6
    assert "diagnosis-of-context.schema.json" in names
    answer(out, "diagnosis-of-context", says(added=[add(FED, pattern="CTX-005")]))
    export([skill], out)
    assert not (out / "plover" / "refutation.md").exists(), "what the others add is not known yet"
    answered(out, says(added=[add(FED, pattern="CTX-005")]))
    export([skill], out)
    assert "quoted: The keeper feeds each bird" in (out / "plover" / "refutation.md").read_text()
    assert "6 answered, open: refutation" in capsys.readouterr().out


def test_score_prints_found_refuted_and_uncounted_answers(skill, tmp_path, capsys):
    out, listed = tmp_path / "questions", tmp_path / "findings.jsonl"
    export([skill], out)
    context = says(
        confirm("ISS-777"),
        added=[add(FED, pattern="CTX-005"), add(FERRY, pattern="CTX-005", severity="medium"), add("No such words")],
    )
    answered(out, context)
    export([skill], out)
    answer(out, "refutation", says(confirm("ISS-001"), refute("ISS-002", PAID)))
    capsys.readouterr()
    score(out, listed)
    output = capsys.readouterr().out
    assert (
        "diagnosis of context, does not count: verdicts[0] (ISS-777): verdict on an id that was not asked about"
        in output
    )
    assert (
        "diagnosis of context, does not count: added[2] (custom): addition whose quote is not in its file: “" in output
    )
    assert "refuted: CTX-005 medium SKILL.md:10 " in output
    assert "not found: MEM-001 SKILL.md:30 Forgotten" in output
    assert output.endswith("1 of 2 planted faults found\n")
    rows = [json.loads(line) for line in listed.read_text().splitlines()]
    assert [(row["skill"], row["line"], row["status"]) for row in rows] == [
        ("skills/plover", 8, "open"), ("skills/plover", 10, "rejected")
    ]  # fmt: skip


@pytest.mark.parametrize("words", ["{", "[" * 100_000, "{}", '"ISS-001"'])
def test_score_skips_only_the_broken_answer(skill, tmp_path, capsys, words):
    out = tmp_path / "questions"
    export([skill], out)
    answered(out, says(added=[add(FED, pattern="CTX-005")]))
    (out / "plover" / "diagnosis-of-memory.answer.json").write_text(words)
    score(out)
    output = capsys.readouterr().out
    assert "diagnosis of memory" in output
    assert "1 of 2 planted faults found" in output


def test_score_skips_answers_to_an_older_text(skill, tmp_path, capsys):
    out = tmp_path / "questions"
    export([skill], out)
    answered(out, says(added=[add(FED, pattern="CTX-005")]))
    (skill / "SKILL.md").write_text((skill / "SKILL.md").read_text() + "\nOne more line.\n")
    score(out)
    output = capsys.readouterr().out
    assert "diagnosis of context: the skill or the question has changed since the export" in output
    assert "0 of 2 planted faults found" in output
