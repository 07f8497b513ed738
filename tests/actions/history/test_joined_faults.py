"""Test which joined events count as faults: other versions of a skill, missing output fields, the user's choices."""

import pytest

from actions.evidence.collect import check_sessions
from actions.history.session_table import build_table
from actions.session.example import Recorded, bash, load, use
from schemas.vocabulary import Family
from tests.examples import recorded_case


def list_faults(text, *steps):
    (timeline,) = build_table(recorded_case(Recorded(text, ((load(), *steps),)))).timelines
    return [(one.kind, one.record, one.text) for one in timeline.events if one.kind not in ("loaded", "done", "ended")]


LEARN = "## Step 1: Learn\n\nLoad the `tide-tables-313` skill.\n\n## Step 2: Moor\n\n```bash\nberth moor\n```\n"


@pytest.mark.parametrize(
    ("skill", "faults"),
    [
        ("tide-tables", [("otherwise", 2, "loaded tide-tables instead of tide-tables-313")]),
        ("port:tide-tables-3.14", [("otherwise", 2, "loaded port:tide-tables-3.14 instead of tide-tables-313")]),
        ("port:tide-tables-313", []),
        ("tide-charts", [("skipped", 4, "tide-tables-313")]),
    ],
)
def test_skill_loaded_by_another_version_of_its_name_is_not_skipped(skill, faults):
    loaded = use("Skill", f"Launching skill: {skill}", skill=skill)
    assert list_faults(LEARN, loaded, bash("berth moor 7", "moored")) == faults


def test_skill_that_could_not_be_loaded_is_no_other_version():
    missing = use("Skill", "Unknown skill: tide-tables", error=True, skill="tide-tables")
    assert [one[0] for one in list_faults(LEARN, missing, bash("berth moor 7", "moored"))] == ["skipped"]


def test_never_used_skill_names_the_one_that_was_loaded_instead():
    session = (
        load(),
        use("Skill", "Launching skill: tide-tables", skill="tide-tables"),
        bash("berth moor 7", "moored"),
    )
    later = (*session[:2], bash("berth moor 8", "moored"))
    found = recorded_case(Recorded(LEARN, (session, later)))
    (one,) = check_sessions(found, frozenset(Family), "a model").findings
    assert one.message.endswith("They loaded `tide-tables` instead.")


TESTED = "## Step 1\n\n```bash\npnpm test\n```\n"


@pytest.mark.parametrize(
    ("output", "kinds"),
    [
        ("Exit code 1\n > berth@ test\n > vitest run\n Tests  2 failed | 187 passed (189)", []),
        ("Exit code 1\n ERR_PNPM_NO_SCRIPT  Missing script: test", ["failed"]),
    ],
)
def test_failing_tests_are_a_result_of_the_command_and_no_failure(output, kinds):
    found = list_faults(TESTED, bash("pnpm test -- moor.test.ts", output, error=True))
    assert [kind for kind, *_ in found] == kinds


ROPES = "```bash\nberth list --json\n```\n\nUse the returned `ropes` to moor.\n"


@pytest.mark.parametrize(
    ("outputs", "faults"),
    [
        (('{"boats": 2}', '{"boats": 2}'), [("failed", 5, "no ropes in: boats")]),
        (('{"boats": 2}', '{"boats": 2, "ropes": 1}'), []),
        (('{"boats": 2, "ropes": 1}', '{"boats": 2}'), []),
    ],
)
def test_field_that_no_output_has_is_missing_once(outputs, faults):
    assert list_faults(ROPES, *(bash("berth list --json", output) for output in outputs)) == faults


FORCE = "Never run `berth moor --force`.\n"


@pytest.mark.parametrize(
    ("question", "answer", "faults"),
    [
        ("How?", "Yes, berth moor --force", []),
        ("How?", "Never berth moor --force", ["forbidden"]),
        ("berth moor --force?", "As you like", ["forbidden"]),
    ],
)
def test_forbidden_command_that_the_user_chose_is_no_fault(question, answer, faults):
    said = f'User has answered your questions: "{question}"="{answer}". You can now continue.'
    asked = use("AskUserQuestion", said, questions=[{"question": question}])
    assert [one[0] for one in list_faults(FORCE, asked, bash("berth moor --force", "moored"))] == faults
