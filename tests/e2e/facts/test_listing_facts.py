"""Test that the computed listing of skills equals the one that Claude Code sends to the model."""

from actions.project.facts.models import LARGEST_WINDOW, WINDOWS
from actions.project.listing import ListedSkill, compute_budget, compute_listing, list_project_skills
from actions.project.model_listings import ListingSettings, compute_listings
from actions.project.same_descriptions import find_same_descriptions
from tests.e2e.facts.claude_cli import run_session
from tests.e2e.facts.test_unit_facts import read_project

HIDDEN_KEY = "disable-model-invocation: true\n"
LISTING_INTRODUCTION = "The following skills are available for use with the Skill tool:\n\n"
SKILL = "---\nname: %s\ndescription: %s\n%s---\n\n# Title of it\n\nBody.\n"
FILES_OF_EACH_KIND = {
    ".claude/skills/alpha/SKILL.md": SKILL % ("other", "Alpha.", ""),
    ".claude/skills/small/skill.md": SKILL % ("small", "Small.", ""),
    ".claude/skills/hidden/SKILL.md": SKILL % ("hidden", "Hidden.", HIDDEN_KEY),
    ".claude/skills/long/SKILL.md": SKILL % ("long", "x" * 1600, ""),
    ".claude/skills/edge/SKILL.md": SKILL % ("edge", "x" * 1529, "when_to_use: Ever\n"),
    ".claude/skills/many/SKILL.md": SKILL % ("many", "|\n  One.\n  Two.\n\n  Three.", ""),
    ".claude/skills/marks/SKILL.md": SKILL % ("marks", "One <a> & two. " * 97, ""),
    ".claude/skills/indent/SKILL.md": SKILL % ("indent", ">\n  One\n      two\tx\n\n\n      three  four", ""),
    ".claude/skills/block/SKILL.md": SKILL
    % ("block", "What.", "when_to_use: |\n  When\n    or <b>.\nuser-invocable: true\n"),
    ".claude/skills/none/SKILL.md": "# Title of it\n\nBody.\n",
    ".claude/skills/nameless/SKILL.md": "---\ndescription: Nameless.\n---\n\nBody.\n",
    ".claude/skills/own/SKILL.md": SKILL % ("own", "Own.", "user-invocable: false\n"),
    ".claude/skills/paths/SKILL.md": SKILL % ("paths", "Paths.", "paths: src/**\n"),
    ".claude/skills/when/SKILL.md": SKILL % ("when", "What.", "when_to_use: When.\n"),
    ".claude/commands/go.md": "---\ndescription: Go.\n---\n\nGo.\n",
    ".claude/commands/sub/first.md": f"Do {'it ' * 50}\n",
    ".claude/commands/when.md": "---\ndescription: Shadowed.\n---\n\nGo.\n",
    "plug/.claude-plugin/plugin.json": {"name": "plug"},
    "plug/commands/go.md": "---\ndescription: Go.\n---\n\nGo.\n",
    "plug/commands/bare.md": "Do it.\n",
    "plug/skills/beta/SKILL.md": SKILL % ("beta", "Beta.", ""),
    "plug/skills/gamma/SKILL.md": SKILL % ("other", "Gamma.", ""),
    "plug/skills/delta/SKILL.md": "---\nname: delta\n---\n\n# Delta\n\nA plugin's skill without a description is not listed.\n",
    "plug/skills/zeta/SKILL.md": "# Zeta\n\nA plugin's skill without frontmatter is not listed, either.\n",
    ".claude/skills/open/SKILL.md": "---\nname: open\ndescription: Never closed.\n\n# Title of it\n",
    "plug/skills/epsilon/SKILL.md": SKILL % ("epsilon", '""', ""),
}
FILES_OF_MANY_SKILLS = {
    f".claude/skills/s{n:02}/SKILL.md": SKILL % (f"s{n:02}", ("漢" if n % 5 == 0 else "y") * (40 + 37 * n % 400), "")
    for n in range(70)
}


def read_sent_listing(files, home, model):
    """Return the project and the lines of the listing in the first request."""
    home.mkdir()
    options = ("--model", model, *(("--plugin-dir", "plug") if "plug/.claude-plugin/plugin.json" in files else ()))
    project, _, requests = run_session(files, home, lambda _: "ok", *options)
    blocks = [block["text"] for message in requests[0]["messages"] for block in message["content"] if "text" in block]
    (text,) = [text for text in blocks if LISTING_INTRODUCTION in text]
    return read_project(project), text.partition(LISTING_INTRODUCTION)[2].partition("\n</system-reminder>")[0].split(
        "\n\n"
    )[0]


def format_entry(skill, entry):
    return f"{skill.bare_entry}: {skill.shown_description}" if entry.shown else skill.bare_entry


