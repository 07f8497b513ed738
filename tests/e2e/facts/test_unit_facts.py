"""Test that units are found where Claude Code finds them, and under the same names."""

import pytest

from actions.patterns import get_patterns
from actions.project.find_units import find_units
from actions.project.loaders import find_unseen_roots, is_for_claude_code
from actions.project.misplaced_manifests import find_misplaced_manifests
from actions.project.misplaced_parts import find_misplaced_parts
from actions.project.project import Project, ProjectFile
from actions.project.units import UnitKind
from actions.project.unlisted_parts import find_unlisted_parts
from actions.project.unseen_own_skills import find_expected_place, find_loose_skills
from actions.project.unseen_skills import find_unseen_skills
from actions.project.upkeep import find_sign_of_copy
from orchestrator.project import project_reader
from schemas.vocabulary import Severity
from tests.e2e.facts.claude_cli import manage_plugins, run_session, validate, write_tree
from tests.examples import list_unit_cases

MANIFEST = {"name": "probe", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}
SKILL = "---\nname: other\ndescription: A probe.\n---\n\n# Probe\n"
ROOT_SKILL = SKILL.replace("other", "root")
AGENT = "---\nname: watcher\ndescription: A probe.\n---\n\nWatch.\n"
COMMAND = "---\ndescription: A probe.\n---\n\nDo it.\n"
PLUGINS = {
    "default folders": {
        ".claude-plugin/plugin.json": MANIFEST,
        "skills/one/SKILL.md": SKILL,
        "skills/group/deep/SKILL.md": SKILL,
        "agents/first.md": AGENT,
        "agents/sub/second.md": AGENT,
        "commands/c.md": COMMAND,
        "commands/sub/d.md": COMMAND,
        "commands/folder/SKILL.md": SKILL,
        "output-styles/s.md": COMMAND,
    },
    "named by the manifest": {
        ".claude-plugin/plugin.json": MANIFEST
        | {"skills": ["./extra/skills"], "commands": ["./extra/f.md"], "agents": "./extra/three.md"},
        "skills/one/SKILL.md": SKILL,
        "extra/skills/two/SKILL.md": SKILL,
        "agents/first.md": AGENT,
        "extra/three.md": AGENT,
        "commands/c.md": COMMAND,
        "extra/f.md": COMMAND,
    },
}
PLUGINS |= {
    f"with {manifest}": {
        ".claude-plugin/plugin.json": MANIFEST | manifest,
        "commands/listed.md": COMMAND,
        "commands/other.md": COMMAND,
        "agents/listed.md": AGENT.replace("watcher", "listed"),
        "agents/other.md": AGENT.replace("watcher", "other"),
        "README.md": "Run `/probe:other` with `probe:other`.\n",
    }
    for manifest in (
        {"commands": ["./commands/listed.md"], "agents": ["./agents/listed.md"]},
        {"commands": "./commands/listed.md", "agents": "./agents/listed.md"},
        {"commands": [], "agents": []},
        {"commands": ["./commands"]},
    )
}
ENTRY = {"name": "probe", "source": "./probe"}
KINDS = {
    "skills": UnitKind.SKILL,
    "agents": UnitKind.AGENT,
    "commands": UnitKind.COMMAND,
    "outputStyles": UnitKind.STYLE,
}


