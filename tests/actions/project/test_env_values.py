"""Test which values under `env` contain a variable that nothing replaces."""

import json

import pytest

from actions.project.env_values import find_unexpanded_values
from actions.project.find_units import find_units
from tests.examples import make_project


def list_variables(env, files=(), path=".claude/settings.json"):
    project = make_project({path: json.dumps({"env": env}), **dict(files)})
    values = (value for unit in find_units(project) for value in find_unexpanded_values(project, unit))
    return [value.variable for value in values]


@pytest.mark.parametrize(
    ("name", "value", "variable"),
    [
        ("PYTHONPATH", "$HOME/lib", "$HOME"),
        ("DATA", "/opt:${XDG_DATA_HOME}/x", "${XDG_DATA_HOME}"),
        ("PATH", "/opt/bin:$PATH", "$PATH"),
        ("TOKEN", "${TOKEN}", "${TOKEN}"),
        ("URL", "file:///$CLAUDE_PROJECT_DIR", "$CLAUDE_PROJECT_DIR"),
        ("GOPATH", "~/go", "~"),
        ("PATH", "/bin:~/bin", "~"),
        ("DATA", "~/data", ""),
        ("PATH", "/bin:~ana/bin", ""),
        ("PRICE", "5$", ""),
        ("PASSWORD", "pa$HOMEr", ""),
        ("REGEX", "^a$", ""),
        ("GIT_SSH_COMMAND", "ssh -i $HOME/key", ""),
        ("BASH_ENV", "$HOME/env.sh", ""),
        ("COUNT", 3, ""),
    ],
)
def test_variable_in_a_value(name, value, variable):
    assert list_variables({name: value}) == [variable] * bool(variable)


@pytest.mark.parametrize(
    ("script", "is_reported"),
    [
        ("import os\nprint(os.path.expandvars(os.environ['DATA']))\n", False),
        ("import os\nprint(os.environ['DATA'])\ns = s.replace('a', 'b')\n", True),
        ("print('OTHER')\n", True),
    ],
)
def test_script_that_replaces_variables(script, is_reported):
    assert bool(list_variables({"DATA": "$HOME/data"}, {"run.py": script})) == is_reported


@pytest.mark.parametrize("env", [None, [], "x", {"A": None}, {"A": ["$HOME"]}])
def test_values_of_other_types(env):
    assert list_variables(env) == []


def test_env_outside_the_settings():
    assert list_variables({"PATH": "$PATH"}, path="settings.json") == []
