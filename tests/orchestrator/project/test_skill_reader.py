"""Test reading hostile files: only a bad SKILL.md is an error, no link to the outside is followed, nothing hangs."""

import os
import socket
import stat
import time

import pytest

from orchestrator.cli import main
from orchestrator.errors import BadInput
from orchestrator.fs.own_folders import trust_work_dir
from orchestrator.project import skill_reader
from orchestrator.project.outside_skill import _find_keys, find_read_keys
from orchestrator.project.skill_reader import read_skill
from tests.fakes import SKILL_HEADER, write_skill


@pytest.fixture
def skill(tmp_path):
    return write_skill(tmp_path / "plover", references__list="# List\n")


def list_reasons_by_path(skill):
    return {o.path: o.reason for o in read_skill(skill).opaque}


# SKILL.md


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: p.unlink(), "No such file or directory"),
        (lambda p: (p.unlink(), p.mkdir()), "not a regular file"),
        (lambda p: p.write_bytes(b"---\nname: x\n---\n\xff\xfe"), r"not UTF-8 at byte 16; save it as UTF-8"),
        (lambda p: p.write_bytes(b"---\nname: x\n---\na\0b"), "byte 17 is a NUL; remove it"),
        (lambda p: p.write_bytes(b"x" * 9_000_000), "larger than 8 MB"),
        (lambda p: (p.unlink(), p.symlink_to("SKILL.md")), "Too many levels of symbolic links"),
        (lambda p: (p.unlink(), os.mkfifo(p)), "not a regular file"),
        (lambda p: (p.unlink(), p.symlink_to("/dev/zero")), "not a regular file"),
    ],
    ids=["missing", "folder", "not utf-8", "NUL", "9 MB", "link to itself", "pipe", "endless device"],
)
def test_invalid_main_file_is_bad_input(skill, damage, message):
    damage(skill / "SKILL.md")
    with pytest.raises(BadInput, match=message) as error:
        read_skill(skill)
    assert "\n" not in str(error.value)
    assert "SKILL.md" in str(error.value)


@pytest.mark.parametrize(
    "text", [b"", b"\xef\xbb\xbf", b"\n\n", b"---\n", b"---\nname: [\n---\n", b"# Only a body\r\n"]
)
def test_empty_or_odd_main_file_is_read(skill, text):
    (skill / "SKILL.md").write_bytes(text)
    assert read_skill(skill).main.raw == text


def test_alias_bomb_in_frontmatter_is_not_expanded(skill):
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(12)
    )
    (skill / "SKILL.md").write_text(f"---\nname: plover\n{bomb}---\n\nBody.\n")
    start = time.perf_counter()
    assert read_skill(skill).frontmatter.error == "it uses a YAML alias in line 4; write out the value"
    assert time.perf_counter() - start < 30


# other files of the skill


def test_odd_files_are_listed_with_a_reason(skill, tmp_path):
    (tmp_path / "outside.md").write_text("secret")
    (skill / "binary.md").write_bytes(b"\0\1\2")
    (skill / "latin.md").write_bytes(b"caf\xe9")
    (skill / "huge.md").write_bytes(b"x" * 1_000_001)
    (skill / "picture.png").write_bytes(b"\x89PNG")
    (skill / "out.md").symlink_to(tmp_path / "outside.md")
    (skill / "folder-out").symlink_to(tmp_path)
    (skill / "twin.md").symlink_to("SKILL.md")
    (skill / "round").symlink_to("round")
    (skill / "up").symlink_to("..")
    (skill / "dead.md").symlink_to("nowhere.md")
    os.mkfifo(skill / "pipe.md")
    os.chdir(skill)  # The path of a socket must be short.
    with socket.socket(socket.AF_UNIX) as unix_socket:
        unix_socket.bind("socket.md")
    assert list_reasons_by_path(skill) == {
        "binary.md": "not UTF-8 text",
        "latin.md": "not UTF-8 text",
        "huge.md": "too large to be instructions",
        "picture.png": "not a text format that skills use",
        "out.md": "a link that leads out of the skill",
        "folder-out": "a link that leads out of the skill",
        "twin.md": "a link to a file that is read at its own path",
        "round": "Too many levels of symbolic links",
        "up": "a link that leads out of the skill",
        "dead.md": "No such file or directory",
        "pipe.md": "not a regular file",
        "socket.md": "not a regular file",
    }
    assert [f.path for f in read_skill(skill).files] == ["SKILL.md", "references/list.md"]


