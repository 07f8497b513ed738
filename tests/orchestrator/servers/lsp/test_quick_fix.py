"""Test that a quick fix applies only the fix for the chosen finding."""

from types import SimpleNamespace

from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from orchestrator.run.case_reader import read_case
from orchestrator.servers.lsp.quick_fix import apply_fix
from tests.fakes import SKILL_HEADER, install_catalogue, make_pattern, make_strategy, replace_word, write_skill


def install_fixable(monkeypatch):
    install_catalogue(
        monkeypatch,
        [make_pattern("AGT-001", "FIXABLE", "calm")],
        [make_strategy("calm", replace_word("FIXABLE", "fixable"))],
    )


def test_quick_fix_of_one_of_many_findings_leaves_the_others(project, monkeypatch):
    install_fixable(monkeypatch)
    body = "".join(f"The FIXABLE number {n} goes by.\n\n" for n in range(30))
    skill = write_skill(project / "plover", body)
    issue = make_issues(scan(read_case(skill, "")))[7]
    snapshot = SimpleNamespace(unit=SimpleNamespace(folder=skill), target=skill)
    assert apply_fix(snapshot, issue.fingerprint, list).applied
    line = issue.evidence[0]
    assert (skill / "SKILL.md").read_text() == SKILL_HEADER + body.replace(line, line.replace("FIXABLE", "fixable"))


def test_quick_fix_is_not_written_under_unsaved_text(project, monkeypatch):
    """The user types after the fix was selected and rehearsed."""
    install_fixable(monkeypatch)
    skill = write_skill(project / "plover", "A FIXABLE bird.\n")
    (issue,) = make_issues(scan(read_case(skill, "")))
    snapshot = SimpleNamespace(unit=SimpleNamespace(folder=skill), target=skill)
    before = (skill / "SKILL.md").read_bytes()
    result = apply_fix(snapshot, issue.fingerprint, lambda: ["SKILL.md"])
    assert not result.applied
    assert result.message == "FIX-001 was not applied: save SKILL.md first: a fix changes the files on disk"
    assert (skill / "SKILL.md").read_bytes() == before
