"""Test `tune-skill listing`: the descriptions that the model sees in a project, a plugin and a folder of skills."""

import json
import time

import pytest
from click.testing import CliRunner

from orchestrator.cli.listing import listing

SKILL = "---\nname: %s\ndescription: %s\n%s---\n\nCount.\n"
DAY = 86_400_000


def write_skills(root, skills):
    for path, (description, fields) in skills.items():
        file = root / path / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(SKILL % (file.parent.name, description, fields))


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


def run_listing(*arguments):
    result = CliRunner().invoke(listing, [*arguments], catch_exceptions=False)
    return result.output


def read_states(*arguments):
    rows = json.loads(run_listing(*arguments, "--format", "json"))
    return {(row["source"], row["name"]): row["state"] for row in rows}


def test_listing_names_what_is_shown_cut_hidden_and_shadowed(home):
    write_skills(home / ".claude/skills", {"count": ("Counts all birds.", "")})
    write_skills(
        home.parent / "project/.claude/skills",
        {
            "count": ("Counts birds.", ""),
            "ring": ("Rings birds.", ""),
            "hide": ("Hides.", "disable-model-invocation: true\n"),
            "long": ("x" * 1500, "when_to_use: When birds are to be seen from the hide.\n"),
        },
    )
    assert read_states() == {
        ("user", "count"): "shown",
        ("project", "count"): "shadowed",
        ("project", "ring"): "shown",
        ("project", "hide"): "hidden",
        ("project", "long"): "cut",
    }
    assert "cut after 1,535 of 1,543 characters" in run_listing()


def test_dropped_descriptions_are_named_with_their_models(home):
    write_skills(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    states = read_states()
    assert sorted(set(states.values())) == ["dropped", "shown"]
    assert set(read_states("--model", "opus").values()) == {"shown"}
    text = run_listing()
    assert "dropped   s19 (Sonnet 4.5, Haiku 4.5): 200 characters" in text
    assert f"{list(states.values()).count('dropped')} descriptions dropped" in text


def test_used_skills_keep_their_descriptions(home):
    write_skills(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    assert read_states()["project", "s19"] == "dropped"
    usage = {"usageCount": 4, "lastUsedAt": time.time() * 1000 - 2 * DAY}
    (home / ".claude.json").write_text(
        json.dumps({"skillUsage": {"s19": usage, "s00": "odd", "s01": {"usageCount": []}}})
    )
    assert read_states()["project", "s19"] == "shown"


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
    write_skills(project / ".claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    (project / ".claude/settings.json").write_text(json.dumps(settings))
    assert set(read_states().values()) == expected


def test_links_are_followed_only_for_files_of_the_user(home):
    write_skills(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    usage = {"usageCount": 4, "lastUsedAt": time.time() * 1000}
    files = {".claude.json": {"skillUsage": {"s19": usage}}, "settings.json": {"skillListingMaxDescChars": 200}}
    for name, value in files.items():
        (home.parent / name).write_text(json.dumps(value))
    (home / ".claude").mkdir()
    (home / ".claude.json").symlink_to(home.parent / ".claude.json")
    (home / ".claude/settings.json").symlink_to(home.parent / "settings.json")
    assert read_states()["project", "s19"] == "shown"
    (home.parent / "settings.json").write_text(json.dumps({"skillListingMaxDescChars": 20}))
    assert set(read_states().values()) == {"cut"}
    (home / ".claude/settings.json").unlink()
    (home.parent / "project/.claude/settings.json").symlink_to(home.parent / "settings.json")
    assert "cut" not in read_states().values()


def test_budget_of_the_environment_replaces_the_computed_one(home, monkeypatch):
    write_skills(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    monkeypatch.setenv("SLASH_COMMAND_TOOL_CHAR_BUDGET", "20000")
    assert set(read_states().values()) == {"shown"}
    monkeypatch.setenv("SLASH_COMMAND_TOOL_CHAR_BUDGET", "many")
    assert set(read_states().values()) == {"shown", "dropped"}


def test_each_plugin_is_listed_by_itself(home):
    project = home.parent / "project"
    for name in ("birds", "boats"):
        (project / name / ".claude-plugin").mkdir(parents=True)
        (project / name / ".claude-plugin/plugin.json").write_text(json.dumps({"name": name}))
        write_skills(project / name / "skills", {f"s{n}": ("y" * 200, "") for n in range(6)})
    assert len(read_states()) == 12
    assert set(read_states().values()) == {"shown"}
    assert {name for _, name in read_states("boats")} == {f"boats:s{n}" for n in range(6)}


def test_folder_of_skills_is_listed_as_if_it_were_installed(home):
    write_skills(home.parent / "project/skills", {"count": ("Counts birds.", ""), "ring": ("Rings birds.", "")})
    assert read_states("skills") == {("project", "count"): "shown", ("project", "ring"): "shown"}


def test_similar_descriptions_are_named_with_their_shared_words(home):
    description = "Counts the birds that rest on the roof of the harbour office before noon"
    write_skills(
        home.parent / "project/.claude/skills",
        {"count": (f"{description}.", ""), "tally": (f"{description} quietly.", "")},
    )
    assert "similar   count and tally: 10 of 10 words shared" in run_listing()


def test_skills_with_unprintable_names_are_named(home):
    from orchestrator.cli import cli

    skills = home.parent / "project/.claude/skills"
    write_skills(skills, {"a\x1bb": ("Counts.", "")})
    result = CliRunner().invoke(cli, ["listing"])
    expected = (
        "not listed, because the path has unprintable characters: .claude/skills/a\ufffdb/SKILL.md; rename the folder"
    )
    assert f"{result.output}{result.exception}".replace("\x1b", "\ufffd").strip().endswith(expected)
    write_skills(skills, {"count": ("Counts.", "")})
    result = CliRunner().invoke(cli, ["listing"])
    assert result.exit_code == 0
    assert result.output.startswith(".claude  1 skill\n")
    assert result.output.endswith(f"tune-skill: {expected}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such folder"),
        (["."], "no skill or command"),
        (["--model", "gull"], "gull is not known"),
    ],
)
def test_bad_input_prints_one_line(home, arguments, message):
    from orchestrator.cli import cli

    result = CliRunner().invoke(cli, ["listing", *arguments])
    assert message in f"{result.output}{result.exception}"
    assert result.exit_code


def test_exact_listing_equals_that_of_claude_code(home):
    (home / ".claude/commands/sub").mkdir(parents=True)
    (home / ".claude/commands/sub/go.md").write_text("---\ndescription: Goes.\n---\n\nGo.\n")
    write_skills(home / ".claude/skills", {"count": ("Counts all birds.", "")})
    write_skills(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    (home.parent / "project/.claude/settings.json").write_text(
        json.dumps(
            {
                "skillOverrides": {"s03": "off"},
                "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch PWNED"}]}]},
            }
        )
    )
    result = CliRunner().invoke(listing, ["--exact"], catch_exceptions=False)
    assert "lists exactly the same" in result.output
    assert not [*home.parent.rglob("PWNED")]


