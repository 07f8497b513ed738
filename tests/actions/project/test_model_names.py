"""Test which names of models are misspelled, and what they mean."""

import pytest

from actions.project.model_names import find_misspelled_model
from tests.examples import make_project


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("opus4.6", "claude-opus-4-6"),
        ("Opus-4.6", "claude-opus-4-6"),
        ("claude-opus-4.6", "claude-opus-4-6"),
        ("claude-4.5-sonnet", "claude-sonnet-4-5"),
        ("sonnet-4", "sonnet"),
        ("claude-haiku", "haiku"),
        ("sonnet-5", "claude-sonnet-5"),
        ("opus-9-9", "opus"),
    ],
)
def test_family_with_a_version_is_misspelled(name, known):
    assert find_misspelled_model(make_project({}), name) == known
    gateway = make_project({"setup.sh": "export ANTHROPIC_BASE_URL=http://localhost\n"})
    assert find_misspelled_model(gateway, name) is None


@pytest.mark.parametrize(
    "name",
    [
        "opus",
        "sonnet[1m]",
        "claude-opus-9-9",
        "claude-sonnet-4",
        "claude-sonnet-4-5-20250929",
        "claude-3-5-sonnet",
        "sonnet-3.5",
        "Claude Opus 4.6",
        "claude-opus-latest",
        "anthropic/claude-opus-4.6",
        "us.anthropic.claude-opus-4-6-v1",
        "claude-opus-4-6@20251101",
        "gpt-4",
        "claude",
    ],
)
def test_name_that_may_be_right_is_left_alone(name):
    assert find_misspelled_model(make_project({}), name) is None


def test_slip_is_misspelled_behind_a_gateway_too():
    gateway = make_project({"README.md": "Set `ANTHROPIC_BASE_URL`.\n"})
    assert find_misspelled_model(gateway, "sonet") == "sonnet"