def read_project(folder):
    files = {
        path.relative_to(folder).as_posix(): ProjectFile(path.relative_to(folder).as_posix(), path.stat().st_size)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return Project(folder.name, files, lambda path: (folder / path).read_bytes())


@pytest.mark.parametrize("files", PLUGINS.values(), ids=PLUGINS)
def test_units_of_a_plugin_are_those_that_claude_provides(tmp_path, files):
    folder = write_tree(tmp_path / "probe", files)
    provided = validate(folder, tmp_path)["provides"]
    units = find_units(read_project(folder))
    for key, kind in KINDS.items():
        named = {unit.name for unit in units if unit.kind is kind and unit.name.startswith("probe:")}
        assert named == set(provided[key]), key
    unlisted = {path for path in files if path.endswith("other.md")} - {unit.path for unit in units}
    assert {part.path for part in find_unlisted_parts(read_project(folder))} == unlisted


def test_name_of_an_agent_without_a_plugin_has_no_folder(tmp_path):
    files = {
        ".claude/agents/sub/first.md": AGENT,
        ".claude/agents/sub/deep/second.md": AGENT.replace("watcher", "deep"),
    }
    project, start, _ = run_session(files, tmp_path / "home")
    named = {unit.name for unit in find_units(read_project(project)) if unit.kind is UnitKind.AGENT}
    assert named == {"watcher", "deep"}
    assert named <= set(start["agents"])


def test_units_misspelled_or_duplicated_are_not_provided(tmp_path):
    files = {
        ".claude-plugin/plugin.json": MANIFEST,
        "skills/loose.md": SKILL,
        "skills/low/skill.md": SKILL,
        "skills/one/SKILL.md": SKILL,
        "skills/group/deep/SKILL.md": SKILL,
        "agents/first.md": AGENT,
        "agents/second.md": AGENT,
    }
    folder = write_tree(tmp_path / "probe", files)
    provided = validate(folder, tmp_path)["provides"]
    assert (provided["skills"], provided["agents"]) == (["probe:one"], ["probe:watcher"])
    unseen = [skill.path for skill in find_unseen_skills(read_project(folder))]
    assert unseen == ["skills/group/deep/SKILL.md", "skills/low/skill.md", "skills/loose.md"]


def test_skill_beside_the_folder_of_skills_is_not_provided(tmp_path):
    files = {
        ".claude-plugin/plugin.json": MANIFEST,
        "skills/one/SKILL.md": SKILL,
        "beside/SKILL.md": SKILL.replace("other", "beside"),
    }
    provided = validate(write_tree(tmp_path / "all" / "probe", files), tmp_path)["provides"]
    assert provided["skills"] == ["probe:one"]
    unseen = [skill.path for skill in find_unseen_skills(read_project(tmp_path / "all"))]
    assert unseen == ["probe/beside/SKILL.md"]


def test_own_skills_too_deep_or_without_a_folder_are_not_loaded(tmp_path):
    files = {
        "CLAUDE.md": "# Probe\n",
        ".claude/skills/one/SKILL.md": SKILL,
        ".claude/skills/group/deep/SKILL.md": SKILL,
        ".claude/skills/loose.md": SKILL,
    }
    project, start, _ = run_session(files, tmp_path / "home")
    assert {"one", "deep", "group:deep", "loose", "other"}.intersection(start["slash_commands"]) == {"one"}
    read = read_project(project)
    expected = {unit.path: find_expected_place(read, unit) for unit in find_units(read)}
    assert [path for path, place in expected.items() if place] == [".claude/skills/group/deep/SKILL.md"]
    assert [loose.paths for loose in find_loose_skills(read)] == [(".claude/skills/loose.md",)]


def test_marketplace_below_the_own_skills_is_not_loaded(tmp_path):
    top = ".claude/skills/ext/shore"
    files = {
        f"{top}/.claude-plugin/marketplace.json": {
            "name": "shore",
            "owner": {"name": "a"},
            "plugins": [{"name": "probe", "source": "./plugins/probe"}],
        },
        f"{top}/plugins/probe/.claude-plugin/plugin.json": MANIFEST,
        f"{top}/plugins/probe/skills/far/SKILL.md": SKILL.replace("other", "far"),
        f"{top}/plugins/probe/agents/watcher.md": AGENT,
        ".claude/skills/one/SKILL.md": SKILL,
    }
    project, start, _ = run_session(files, tmp_path / "home")
    assert [name for name in start["slash_commands"] if name in ("one", "far", "probe:far", "other")] == ["one"]
    assert not {"watcher", "probe:watcher"}.intersection(start["agents"])
    read = read_project(project)
    units = [unit for unit in find_units(read) if unit.kind in (UnitKind.SKILL, UnitKind.AGENT)]
    texts = [(unit, read.read_text_file(unit.path)) for unit in units]
    copied_units = (unit for unit, file in texts if find_sign_of_copy(read, unit, file))
    copied = {unit.path.removeprefix(f"{top}/plugins/probe/") for unit in copied_units}
    assert copied == {"skills/far/SKILL.md", "agents/watcher.md"}


@pytest.mark.parametrize(
    ("link", "target"),
    [("", ""), (".claude/skills", "../.agents/skills"), (".claude/skills/probed", "../../.agents/skills/probed")],
    ids=["no link", "folder", "skill"],
)
def test_skill_in_the_folder_of_other_tools_is_loaded_through_a_link_only(tmp_path, link, target):
    path = ".agents/skills/probed/SKILL.md"
    folder = write_tree(tmp_path / "project", {".claude/settings.json": {}, path: SKILL})
    if link:
        (folder / link).parent.mkdir(exist_ok=True)
        (folder / link).symlink_to(target)
    _, start, _ = run_session({}, tmp_path)
    assert ("probed" in start["slash_commands"]) == bool(link)
    project = project_reader.read_project(folder)
    (unit,) = (unit for unit in find_units(project) if unit.path == path)
    assert is_for_claude_code(project, unit) == bool(link)


def test_texts_reported_as_loaded_are_commands_and_agents(tmp_path):
    plugin = {".claude-plugin/plugin.json": MANIFEST}
    text = "# Probe\n\nFor people.\n"
    plugin |= dict.fromkeys(("commands/README.md", "commands/sub/INDEX.md", "agents/README.md"), text)
    own = {".claude/commands/README.md": text, ".claude/agents/README.md": text}
    folder = write_tree(tmp_path / "probe", plugin)
    project, start, requests = run_session(own, tmp_path / "home", lambda _: "ok", "--plugin-dir", str(folder))
    loaded = {name for name in (*start["slash_commands"], *start["agents"]) if name.endswith(("README", "INDEX"))}
    assert loaded == {"README", "probe:README", "probe:sub:INDEX"}
    assert "- README: Probe" in str(requests[0])
    assert "- probe:README: Agent from probe plugin" in str(requests[0])
    check = get_patterns()["PRJ-054"].check
    cases = [case for root in (project, folder) for case in list_unit_cases(read_project(root))]
    assert {case.unit.path for case in cases if [*check(case)]} == {".claude/commands/README.md", *plugin} - {
        ".claude-plugin/plugin.json"
    }


def test_shared_parts_are_loaded_as_agents_and_commands(tmp_path):
    text = "# Probe\n\nFor all.\n"
    plugin = dict.fromkeys(("agents/_shared/part.md", "agents/partials/part.md", "agents/_part.md"), text)
    own = {".claude/commands/_shared/part.md": text, ".claude/agents/_shared/part.md": text}
    files = {**own, "plug/.claude-plugin/plugin.json": MANIFEST, **{f"plug/{path}": plugin[path] for path in plugin}}
    project, start, _ = run_session(files, tmp_path, lambda _: "ok", "--plugin-dir", "plug")
    loaded = {name for name in (*start["slash_commands"], *start["agents"]) if name.endswith("part")}
    assert loaded == {"_shared:part", "probe:_shared:part", "probe:partials:part", "probe:_part"}
    check = get_patterns()["PRJ-054"].check
    reported = [finding.message for case in list_unit_cases(read_project(project)) for finding in check(case)]
    assert {message.split("`")[1].removeprefix("/") for message in reported} == loaded


@pytest.mark.parametrize(
    "path", ["hooks.json", "config/hooks.json", ".claude-plugin/hooks.json", ".claude-plugin/hooks/hooks.json"]
)
def test_misplaced_parts_are_not_loaded(tmp_path, path):
    command = "touch $CLAUDE_PROJECT_DIR/ran # ${CLAUDE_PLUGIN_ROOT}"
    hooks = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}}
    files = {
        ".claude-plugin/plugin.json": MANIFEST,
        path: hooks,
        ".claude-plugin/skills/one/SKILL.md": SKILL,
        ".claude-plugin/agents/first.md": AGENT,
        ".claude-plugin/commands/c.md": COMMAND,
        "commands/d.md": COMMAND,
    }
    folder = write_tree(tmp_path / "probe", files)
    project, start, _ = run_session({}, tmp_path / "home", lambda _: "ok", "--plugin-dir", str(folder))
    assert [name for name in start["slash_commands"] + start["agents"] if "probe:" in name] == ["probe:d"]
    assert not (project / "ran").exists()
    assert [part.path for part in find_misplaced_parts(read_project(folder))] == [
        *(f".claude-plugin/{folder}" for folder in ("agents", "commands", "skills")),
        path,
    ]
    (folder / path).rename(folder / "moved.json")
    write_tree(folder, {"hooks/hooks.json": hooks})
    project, *_ = run_session({}, tmp_path / "home", lambda _: "ok", "--plugin-dir", str(folder))
    assert (project / "ran").exists()


