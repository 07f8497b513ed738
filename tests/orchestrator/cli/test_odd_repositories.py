"""`diagnose` on repositories as they come: odd layouts, odd names, manifests that are none, hostile clones."""

import json
import os
import subprocess
from dataclasses import dataclass, field

import pytest

from orchestrator.engine import units
from orchestrator.exits import Exit
from orchestrator.project.project_reader import MAX_FILES, read_project
from orchestrator.project.projects import Projects
from tests.growth import grows_at_most, measure_seconds

SKILL = (
    "---\nname: {0}\ndescription: Counts birds. Use when {0} is asked for.\n---\n\n# Count\n\nCount each bird once.\n"
)
AGENT = "---\nname: {0}\ndescription: Watches.\n---\n\nWatch the shore.\n"
COMMAND = "---\ndescription: Tallies.\n---\n\nTally the birds.\n"
HOOK = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "%s"}]}]}}'
MISSING = "${CLAUDE_PLUGIN_ROOT}/check.sh"
DEEP = 20_000


@dataclass(frozen=True)
class Link:
    """A symbolic link to a target."""

    target: str


PIPE, FOLDER = object(), object()


@dataclass(frozen=True)
class Odd:
    """A repository: its files; the units that diagnose finds, and the patterns of their findings by path."""

    files: dict
    units: list
    patterns: dict = field(default_factory=dict)
    git: bool = True


def put(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        elif content is PIPE:
            os.mkfifo(path)
        elif content is FOLDER:
            path.mkdir()
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))


def git(folder, *arguments):
    identity = ("user.name=a", "user.email=a@b.c", "init.defaultBranch=main", "protocol.file.allow=always")
    options = [word for one in identity for word in ("-c", one)]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True, env=env)


@pytest.fixture
def project(tmp_path):
    """An empty folder, with the real catalogue of patterns."""
    folder = tmp_path / "shore"
    folder.mkdir()
    return folder


@pytest.fixture
def diagnose(tune, monkeypatch):
    """Call diagnose in a folder; gives the paths of its units, and the patterns of their findings by path."""

    def call(folder, *arguments):
        monkeypatch.chdir(folder)
        printed = tune("diagnose", *(arguments or (".",)), "--format", "json", "--no-cache", "--fail-on", "never")
        assert printed.code == 0, printed.err
        rows = printed.json if isinstance(printed.json, list) else [printed.json]
        assert not [row["error"] for row in rows if "error" in row]
        found = {}
        for row in rows:
            for issue in row["issues"]:
                place = issue["location"]["file"] if "unit" in row else f"{row['skill']['path']}/SKILL.md"
                found.setdefault(place, set()).add(issue["pattern"])
        return sorted((row.get("unit") or row["skill"])["path"] for row in rows), found

    return call


PLUGIN = {
    ".claude-plugin/plugin.json": {"name": "birds", "version": "1.0.0"},
    "skills/count/SKILL.md": SKILL.format("count"),
}
UNITS = [".claude-plugin/plugin.json", "skills/count"]
MARKET = ".claude-plugin/marketplace.json"

_NAMES = (".hidden", ".venv", "dist", "node_modules", "tests", "vendor")
LOADED = {f".claude/skills/{name}/SKILL.md": SKILL.format(name.strip(".")) for name in _NAMES} | {
    ".claude/skills/node_modules/x/SKILL.md": SKILL.format("x"), "fixtures/.claude/skills/a/SKILL.md": SKILL.format("a"),
    ".claude/commands/vendor/tally.md": COMMAND, ".claude/agents/node_modules/watcher.md": AGENT.format("watcher"),
}  # fmt: skip
LOADED_UNITS = sorted(
    [
        ".claude/agents/node_modules/watcher.md",
        ".claude/commands/vendor/tally.md",
        *(f".claude/skills/{n}" for n in _NAMES),
    ]
)


