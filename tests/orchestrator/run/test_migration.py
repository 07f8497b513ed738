"""Test the migration of states of schema version 1, in which findings had a confidence."""

import json

import pytest
from msgspec.structs import replace

import schemas
from orchestrator.run.migration import migrate
from orchestrator.run.store import StateStore
from schemas.codec import to_json
from schemas.issues import ReadBy
from tests.schemas.samples import make_issue, make_rich_state

SOURCES = ("heuristic", "sdk", "session")


def make_old_issue(number, source):
    """Return an issue in the format of version 1."""
    values = to_json(make_issue(number, source=source))
    return {k: v for k, v in values.items() if k not in ("grade", "read_by")} | {"confidence": "medium"}


def make_old_state():
    """Return a state in the format of version 1, with a finding of each source."""
    values = to_json(make_rich_state())
    del values["unasked"], values["target_skill"]["kind"], values["target_skill"]["project"]
    del values["options"]["finding"]
    issues = [make_old_issue(n, source) for n, source in enumerate(SOURCES, 1)]
    for fix in values["proposed_fixes"]:
        del fix["review"], fix["takes_out"]
    for round_values in values["rounds"]:
        del round_values["untried"]
    return {**values, "schema_version": 1, "judge": "a judge", "issues": issues}


def test_migrate_grades_findings_by_their_source(tmp_path):
    (tmp_path / "state.json").write_text(json.dumps(make_old_state()))
    state = StateStore(tmp_path).load()
    assert [(i.source, i.grade, i.read_by) for i in state.issues] == [
        ("parser", "proven", None),
        ("sdk", "read", ReadBy("a judge", "the prompt grows")),
        ("session", "proven", None),
    ]
    assert (state.schema_version, state.unasked) == (2, 0)


def test_migrated_state_is_saved_in_the_current_version(tmp_path):
    file = tmp_path / "state.json"
    file.write_text(json.dumps(make_old_state()))
    store = StateStore(tmp_path)
    store.load()
    store.save(replace(store.state, quality_score=40))
    values = json.loads(file.read_text())
    schemas.check("state", values)
    assert values == {**migrate(make_old_state()), "quality_score": 40, "updated_at": values["updated_at"]}


def test_migrate_calls_an_unknown_judge_a_model():
    (issue,) = migrate({"schema_version": 1, "judge": None, "issues": [make_old_issue(1, "sdk")]})["issues"]
    assert issue["read_by"]["name"] == "a model"


@pytest.mark.parametrize(
    "values", [None, [], {}, {"schema_version": 2, "issues": [{"confidence": "high"}]}, {"schema_version": "1"}]
)
def test_migrate_keeps_values_that_are_not_an_old_state(values):
    assert migrate(values) == values


@pytest.mark.parametrize("issues", [None, 3, [None, 3, {}], [{"source": ["x"]}]])
def test_migrate_keeps_damage_for_the_schema_to_report(issues):
    with pytest.raises(schemas.Invalid):
        schemas.check("state", migrate({**make_old_state(), "issues": issues}))