def test_unbraced_root_is_replaced_in_no_unit_of_a_plugin(tmp_path):
    text = "---\nname: other\ndescription: A probe.\n---\n\nRun `a ${CLAUDE_PLUGIN_ROOT}/x $CLAUDE_PLUGIN_ROOT/y`.\n"
    files = {".claude-plugin/plugin.json": MANIFEST, "commands/c.md": text, "skills/one/SKILL.md": text}
    folder = write_tree(tmp_path / "probe", files)
    for name in ("c", "one"):
        options = ("--plugin-dir", str(folder))
        *_, requests = run_session({}, tmp_path / name, lambda _: "ok", *options, prompt=f"/probe:{name}")
        assert f"Run `a {folder}/x $CLAUDE_PLUGIN_ROOT/y`." in str(requests)


def test_parts_that_only_a_misplaced_manifest_names_are_not_loaded(tmp_path):
    paths = {"skills": ["./more/two", "./skills/one"], "commands": ["./more/f.md"], "agents": "./more/three.md"}
    files = {
        ".claude-plugin/marketplace.json": {"name": "m", "plugins": [{"name": "probe", "source": "./probe"}]},
        "probe/plugin.json": MANIFEST | paths,
        "probe/skills/one/SKILL.md": SKILL,
        "probe/more/two/SKILL.md": SKILL,
        "probe/more/f.md": COMMAND,
        "probe/more/three.md": AGENT,
    }
    folder = write_tree(tmp_path / "market", files)

    def list_loaded(home):
        _, start, _ = run_session({}, tmp_path / home, lambda _: "ok", "--plugin-dir", str(folder / "probe"))
        return {name for name in start["slash_commands"] + start["agents"] if "probe:" in name}

    assert list_loaded("a") == {"probe:one"}
    (manifest,) = find_misplaced_manifests(read_project(folder))
    assert sorted(manifest.parts) == ["probe/more/f.md", "probe/more/three.md", "probe/more/two/SKILL.md"]
    (folder / "probe/.claude-plugin").mkdir()
    (folder / "probe/plugin.json").rename(folder / manifest.expected)
    assert list_loaded("b") == {"probe:one", "probe:other", "probe:f", "probe:watcher"}
    assert not find_misplaced_manifests(read_project(folder))


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"agents/a.md": AGENT},
        {"skills/one/SKILL.md": SKILL},
        {"skills/README.md": "None.\n"},
        {".claude-plugin/plugin.json": {**MANIFEST, "skills": []}},
        {".claude-plugin/plugin.json": {**MANIFEST, "skills": ["./"]}, "skills/one/SKILL.md": SKILL},
        {".claude-plugin/plugin.json": {**MANIFEST, "skills": "./more"}, "more/one/SKILL.md": SKILL},
    ],
    ids=["alone", "agents", "skills", "empty folder", "no paths", "root", "other folder"],
)
def test_skill_in_the_root_is_unseen_where_claude_does_not_load_it(tmp_path, files):
    folder = write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, "SKILL.md": ROOT_SKILL, **files})
    is_loaded = "probe:root" in validate(folder, tmp_path)["provides"]["skills"]
    assert find_unseen_roots(read_project(folder)) == (frozenset() if is_loaded else {"SKILL.md"})


