"""Test the note on a skill whose description the listing cuts off or omits."""

import pytest

from orchestrator.listing.skill_note import describe_listing
from tests.orchestrator.listing.test_listings import SKILL, write_skills


@pytest.fixture
def skills(tmp_path, monkeypatch):
    """Return the folder of a project's skills; the user has no other skills."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tmp_path / "project" / ".claude" / "skills"


def test_dropped_skill_names_the_models(skills):
    write_skills(skills, {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    assert describe_listing(skills / "s00") == ""
    assert describe_listing(skills / "s19") == (
        "Sonnet 4.5, Haiku 4.5 do not see the description of s19, because the listing of skills is too long; "
        "`tune-skill listing` shows why"
    )


def test_cut_and_shadowed_skills_are_named(skills, tmp_path):
    write_skills(skills, {"long": ("y" * 1600, ""), "count": ("Counts.", "")})
    write_skills(tmp_path / "home/.claude/skills", {"count": ("Counts all.", "")})
    assert describe_listing(skills / "long").startswith("Opus 5.5, Sonnet 4.5, Haiku 4.5 see only the beginning")
    assert "another skill with this name comes first" in describe_listing(skills / "count")


def test_skill_alone_in_a_folder_has_no_note(tmp_path):
    folder = tmp_path / "loose"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL % ("loose", "Does it.", ""))
    assert describe_listing(folder) == ""