def format_listing(project, budget, bundled=""):
    """Return the listing of the project's skills; bundled commands (such as `init`) may be shortened."""
    bundled_skills, bundled_commands = bundled.partition("\n- init: ")[::2]
    builtin = (
        [tuple(line.split(": ", 1)) for line in f"init: {bundled_commands}".split("\n- ")] if bundled_commands else []
    )
    skills = (
        *list_project_skills(project),
        *(ListedSkill(name, "", "builtin", description) for name, description in builtin),
    )
    reserved_length = len(bundled_skills) + 1 if bundled_skills else 0
    entries = compute_listing(skills, budget, reserved_length)
    listed_states = {"shown", "cut", "dropped"}
    own_entries = [(skill, entry) for skill, entry in zip(skills, entries, strict=True) if skill.source != "builtin"]
    return [format_entry(skill, entry) for skill, entry in own_entries if entry.state in listed_states]


def test_entries_are_those_that_claude_sends(tmp_path):
    project, text = read_sent_listing(FILES_OF_EACH_KIND, tmp_path / "home", "claude-opus-5-5")
    expected = format_listing(project, compute_budget(WINDOWS["Opus 5.5"]))
    assert text.split("\n")[: len(expected)] == expected
    assert len(expected) == 17
    assert "small" not in text, "on a case-sensitive file system, only SKILL.md is a skill"
    assert not any(name in text for name in ("delta", "epsilon", "zeta"))
    assert {"- none: Title of it", "- open: ---"} <= set(expected)
    assert "- nameless: Nameless." in expected


def test_long_listing_drops_the_same_descriptions_as_claude(tmp_path):
    _, bundled = read_sent_listing({}, tmp_path / "empty", "claude-haiku-4-5")
    project, text = read_sent_listing(FILES_OF_MANY_SKILLS, tmp_path / "home", "claude-haiku-4-5")
    expected = format_listing(project, compute_budget(WINDOWS["Haiku 4.5"]), bundled)
    assert text.split("\n")[: len(expected)] == expected
    assert "- s69" in expected
    assert "- s69" not in format_listing(project, compute_budget(WINDOWS["Opus 5.5"]), bundled)


def test_largest_listing_is_that_of_sonnet_4_6_with_a_million_tokens(tmp_path):
    files = {f".claude/skills/s{n:02}/SKILL.md": SKILL % (f"s{n:02}", "y" * 1_500, "") for n in range(30)}
    _, bundled = read_sent_listing({}, tmp_path / "empty", "claude-sonnet-4-6[1m]")
    project, text = read_sent_listing(files, tmp_path / "home", "claude-sonnet-4-6[1m]")
    expected = format_listing(project, compute_budget(LARGEST_WINDOW), bundled)
    assert text.split("\n")[: len(expected)] == expected
    assert sum(": " in line for line in expected) > 30_000 // 1_508


def test_own_skill_replaces_a_bundled_one_of_its_name(tmp_path):
    """A hidden own skill does not replace the bundled one. The freed space lists more of the other skills in full."""
    skills = {f"s{n:02}": SKILL % (f"s{n:02}", "y" * 250, "") for n in range(12)}
    skills |= {"claude-api": SKILL % ("claude-api", "Own.", ""), "run": SKILL % ("run", "Own run.", HIDDEN_KEY)}
    files = {f".claude/skills/{name}/SKILL.md": text for name, text in skills.items()}
    project, text = read_sent_listing(files, tmp_path / "home", "claude-haiku-4-5")
    listed = compute_listings("", list_project_skills(project), ListingSettings(), ["Haiku 4.5"])
    expected = listed.models[0].format_lines(listed.skills)
    assert text.split("\n")[: len(expected)] == expected
    assert ("- claude-api: Own." in expected, "run" in [line.split()[1] for line in expected]) == (True, False)
    assert 0 < sum(": " not in line for line in expected) < 12
    assert "- run: Launch" in text


def test_same_descriptions_are_those_that_claude_sends_twice(tmp_path):
    """A description that only the user sees is not sent, except that of an agent, which has no such key."""
    text = "---\nname: {0}\ndescription: Counts the {1} of a bay by the photos of the last tide.\n{2}---\n\nCount.\n"
    files = {
        f".claude/{path.format(name)}": text.format(name, birds, key)
        for path, birds in (("skills/{}/SKILL.md", "gulls"), ("commands/{}.md", "terns"), ("agents/{}.md", "skuas"))
        for name, key in ((f"open-{birds}", ""), (f"shut-{birds}", HIDDEN_KEY))
    }
    project, _, requests = run_session(files, tmp_path / "home")
    sent = {birds: str(requests[0]).count(f"Counts the {birds} of a bay") for birds in ("gulls", "terns", "skuas")}
    assert sent == {"gulls": 1, "terns": 1, "skuas": 2}
    assert set(find_same_descriptions(read_project(project))) == {".claude/agents/shut-skuas.md"}
