"""Test the benchmark that exports questions for any reader, and scores the answers with the product's checks."""

import json

import pytest

from benchmarks.answers import export, score
from schemas.vocabulary import Family
from tests.fakes import add_large_references, install_catalogue, make_model_pattern, write_skill
from tests.judges import add_finding, confirm_finding, make_reading, refute_finding

BODY = "The keeper feeds each bird at noon.\n\nThe ferry leaves at dawn.\n\nThe town pays the ferry.\n"
FEEDING, FERRY, PAID = "The keeper feeds each bird", "The ferry leaves at dawn", "The town pays the ferry"


@pytest.fixture
def skill(tmp_path, monkeypatch):
    patterns = [make_model_pattern("CTX-005", "TERN"), make_model_pattern("MEM-001", "GULL", family=Family.MEMORY)]
    install_catalogue(monkeypatch, patterns, [])
    root = write_skill(tmp_path / "skills" / "plover", BODY)
    faults = [{"id": "CTX-005", "file": "SKILL.md", "line": 8, "wrong": "Fed at noon"},
              {"id": "MEM-001", "file": "SKILL.md", "line": 30, "wrong": "Forgotten"}]  # fmt: skip
    (root.parent / "expected.json").write_text(json.dumps({"plover": faults}))
    return root


def write_answer(out, name, value):
    (out / "plover" / f"{name}.answer.json").write_text(json.dumps(value))


READING = make_reading(
    confirm_finding("ISS-777"),
    added=[
        add_finding(FEEDING, pattern="CTX-005"),
        add_finding(FERRY, pattern="CTX-005", severity="medium"),
        add_finding("No such words"),
    ],
)


def test_export_writes_refutations_after_all_answers(skill, tmp_path, capsys):
    out = tmp_path / "questions"
    export([skill], out)
    names = {file.name for file in (out / "plover").iterdir()}
    assert names == {"skill.json", "reading.md", "reading.schema.json"}
    write_answer(out, "reading", make_reading(added=[add_finding(FEEDING, pattern="CTX-005")]))
    export([skill], out)
    assert "quoted: The keeper feeds each bird" in (out / "plover" / "refutation.md").read_text()
    assert "1 answered, open: refutation" in capsys.readouterr().out


def test_score_prints_found_refuted_and_uncounted_answers(skill, tmp_path, capsys):
    out, findings_file = tmp_path / "questions", tmp_path / "findings.jsonl"
    export([skill], out)
    write_answer(out, "reading", READING)
    export([skill], out)
    write_answer(out, "refutation", make_reading(confirm_finding("ISS-001"), refute_finding("ISS-002", PAID)))
    capsys.readouterr()
    score(out, findings_file)
    output = capsys.readouterr().out
    assert "reading, not counted: verdicts[0] (ISS-777): verdict on an id that was not asked about" in output
    assert "reading, not counted: added[2] (custom): addition whose quote is not in its file, or too short: “" in output
    assert "refuted: CTX-005 medium SKILL.md:10 " in output
    assert "not found: MEM-001 SKILL.md:30 Forgotten" in output
    assert output.endswith("1 of 2 planted faults found\n")
    rows = [json.loads(line) for line in findings_file.read_text().splitlines()]
    assert [(row["skill"], row["line"], row["status"]) for row in rows] == [
        ("skills/plover", 8, "open"), ("skills/plover", 10, "rejected")
    ]  # fmt: skip