@pytest.fixture(autouse=True)
def restore_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_unprintable_names_are_listed_only(skill):
    for name in (b"new\nline.md", b"\x1b[31mred.md", b"latin\xe9.md"):
        (skill / os.fsdecode(name)).write_text("# Text\n")
    reasons_by_path = list_reasons_by_path(skill)
    assert len(reasons_by_path) == 3
    assert set(reasons_by_path.values()) == {"its name has unprintable characters"}
    for path in reasons_by_path:
        path.encode("utf-8")


def test_spaces_chinese_and_quotes_in_names_are_read(skill):
    names = ["two words.md", "参考.md", 'it\'s "quoted".md', "<script>.md", "a|b`c`.md"]
    for name in names:
        (skill / name).write_text("# Text\n")
    assert {f.path for f in read_skill(skill).files} >= set(names)
    assert list_reasons_by_path(skill) == {}


def test_vendored_and_hidden_folders_are_not_read(skill):
    for name in (".git", "node_modules", "__pycache__", ".venv"):
        (skill / name).mkdir()
        (skill / name / "x.md").write_text("# X\n")
    assert [f.path for f in read_skill(skill).files] == ["SKILL.md", "references/list.md"]


def test_deep_folders_are_read_without_recursion(skill):
    folder = skill
    for _ in range(300):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "deep.md").write_text("# Deep\n")
    assert any(f.path.endswith("deep.md") for f in read_skill(skill).files)


def test_too_many_files_are_bad_input(skill, monkeypatch):
    for n in range(3):
        (skill / f"f{n}").mkdir()
        (skill / f"f{n}" / "a.md").touch()
    monkeypatch.setattr(skill_reader, "MAX_FILES", 9)
    assert len(read_skill(skill).files) == 5
    (skill / "f3").mkdir()
    with pytest.raises(
        BadInput, match="more than 9 files and folders; move files that are not part of the skill elsewhere"
    ):
        read_skill(skill)
    (skill / "f3").rename(skill / "node_modules")
    assert len(read_skill(skill).files) == 5


def test_files_over_the_text_limit_are_listed_only(skill, monkeypatch):
    monkeypatch.setattr(skill_reader, "MAX_TEXT", 1000)
    for n in range(9):
        (skill / f"{n}.md").write_text("x" * 300)
    limited_skill = read_skill(skill)
    assert sum(len(f.raw) for f in limited_skill.files) <= 1000
    assert {o.reason for o in limited_skill.opaque} == {"over the limit of 16 MB of text per skill"}
    assert limited_skill.main.text.startswith("---")


def test_unchanged_skill_stays_parsed(skill):
    first = read_skill(skill)
    assert read_skill(skill) is first
    (skill / "references" / "list.md").write_text("# Tides\n")
    skill_read_again = read_skill(skill)
    assert skill_read_again.by_path["references/list.md"].text == "# Tides\n"
    assert first.by_path["references/list.md"].text == "# List\n"


def test_reading_changes_no_bytes_on_disk(skill):
    def read_file_facts():
        return {p: (p.stat().st_mtime_ns, stat.S_IMODE(p.stat().st_mode)) for p in skill.rglob("*")}

    before = read_file_facts()
    read_skill(skill)
    assert read_file_facts() == before


# the project around a skill


@pytest.fixture
def skill_with_links(tmp_path):
    """Return a skill in a project. Its text names a file of the project and a missing file."""
    root = write_skill(tmp_path / "project" / "skills" / "plover")
    (root / "SKILL.md").write_text(f"{SKILL_HEADER}\nSee [the guide](docs/guide.md) and [the map](docs/map.md).\n")
    (tmp_path / "project" / "docs").mkdir()
    (tmp_path / "project" / "docs" / "guide.md").write_text("# Guide\n")
    return root


@pytest.mark.parametrize("marker", [".git", ".claude-plugin"])
def test_path_of_the_repository_or_plugin_exists(skill_with_links, marker):
    (skill_with_links.parents[1] / marker).mkdir()
    assert read_skill(skill_with_links).outside == {"docs/guide.md"}


def test_parent_outside_repository_and_plugin_does_not_count(skill_with_links):
    assert read_skill(skill_with_links).outside == frozenset()


def test_folders_above_the_repository_do_not_count(skill_with_links):
    (skill_with_links.parent / ".git").mkdir()
    assert read_skill(skill_with_links).outside == frozenset()


