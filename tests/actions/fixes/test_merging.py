"""Test how many drafts of one strategy are merged, and how those that fail are left out."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from actions.fixes.merging import MAX_UNMERGED, DraftCollection, draft_parts, merge_drafts
from actions.fixes.narrowing import narrow
from actions.fixes.strategies import Draft
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from schemas.vocabulary import Grade, Risk
from tests.fakes import SKILL_HEADER, install_catalogue, make_case, make_pattern, make_strategy, replace_word

BODY = "one\ntwo\nthree\nfour\nfive\n"
STRATEGY = make_strategy("calm", replace_word("FIXABLE", "fixable"))


def write_faulty_lines(count):
    return "".join(f"The FIXABLE number {n} goes by.\n\n" for n in range(count))


def make_issues_of_case(monkeypatch, case):
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "FIXABLE", "calm")], [STRATEGY])
    return make_issues(scan(case))


@pytest.fixture(autouse=True)
def issue(monkeypatch):
    return make_issues_of_case(monkeypatch, make_case("A FIXABLE.\n"))[0]


def make_merge_draft(writes, **fields):
    bytes_by_path = {path: None if text is None else text.encode() for path, text in writes.items()}
    return Draft(bytes_by_path, "Does.", "So.", "Less.", 10, **fields)


def collect(case, issue, *writes):
    """Collect a draft for each of these writes; each draft belongs to its own issue."""
    collection = DraftCollection(case)
    for n, write in enumerate(writes):
        collection.add("calm", STRATEGY, make_merge_draft(write), [replace(issue, id=f"ISS-{n}")])
    return collection


def merge(case, issue, *writes):
    """Merge drafts; return the merged writes and the number of drafts that do not fit."""
    merged, rest = merge_drafts(collect(case, issue, *writes).list_drafts()[0], case)
    return merged.draft.writes, len(rest)


def make_main_text(body):
    return SKILL_HEADER + body


@pytest.mark.parametrize(
    ("bodies", "merged", "unmerged"),
    [
        (("ONE\ntwo\nthree\nfour\nfive\n", "one\ntwo\nTHREE\nfour\nfive\n"), "ONE\ntwo\nTHREE\nfour\nfive\n", 0),
        (("two\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\n"), "two\nthree\nfour\n", 0),
        (("one\nnew\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nFIVE"), "one\nnew\ntwo\nthree\nfour\nFIVE", 0),
        (("one\ntwo\nA\nfour\nfive\n", "one\ntwo\nB\nfour\nfive\n"), "one\ntwo\nA\nfour\nfive\n", 1),
        (
            ("one\nA\ntwo\nthree\nfour\nfive\n", "one\nB\ntwo\nthree\nfour\nfive\n"),
            "one\nA\ntwo\nthree\nfour\nfive\n",
            1,
        ),
        (("one\nfive\n", "one\ntwo\nB\nfour\nfive\n"), "one\nfive\n", 1),
    ],
)
def test_merge_joins_changes_of_different_lines(issue, bodies, merged, unmerged):
    writes, rest = merge(make_case(BODY), issue, *({"SKILL.md": make_main_text(body)} for body in bodies))
    assert (writes["SKILL.md"].decode(), rest) == (make_main_text(merged), unmerged)


def test_merge_joins_renamed_files_but_not_an_edit_of_a_deleted_one(issue):
    case = make_case(BODY, a="a\n", b="b\n")
    writes, rest = merge(
        case, issue, {"a.md": None, "A.md": "a\n"}, {"b.md": None, "B.md": "b\n"}, {"a.md": "changed\n"}
    )
    assert (writes, rest) == ({"a.md": None, "A.md": b"a\n", "b.md": None, "B.md": b"b\n"}, 1)


def collect_drafts(monkeypatch, count, **changes):
    case = make_case(write_faulty_lines(count))
    collection = DraftCollection(case)
    for issue in make_issues_of_case(monkeypatch, case):
        for part in draft_parts("calm", [issue], case):
            collection.add("calm", STRATEGY, part.draft, [replace(issue, **changes)])
    return case, collection


def test_many_drafts_of_one_strategy_become_one(monkeypatch):
    case, few_drafts = collect_drafts(monkeypatch, MAX_UNMERGED)
    assert len(few_drafts.list_drafts()[0]) == MAX_UNMERGED
    case, many_drafts = collect_drafts(monkeypatch, MAX_UNMERGED + 1)
    (merged_draft,), unmerged = many_drafts.list_drafts()
    assert (len(merged_draft.issues), unmerged) == (MAX_UNMERGED + 1, [])
    assert (
        merged_draft.draft.writes["SKILL.md"]
        == (SKILL_HEADER + write_faulty_lines(MAX_UNMERGED + 1).replace("FIXABLE", "fixable")).encode()
    )
    fix = merged_draft.build_fix("FIX-001", case, 1)
    assert fix.description == "21 similar changes in 1 file: Does calm. Does calm. Does calm. …"
    assert len(fix.rewrites) == len(fix.issue_ids) == len(fix.claims) == 21
    assert many_drafts.spent < few_drafts.spent, (
        "each file counts once, so that all of them fit into the limit of a round"
    )


def test_drafts_of_read_findings_are_reviewed_one_by_one(monkeypatch):
    _, many_drafts = collect_drafts(monkeypatch, MAX_UNMERGED + 1, grade=Grade.READ)
    assert len(many_drafts.list_drafts()[0]) == MAX_UNMERGED + 1


def test_drafts_of_another_risk_stay_apart(issue, monkeypatch):
    _, many_drafts = collect_drafts(monkeypatch, MAX_UNMERGED + 1)
    many_drafts.add(
        "calm", STRATEGY, make_merge_draft({"SKILL.md": make_main_text("More.\n")}, risk=Risk.HIGH), [issue]
    )
    assert [draft.risk for draft in many_drafts.list_drafts()[0]] == [Risk.LOW, Risk.HIGH]


def test_drafts_of_a_large_file_are_merged_earlier(issue):
    large = "word\n" * 60_000
    writes = ({"references/large.md": new} for new in ("new\n" + large[5:], large[:-5] + "new\n"))
    drafts, _ = collect(make_case(BODY, references__large=large), issue, *writes).list_drafts()
    assert len(drafts) == 1


def test_drafts_that_all_overlap_wait_for_another_round(issue):
    writes = ({"SKILL.md": make_main_text(f"A bird {n}.\n")} for n in range(3 * MAX_UNMERGED))
    drafts, unmerged = collect(make_case("A FIXABLE.\n"), issue, *writes).list_drafts()
    assert (len(drafts), len(unmerged)) == (MAX_UNMERGED, 2 * MAX_UNMERGED)


# leaving out parts


def narrow_numbers(count, *bad):
    """Narrow parts (numbers); return those that passed, failed and were not tried, and the number of checks."""
    tried_parts = []

    def check(parts):
        tried_parts.append(parts)
        return SimpleNamespace(is_passed=not set(bad) & set(parts))

    outcome = narrow(range(count), check)
    return [*outcome.passed], [number for number, _ in outcome.failed], [*outcome.untried], len(tried_parts)


def test_narrow_leaves_out_only_the_failing_parts():
    assert narrow_numbers(9, 4)[:3] == ([0, 1, 2, 3, 5, 6, 7, 8], [4], [])
    passed, failed, untried, tries = narrow_numbers(1000, 0, 999)
    assert (len(passed), failed, untried) == (998, [0, 999], [])
    assert tries <= 40


def test_narrow_ends_although_most_parts_fail():
    passed, failed, untried, tries = narrow_numbers(1000, *range(1, 1000))
    assert (passed, tries) == ([0], 40)
    assert len(failed) + len(untried) == 999


def test_narrow_does_not_retry_a_single_part():
    assert narrow_numbers(1, 0) == ([], [], [], 0)
