"""Test that entries of tune-skill.toml that no unit of a mixed project needs are reported, with the real catalogue."""

import pytest

AGENT = "---\nname: critic\ndescription: Reviews drafts of articles. Use it after each draft.\n---\n\nRead the draft.\n"
SKILL = (
    "---\nname: count\ndescription: Counts words in drafts. Use it when a limit is given.\n---\n\nCount the words.\n"
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_mixed_project(folder, settings):
    for path, text in {"skills/count/SKILL.md": SKILL, "agents/critic.md": AGENT, "tune-skill.toml": settings}.items():
        file = folder / ".claude" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_suppression_that_no_kind_of_unit_needs_is_reported(tune, project):
    write_mixed_project(
        project,
        'ignore = ["CTX-003", "PRJ-012"]\n[per-file-ignores]\n"skillz/**" = ["DF"]\n"agents/*" = ["PRJ-048"]\n',
    )
    notes = [
        f"tune-skill: tune-skill.toml: {what} matches no finding in any unit of the project"
        for what in (
            "per-file-ignores 'skillz/**': DF", "per-file-ignores 'agents/*': PRJ-048", "ignore: CTX-003",
            "ignore: PRJ-012",
        )
    ]  # fmt: skip
    assert [line for line in tune("diagnose", ".").err.splitlines() if "matches no" in line] == notes
    only_skills = tune("diagnose", ".", "--only", "skill").err
    assert ("CTX-003 matches no" in only_skills, "PRJ-012 matches no" in only_skills) == (True, False)


def test_suppression_that_an_agent_needs_is_not_reported(tune, project):
    write_mixed_project(project, '[per-file-ignores]\n"agents/*" = ["PRJ-017"]\n')
    agent = project / ".claude/agents/critic.md"
    agent.write_text(AGENT.replace("---\n\n", "tools: Raed\n---\n\n"))
    result = tune("diagnose", ".")
    assert (result.code, "PRJ-017" in result.out, "matches no" in result.err) == (0, False, False), result
