"""Test that the command imports our packages, even if other packages of the same names are on the path."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tune_skill
from orchestrator import cli
from orchestrator.version import version

ROOT = Path(__file__).parents[1]
PARTS = ("orchestrator", "actions", "schemas", "templates")
SKILL = """---
name: plover
description: Counts birds on a shore. Use when birds are to be counted.
---

# Plover

Count each bird once.
"""


def test_own_folder_is_first_on_the_path_once(monkeypatch):
    root = str(ROOT)
    monkeypatch.setattr(cli, "main", lambda: None)
    monkeypatch.setattr(sys, "path", ["", "/elsewhere", root, "/last"])
    tune_skill.main()
    assert sys.path == [root, "/elsewhere", "/last"]


def test_main_calls_the_command():
    # in a process of its own, because a command that ends ignores further signals
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import tune_skill; tune_skill.main()"
    command = [sys.executable, "-c", code, "--version"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == f"tune-skill {version()}\n"


def test_cluster_worker_imports_own_packages(monkeypatch):
    other_paths = [part for part in sys.path if part and Path(part) != ROOT]
    monkeypatch.setattr(sys, "path", other_paths.copy())
    assert tune_skill.scan_packed(version(), 1, 256, []) == []
    assert sys.path == [str(ROOT), *other_paths]


@pytest.fixture
def project(tmp_path):
    """Return a project with a skill, and with other packages with the same names."""
    folder = tmp_path / "project"
    for part in PARTS:
        (folder / part).mkdir(parents=True)
        (folder / part / "__init__.py").write_text("raise SystemExit('a package of the project was imported')\n")
    (folder / "templates" / "report.md.j2").write_text("not ours\n")
    (folder / "plover").mkdir()
    (folder / "plover" / "SKILL.md").write_text(SKILL)
    return folder


def run_command(command, project):
    """Run the command on the project's skill, and return its result."""
    process = subprocess.run(
        [*command, "run", "plover", "--apply", "all", "--format", "json", "--quiet"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode in (0, 1), process.stderr
    result = json.loads(process.stdout)
    assert Path(result["report"]).read_text().startswith("# plover: tuning report")
    return result


def test_checkout_works_beside_folders_of_the_same_names(project):
    assert run_command([sys.executable, str(ROOT / "tune_skill.py")], project)["status"] == "completed"


@pytest.fixture(scope="module")
def venv_and_packages(tmp_path_factory):
    """Return a virtual environment with the wheel and other packages with the same names, and its packages folder."""
    base = tmp_path_factory.mktemp("installed")
    source, venv, python = base / "source", base / "venv", base / "venv" / "bin" / "python"
    names = [*PARTS, "plugin", "tune_skill.py", "pyproject.toml", "README.md", "LICENSE"]
    source.mkdir()
    for path in (ROOT / name for name in names if (ROOT / name).exists()):
        if path.is_dir():
            shutil.copytree(path, source / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source)
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", venv], check=True)
    build_result = subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(base)], cwd=source,
                           capture_output=True, text=True, check=False)  # fmt: skip
    assert build_result.returncode == 0, build_result.stderr
    (wheel,) = base.glob("*.whl")
    _share_libraries(python)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    other = Path(subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                                capture_output=True, text=True, check=True).stdout.strip())  # fmt: skip
    for part in PARTS:
        (other / part).mkdir()
        (other / part / "__init__.py").write_text(
            "raise SystemExit('a package of another distribution was imported')\n"
        )
    return venv, other


def _share_libraries(python):
    """Add the libraries of this environment to the new one, so that nothing is downloaded."""
    paths = [p for p in sys.path if p.endswith("site-packages")]
    code = "import sysconfig, sys; open(sysconfig.get_path('purelib') + '/shared.pth', 'w').write('\\n'.join(sys.argv[1:]))"
    subprocess.run([python, "-c", code, *paths], check=True)


@pytest.mark.slow
@pytest.mark.xdist_group("wheel")
def test_wheel_installs_all_packages_into_one_folder(venv_and_packages):
    _, packages = venv_and_packages
    own_folder = packages / "tune_skill"
    assert {"__init__.py", "plugin", *PARTS} <= {p.name for p in own_folder.iterdir()}
    assert (own_folder / "plugin" / ".claude-plugin" / "plugin.json").is_file()
    installed_files = {
        p.name
        for part in PARTS
        for p in (own_folder / part).rglob("*")
        if p.suffix in (".json", ".j2", ".yaml", ".typed")
    }
    source_files = {
        p.name for part in PARTS for p in (ROOT / part).rglob("*") if p.suffix in (".json", ".j2", ".yaml", ".typed")
    }
    assert installed_files == source_files, "the wheel contains every schema and template"
    assert not list(own_folder.rglob("tests"))


@pytest.mark.slow
@pytest.mark.xdist_group("wheel")
def test_installed_command_uses_its_own_packages(venv_and_packages, project):
    venv, _ = venv_and_packages
    command = venv / "bin" / "tune-skill"
    version = subprocess.run([command, "--version"], cwd=project, capture_output=True, text=True, check=True).stdout
    assert version.startswith("tune-skill 0.")
    assert run_command([str(command)], project)["status"] == "completed"


def test_no_slow_import_before_ctrl_c_is_handled():
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import tune_skill; print(*sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert not {"signal", "enum", "typing", "functools", "collections", "re"} & set(printed.split())
