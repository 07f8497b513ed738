"""Test which joined events count as faults: other versions of a skill, missing output fields, the user's choices."""

import pytest

from actions.evidence.collect import check_sessions
from actions.history.session_table import build_table
from actions.session.example import Recorded, bash, load, use
from schemas.vocabulary import Family
from tests.examples import make_recorded_case


def list_faults(text, *steps):
    (timeline,) = build_table(make_recorded_case(Recorded(text, ((load(), *steps),)))).timelines
    return [
        (event.kind, event.record, event.text)
        for event in timeline.events
        if event.kind not in ("loaded", "done", "ended")
    ]


TEXT_WITH_SKILL = (
    "## Step 1: Learn\n\nLoad the `tide-tables-313` skill.\n\n## Step 2: Moor\n\n```bash\nberth moor\n```\n"
)


@pytest.mark.parametrize(
    ("skill", "faults"),
    [
        ("tide-tables", [("otherwise", 2, "loaded tide-tables instead of tide-tables-313")]),
        ("port:tide-tables-3.14", [("otherwise", 2, "loaded port:tide-tables-3.14 instead of tide-tables-313")]),
        ("port:tide-tables-313", []),
        ("tide-charts", [("skipped", 4, "tide-tables-313")]),
    ],
)
def test_skill_loaded_under_another_version_is_not_skipped(skill, faults):
    skill_call = use("Skill", f"Launching skill: {skill}", skill=skill)
    assert list_faults(TEXT_WITH_SKILL, skill_call, bash("berth moor 7", "moored")) == faults


def test_failed_load_is_not_another_version_of_the_skill():
    failed_skill_call = use("Skill", "Unknown skill: tide-tables", error=True, skill="tide-tables")
    assert [event[0] for event in list_faults(TEXT_WITH_SKILL, failed_skill_call, bash("berth moor 7", "moored"))] == [
        "skipped"
    ]


def test_unused_skill_message_names_the_skill_loaded_instead():
    session = (
        load(),
        use("Skill", "Launching skill: tide-tables", skill="tide-tables"),
        bash("berth moor 7", "moored"),
    )
    second_session = (*session[:2], bash("berth moor 8", "moored"))
    case = make_recorded_case(Recorded(TEXT_WITH_SKILL, (session, second_session)))
    (finding,) = check_sessions(case, frozenset(Family), "a model").findings
    assert finding.message.endswith("They loaded `tide-tables` instead.")


TEXT_WITH_TESTS = "## Step 1\n\n```bash\npnpm test\n```\n"


@pytest.mark.parametrize(
    ("output", "kinds"),
    [
        ("Exit code 1\n > berth@ test\n > vitest run\n Tests  2 failed | 187 passed (189)", []),
        ("Exit code 1\n ERR_PNPM_NO_SCRIPT  Missing script: test", ["failed"]),
    ],
)
def test_failing_tests_are_a_result_and_not_a_failure(output, kinds):
    faults_of_run = list_faults(TEXT_WITH_TESTS, bash("pnpm test -- moor.test.ts", output, error=True))
    assert [kind for kind, *_ in faults_of_run] == kinds


TEXT_WITH_FIELD = "```bash\nberth list --json\n```\n\nUse the returned `ropes` to moor.\n"


@pytest.mark.parametrize(
    ("outputs", "faults"),
    [
        (('{"boats": 2}', '{"boats": 2}'), [("failed", 5, "no ropes in: boats")]),
        (('{"boats": 2}', '{"boats": 2, "ropes": 1}'), []),
        (('{"boats": 2, "ropes": 1}', '{"boats": 2}'), []),
    ],
)
def test_field_that_no_output_has_is_missing_once(outputs, faults):
    assert list_faults(TEXT_WITH_FIELD, *(bash("berth list --json", output) for output in outputs)) == faults


TEXT_WITH_RULE = "Never run `berth moor --force`.\n"


@pytest.mark.parametrize(
    ("question", "answer", "faults"),
    [
        ("How?", "Yes, berth moor --force", []),
        ("How?", "Never berth moor --force", ["forbidden"]),
        ("berth moor --force?", "As you like", ["forbidden"]),
    ],
)
def test_forbidden_command_that_the_user_chose_is_not_a_fault(question, answer, faults):
    answer_text = f'User has answered your questions: "{question}"="{answer}". You can now continue.'
    question_call = use("AskUserQuestion", answer_text, questions=[{"question": question}])
    assert [
        event[0] for event in list_faults(TEXT_WITH_RULE, question_call, bash("berth moor --force", "moored"))
    ] == faults