def test_exact_removes_the_folder_of_a_killed_command(home, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(home.parent))
    write_skills(home.parent / "project/.claude/skills", {"count": ("Counts all birds.", "")})
    (leftover_folder := home.parent / f"tune-skill-listing-{'0' * 16}").mkdir(mode=0o700)
    (leftover_folder / "home").mkdir()
    monkeypatch.setenv("TUNE_SKILL_JUDGE_CLI", "false")  # the folder is removed before the first session starts
    assert "sent no listing" in str(CliRunner().invoke(listing, ["--exact"]).exception)
    assert not [*home.parent.glob("tune-skill-listing-*")]


def test_page_shows_each_skill_as_a_part_of_the_bar(home):
    skills = {f"s{n:02}": ("y" * 200, "") for n in range(20)}
    write_skills(home.parent / "project/.claude/skills", skills | {"<img src=x>": ("z" * 30, "")})
    page = run_listing("--format", "html")
    assert "<img" not in page
    bars = page.split("<figure")[1:]
    dropped_count = sum(state == "dropped" for state in read_states().values())
    assert [bar.count('class="gone"') for bar in bars] == [0, dropped_count, dropped_count]
    assert [bar.count('class="now"') for bar in bars] == [21, 21 - dropped_count, 21 - dropped_count]


def run_main(*arguments):
    from orchestrator.cli import main

    with pytest.raises(SystemExit) as exit_info:
        main([*arguments])
    assert exit_info.value.code == 0


def test_report_of_a_run_shows_the_listing_of_its_skill(home, capsys):
    project = home.parent / "project"
    write_skills(project / ".claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    write_skills(project / "plugins/p/skills", {"other": ("Counts boats.", "")})
    (project / "plugins/p/.claude-plugin").mkdir()
    (project / "plugins/p/.claude-plugin/plugin.json").write_text('{"name": "p"}')
    run_main("run", "s19", "--apply", "none", "--judge", "none", "--no-sessions", "--quiet")
    capsys.readouterr()
    run_main("report", "--format", "html")
    page = capsys.readouterr().out
    assert '<th scope="row"><code>s19</code></th><td>dropped</td><td>Sonnet 4.5, Haiku 4.5</td>' in page
    assert "p:other" not in page
    (project / ".claude/skills/s19/SKILL.md").unlink()
    run_main("report", "--format", "html")
    assert "at the start of a session" not in capsys.readouterr().out


def test_markdown_lists_descriptions_that_are_not_shown_whole(home):
    write_skills(home.parent / "project/.claude/skills", {f"s{n:02}": ("y" * 200, "") for n in range(20)})
    assert "| `s19` | dropped | Sonnet 4.5, Haiku 4.5 | 200 |" in run_listing("--format", "markdown")


def test_listed_skill_that_should_be_hidden_is_a_difference(home, monkeypatch):
    """A fake answer of Claude Code lists all skills, including the hidden one."""
    from orchestrator.listing import sent_listing
    from orchestrator.listing.listings import read_listings

    skills = {"count": ("Counts.", ""), "hide": ("Hides.", "disable-model-invocation: true\n")}
    write_skills(home.parent / "project/.claude/skills", skills)
    states = read_listings(home.parent / "project", ["Opus 5.5"])
    monkeypatch.setattr(
        sent_listing, "ask_listing", lambda *_: ["- count: Counts.", "- hide: Hides.", "- init: Begins."]
    )
    assert sent_listing.find_differences("claude", states.scopes[0], states.settings) == [
        "Opus 5.5: - hide: Hides. (it should be hidden)"
    ]