def test_score_measures_recall_against_an_experts_list(skill, tmp_path, capsys):
    out, reference = tmp_path / "questions", tmp_path / "reference.jsonl"
    rows = [
        {"line": 9, "severity": "high", "problem": "Fed at noon."},
        {"line": 10, "severity": "high", "problem": "Leaves at dawn.", "found": ""},
        {"line": 12, "severity": "medium", "problem": "Who pays?", "found": "ISS-001"},
        {"line": 90, "severity": "medium", "problem": "Far away."},
    ]
    reference.write_text("".join(json.dumps({"skill": "skills/plover", "file": "SKILL.md", **r}) + "\n" for r in rows))
    export([skill], out)
    write_answer(out, "reading", make_reading(added=[add_finding(FEEDING, pattern="CTX-005")]))
    score(out, reference=reference)
    output = capsys.readouterr().out
    assert "reported, matched by line only: ISS-001: Fed at noon." in output
    assert "reference fault not reported: high SKILL.md:10 Leaves at dawn." in output
    assert "recall of high: 1 of 2\nrecall of medium: 1 of 2\nrecall of low: 0 of 0\n" in output


def test_export_offers_files_and_reads_the_log_of_look_ups(skill, tmp_path, capsys):
    (skill.parent / ".claude-plugin").mkdir()
    (skill.parent / ".claude-plugin" / "plugin.json").write_text('{"name": "birds"}')
    (skill.parent / "tides.py").write_text("HIGH = 6\n")
    (skill.parent / ".env").write_text("TOKEN=1\n")
    out = tmp_path / "questions"
    export([skill], out)
    offered = {path.relative_to(out / "plover" / "project").as_posix() for path in out.rglob("*") if path.is_file()
               if "project" in path.parts}  # fmt: skip
    assert "tides.py" in offered
    assert ".env" not in offered
    write_answer(
        out, "reading", make_reading(added=[add_finding(FEEDING, pattern="CTX-005", looked_up=["../tides.py", ".env"])])
    )
    (out / "plover" / "reading.lookups.txt").write_text("tides.py\n.env\n")
    score(out)
    output = capsys.readouterr().out
    assert (
        "the reader looked up for the reading: 1 file (0 KB): tides.py; refused: .env (it may hold secrets)" in output
    )


def test_score_lists_only_as_many_look_ups_as_a_model_may_make(skill, tmp_path, capsys):
    (skill.parent / ".claude-plugin").mkdir()
    (skill.parent / ".claude-plugin" / "plugin.json").write_text('{"name": "birds"}')
    names = [f"tides-{number}.md" for number in range(10)]
    for name in names:
        (skill.parent / name).write_text("High water.\n" * 1000)
    out = tmp_path / "questions"
    export([skill], out)
    write_answer(
        out, "reading", make_reading(added=[add_finding(FEEDING, pattern="CTX-005", looked_up=[f"../{names[-1]}"])])
    )
    (out / "plover" / "reading.lookups.txt").write_text("\n".join(f"{name}:1-1000" for name in names))
    score(out)
    output = capsys.readouterr().out
    assert f"the reader looked up for the reading: 6 files (79 KB): {', '.join(names[:6])}\n" in output


@pytest.mark.parametrize("broken_text", ["{", "[" * 100_000, "{}", '"ISS-001"'])
def test_score_skips_only_the_broken_answer(skill, tmp_path, capsys, broken_text):
    out = tmp_path / "questions"
    add_large_references(skill)
    export([skill], out)
    for name in ("reading-of-part-1-of-3", "reading-of-part-2-of-3", "reading-of-the-seams"):
        write_answer(out, name, make_reading(added=[add_finding(FEEDING, pattern="CTX-005")] if "1" in name else ()))
    (out / "plover" / "reading-of-part-3-of-3.answer.json").write_text(broken_text)
    score(out)
    output = capsys.readouterr().out
    assert "reading of part 3 of 3" in output
    assert "1 of 2 planted faults found" in output


def test_score_skips_answers_to_an_older_text(skill, tmp_path, capsys):
    out = tmp_path / "questions"
    export([skill], out)
    write_answer(out, "reading", make_reading(added=[add_finding(FEEDING, pattern="CTX-005")]))
    (skill / "SKILL.md").write_text((skill / "SKILL.md").read_text() + "\nOne more line.\n")
    score(out)
    output = capsys.readouterr().out
    assert "reading: the skill or the question has changed since the export" in output
    assert "0 of 2 planted faults found" in output
