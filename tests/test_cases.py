"""Test that each case is checked if all cases run as one test, and that failing cases are named."""

import subprocess
import sys

from tests.terminal import ROOT

TESTS = """
import pytest

@pytest.mark.parametrize("bird", ["tern", pytest.param("gull", id="the gull")])
@pytest.mark.parametrize(("legs", "wings"), [(2, 2), (3, 2), (2, 1)])
def test_many_fail(bird, legs, wings):
    assert bird == "tern" and legs == wings

@pytest.mark.parametrize("bird", ["tern", "gull"], ids=["the tern", "the gull"])
def test_one_fails(bird):
    assert bird == "tern"

@pytest.mark.parametrize("bird", ["tern", "gull"])
def test_each_needs_a_folder(bird, tmp_path):
    (tmp_path / "bird").mkdir()
"""


def run_pytest(folder, *words):
    (folder / "test_birds.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.cases", "-p", "no:cacheprovider", "-c", "/dev/null", *words]
    return subprocess.run(command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True).stdout


def test_cases_run_as_one_test_that_names_failing_cases(tmp_path):
    out = run_pytest(tmp_path)
    assert "2 failed, 2 passed" in out, "with a fixture each case is a test"
    assert "5 of 6 cases failed" in out
    assert "in the case (2, 1) - 'tern'" in out
    assert "in the case (3, 2) - the gull" in out
    assert "in the case the gull\n" in out
    assert "in the case the tern\n" not in out


def test_selected_case_runs_as_a_test(tmp_path):
    assert "1 passed" in run_pytest(tmp_path, "test_birds.py::test_one_fails[the tern]")
    assert "1 failed, 1 passed, 8 deselected" in run_pytest(tmp_path, "-k", "one_fails")
