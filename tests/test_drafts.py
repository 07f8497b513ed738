"""Test the benchmarks of fixes: questions for drafts as files, reviews of drafts, and pages of fixes for a reader."""

import json

import pytest

from benchmarks.drafts import export, score
from benchmarks.fixing import apply_each
from benchmarks.reviews import print_table, read_verdicts, save_rows, write_pages
from tests.fakes import install_catalogue, make_model_pattern, make_pattern, make_strategy, replace_word, write_skill
from tests.judges import make_draft, make_review

FEEDING = "The keeper feeds each bird at noon."
GOOD_DRAFT = make_draft(("SKILL.md", FEEDING, "The keeper feeds each bird once, at noon."))
FOLDER = "01-plover"


@pytest.fixture
def skill(tmp_path, monkeypatch):
    risky = make_pattern("CTX-001", "RISKY", "correct_risky")
    install_catalogue(
        monkeypatch,
        [risky, make_model_pattern("CTX-002", "FED")],
        [make_strategy("correct_risky", replace_word("RISKY", "risky"))],
    )
    return write_skill(tmp_path / "skills" / "plover", f"A RISKY waits.\n\n{FEEDING}\n")


@pytest.fixture
def findings_file(skill, tmp_path):
    row = {"kind": "planted", "skill": str(skill), "pattern": "CTX-002", "file": "SKILL.md", "line": 10,
           "message": "How often?", "quote": FEEDING, "severity": "medium"}  # fmt: skip
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    return tmp_path / "rows.jsonl"


def write_answer(out, name, value):
    value = {"drafts": [{"faults": ["ISS-002"], **value}]} if "edits" in value else {"reviews": [{"fix": 1, **value}]}
    (out / FOLDER / f"{name}.answer.json").write_text(json.dumps(value))


def test_rejected_draft_is_drafted_again_and_written_as_a_page(findings_file, tmp_path, capsys):
    out, pages = tmp_path / "out", tmp_path / "pages"
    export(findings_file, out)
    write_answer(out, "draft-for-ISS-002", make_draft(("SKILL.md", FEEDING, "")))
    export(findings_file, out)
    assert "the fix loses this" in (out / FOLDER / "second-draft-for-ISS-002.md").read_text()
    write_answer(out, "draft-for-ISS-002", GOOD_DRAFT)
    export(findings_file, out)
    write_answer(out, "review-for-ISS-002", make_review(["Say when."], ISS_002=True, merge=False))
    (out / FOLDER / "second-draft-for-ISS-002.md").unlink()
    export(findings_file, out)
    assert "Say when." in (out / FOLDER / "second-draft-for-ISS-002.md").read_text()
    write_answer(
        out, "second-draft-for-ISS-002", make_draft(("SKILL.md", FEEDING, "The keeper feeds each bird at noon, once."))
    )
    export(findings_file, out)
    write_answer(out, "review-for-ISS-002-2", make_review(ISS_002=True))
    capsys.readouterr()
    score(out, pages)
    assert "planted   confirmed at the second draft 1" in capsys.readouterr().out
    assert "+The keeper feeds each bird at noon, once." in (pages / "001.md").read_text()


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ({}, "open"),
        ({"draft-for-ISS-002": make_draft(declined="No one knows.")}, "declined: the model drafted no fix: No one knows."),
        ({"draft-for-ISS-002": make_draft(("SKILL.md", "No.", "x")), "second-draft-for-ISS-002": make_draft(("SKILL.md", "No.", "x"))},
         "refused by the proof"),
        ({"draft-for-ISS-002": GOOD_DRAFT, "review-for-ISS-002": make_review(ISS_002=True)}, "confirmed"),
    ],
)  # fmt: skip
def test_score_prints_the_outcome_of_each_finding(findings_file, tmp_path, capsys, answers, outcome):
    out = tmp_path / "out"
    export(findings_file, out)
    for name, value in answers.items():
        write_answer(out, name, value)
        export(findings_file, out)
    capsys.readouterr()
    score(out, None)
    assert f"{FOLDER} ISS-002: {outcome}" in capsys.readouterr().out


def test_fix_is_written_as_a_page_judged_and_counted(skill, tmp_path, capsys):
    out, saved_fixes = tmp_path / "pages", tmp_path / "fixes.jsonl"
    assert write_pages(apply_each(skill), out) == 1
    page = (out / "001.md").read_text()
    assert all(text in page for text in ("A RISKY waits.", "+A risky waits.", "Instead: Fix it.", "ISS-001"))
    assert read_verdicts(out) == []
    row = json.loads((out / "001.json").read_text())
    (out / "001.json").write_text(json.dumps({**row, "verdict": "edit", "why": "A longer word is meant."}))
    for _ in range(2):
        save_rows(read_verdicts(out), saved_fixes)
    assert [json.loads(line)["verdict"] for line in saved_fixes.read_text().splitlines()] == ["edit"]
    print_table(read_verdicts(out))
    assert "correct_risky 0 (0%) 1 (100%) 0 (0%)" in " ".join(capsys.readouterr().out.split())
    (out / "001.json").write_text(json.dumps({**row, "verdict": "splendid"}))
    assert read_verdicts(out) == []
    assert "'splendid' is not one of merge, edit, reject" in capsys.readouterr().out
