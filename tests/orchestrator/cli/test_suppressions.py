"""Test that suppressed findings are counted and unused suppressions are reported."""

from tests.fakes import install_catalogue, make_model_pattern, make_pattern, write_skill

TOML = """ignore = ["AGT-001", "DF-001"]
[per-file-ignores]
"gull/*" = ["CTX"]
"absent.md" = ["CTX"]
"""
IDLE = [
    "tune-skill: tune-skill.toml: per-file-ignores 'absent.md': CTX matches no finding in any skill of the project",
    "tune-skill: tune-skill.toml: ignore: DF-001 matches no finding in any skill of the project",
]


def test_unused_suppression_is_reported_once_for_all_skills(tune, project):
    write_skill(project / "plover", "One FIXABLE.\n")
    write_skill(project / "gull", "One RISKY.\n")
    (project / "tune-skill.toml").write_text(TOML)
    alone = tune("diagnose", "plover")
    assert "1 suppressed" in alone.out
    assert alone.err == ""
    for format_ in ("concise", "json"):
        printed = tune("diagnose", ".", "--format", format_)
        assert [line for line in printed.err.splitlines() if "matches no" in line] == IDLE


def test_selection_without_patterns_is_refused(tune, project):
    for arguments in (("diagnose", ".", "--select", "AGT", "--ignore", "agent"), ("fleet", ".", "--ignore", "A,B")):
        printed = tune(*("AGT,CTX,MEM,TKN,DF" if word == "A,B" else word for word in arguments))
        assert printed.code == 2
        assert printed.err.count("\n") == 1
        assert "--ignore excludes all selected patterns, so nothing would be checked" in printed.err
    (project / "tune-skill.toml").write_text('select = ["AGT"]')
    printed = tune("diagnose", "plover", "--ignore", "AGT")
    assert (printed.code, printed.out) == (2, "")


def test_model_only_selection_without_model_is_no_pass(tune, project, monkeypatch):
    install_catalogue(
        monkeypatch, [make_pattern("AGT-001", "FIXABLE"), make_model_pattern("MEM-001", "Rules forgotten")], []
    )
    printed = tune("diagnose", "plover", "--select", "MEM")
    assert (printed.code, printed.out) == (2, "")
    assert "only a model can find the selected patterns, so nothing would be checked" in printed.err
    assert tune("diagnose", "plover", "--select", "MEM,AGT").code == 1


def test_invalid_ignore_comment_is_reported(tune, project):
    write_skill(project / "plover", "<!-- tune-skill: ignore AGT-001\n\nOne FIXABLE.\n")
    printed = tune("diagnose", "plover").out
    assert "note: invalid suppression: SKILL.md:8: this comment does not end on its line; add -->" in printed
