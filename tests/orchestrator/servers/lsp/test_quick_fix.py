"""Test that a quick fix applies only the fix for the chosen finding."""

from types import SimpleNamespace

from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from orchestrator.run.case_reader import read_case
from orchestrator.servers.lsp.quick_fix import apply_fix
from tests.fakes import HEAD, a_pattern, a_skill, a_strategy, install, replace_word


def test_quick_fix_of_one_of_many_findings_leaves_the_others(project, monkeypatch):
    install(monkeypatch, [a_pattern("AGT-001", "CRANE", "calm")], [a_strategy("calm", replace_word("CRANE", "crane"))])
    body = "".join(f"The CRANE number {n} goes by.\n\n" for n in range(30))
    skill = a_skill(project / "plover", body)
    issue = make_issues(scan(read_case(skill, "")))[7]
    snapshot = SimpleNamespace(unit=SimpleNamespace(folder=skill), target=skill)
    assert apply_fix(snapshot, issue.fingerprint).applied
    line = issue.evidence[0]
    assert (skill / "SKILL.md").read_text() == HEAD + body.replace(line, line.replace("CRANE", "crane"))
