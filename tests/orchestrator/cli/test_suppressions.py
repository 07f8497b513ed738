"""Test that suppressed findings are counted and unused suppressions are reported."""

from tests.fakes import install_catalogue, make_model_pattern, make_pattern, write_skill

TOML = """ignore = ["AGT-001", "DF-001"]
[per-file-ignores]
"gull/*" = ["CTX"]
"absent.md" = ["CTX"]
"""
UNUSED_NOTES = [
    "tune-skill: tune-skill.toml: per-file-ignores 'absent.md': CTX matches no finding in any unit of the project",
    "tune-skill: tune-skill.toml: ignore: DF-001 matches no finding in any unit of the project",
]


def test_unused_suppression_is_reported_once_for_all_skills(tune, project):
    write_skill(project / "plover", "One FIXABLE.\n")
    write_skill(project / "gull", "One RISKY.\n")
    (project / "tune-skill.toml").write_text(TOML)
    result_of_one_skill = tune("diagnose", "plover")
    assert "1 suppressed" in result_of_one_skill.out
    assert result_of_one_skill.err == ""
    for format_ in ("concise", "json"):
        result = tune("diagnose", ".", "--format", format_)
        assert [line for line in result.err.splitlines() if "matches no" in line] == UNUSED_NOTES


def test_selection_without_patterns_is_refused(tune, project):
    for arguments in (("diagnose", ".", "--select", "AGT", "--ignore", "agent"), ("fleet", ".", "--ignore", "A,B")):
        result = tune(*("AGT,CTX,MEM,TKN,DF" if pattern_id == "A,B" else pattern_id for pattern_id in arguments))
        assert result.code == 2
        assert result.err.count("\n") == 1
        assert "--ignore excludes all selected patterns, so nothing would be checked" in result.err
    (project / "tune-skill.toml").write_text('select = ["AGT"]')
    result = tune("diagnose", "plover", "--ignore", "AGT")
    assert (result.code, result.out) == (2, "")


def test_selection_that_needs_a_model_does_not_pass_without_one(tune, project, monkeypatch):
    install_catalogue(
        monkeypatch, [make_pattern("AGT-001", "FIXABLE"), make_model_pattern("MEM-001", "Rules forgotten")], []
    )
    result = tune("diagnose", "plover", "--select", "MEM")
    assert (result.code, result.out) == (2, "")
    assert "the selected patterns need a model, so nothing would be checked" in result.err
    assert tune("diagnose", "plover", "--select", "MEM,AGT").code == 1


def test_invalid_ignore_comment_is_reported(tune, project):
    write_skill(project / "plover", "<!-- tune-skill: ignore AGT-001\n\nOne FIXABLE.\n")
    result = tune("diagnose", "plover").out
    assert "note: invalid suppression: SKILL.md:8: this comment does not end on its line; add -->" in result