def make_linked_plugin(top, manifest):
    files = {
        "probe/.claude-plugin/plugin.json": MANIFEST | manifest,
        ".claude-plugin/marketplace.json": {"name": "m", "owner": {"name": "a"}, "plugins": [ENTRY]},
        "probe/agents/real.md": AGENT.replace("watcher", "real"),
        "shared/agent.md": AGENT,
        "shared/command.md": COMMAND,
    }
    write_tree(top, files)
    for link, target in (("agents/a.md", "agent.md"), ("commands/c.md", "command.md")):
        (top / "probe" / link).parent.mkdir(exist_ok=True)
        (top / "probe" / link).symlink_to(f"../../shared/{target}")


@pytest.mark.parametrize("is_listed", [True, False])
def test_links_of_a_plugin_are_units_if_the_manifest_names_them(tmp_path, is_listed):
    parts = {"agents": ["./agents/real.md", "./agents/a.md"], "commands": ["./commands/c.md"]} if is_listed else {}
    make_linked_plugin(tmp_path / "all", parts)
    home = tmp_path / "home"
    home.mkdir()
    manage_plugins(home, "marketplace", "add", str(tmp_path / "all"))
    manage_plugins(home, "install", "probe@m")
    _, start, _ = run_session({}, home)
    loaded = {name for name in (*start["agents"], *start["slash_commands"]) if name.startswith("probe:")}
    assert loaded == {"probe:real", *(("probe:watcher", "probe:c") if is_listed else ())}
    assert find_called(tmp_path / "all") == loaded


