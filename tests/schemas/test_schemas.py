"""Test the validation by schemas: an error has the JSON pointer and the value."""

import subprocess
import sys
from pathlib import Path

import pytest

import schemas
from schemas.codec import to_json
from schemas.records import State
from tests.schemas.samples import make_issue, make_rich_state

ROOT = Path(__file__).parents[2]


def make_values(**changes):
    return {**to_json(make_rich_state()), **changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quality_score": 101}, "/quality_score: 101 is greater than the maximum of 100"),
        ({"quality_score": True}, "/quality_score: True is not a whole number"),
        ({"phase": "resting"}, "/phase: 'resting' is not one of"),
        ({"issues": [{**to_json(make_issue()), "severity": "hgh"}]}, "/issues/0/severity: 'hgh' is not one of"),
        ({"issues": [{**to_json(make_issue()), "extra": 1}]}, "/issues/0: Additional properties are not allowed"),
        ({"target_skill": {"name": None}}, "/target_skill: 'path' is a required property: {'name': None}"),
        ({"schema_version": True}, "/schema_version: 2 was expected: True"),
        ({"action_history": [make_values()["action_history"][0]] * 51}, "/action_history: "),
        ({"surprise": 1}, "the whole value: Additional properties are not allowed ('surprise' was unexpected)"),
    ],
)
def test_wrong_value_is_refused_with_pointer_and_value(changes, message):
    with pytest.raises(schemas.Invalid) as error:
        schemas.check("state", make_values(**changes))
    with pytest.raises(schemas.Invalid) as error_of_changed:
        schemas.check_changed("state", make_values(**changes), [key for key in changes if key != "surprise"])
    assert str(error.value).startswith(message)
    assert str(error_of_changed.value) == str(error.value)


def test_missing_property_is_refused_by_the_root_rules():
    values = make_values()
    del values["cost"]
    with pytest.raises(schemas.Invalid, match="'cost' is a required property"):
        schemas.check_changed("state", values, ["run_id"])


def test_status_that_does_not_fit_the_phase_is_refused():
    with pytest.raises(schemas.Invalid, match=r"^/status: 'completed' was expected: 'running'"):
        schemas.check_changed("state", make_values(phase="completed"), ["phase"])


def test_check_changed_checks_only_changed_properties():
    schemas.check_changed("state", make_values(quality_score="unchanged, so trusted"), ["run_id"])


def test_huge_value_is_shortened_in_the_message():
    with pytest.raises(schemas.Invalid) as error:
        schemas.check("state", make_values(issues="x" * 1_000_000))
    assert str(error.value).startswith("/issues: 'xxx")
    assert str(error.value).endswith("is not a list")
    assert len(str(error.value)) < 200


def test_pointer_escapes_slashes_and_tildes():
    skill = {**to_json(make_rich_state().target_skill), "files": {"a~b/c.md": "no hash"}}
    with pytest.raises(schemas.Invalid) as error:
        schemas.check("state", make_values(target_skill=skill))
    assert error.value.pointer == "/target_skill/files/a~0b~1c.md"


def test_valid_state_needs_no_jsonschema():
    """Importing jsonschema takes 59 ms, and only an invalid state needs it."""
    code = (
        "import sys, schemas; from schemas.codec import to_json; from tests.schemas.samples import make_rich_state\n"
        "schemas.check('state', to_json(make_rich_state()))\n"
        "schemas.check_changed('state', to_json(make_rich_state()), ['phase', 'issues'])\n"
        "sys.exit('jsonschema' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_schema_is_read_once():
    assert schemas.load("state") is schemas.load("state")
    assert schemas.load("state")["title"] == State.__name__
