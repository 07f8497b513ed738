"""Test `tune-skill listing`: the descriptions that the model sees in a project, a plugin and a folder of skills."""

import json
import time

import pytest
from click.testing import CliRunner

from orchestrator.cli.listing import listing

SKILL = "---\nname: %s\ndescription: %s\n%s---\n\nCount.\n"
DAY = 86_400_000


def put(root, skills):
    for path, (description, more) in skills.items():
        file = root / path / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(SKILL % (file.parent.name, description, more))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return the home folder of a user of Claude Code, outside of the project in the current folder."""
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.chdir(project)
    return home


def show(*arguments):
    done = CliRunner().invoke(listing, [*arguments], catch_exceptions=False)
    return done.output


def states(*arguments):
    rows = json.loads(show(*arguments, "--format", "json"))
    return {(row["source"], row["name"]): row["state"] for row in rows}


def test_listing_names_what_is_shown_cut_hidden_and_shadowed(home):
    put(home / ".claude/skills", {"count": ("Counts all birds.", "")})
    put(
        home.parent / "project/.claude/skills",
        {
            "count": ("Counts birds.", ""),
            "ring": ("Rings birds.", ""),
            "hide": ("Hides.", "disable-model-invocation: true\n"),
            "long": ("x" * 1500, "when_to_use: When birds are to be seen from the hide.\n"),
        },
    )
    assert states() == {
        ("user", "count"): "shown",
        ("project", "count"): "shadowed",
        ("project", "ring"): "shown",
        ("project", "hide"): "hidden",
        ("project", "long"): "cut",
    }
    assert "cut after 1,535 of 1,543 characters" in show()


def test_dropped_descriptions_are_named_with_their_models(home):
    put(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    found = states()
    assert sorted(set(found.values())) == ["dropped", "shown"]
    assert set(states("--model", "opus").values()) == {"shown"}
    text = show()
    assert "dropped   s19 (Sonnet 4.5, Haiku 4.5): 200 characters" in text
    assert f"{list(found.values()).count('dropped')} descriptions dropped" in text


def test_used_skills_keep_their_descriptions(home):
    put(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    assert states()["project", "s19"] == "dropped"
    used = {"usageCount": 4, "lastUsedAt": time.time() * 1000 - 2 * DAY}
    (home / ".claude.json").write_text(
        json.dumps({"skillUsage": {"s19": used, "s00": "odd", "s01": {"usageCount": []}}})
    )
    assert states()["project", "s19"] == "shown"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"skillListingBudgetFraction": 0.05}, {"shown"}),
        ({"skillListingBudgetFraction": 7, "skillListingMaxDescChars": "many"}, {"shown", "dropped"}),
        ({"skillListingMaxDescChars": 20}, {"cut"}),
        ({"skillOverrides": {f"s{n:02}": "off" for n in range(20)}}, {"hidden"}),
        ([1, 2], {"shown", "dropped"}),
    ],
)
def test_settings_of_claude_code_apply(home, settings, expected):
    project = home.parent / "project"
    put(project / ".claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    (project / ".claude/settings.json").write_text(json.dumps(settings))
    assert set(states().values()) == expected


def test_files_of_the_user_may_be_links_but_not_those_of_the_project(home):
    put(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    used = {"usageCount": 4, "lastUsedAt": time.time() * 1000}
    files = {".claude.json": {"skillUsage": {"s19": used}}, "settings.json": {"skillListingMaxDescChars": 200}}
    for name, value in files.items():
        (home.parent / name).write_text(json.dumps(value))
    (home / ".claude").mkdir()
    (home / ".claude.json").symlink_to(home.parent / ".claude.json")
    (home / ".claude/settings.json").symlink_to(home.parent / "settings.json")
    assert states()["project", "s19"] == "shown"
    (home.parent / "settings.json").write_text(json.dumps({"skillListingMaxDescChars": 20}))
    assert set(states().values()) == {"cut"}
    (home / ".claude/settings.json").unlink()
    (home.parent / "project/.claude/settings.json").symlink_to(home.parent / "settings.json")
    assert "cut" not in states().values()


def test_budget_of_the_environment_replaces_the_computed_one(home, monkeypatch):
    put(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    monkeypatch.setenv("SLASH_COMMAND_TOOL_CHAR_BUDGET", "20000")
    assert set(states().values()) == {"shown"}
    monkeypatch.setenv("SLASH_COMMAND_TOOL_CHAR_BUDGET", "many")
    assert set(states().values()) == {"shown", "dropped"}


def test_each_plugin_is_listed_by_itself(home):
    project = home.parent / "project"
    for name in ("birds", "boats"):
        (project / name / ".claude-plugin").mkdir(parents=True)
        (project / name / ".claude-plugin/plugin.json").write_text(json.dumps({"name": name}))
        put(project / name / "skills", {f"s{n}": ("y" * 200, "") for n in range(6)})
    assert len(states()) == 12
    assert set(states().values()) == {"shown"}
    assert {name for _, name in states("boats")} == {f"boats:s{n}" for n in range(6)}


def test_folder_of_skills_is_listed_as_if_it_were_installed(home):
    put(home.parent / "project/skills", {"count": ("Counts birds.", ""), "ring": ("Rings birds.", "")})
    assert states("skills") == {("project", "count"): "shown", ("project", "ring"): "shown"}


def test_similar_descriptions_are_named_with_their_shared_words(home):
    words = "Counts the birds that rest on the roof of the harbour office before noon"
    put(home.parent / "project/.claude/skills", {"count": (f"{words}.", ""), "tally": (f"{words} quietly.", "")})
    assert "similar   count and tally: 10 of 10 words shared" in show()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such folder"),
        (["."], "no skill or command"),
        (["--model", "gull"], "gull is not known"),
    ],
)
def test_bad_input_gets_one_line(home, arguments, message):
    from orchestrator.cli import cli

    done = CliRunner().invoke(cli, ["listing", *arguments])
    assert message in f"{done.output}{done.exception}"
    assert done.exit_code


def test_exact_asks_claude_code_and_finds_no_difference(home):
    (home / ".claude/commands/sub").mkdir(parents=True)
    (home / ".claude/commands/sub/go.md").write_text("---\ndescription: Goes.\n---\n\nGo.\n")
    put(home / ".claude/skills", {"count": ("Counts all birds.", "")})
    put(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    (home.parent / "project/.claude/settings.json").write_text(
        json.dumps(
            {
                "skillOverrides": {"s03": "off"},
                "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch PWNED"}]}]},
            }
        )
    )
    done = CliRunner().invoke(listing, ["--exact"], catch_exceptions=False)
    assert "lists exactly the same" in done.output
    assert not [*home.parent.rglob("PWNED")]


def test_exact_removes_the_folder_of_a_killed_command(home, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(home.parent))
    put(home.parent / "project/.claude/skills", {"count": ("Counts all birds.", "")})
    (left := home.parent / f"tune-skill-listing-{'0' * 16}").mkdir(mode=0o700)
    (left / "home").mkdir()
    assert CliRunner().invoke(listing, ["--exact"], catch_exceptions=False).exit_code == 0
    assert not [*home.parent.glob("tune-skill-listing-*")]


def test_page_shows_each_skill_as_a_part_of_the_bar(home):
    skills = {f"s{n:02}": ("y" * 200, "") for n in range(20)}
    put(home.parent / "project/.claude/skills", skills | {"<img src=x>": ("z" * 30, "")})
    page = show("--format", "html")
    assert "<img" not in page
    bars = page.split("<figure")[1:]
    dropped = sum(state == "dropped" for state in states().values())
    assert [bar.count('class="gone"') for bar in bars] == [0, dropped, dropped]
    assert [bar.count('class="now"') for bar in bars] == [21, 21 - dropped, 21 - dropped]


def call(*arguments):
    from orchestrator.cli import main

    with pytest.raises(SystemExit) as end:
        main([*arguments])
    assert end.value.code == 0


def test_report_of_a_run_shows_the_listing_of_its_skill(home, capsys):
    project = home.parent / "project"
    put(project / ".claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    put(project / "plugins/p/skills", {"other": ("Counts boats.", "")})
    (project / "plugins/p/.claude-plugin").mkdir()
    (project / "plugins/p/.claude-plugin/plugin.json").write_text('{"name": "p"}')
    call("run", "s19", "--apply", "none", "--judge", "none", "--no-sessions", "--quiet")
    capsys.readouterr()
    call("report", "--format", "html")
    page = capsys.readouterr().out
    assert '<th scope="row"><code>s19</code></th><td>dropped</td><td>Sonnet 4.5, Haiku 4.5</td>' in page
    assert "p:other" not in page
    (project / ".claude/skills/s19/SKILL.md").unlink()
    call("report", "--format", "html")
    assert "at the start of a session" not in capsys.readouterr().out


def test_markdown_lists_what_is_not_shown_whole(home):
    put(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    assert "| `s19` | dropped | Sonnet 4.5, Haiku 4.5 | 200 |" in show("--format", "markdown")


def test_listed_skill_that_should_be_hidden_is_a_difference(home, monkeypatch):
    """A fake answer of Claude Code lists all skills, including the hidden one."""
    from orchestrator.listing import sent_listing
    from orchestrator.listing.listings import read_listings

    skills = {"count": ("Counts.", ""), "hide": ("Hides.", "disable-model-invocation: true\n")}
    put(home.parent / "project/.claude/skills", skills)
    found = read_listings(home.parent / "project", ["Opus 5.5"])
    monkeypatch.setattr(
        sent_listing, "ask_listing", lambda *_: ["- count: Counts.", "- hide: Hides.", "- init: Begins."]
    )
    assert sent_listing.find_differences("claude", found.scopes[0], found.settings) == [
        "Opus 5.5: - hide: Hides. (it should be hidden)"
    ]
