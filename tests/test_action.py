"""Test the GitHub Action and the pre-commit hook by running their commands on a repository with skills."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
GOOD = "---\nname: plover\ndescription: Counts birds. Use when birds are to be counted.\n---\n\n# Plover\n\nCount each bird once.\n"
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def run_git(folder, *arguments):
    identity = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.c",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "init.defaultBranch=main",
    )
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """Return a repository with a skill that passes the gate and one that does not."""
    folder = tmp_path / "repository"
    skills = folder / ".claude" / "skills"
    (skills / "plover").mkdir(parents=True)
    (skills / "plover" / "SKILL.md").write_text(GOOD)
    shutil.copytree(ROOT / "examples" / "release-notes", skills / "release-notes")
    run_git(folder, "init")
    run_git(folder, "add", ".")
    run_git(folder, "commit", "-m", "skills")
    return folder


@dataclass
class Job:
    """The result of the steps of the Action: output, summary, the values of expressions, and whether a step failed."""

    out: str
    summary: str
    values: dict[str, str]
    failed: str
    uses: list[str]

    @property
    def sarif(self):
        return json.loads(Path(self.values["steps.diagnose.outputs.sarif"]).read_text())


class Runner:
    """Runs the steps of action.yml as GitHub does: each `run` as a bash script, with its values in the environment."""

    def __init__(self, repository, temp):
        self.repository, self.temp = repository, temp
        self.action = yaml.safe_load((ROOT / "action.yml").read_text())
        temp.mkdir()

    def __call__(self, install=False, **inputs):
        values = {f"inputs.{name}": settings.get("default", "") for name, settings in self.action["inputs"].items()}
        values |= {f"inputs.{name.replace('_', '-')}": text for name, text in inputs.items()}
        values |= {
            "github.action_path": str(ROOT),
            "steps.diagnose.outputs.gate": "",
            "steps.diagnose.outputs.sarif": "",
            "steps.diagnose.outputs.reason": "",
        }
        job = Job("", "", values, "", [])
        for step in self.action["runs"]["steps"]:
            if not job.failed and self.should_run(step, values):
                self.run_step(step, job, install)
        return job

    def should_run(self, step, values):
        condition = _EXPRESSION.fullmatch(step.get("if", "${{ 'a' == 'a' }}"))[1]
        name, text = condition.split(" == ")
        return values.get(name, name.strip("'")) == text.strip("'")

    def run_step(self, step, job, install):
        if "uses" in step:
            job.uses.append(step["uses"])
            return
        if step["name"] == "Install tune-skill" and not install:
            self.write_tune_skill()
            return
        files = {name: self.temp / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        environment = {name: _EXPRESSION.sub(lambda m: job.values[m[1]], text) for name, text in step["env"].items()}
        process = self.run_script(step["run"], {**environment, **{name: str(file) for name, file in files.items()}})
        job.out += process.stdout + process.stderr
        job.failed = step["name"] if process.returncode else ""
        for line in files["GITHUB_OUTPUT"].read_text().splitlines() if files["GITHUB_OUTPUT"].exists() else ():
            name, _, text = line.partition("=")
            job.values[f"steps.{step['id']}.outputs.{name}" if "id" in step else name] = text
        job.summary = files["GITHUB_STEP_SUMMARY"].read_text() if files["GITHUB_STEP_SUMMARY"].exists() else ""

    def run_script(self, script, environment):
        path = self.temp / "step.sh"
        path.write_text(script)
        environment = {**os.environ, "RUNNER_TEMP": str(self.temp), **environment}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(path)]
        return subprocess.run(
            command, cwd=self.repository, env=environment, capture_output=True, text=True, check=False
        )

    def write_tune_skill(self):
        """Write a command that runs this checkout to where the install step puts tune-skill."""
        target = self.temp / "tune-skill" / "bin" / "tune-skill"
        target.parent.mkdir(parents=True)
        target.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(ROOT / "tune_skill.py")])} "$@"\n')
        target.chmod(0o755)


@pytest.fixture
def run_action(repository, tmp_path):
    return Runner(repository, tmp_path / "runner")


def test_action_fails_and_reports_in_summary_and_sarif(run_action):
    job = run_action()
    assert (job.failed, job.values["steps.diagnose.outputs.gate"]) == ("Gate", "fail")
    assert "::error::tune-skill: 9 findings of medium severity or worse (--fail-on), worst .claude/skills/" in job.out
    assert "\n**Fails:** 9 findings" in job.summary
    assert "| release-notes | **yes:** medium SPEC-004 in SKILL.md:5 and 8 more | 55 | fail |" in job.summary
    assert {result["ruleId"] for result in job.sarif["runs"][0]["results"]} >= {"DF-007", "SPEC-005"}
    assert job.uses == ["actions/setup-python@v5", "github/codeql-action/upload-sarif@v3"]


@pytest.mark.parametrize(("level", "failed"), [("critical", ""), ("low", "Gate")])
def test_action_fails_at_the_severity_of_fail_on(run_action, level, failed):
    job = run_action(fail_on=level)
    assert (job.failed, job.values["steps.diagnose.outputs.gate"]) == (failed, "fail" if failed else "pass")


def test_action_reads_fail_on_from_the_settings(run_action, repository):
    (repository / "tune-skill.toml").write_text('fail-on = "critical"\n')
    assert run_action().failed == ""


def test_action_passes_if_all_skills_pass(run_action):
    job = run_action(skills="\n.claude/skills/plover\n")
    assert (job.failed, job.values["steps.diagnose.outputs.gate"]) == ("", "pass")


def test_action_since_checks_only_changes_of_the_branch(run_action, repository):
    run_git(repository, "checkout", "-b", "topic")
    (repository / ".claude/skills/plover/SKILL.md").write_text(GOOD + "Then write it down.\n")
    run_git(repository, "commit", "-am", "topic")
    job = run_action(since="main")
    assert job.failed == "", job.out
    assert "release" not in job.summary


def test_action_ignores_findings_of_the_baseline(run_action, repository):
    command = [
        sys.executable,
        str(ROOT / "tune_skill.py"),
        "diagnose",
        ".claude/skills",
        "--write-baseline",
        "known.json",
    ]
    subprocess.run(command, cwd=repository, check=True, capture_output=True)
    assert run_action(baseline="known.json").failed == ""


@pytest.mark.parametrize(
    "inputs",
    [{"skills": "nowhere"}, {"since": "nowhere"}, {"baseline": "nowhere.json"}, {"skills": ""}, {"fail_on": "x"}],
)
def test_action_reports_a_wrong_input_and_restores_commands(run_action, inputs):
    job = run_action(**inputs)
    assert job.failed == "Diagnose"
    assert "tune-skill: " in job.out
    first, *lines = job.out.splitlines()
    assert first.startswith("::stop-commands::")
    assert f"::{first.removeprefix('::stop-commands::')}::" in lines
    assert "::error::tune-skill could not check the skills (exit code 2)" in job.out
    assert "**Not checked.**" in job.summary


@pytest.mark.parametrize(
    "hostile", ["$(touch owned)", "; touch owned", "'; touch owned; '", '"; touch owned; "', "--format"]
)
def test_action_inputs_are_data_to_the_shell(run_action, repository, hostile):
    run_action(skills=hostile, since=hostile, baseline=hostile, fail_on=hostile)
    assert not (repository / "owned").exists()
    for step in run_action.action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_action_skips_gate_and_upload_and_escapes_skill_names(run_action, repository):
    name = "##[set-output name=gate]pass"
    shutil.copytree(repository / ".claude/skills/release-notes", repository / ".claude/skills" / name)
    job = run_action(fail="false", upload_sarif="false")
    assert (job.failed, job.values["steps.diagnose.outputs.gate"]) == ("", "fail")
    assert job.uses == ["actions/setup-python@v5"]
    lines = job.out.splitlines()
    (stop_token,) = {line.removeprefix("::stop-commands::") for line in lines if line.startswith("::stop-commands::")}
    lines_with_name = [number for number, line in enumerate(lines) if name in line]
    assert len(stop_token) == 32
    assert lines_with_name
    assert lines.index(f"::stop-commands::{stop_token}") < min(lines_with_name)
    assert max(lines_with_name) < lines.index(f"::{stop_token}::")


@pytest.mark.slow
def test_action_install_step_installs_a_working_command(run_action, monkeypatch, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    for entry in Path(yaml.__file__).parents[1].iterdir():
        if not entry.name.startswith("tune_skill"):
            (site / entry.name).symlink_to(entry)
    for name in ("PIP_NO_DEPS", "PIP_NO_INDEX", "PIP_IGNORE_INSTALLED"):
        monkeypatch.setenv(name, "1")  # its dependencies are already installed, so the test needs no network
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # pip reads this variable as the opposite option
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    job = run_action(install=True, skills=".claude/skills/plover")
    assert job.failed == "", job.out


def test_hook_checks_the_skills_of_the_commit(repository):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (repository / "README.md").write_text("No skill.\n")
    files = ["README.md", ".claude/skills/plover/SKILL.md"]
    assert run_hook_entry(hook, repository, files).returncode == 0
    files_of_release_notes = (
        ".claude/skills/release-notes/phases/01-collect.md",
        ".claude/skills/release-notes/SKILL.md",
    )
    process = run_hook_entry(hook, repository, [*files, *files_of_release_notes])
    assert process.returncode == 1
    assert process.stdout.count("gate fail") == 1, "each skill is reported once"
    readme_result = run_hook_entry(hook, repository, ["README.md"])
    assert (readme_result.returncode, readme_result.stdout, readme_result.stderr) == (
        0,
        "",
        "tune-skill: no skill or other unit affected by staged changes\n",
    )


def test_hook_fails_at_the_severity_of_its_entry(repository):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    lenient_hook = {**hook, "entry": hook["entry"].replace(" --only", " --fail-on=critical --only")}
    skill = ".claude/skills/release-notes/SKILL.md"
    assert [run_hook_entry(tested_hook, repository, [skill]).returncode for tested_hook in (hook, lenient_hook)] == [
        1,
        0,
    ]


def test_file_names_are_not_read_as_options(run_action, repository):
    (repository / "README.md").write_text("Mine.\n")
    names = ("--write-baseline=README.md", "--baseline=none.json", "--help", "-h", "~", "--")
    for name in names:
        (repository / name).write_text("A file.\n")
    skill = ".claude/skills/release-notes/SKILL.md"
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    process = run_hook_entry(hook, repository, [*names, skill])
    assert (process.returncode, process.stdout.count("gate fail")) == (1, 1), process.stdout + process.stderr
    job = run_action(skills="\n".join((*names, skill)))
    assert job.values["steps.diagnose.outputs.gate"] == "fail"
    assert "release" in job.summary
    assert (repository / "README.md").read_text() == "Mine.\n"


def test_option_after_the_end_of_options_is_reported(repository):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    process = run_hook_entry(hook, repository, ["--baseline=known.json", ".claude/skills/plover/SKILL.md"])
    assert process.returncode == 1
    assert "--baseline=known.json: no such file" in process.stderr


def run_hook_entry(hook, repository, files):
    """Run a hook's entry as pre-commit does, with the files of the commit as its last arguments."""
    assert (hook["language"], hook["require_serial"], hook["always_run"]) == ("python", True, True)
    name, *arguments = shlex.split(hook["entry"])
    assert name == "tune-skill"
    command = [sys.executable, str(ROOT / "tune_skill.py"), *arguments, *files]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