def market(*folders):
    return {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": f, "source": f"./{f}"} for f in folders]}


CASES = {
    "without git": Odd({**PLUGIN, "hooks/hooks.json": HOOK % MISSING}, [*UNITS, "hooks/hooks.json"], {"hooks/hooks.json": {"PRJ-003"}}, git=False),
    "40 plugins": Odd(
        {MARKET: market(*(f"p{n}" for n in range(40)))}
        | {f"p{n}/{path}": text for n in range(40) for path, text in
           {".claude-plugin/plugin.json": {"name": f"p{n}"}, "agents/watcher.md": AGENT.format("watcher"),
            "commands/tally.md": COMMAND}.items()},
        [MARKET, *(f"p{n}/{path}" for n in range(40) for path in (".claude-plugin/plugin.json", "agents/watcher.md", "commands/tally.md"))],
    ),
    "two marketplaces": Odd(
        {MARKET: market("one"), f"second/{MARKET}": market("two"), "one/agents/a.md": AGENT.format("a"),
         "second/two/agents/a.md": AGENT.format("a")},
        [MARKET, "one/agents/a.md", f"second/{MARKET}", "second/two/agents/a.md"],
    ),
    "symlinked skills": Odd(
        {"shared/count/SKILL.md": SKILL.format("count"), ".claude/skills/count": Link("../../shared/count"),
         ".claude/skills/gone": Link("../../nothing"), ".claude/skills/self": Link("self")},
        [".claude/skills/count"],
    ),
    "a link to a skill elsewhere": Odd({**PLUGIN, "skills/out": Link("/etc")}, UNITS),
    "a plugin in .claude/skills": Odd(
        {f".claude/skills/birds/{path}": text for path, text in PLUGIN.items()}
        | {".claude/skills/birds/agents/watcher.md": AGENT.format("watcher").replace("---\n\n", "permissionMode: plan\n---\n\n", 1)},
        [f".claude/skills/birds/{path}" for path in (*UNITS, "agents/watcher.md")],
        {".claude/skills/birds/agents/watcher.md": {"PRJ-004"}},
    ),
    "manifests that are arrays": Odd(
        {".claude-plugin/plugin.json": [], MARKET: [1], ".mcp.json": [], "hooks/hooks.json": []},
        [MARKET, ".claude-plugin/plugin.json", ".mcp.json", "hooks/hooks.json"],
        {path: {"PRJ-007"} for path in (MARKET, ".claude-plugin/plugin.json", ".mcp.json", "hooks/hooks.json")},
    ),
    "manifests that are empty": Odd(
        {".claude-plugin/plugin.json": "", MARKET: "{}", ".mcp.json": "{}", "hooks/hooks.json": " "},
        [MARKET, ".claude-plugin/plugin.json", ".mcp.json", "hooks/hooks.json"],
        {".claude-plugin/plugin.json": {"PRJ-007"}, "hooks/hooks.json": {"PRJ-007"}},
    ),
    "manifests of a newer schema": Odd(
        {**PLUGIN, ".claude-plugin/plugin.json": {"name": {"en": "birds"}, "skills": {"a": 1}, "agents": 7, "commands": [{"x": 1}],
                                                   "hooks": {"Stop": {"new": True}}, "mcpServers": {"a": [1]}, "version": 2},
         MARKET: {"plugins": {"birds": {"source": "./x"}}, "metadata": []},
         "hooks/hooks.json": {"hooks": {"Stop": [[], {"hooks": {"a": 1}}, {"hooks": [None, {"command": 3}]}]}}},
        [MARKET, *UNITS, "hooks/hooks.json"],
        {"hooks/hooks.json": {"PRJ-015"}},
    ),
    "hooks in both forms": Odd(
        {**PLUGIN, "hooks/hooks.json": HOOK % MISSING,
         ".claude-plugin/plugin.json": {"name": "birds", "hooks": json.loads(HOOK % "${CLAUDE_PLUGIN_ROOT}/b.sh")["hooks"]}},
        [*UNITS, "hooks/hooks.json"],
        {"hooks/hooks.json": {"PRJ-003"}, ".claude-plugin/plugin.json": {"PRJ-003"}},
    ),
    "a skill in node_modules": Odd({**PLUGIN, "node_modules/x/SKILL.md": SKILL.format("x")}, UNITS),
    "loaded skills named as vendored code": Odd(LOADED, LOADED_UNITS),
    "loaded skills named as vendored code, without git": Odd(LOADED, LOADED_UNITS, git=False),
    "a skill in a template": Odd({**PLUGIN, "skills/count/templates/x/SKILL.md": SKILL.format("{{ name }}")}, UNITS),
    "names in other scripts": Odd(
        {"skills/счёт/SKILL.md": SKILL.format("счёт"), ".claude-plugin/plugin.json": {"name": "ptakи"},
         "agents/İstanbul.md": AGENT.format("İstanbul"), "agents/ıstanbul.md": AGENT.format("ıstanbul"),
         "commands/cafe\u0301.md": COMMAND, "commands/caf\u00e9.md": COMMAND},
        [".claude-plugin/plugin.json", "agents/İstanbul.md", "agents/ıstanbul.md", "commands/cafe\u0301.md",
         "commands/caf\u00e9.md", "skills/счёт"],
    ),
    "names with newlines and escapes": Odd(
        {**PLUGIN, "agents/a\nb.md": AGENT.format("a"), "agents/\x1b[31mred.md": AGENT.format("b")}, UNITS
    ),
    "a path that a hook creates": Odd(
        {**PLUGIN, "hooks/hooks.json": HOOK % "mkdir -p out && touch out/x && ${CLAUDE_PLUGIN_ROOT}/dist/run.sh"},
        [*UNITS, "hooks/hooks.json"],
    ),
    "files that git ignores": Odd(
        {**PLUGIN, ".gitignore": "local/\nbin/\n", "local/agents/a.md": AGENT.format("a"), "bin/run.sh": "#!/bin/sh\n",
         "hooks/hooks.json": HOOK % "${CLAUDE_PLUGIN_ROOT}/bin/run.sh"},
        [*UNITS, "hooks/hooks.json"],
    ),
    "deep JSON and YAML": Odd(
        {**PLUGIN, "hooks/hooks.json": "[" * DEEP, ".mcp.json": '{"a":' * DEEP, MARKET: "[" * DEEP + "]" * DEEP,
         "agents/deep.md": f"---\nname: {'[' * DEEP}\n---\n", "commands/deep.md": "---\n" + "- " * DEEP + "\n---\n"},
        [MARKET, *UNITS, ".mcp.json", "agents/deep.md", "commands/deep.md", "hooks/hooks.json"],
    ),
    "links out, pipes and folders": Odd(
        {**PLUGIN, "CLAUDE.md": Link("/etc/passwd"), "agents/out.md": Link("/etc/passwd"), "agents/pipe.md": PIPE,
         "hooks/hooks.json": PIPE, ".mcp.json": FOLDER, "commands": Link("/etc")},
        UNITS, git=False,
    ),
    "long lines": Odd(
        {**PLUGIN, "agents/long.md": AGENT.format("long") + "a " * 500_000, "CLAUDE.md": "[" * 500_000,
         "hooks/hooks.json": '{"hooks": "' + "x" * 5_000_000 + '"}'},
        [*UNITS, "CLAUDE.md", "agents/long.md", "hooks/hooks.json"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_odd_repository_is_diagnosed(project, diagnose, name):
    odd = CASES[name]
    put(project, odd.files)
    if odd.git:
        git(project, "init")
    units, found = diagnose(project)
    assert units == sorted(odd.units)
    assert {path: ids for path, ids in found.items() if any(i.startswith("PRJ") for i in ids)} == odd.patterns


def test_file_of_50_mb_is_named_and_not_checked(project, tune, monkeypatch):
    put(project, {**PLUGIN, MARKET: "", "CLAUDE.md": "", "agents/a.md": ""})
    for name in (MARKET, "CLAUDE.md", "agents/a.md"):
        os.truncate(project / name, 50_000_000)
    monkeypatch.chdir(project)
    printed = tune("diagnose", ".", "--fail-on", "never")
    assert printed.code == 1
    assert printed.err.count("not checked, because it is not UTF-8, is too large or cannot be opened") == 3


@pytest.mark.parametrize("path", ["agents/a.md", ".claude/settings.json", "CLAUDE.md"])
def test_unit_in_another_encoding_fails_and_is_named(project, tune, path):
    put(project, {**PLUGIN, path: b'---\nname: {"\xff"}\n---\n'})
    printed = tune("diagnose", str(project), "--fail-on", "never")
    assert (printed.code, f"{path}: not checked, because it is not UTF-8" in printed.err) == (1, True)


@pytest.mark.parametrize("has_git", [True, False])
def test_links_to_units_are_named(project, tune, has_git):
    put(project, {**PLUGIN, "real.md": AGENT.format("a"), ".claude/agents/a.md": Link("../../real.md"),
                  ".claude/settings.json": Link("../real.md"), "docs/b.md": Link("../real.md")})  # fmt: skip
    if has_git:
        git(project, "init")
    printed = tune("diagnose", str(project)).err
    assert printed.count("not checked, because it is a link") == 2


def test_too_much_text_of_a_project_leaves_out_the_largest(project, tune, monkeypatch):
    monkeypatch.setattr(units, "MAX_TEXT", 4_000)
    put(project, {f".claude/agents/large{n}.md": AGENT.format(f"large{n}") + "Watch.\n" * 200 for n in range(4)})
    put(project, {f".claude/agents/small{n}.md": AGENT.format(f"small{n}") for n in range(4)})
    printed = tune("diagnose", str(project), "--format", "json")
    names = [row["unit"]["name"] for row in printed.json]
    assert names == ["large0", "large1", "small0", "small1", "small2", "small3"]
    left = [line for line in printed.err.splitlines() if "not checked" in line]
    assert [line.partition(".md")[0][-6:] for line in left] == ["large2", "large3"]


def test_invalid_settings_of_a_folder_do_not_stop_the_neighbours(project, tune):
    put(
        project,
        {
            ".claude/agents/watcher.md": AGENT.format("watcher"),
            ".claude/skills/count/SKILL.md": SKILL.format("count"),
            ".claude/agents/tune-skill.toml": '[severity]\n"PRJ-009" = "info"\n',
        },
    )
    printed = tune("diagnose", str(project))
    assert printed.code == Exit.GATE
    assert "1 without findings, 1 unreadable" in printed.out
    assert printed.err.count("/.claude/agents/tune-skill.toml: /severity/PRJ-009: 'info' is not one of") == 1
    (project / "tune-skill.toml").write_text("x = 1\n")
    printed = tune("diagnose", str(project))
    assert printed.code == Exit.USAGE
    assert "unknown setting 'x'" in printed.err


def test_50000_files_are_listed_within_the_limit(project):
    """The index has the files, the disk has two: what git lists decides how much is asked of the disk."""
    put(project, PLUGIN)
    git(project, "init")
    git(project, "add", ".")
    blob = subprocess.run(["git", "rev-parse", ":skills/count/SKILL.md"], cwd=project, capture_output=True, check=True)
    lines = "".join(f"100644 {blob.stdout.decode().strip()}\tz/{n:06}.md\n" for n in range(50_000))
    subprocess.run(["git", "update-index", "--index-info"], cwd=project, input=lines.encode(), check=True)
    found = read_project(project)
    assert list(found.files) == [".claude-plugin/plugin.json", "skills/count/SKILL.md"]
    assert found.exists("z/000000.md")
    assert len(found.unread) == 50_000 >= MAX_FILES


def test_vendored_folders_do_not_use_up_the_limit(project, monkeypatch):
    monkeypatch.setattr("orchestrator.project.project_reader.MAX_FILES", 10)
    put(project, {f"node_modules/{n}.md": "x" for n in range(50)} | PLUGIN)
    git(project, "init")
    assert "skills/count/SKILL.md" in read_project(project).files


@pytest.mark.parametrize("has_git", [True, False])
def test_many_other_files_hide_no_unit_and_are_named(project, monkeypatch, has_git):
    monkeypatch.setattr("orchestrator.project.project_reader.MAX_FILES", 20)
    put(project, {f"a/{n:03}.txt": "x" for n in range(50)} | {"hooks/hooks.json": HOOK % MISSING} | PLUGIN)
    if has_git:
        git(project, "init")
    found = read_project(project)
    assert found.unlisted >= 1
    assert ("hooks/hooks.json" in found.files) is has_git, "a walk stops at the limit"
    projects = Projects()
    projects.read(project)
    assert "more than 50,000 files" in projects.list_notes()[0]


def test_submodule_is_a_project_of_its_own(project, tmp_path, diagnose):
    put(tmp_path / "inner", {**PLUGIN, "hooks/hooks.json": HOOK % MISSING})
    for folder in (tmp_path / "inner", project):
        folder.mkdir(exist_ok=True)
        git(folder, "init")
    git(tmp_path / "inner", "add", ".")
    git(tmp_path / "inner", "commit", "-m", "x")
    put(project, {"CLAUDE.md": "See [it](plugins/inner/README.md) and [us](gone.md).\n"})
    git(project, "submodule", "add", str(tmp_path / "inner"), "plugins/inner")
    units, found = diagnose(project)
    assert units == ["CLAUDE.md", "plugins/inner/skills/count"]
    assert found == {"CLAUDE.md": {"PRJ-012"}}
    assert diagnose(project / "plugins/inner")[1] == {"hooks/hooks.json": {"PRJ-003"}}


def test_worktree_is_diagnosed_as_its_repository(project, tmp_path, diagnose):
    put(project, {**PLUGIN, "hooks/hooks.json": HOOK % MISSING})
    git(project, "init")
    git(project, "add", ".")
    git(project, "commit", "-m", "x")
    git(project, "worktree", "add", str(tmp_path / "tree"))
    assert diagnose(tmp_path / "tree") == diagnose(project)


def test_path_in_another_case_is_missing(project, diagnose):
    """What git lists decides, as a file system that ignores case would find the file here, and a clone would not."""
    put(
        project,
        {**PLUGIN, "scripts/Run.sh": "#!/bin/sh\n", "hooks/hooks.json": HOOK % "${CLAUDE_PLUGIN_ROOT}/scripts/run.sh"},
    )
    git(project, "init")
    (project / "scripts/run.sh").symlink_to("Run.sh")
    (project / ".gitignore").write_text("")
    git(project, "add", "scripts/Run.sh")
    (project / "scripts/run.sh").unlink()
    assert diagnose(project)[1] == {"hooks/hooks.json": {"PRJ-003"}}


@pytest.mark.parametrize(
    "setting", ["core.fsmonitor", "core.hooksPath", "filter.x.clean", "core.pager", "core.sshCommand"]
)
def test_git_settings_of_a_clone_start_nothing(project, tmp_path, diagnose, setting):
    put(project, {**PLUGIN, ".gitattributes": "* filter=x\n", "agents/a.md": AGENT.format("a")})
    git(project, "init")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    hooks = project / ".git/hooks"
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    with (project / ".git/config").open("a") as config:
        section, _, key = setting.rpartition(".")
        head = section.replace("filter.x", 'filter "x"')
        config.write(f"[{head}]\n\t{key} = {hooks if key == 'hooksPath' else program}\n")
    assert diagnose(project)[0] == [".claude-plugin/plugin.json", "agents/a.md", "skills/count"]
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("format_", ["concise", "full", "markdown", "sarif", "json"])
def test_hostile_names_and_values_print_no_control_characters(project, tune, monkeypatch, format_):
    put(project, {
        **PLUGIN, "agents/\x1b[31mred.md": AGENT.format("red"),
        "agents/a.md": "---\nname: \"\\e[31mred\\n\\u202e\"\npermissionMode: \"\\e[2J\"\n---\n\nWatch.\n",
        "hooks/hooks.json": {"hooks": {"St\x1b[2J\u202eop": [{"matcher": "\x1b]0;x\x07", "hooks": [{"type": "command", "command": "\n\x1b[2J"}]}]}},
    })  # fmt: skip
    monkeypatch.chdir(project)
    printed = tune("diagnose", ".", "--format", format_)
    assert not [char for char in printed.out + printed.err if char != "\n" and not char.isprintable()]


@pytest.mark.parametrize("is_repository", [True, False])
def test_deep_folders_do_not_stop_the_neighbours(project, diagnose, monkeypatch, is_repository):
    put(project, {**PLUGIN, "hooks/hooks.json": HOOK % MISSING})
    monkeypatch.chdir(project)
    for _ in range(1_500):
        os.mkdir("a")  # noqa: PTH102 - the whole path is too long
        os.chdir("a")
    with open("x.md", "w") as file:  # noqa: PTH123
        file.write("# x\n")
    os.chdir(project)
    if is_repository:
        git(project, "init")
        git(project, "add", ".")
    try:
        assert diagnose(project)[1] == {"hooks/hooks.json": {"PRJ-003"}}
    finally:
        subprocess.run(["rm", "-rf", "a"], cwd=project, check=True)


@pytest.mark.parametrize(("kind", "few"), [("servers", 180), ("events", 15)])
def test_many_entries_take_linear_time(project, diagnose, kind, few):
    def measure(count):
        command = {"command": "${CLAUDE_PLUGIN_ROOT}/x%d"}
        servers = {f"s{n}": {**command, "command": command["command"] % n} for n in range(count)}
        events = {f"Stpo{n}": [] for n in range(3 * count)}
        files = {".mcp.json": {"mcpServers": servers}} if kind == "servers" else {"hooks/hooks.json": {"hooks": events}}
        put(project, {**PLUGIN, **files})
        return measure_seconds(lambda: diagnose(project))

    measure(1)
    assert grows_at_most(measure, few, 4 * few, factor=8)