@pytest.mark.parametrize("is_installed", [True, False])
def test_skill_without_frontmatter_behind_a_link_of_a_plugin_is_not_listed(tmp_path, is_installed):
    texts = {"titled": "# Title\n\nCount.\n", "described": SKILL}
    top = write_tree(tmp_path / "all", {f"shared/{name}/SKILL.md": text for name, text in texts.items()})
    files = {"probe/.claude-plugin/plugin.json": MANIFEST, "probe/README.md": "A probe.\n"}
    write_tree(
        top, files | {".claude-plugin/marketplace.json": {"name": "m", "owner": {"name": "a"}, "plugins": [ENTRY]}}
    )
    (top / "probe/skills").mkdir()
    for name in texts:
        (top / "probe/skills" / name).symlink_to(f"../../shared/{name}")
    home = tmp_path / "home"
    home.mkdir()
    if is_installed:
        manage_plugins(home, "marketplace", "add", str(top))
        manage_plugins(home, "install", "probe@m")
    options = () if is_installed else ("--plugin-dir", str(top / "probe"))
    *_, requests = run_session({}, home, lambda _: "ok", *options)
    assert "- probe:described" in str(requests[0])
    assert "probe:titled" not in str(requests[0])
    check = get_patterns()["SPEC-001"].check
    cases = [case for case in list_unit_cases(project_reader.read_project(top)) if case.unit.kind is UnitKind.SKILL]
    severities = {case.unit.path: finding.severity for case in cases for finding in check(case)}
    assert severities == {"shared/titled/SKILL.md": Severity.HIGH}


def test_links_in_claude_are_units(tmp_path):
    files = {"shared/agent.md": AGENT, "shared/command.md": COMMAND, ".claude/agents/real.md": AGENT}
    folder = write_tree(tmp_path / "project", files | {".claude/commands/real.md": COMMAND})
    (folder / ".claude/agents/real.md").unlink()
    (folder / ".claude/agents/a.md").symlink_to("../../shared/agent.md")
    (folder / ".claude/commands/c.md").symlink_to("../../shared/command.md")
    _, start, _ = run_session({}, tmp_path)
    loaded = {"watcher", "c", "real"}
    assert loaded <= {*start["agents"], *start["slash_commands"]}
    assert find_called(folder) == loaded


def find_called(folder):
    """Return the names of the agents and commands of a folder."""
    kinds = (UnitKind.AGENT, UnitKind.COMMAND)
    return {unit.name for unit in find_units(project_reader.read_project(folder)) if unit.kind in kinds}
