"""Test proposals: their order, one fix for each draft, and no repetition of failed fixes in later rounds."""

import pytest
from msgspec.structs import replace

from actions.fixes.proposals import find_fixable
from actions.fixes.records import build_fix, format_diff, get_new_contents
from actions.fixes.strategies import Draft, repair_reference
from actions.patterns.spec import spec_005_broken_link
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.steps import propose_fixes
from actions.steps.outcome import Keep
from actions.steps.propose_fixes import act
from actions.steps.select_fixes import select
from schemas.vocabulary import Family, FixStatus, Grade, Risk
from tests.fakes import a_case, a_pattern, a_strategy, birds, install, make_diagnosed_state, replace_word, tools

FOUR = "A STORK.\n\nA RAVEN.\n\nA HERON.\n\nA CRANE.\n\nA GOOSE.\n"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    birds(monkeypatch)


def propose_for(body, before="", **fields):
    case = a_case(body)
    known = make_issues(scan(a_case(before))) if before else ()
    state = replace(make_diagnosed_state(case, **fields), issues=make_issues(scan(case), known))
    return act(state, case, tools())


def map_strategies(outcome):
    return {f.id: f.strategy for f in outcome.state.proposed_fixes}


def test_fixes_are_numbered_in_order_of_issues():
    assert map_strategies(propose_for(FOUR)) == {
        "FIX-001": "hide_stork",
        "FIX-002": "drop_raven",
        "FIX-003": "calm_heron",
        "FIX-004": "calm_crane",
    }


def test_fixes_begin_with_data_flow_and_agents(monkeypatch):
    families = [Family.TOKENS, Family.MEMORY, Family.SPEC, Family.CONTEXT, Family.AGENT, Family.DATAFLOW]
    words = [family.name for family in families]
    patterns = [
        a_pattern(f"AGT-{n:03d}", word, f"calm_{n}", family=f)
        for n, (word, f) in enumerate(zip(words, families, strict=True))
    ]
    install(
        monkeypatch, patterns, [a_strategy(f"calm_{n}", replace_word(word, "calm")) for n, word in enumerate(words)]
    )
    case = a_case("\n\n".join(f"A line says {word}." for word in words))
    state = make_diagnosed_state(case)
    state = act(state, case, tools()).state
    assert [fix.strategy for fix in state.proposed_fixes] == [f"calm_{n}" for n in range(6)]
    chosen = select(state, [fix.id for fix in state.proposed_fixes]).pending_fixes
    assert [words[int(id.removeprefix("FIX-")) - 1] for id in chosen] == [
        "DATAFLOW", "AGENT", "CONTEXT", "MEMORY", "SPEC", "TOKENS",
    ]  # fmt: skip


def test_fix_has_text_diff_and_contents():
    outcome = propose_for("A CRANE.\n")
    (fix,) = outcome.state.proposed_fixes
    (change,) = fix.changes
    assert (fix.issue_ids, fix.iteration, fix.status, fix.source) == (("ISS-001",), 1, FixStatus.PROPOSED, "mechanical")
    assert change.diff.splitlines()[-2:] == ["-A CRANE.", "+A crane."]
    keep = outcome.effect
    assert isinstance(keep, Keep)
    assert get_new_contents(fix, {change.sha256_after: keep.contents[0]})["SKILL.md"].endswith(b"A crane.\n")
    assert outcome.state.rounds[-1].proposed


def test_new_file_is_a_creation():
    (fix,) = propose_for("A STORK.\n").state.proposed_fixes
    assert [(c.file, c.action, c.sha256_before is None) for c in fix.changes] == [
        ("SKILL.md", "modify", False),
        ("node_modules/stork.md", "create", True),
    ]


def test_issues_with_the_same_draft_share_a_fix(monkeypatch):
    def both(line, case):
        return {"SKILL.md": case.skill.main.text.replace("CRANE", "crane")}

    install(monkeypatch, [a_pattern("AGT-001", "CRANE", "all")], [a_strategy("all", both)])
    (fix,) = propose_for("A CRANE.\n\nOne more CRANE.\n").state.proposed_fixes
    assert fix.issue_ids == ("ISS-001", "ISS-002")


def test_draft_without_a_change_is_not_a_fix(monkeypatch):
    install(monkeypatch, [a_pattern("AGT-001", "CRANE", "none")], [a_strategy("none", lambda line, case: line)])
    assert map_strategies(propose_for("A CRANE.\n")) == {}


def test_next_strategy_drafts_if_the_best_cannot(monkeypatch):
    install(
        monkeypatch,
        [a_pattern("AGT-001", "CRANE", "unknown_name", "cannot", "can")],
        [a_strategy("cannot", lambda line, case: None), a_strategy("can", replace_word("CRANE", "crane"))],
    )
    assert map_strategies(propose_for("A CRANE.\n")) == {"FIX-001": "can"}


@pytest.mark.parametrize(("grade", "risk"), [(Grade.PROVEN, Risk.LOW), (Grade.READ, Risk.MEDIUM)])
def test_read_finding_makes_the_risk_at_least_medium(grade, risk):
    case = a_case("A CRANE.\n")
    issues = [replace(issue, grade=grade) for issue in make_issues(scan(case))]
    draft = Draft({"SKILL.md": b"---\n"}, "Calms.", "It was loud.", "Less harm.", 9)
    assert build_fix("FIX-001", "calm", draft, issues, case, 1, Risk.LOW).risk is risk


