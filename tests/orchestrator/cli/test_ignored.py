"""What is ignored leaves a trace: suppressed findings are counted, ignores without effect are told."""

from tests.fakes import a_pattern, a_read_pattern, a_skill, install

TOML = """ignore = ["AGT-001", "DF-001"]
[per-file-ignores]
"gull/*" = ["CTX"]
"absent.md" = ["CTX"]
"""
IDLE = [
    "tune-skill: tune-skill.toml: per-file-ignores 'absent.md': CTX matches no finding in any skill of the project",
    "tune-skill: tune-skill.toml: ignore: DF-001 matches no finding in any skill of the project",
]


def test_what_no_skill_of_the_project_needs_is_told_once_and_only_if_all_were_looked_at(tune, project):
    a_skill(project / "plover", "One CRANE.\n")
    a_skill(project / "gull", "One HERON.\n")
    (project / "tune-skill.toml").write_text(TOML)
    alone = tune("diagnose", "plover")
    assert "1 suppressed" in alone.out
    assert alone.err == ""
    for format_ in ("concise", "json"):
        told = tune("diagnose", ".", "--format", format_)
        assert [line for line in told.err.splitlines() if "matches no" in line] == IDLE


def test_what_leaves_no_pattern_is_refused_in_one_line(tune, project):
    for arguments in (("diagnose", ".", "--select", "AGT", "--ignore", "agent"), ("fleet", ".", "--ignore", "A,B")):
        told = tune(*("AGT,CTX,MEM,TKN,DF" if word == "A,B" else word for word in arguments))
        assert told.code == 2
        assert told.err.count("\n") == 1
        assert "--ignore excludes everything that is selected, so nothing would be checked" in told.err
    (project / "tune-skill.toml").write_text('select = ["AGT"]')
    told = tune("diagnose", "plover", "--ignore", "AGT")
    assert (told.code, told.out) == (2, "")


def test_what_only_a_model_finds_is_no_pass_where_nobody_asks_one(tune, project, monkeypatch):
    install(monkeypatch, [a_pattern("AGT-001", "CRANE"), a_read_pattern("MEM-001", "Rules forgotten")], [])
    told = tune("diagnose", "plover", "--select", "MEM")
    assert (told.code, told.out) == (2, "")
    assert "only a model can find the selected patterns, so nothing would be checked" in told.err
    assert tune("diagnose", "plover", "--select", "MEM,AGT").code == 0


def test_a_comment_that_is_wrong_is_told_with_its_place_and_called_odd(tune, project):
    a_skill(project / "plover", "<!-- tune-skill: ignore AGT-001\n\nOne CRANE.\n")
    told = tune("diagnose", "plover").out
    assert "note: invalid suppression: SKILL.md:8: this comment does not end on its line; add -->" in told
