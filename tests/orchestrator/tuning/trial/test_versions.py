"""Test the version that a skill is compared with: the backup of the newest run, a commit, or a folder."""

import subprocess

import pytest

from orchestrator.cli import main
from orchestrator.errors import BadInput, WriteFailed
from orchestrator.fs.git import ask_git
from orchestrator.run.work_dirs import list_own_runs
from orchestrator.tuning.trial import versions
from orchestrator.tuning.trial.versions import Version, find_version, read_version

_LITERALLY = ("hash-object", "-w", "-t", "tree", "--literally", "--stdin")


def run_git(folder, *arguments, input=b""):
    settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    result = subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True, input=input)
    return result.stdout.strip()


@pytest.fixture
def repository(project):
    run_git(project, "init")
    (project / "greeter" / "run.sh").write_text("echo\n")
    (project / "greeter" / "run.sh").chmod(0o755)
    (project / "greeter" / "away").symlink_to("/etc/hostname")
    run_git(project, "add", "-A")
    run_git(project, "commit", "-m", "one")
    (project / "greeter" / "SKILL.md").write_text("---\nname: greeter\ndescription: d\n---\nNew.\n")
    return project


def test_find_version_reads_a_commit_without_links(repository):
    skill = repository / "greeter"
    old = find_version(skill, "HEAD")
    assert {path: executable for path, _, executable in old.files} == {"SKILL.md": False, "run.sh": True}
    assert b"Always say PLEASE" in old.main
    assert read_version(skill, "today").digest != old.digest
    run_git(repository, "stash")
    assert read_version(skill, "today").digest == old.digest


def test_find_version_starts_no_program_of_the_repository(repository):
    (repository / ".gitattributes").write_text("* filter=evil diff=evil\n")
    for name in ("filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "core.fsmonitor"):
        run_git(repository, "config", name, f"touch {repository}/started; cat")
    assert find_version(repository / "greeter", "HEAD").main
    assert not (repository / "started").exists()


@pytest.fixture
def commit_paths(repository):
    """Return a function that commits the skill's SKILL.md, and the same file under other paths."""

    def commit(*paths):
        blob = bytes.fromhex(run_git(repository, "rev-parse", "HEAD:greeter/SKILL.md").decode())
        entries = b"".join(b"100644 " + path.encode() + b"\0" + blob for path in ("SKILL.md", *paths))
        skill = run_git(repository, *_LITERALLY, input=entries)
        top = run_git(repository, *_LITERALLY, input=b"40000 greeter\0" + bytes.fromhex(skill.decode()))
        return run_git(repository, "commit-tree", "-m", "two", top.decode()).decode()

    return commit


@pytest.mark.parametrize("path", ["/tmp/out", "a/../../out", ".GIT/hooks/post-checkout", "a//b"])
def test_find_version_refuses_paths_outside_of_the_folder(repository, commit_paths, path):
    with pytest.raises(BadInput, match="in the commit; name another"):
        find_version(repository / "greeter", commit_paths(path))


@pytest.mark.parametrize("path", ["x" * 256, "/".join(["d" * 200] * 11)], ids=["part", "path"])
def test_find_version_refuses_too_long_paths(repository, commit_paths, path):
    with pytest.raises(BadInput, match="is too long; name another"):
        find_version(repository / "greeter", commit_paths(path))


def test_find_version_limits_files_before_reading_them(repository, commit_paths, monkeypatch):
    read_files = []
    monkeypatch.setattr(
        versions, "ask_git", lambda folder, *arguments: read_files.append(arguments[0]) or ask_git(folder, *arguments)
    )
    with pytest.raises(BadInput, match="more than 10,000 files"):
        find_version(repository / "greeter", commit_paths(*map(str, range(10_000))))
    assert read_files == ["ls-tree"]


def test_write_reports_a_disk_error_in_one_line(tmp_path):
    with pytest.raises(WriteFailed, match=r"cannot write two of the skill into .*: File name too long"):
        Version("two", (("x" * 256, b"", False),)).write(tmp_path / "out")


def test_write_refuses_duplicate_paths(repository, tmp_path):
    version_with_duplicate = Version("two", (("a", b"x", False), ("a/b", b"x", False)))
    with pytest.raises(BadInput, match="two: duplicate path a/b"):
        version_with_duplicate.write(tmp_path / "out")


def test_before_is_the_backup_of_the_newest_run(project, capsys):
    skill = project / "greeter"
    for _ in range(2):
        with pytest.raises(SystemExit):
            main(["run", "greeter", "--apply", "none", "--judge", "none", "--no-sessions", "--quiet"])
        (skill / "SKILL.md").write_text((skill / "SKILL.md").read_text() + "More.\n")
    assert find_version(skill, "before", list_own_runs()).main.count(b"More.") == 1


@pytest.mark.parametrize(
    ("against", "message"),
    [("before", "no run of yours"), ("nowhere", "git repository"), ("./gone", "no such folder"), (".", "no SKILL.md")],
)
def test_find_version_refuses_unknown_versions(project, against, message):
    with pytest.raises(BadInput, match=message):
        find_version(project / "greeter", against)