@pytest.mark.parametrize(
    ("path", "is_known"),
    [
        ("tools/build.py", True),
        (".github/build.yml", True),
        ("tests/build.py", False),
        ("build.md", False),
        ("../a.py", False),
    ],
)
def test_misspelt_key_read_by_a_program_is_known(tmp_path, path, is_known):
    root = write_skill(tmp_path / "project" / "skills" / "plover")
    (root / "SKILL.md").write_text(SKILL_HEADER.replace("---\n\n", "argument_hint: N\nallowed_tools: Read\n---\n\n"))
    (tmp_path / "project" / ".git").mkdir()
    program = tmp_path / "project" / path
    program.parent.mkdir(exist_ok=True)
    program.write_text("print(head['argument_hint'], allowed_tools)\n")
    assert read_skill(root).outside == ({"argument_hint"} if is_known else frozenset())


@pytest.mark.parametrize("work_dir", [".workflow/skill-tuning/1", ".maceff", ".claude/runtime", "runs/mine"])
def test_own_records_do_not_count_as_a_program_that_reads_a_key(tmp_path, work_dir):
    project = tmp_path / "project"
    root = write_skill(project / "skills" / "plover")
    (root / "SKILL.md").write_text(SKILL_HEADER.replace("---\n\n", "argument_hint: N\n---\n\n"))
    (project / ".git").mkdir()
    records = project / work_dir
    records.mkdir(parents=True)
    (records / "state.json").write_text("""{"diff": "'argument_hint' is no key"}""")
    if work_dir == "runs/mine":
        assert read_skill(root).outside == {"argument_hint"}, "a file of this name is not our work dir yet"
        trust_work_dir(records, root)
        _find_keys.cache_clear()
    assert read_skill(root).outside == frozenset()


@pytest.mark.parametrize("units", [1, 2])
@pytest.mark.parametrize("options", [["--write-baseline", "a.json"], ["--format", "json"], ["--format", "sarif"]])
def test_own_output_does_not_count_as_a_program_that_reads_a_key(tmp_path, monkeypatch, capsys, options, units):
    (tmp_path / ".git").mkdir()
    roots = [write_skill(tmp_path / "skills" / f"plover-{n}") for n in range(units)]
    for root in roots:
        (root / "SKILL.md").write_text(SKILL_HEADER.replace("---\n\n", "argument_hint: N\n---\n\n"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["diagnose", ".", *options])
    if "--format" in options:
        (tmp_path / "b.json").write_text(capsys.readouterr().out)
    assert "argument_hint" in next(tmp_path.glob("*.json")).read_text()
    _find_keys.cache_clear()
    assert read_skill(roots[0]).outside == frozenset()


def test_more_misspelt_keys_than_the_limit_are_all_known(tmp_path):
    keys = [f"allowed_tool{'s' * n}" for n in range(21)]
    (tmp_path / ".git").mkdir()
    assert find_read_keys(tmp_path / "plover", keys[:20]) == frozenset()
    assert find_read_keys(tmp_path / "plover", keys) == frozenset(keys)


def test_target_in_a_sibling_skill_is_found(tmp_path):
    write_skill(tmp_path / "tide", notes="# Notes\n")
    (tmp_path / "loose").mkdir()
    (tmp_path / "loose" / "notes.md").write_text("# Notes\n")
    links = "[a](../tide/notes.md) [b](../tide/gone.md) [c](../loose/notes.md) [d](../../etc/x.md)\n"
    skill = read_skill(write_skill(tmp_path / "plover", references__more=links))
    assert skill.outside == {"../tide/notes.md"}


@pytest.mark.parametrize("link_target", ["../notes.md", "/etc/hostname"])
def test_main_file_linked_out_of_the_skill_is_refused(tmp_path, link_target):
    (tmp_path / "notes.md").write_text("---\nname: plover\n---\nwhere the nests are\n")
    skill = tmp_path / "plover"
    skill.mkdir()
    (skill / "SKILL.md").symlink_to(link_target)
    with pytest.raises(BadInput, match="a link that leads out of the skill"):
        read_skill(skill)


def test_links_within_the_skill_and_to_it_are_followed(tmp_path):
    skill = write_skill(tmp_path / "plover")
    (skill / "SKILL.md").rename(skill / "README.md")
    (skill / "SKILL.md").symlink_to("README.md")
    (tmp_path / "alias").symlink_to(skill)
    assert read_skill(skill).name == read_skill(tmp_path / "alias").name == "plover"