def test_pattern_with_drafted_strategies_gets_no_fix(monkeypatch):
    install(monkeypatch, [a_pattern("AGT-001", "CRANE", "bound_loop", "custom")], [])
    assert map_strategies(propose_for("A CRANE.\n")) == {}


def test_same_slip_in_two_files_is_one_fix(monkeypatch):
    install(monkeypatch, [spec_005_broken_link], [repair_reference])
    body = "Grade by the [scale](references/severty.md).\n\nRead [more](references/more.md).\n"
    more = "# More\n\nSee [the scale](references/severty.md).\n"
    case = a_case(body, references__more=more, references__severity="# Severity\n\nFive grades.\n")
    (fix,) = act(make_diagnosed_state(case), case, tools()).state.proposed_fixes
    assert (len(fix.issue_ids), [change.file for change in fix.changes]) == (1, ["SKILL.md", "references/more.md"])


@pytest.mark.parametrize("status", [FixStatus.ROLLED_BACK, FixStatus.REFUSED])
def test_failed_fix_is_never_proposed_again(status):
    old = tuple(replace(f, status=status) for f in propose_for("A CRANE.\n").state.proposed_fixes)
    again = propose_for("A CRANE.\n\nA HERON.\n", proposed_fixes=old, iteration_count=2)
    assert map_strategies(again) == {"FIX-001": "calm_crane", "FIX-002": "calm_heron"}
    assert again.state.proposed_fixes[0] == old[0]


def test_next_strategy_may_try_after_a_failure(monkeypatch):
    install(
        monkeypatch,
        [a_pattern("AGT-001", "CRANE", "one", "two")],
        [a_strategy("one", replace_word("CRANE", "crane")), a_strategy("two", replace_word("CRANE", "Crane"))],
    )
    old = tuple(replace(f, status=FixStatus.ROLLED_BACK) for f in propose_for("A CRANE.\n").state.proposed_fixes)
    assert map_strategies(propose_for("A CRANE.\n", proposed_fixes=old)) == {"FIX-001": "one", "FIX-002": "two"}


def test_unselected_fix_keeps_its_id_and_is_drafted_again():
    old = propose_for("A CRANE.\n\nA HERON.\n").state.proposed_fixes
    moved = "Fresh words.\n\nA HERON.\n\nA CRANE.\n"
    again = propose_for(moved, before="A CRANE.\n\nA HERON.\n", proposed_fixes=old, iteration_count=2)
    new = again.state.proposed_fixes
    assert map_strategies(again) == {"FIX-001": "calm_crane", "FIX-002": "calm_heron"}
    assert [f.iteration for f in new] == [1, 1]
    assert {f.changes[0].sha256_before for f in new} == {a_case(moved).skill.main.sha256}


def test_unselected_fix_is_refused_when_not_needed():
    old = propose_for("A CRANE.\n\nA HERON.\n").state.proposed_fixes
    again = propose_for("A HERON.\n", before="A CRANE.\n\nA HERON.\n", proposed_fixes=old, iteration_count=2)
    crane, heron = again.state.proposed_fixes
    assert (crane.status, heron.status) == (FixStatus.REFUSED, FixStatus.PROPOSED)
    assert crane.reason


def test_diff_looks_like_that_of_git():
    assert format_diff("a.md", b"one\n", b"two") == (
        "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-one\n+two\n\\ No newline at end of file\n"
    )
    assert format_diff("a.md", None, b"x\n").startswith("--- /dev/null\n+++ b/a.md\n")
    assert format_diff("a.md", b"x\n", None).startswith("--- a/a.md\n+++ /dev/null\n")


def test_diff_splits_lines_at_newlines_only():
    assert format_diff("a.md", "one\x0ctwo\u2028three\r\n".encode(), b"x\n") == (
        "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-one\x0ctwo\u2028three\r\n+x\n"
    )


def test_round_out_of_time_leaves_fixes_for_another():
    def over(work):
        raise TimeoutError

    case = a_case(FOUR)
    state = replace(make_diagnosed_state(case), issues=make_issues(scan(case)))
    outcome = act(state, replace(case, limited=over), tools())
    assert map_strategies(outcome) == {}
    assert len(outcome.state.rounds[-1].untried) == 4
    assert find_fixable(state.issues, replace(case, limited=over)) == ([], 4)


def test_round_limits_its_fixes_and_says_so(monkeypatch):
    assert "first" not in propose_for(FOUR).note
    assert propose_for(FOUR).state.rounds[-1].untried == ()
    monkeypatch.setattr(propose_fixes, "DRAFT_LIMIT", 400)
    outcome = propose_for(FOUR)
    assert map_strategies(outcome) == {"FIX-001": "calm_heron", "FIX-002": "calm_crane"}
    assert outcome.note.startswith("2 fixes proposed for the first findings")
    assert len(outcome.state.rounds[-1].untried) == 2
