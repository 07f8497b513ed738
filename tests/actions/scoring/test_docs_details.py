"""Test the records of redundancies and conflicts: key, id, and the type derived from the parsed structure."""

from actions.case import Case
from actions.skill import parse_skill
from actions.steps.diagnose import act
from schemas.issues import Issue, Location, ReadBy
from schemas.records import State
from schemas.vocabulary import Family, Grade, IssueSource, Severity
from tests.fakes import SKILL_HEADER, make_case, make_tools

COUNT = (
    "import argparse\n\np = argparse.ArgumentParser()\n"
    "p.add_argument('--tries', default=5)\np.add_argument('--pause', default=30)\np.parse_args()\n"
)
STATE = "```ts\ninterface TuningState { status: string; score: number; files: string[] }\n```\n"
FINDING = "```ts\ninterface Finding { file: string; line: number; rule: string }\n```\n"


def list_docs(case, *known):
    state = State(issues=known, iteration_count=1)
    return act("docs", state, case, make_tools()).state.diagnosis.docs


def make_case_with_script(body):
    """Return a skill whose text describes the options of its script."""
    texts = {"SKILL.md": f"{SKILL_HEADER}## scripts/count.py\n\n{body}", "scripts/count.py": COUNT}
    return Case(parse_skill("plover", {path: text.encode() for path, text in texts.items()}))


def make_read_issue(pattern, file, line):
    """Return a finding as a model reports it."""
    return Issue(
        id="ISS-009", type=Family.CONFLICT, severity=Severity.MEDIUM, priority=1, location=Location(file, line, line),
        description="One rule orders what another one forbids.", evidence=("Never push.",), root_cause="", impact="",
        suggested_fix="custom", pattern=pattern, grade=Grade.READ, fingerprint="f", source=IssueSource.MODEL,
        read_by=ReadBy("a model", "it is so"),
    )  # fmt: skip


def test_conflicts_of_one_pattern_have_own_keys_and_ids():
    case = make_case_with_script(
        "- `--tries N`: try N times (default: 3)\n- `--pause S`: wait S seconds (default: 60)\n"
    )
    first, second = list_docs(case).conflicts
    assert {first.key, second.key} == {"--tries", "--pause"}
    assert first.id != second.id
    tries = next(c for c in (first, second) if c.key == "--tries")
    assert [(d.file, d.value) for d in tries.definitions] == [
        ("SKILL.md", "3"), ("scripts/count.py", "5")
    ]  # fmt: skip
    assert not {first.id, second.id} & {"DOC-CON-001", "DOC-CON-002", "DOC-CON-003"}


def test_conflict_type_depends_on_table_or_sentence():
    body = "| Name | Default |\n|---|---|\n| `--tries` | 3 |\n\nIt waits: `--pause` (default: 60).\n"
    types_by_key = {c.key: c.type for c in list_docs(make_case_with_script(body)).conflicts}
    assert types_by_key == {"--tries": "mapping", "--pause": "definition"}


def test_conflict_of_rules_is_about_priority_with_its_heading():
    case = make_case("## When to push\n\nNever push.\n")
    line = next(n for n, text in enumerate(case.skill.main.doc.lines, 1) if text == "Never push.")
    (conflict,) = list_docs(case, make_read_issue("DOC-CON-003", "SKILL.md", line)).conflicts
    assert (conflict.type, conflict.key) == ("priority", "When to push")


def test_redundancy_of_a_state_is_a_state_schema():
    body = "Keep `state.json` up to date: specs/a.md, phases/01.md.\n"
    redundancies = list_docs(make_case(body, specs__a=STATE + FINDING, phases__01=STATE + FINDING)).redundancies
    assert sorted(redundancy.type for redundancy in redundancies) == ["state_schema", "type_definition"]
    assert len({redundancy.id for redundancy in redundancies}) == 2


def test_redundancy_with_other_types_is_described_as_different():
    other_type = FINDING.replace("line: number", "line: string")
    (redundancy,) = list_docs(
        make_case("Go by specs/a.md and phases/01.md.\n", specs__a=FINDING, phases__01=other_type)
    ).redundancies
    assert "`line : string` here, but with `line : number` at" in redundancy.description
    assert (redundancy.severity, redundancy.type) == ("medium", "type_definition")


def test_conflict_keeps_its_id_in_later_rounds():
    case = make_case_with_script("- `--tries N`: try N times (default: 3)\n")
    state = State(iteration_count=1)
    first_state = act("docs", state, case, make_tools()).state
    second_state = act("docs", first_state, case, make_tools()).state
    assert [c.id for c in first_state.diagnosis.docs.conflicts] == [c.id for c in second_state.diagnosis.docs.conflicts]
