"""Test that faults with the same cause are one finding, in a unit and across the units of a project."""

import pytest
from msgspec.structs import replace

from actions.case import Case
from actions.patterns.agents import agt_007_unknown_type
from actions.patterns.dataflow import df_009_missing_reference
from actions.patterns.pattern import Finding, Pattern
from actions.patterns.spec import spec_005_broken_link
from actions.scoring import scan as scan_module
from actions.scoring.causes import SharedIssue, find_causes, find_shared_cause, merge_by_cause, merge_issues
from actions.scoring.issues import make_issue, make_issues, update_issues
from actions.scoring.quality import compute_score
from actions.scoring.scan import locate_finding, scan
from actions.skill.settings import BaselineEntry, Exemption, Settings
from actions.skill.text import normalize_text
from schemas.vocabulary import IssueStatus, Severity, UnitKind
from tests.examples import list_project_cases, make_example_case
from tests.fakes import list_unused_messages, make_case

SKILL_WITH_MISSING_FOLDER = {
    "SKILL.md": "# Plan\n\nRead [one](references/one.md).\n\nThen [two](references/two.md) and `specs/all.md`.\n",
    "phases/01-plan.md": "# Plan\n\nAs [one](../references/one.md) says.\n",
    "specs/all.md": "# All\n\n- [one](../references/one.md)\n- [three](../references/deep/three.md)\n",
}


def list_locations(finding):
    return [f"{location.file}:{location.line_start}" for location in finding.locations]


def scan_links(files, **settings):
    return scan(Case(make_example_case(files).skill, settings=Settings(**settings)), [spec_005_broken_link])


def make_baseline(finding, *, is_whole):
    """Return baseline entries for a finding: only for its first location (as in version 1), or for each location."""
    accepted_locations = finding.locations[:1] if is_whole else finding.locations
    return tuple(
        BaselineEntry(p.fingerprint, finding.pattern.id, p.file, p.quote, is_whole=is_whole) for p in accepted_locations
    )


def test_missing_folder_is_one_finding_with_all_places():
    (finding,) = scan_links(SKILL_WITH_MISSING_FOLDER).findings
    assert finding.message == "The folder `references` does not exist."
    assert finding.severity is Severity.MEDIUM
    assert list_locations(finding) == [
        "SKILL.md:8",
        "SKILL.md:10",
        "phases/01-plan.md:3",
        "specs/all.md:3",
        "specs/all.md:4",
    ]
    assert finding.locations[0].quote == "Read [one](references/one.md)."
    assert finding.fingerprint == finding.locations[0].fingerprint
    assert len({location.fingerprint for location in finding.locations}) == 5


def test_missing_file_is_one_finding_with_all_places():
    files = {**SKILL_WITH_MISSING_FOLDER, "references/two.md": "# Two\n", "references/deep/three.md": "# Three\n"}
    (finding,) = scan_links(files).findings
    assert finding.message == "The link target `references/one.md` does not exist."
    assert list_locations(finding) == ["SKILL.md:8", "phases/01-plan.md:3", "specs/all.md:3"]


def test_single_target_in_a_missing_folder_is_its_own_cause():
    files = {path: text for path, text in SKILL_WITH_MISSING_FOLDER.items() if path == "phases/01-plan.md"}
    (finding,) = scan_links({"SKILL.md": "# Plan\n", **files}).findings
    assert finding.message == "The link target `../references/one.md` does not exist."


def test_links_of_a_file_at_a_wrong_level_are_one_finding():
    links = "# Plan\n\n- [one](../rules/one.md)\n- [two](../lists/two.md)\n"
    (finding,) = scan_links({"SKILL.md": "# Plan\n", "phases/01-plan.md": links}).findings
    assert (finding.message[:19], len(finding.locations)) == ("Links with `../` in", 2)


def test_links_out_of_the_skill_have_the_cause_that_they_name():
    links = "# Plan\n\n- [one](../one/SKILL.md)\n- [two](../two/SKILL.md)\n- [two](../two/more.md)\n"
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "skills/plan/SKILL.md": links}
    (case,) = list_project_cases(spec_005_broken_link, files)
    findings = scan(case, [spec_005_broken_link]).findings
    assert sorted((len(f.locations), f.message) for f in findings) == [
        (1, "The link target `../one/SKILL.md` does not exist."),
        (2, "The folder `skills/two` does not exist."),
    ]


def test_line_with_a_cause_twice_is_one_place():
    (finding,) = scan_links({"SKILL.md": "# A\n\n[a](x/a.md), or [a](x/a.md).\n"}).findings
    assert list_locations(finding) == ["SKILL.md:8"]


def test_wrong_name_is_one_finding_in_all_files():
    call = '```js\nTask({{ subagent_type: "general-purpos", prompt: "{}" }})\n```\n'
    files = {"SKILL.md": f"# A\n\n{call.format('Look.')}", "phases/01-b.md": f"# B\n\n{call.format('List.')}"}
    (finding,) = scan(make_example_case(files), [agt_007_unknown_type]).findings
    assert list_locations(finding) == ["SKILL.md:9", "phases/01-b.md:4"]


def test_score_counts_a_cause_once():
    issues = make_issues(scan_links(SKILL_WITH_MISSING_FOLDER))
    assert [len(issue.locations) for issue in issues] == [5]
    assert compute_score(issues) == 95


def test_evidence_names_all_places_then_the_rest():
    (issue,) = make_issues(scan_links(SKILL_WITH_MISSING_FOLDER))
    assert issue.evidence[0] == "Read [one](references/one.md)."
    assert issue.evidence[3] == "specs/all.md:3: - [one](../references/one.md)"
    assert issue.further_evidence == ()
    assert issue.location.file == issue.places[0].file == "SKILL.md"


def test_suppressed_place_is_not_listed():
    skill_with_comment = SKILL_WITH_MISSING_FOLDER | {
        "specs/all.md": SKILL_WITH_MISSING_FOLDER["specs/all.md"].replace(
            "- [one", "<!-- tune-skill: ignore SPEC-005 -->\n- [one"
        )
    }
    result = scan_links(skill_with_comment)
    open_finding, suppressed = sorted(result.findings, key=lambda f: f.suppressed_by is not None)
    assert list_locations(open_finding) == ["SKILL.md:8", "SKILL.md:10", "phases/01-plan.md:3", "specs/all.md:5"]
    assert (list_locations(suppressed), suppressed.suppressed_by) == (["specs/all.md:4"], "comment in specs/all.md:3")


def test_file_of_per_file_ignores_has_no_place():
    result = scan_links(SKILL_WITH_MISSING_FOLDER, exemptions=(Exemption("tune-skill.toml", "specs/*", ("SPEC-005",)),))
    assert [list_locations(f) for f in result.open] == [["SKILL.md:8", "SKILL.md:10", "phases/01-plan.md:3"]]


def test_baseline_suppresses_the_places_that_it_lists():
    (finding,) = scan_links(SKILL_WITH_MISSING_FOLDER).findings
    baseline = make_baseline(finding, is_whole=False)
    assert scan_links(SKILL_WITH_MISSING_FOLDER, baseline=baseline).open == ()
    skill_with_new_link = SKILL_WITH_MISSING_FOLDER | {
        "SKILL.md": SKILL_WITH_MISSING_FOLDER["SKILL.md"] + "\nAnd [four](references/four.md).\n"
    }
    (open_finding,) = scan_links(skill_with_new_link, baseline=baseline).open
    assert (list_locations(open_finding), open_finding.message) == (
        ["SKILL.md:12"],
        "The link target `references/four.md` does not exist.",
    )


def test_baseline_of_version_1_suppresses_all_places_of_its_causes():
    (finding,) = scan_links(SKILL_WITH_MISSING_FOLDER).findings
    result = scan_links(SKILL_WITH_MISSING_FOLDER, baseline=make_baseline(finding, is_whole=True))
    assert result.open == ()
    assert list_unused_messages(result) == []


def test_fingerprint_is_that_of_the_first_place_in_its_file():
    """Earlier versions had a finding per file and target; their baselines and alerts contain these fingerprints."""
    text = "# A\n\nSee [c](c.md).\n\nSee [c](c.md), [a](a.md).\n\nSee [c](c.md), [a](a.md).\n"
    first = {f.message: f for f in scan_links({"SKILL.md": text}).findings}
    result = scan_links({"SKILL.md": text.replace("[c](c.md)", "c")})
    only_a = next(f for f in result.findings)
    assert len({p.fingerprint for f in first.values() for p in f.locations}) == 5
    first_finding = first["The link target `a.md` does not exist."]
    assert list_locations(first_finding) == list_locations(only_a) == ["SKILL.md:10", "SKILL.md:12"]
    key = ("SPEC-005", "SKILL.md", normalize_text("See [c](c.md), [a](a.md)."), "0")
    assert first_finding.fingerprint == scan_module.compute_fingerprint(*key)


def test_issue_keeps_its_id_while_one_of_its_places_is_left():
    old = make_issues(scan_links(SKILL_WITH_MISSING_FOLDER))
    files_with_one_place = {"SKILL.md": "# Plan\n", "phases/01-plan.md": SKILL_WITH_MISSING_FOLDER["phases/01-plan.md"]}
    (new,) = make_issues(scan_links(files_with_one_place), old)
    assert (old[0].id, new.id) == ("ISS-001", "ISS-001")
    assert new.description != old[0].description


def test_issue_merged_into_another_is_covered():
    """A state from an earlier version has an issue per file."""
    (joined_issue,) = make_issues(scan_links(SKILL_WITH_MISSING_FOLDER))
    by_file = [
        issue
        for n, path in enumerate(SKILL_WITH_MISSING_FOLDER, 1)
        for place in [next(p for p in joined_issue.places if p.file == path)]
        for issue in [replace(joined_issue, id=f"ISS-00{n}", fingerprint=place.fingerprint, locations=())]
    ]
    new_issues = make_issues(scan_links(SKILL_WITH_MISSING_FOLDER), by_file)
    statuses = {i.id: (i.status, i.suppressed_by) for i in update_issues(by_file, new_issues, {"SPEC-005"})}
    covered_status = (IssueStatus.SUPPRESSED, "ISS-001")
    assert statuses == {"ISS-001": (IssueStatus.OPEN, None), "ISS-002": covered_status, "ISS-003": covered_status}


def test_patterns_that_report_the_same_places_are_one_fault():
    files = {
        "SKILL.md": "# A\n\nRead [`references/grade.md`](references/grade.md).\n",
        "references/grades.md": "# Grades\n",
    }
    issues = make_issues(scan(make_example_case(files), [spec_005_broken_link, df_009_missing_reference]))
    assert sorted(i.status for i in issues) == ["open", "suppressed"]


def test_issue_with_fewer_places_is_covered():
    files = {
        "SKILL.md": "# A\n\nRead [`references/grade.md`](references/grade.md).\n\nGrade by `references/grade.md`.\n",
        "references/grades.md": "# Grades\n",
    }
    issues = make_issues(scan(make_example_case(files), [spec_005_broken_link, df_009_missing_reference]))
    assert {i.pattern: (len(i.places), i.status) for i in issues} == {
        "DF-009": (2, "open"),
        "SPEC-005": (1, "suppressed"),
    }


def test_issue_with_a_place_of_its_own_is_not_covered():
    files = {
        "SKILL.md": "# A\n\nRead [`references/grade.md`](references/grade.md).\n\nGrade by `references/scal.md`.\n",
        "phases/01-b.md": "# B\n\nSee `references/grade.md`, then [it](../references/grade.md).\n\nSee [it](../references/grade.md).\n",
        "phases/02-c.md": "# C\n\nSee `references/grade.md`.\n",
        "references/grades.md": "# Grades\n",
    }
    issues = make_issues(scan(make_example_case(files), [spec_005_broken_link, df_009_missing_reference]))
    statuses = {i.pattern: i.status for i in issues if any("grade" in location.quote for location in i.places)}
    assert statuses == {"DF-009": "open", "SPEC-005": "open"}


def make_finding(file, cause, folder="", severity=Severity.LOW, by=None, *, is_shared=False):
    finding = Finding(
        file, 1, f"`{cause}` is missing.", 1, severity=severity, cause=cause, folder=folder, is_shared=is_shared
    )
    return locate_finding(replace(finding, pattern=Pattern("PRJ-012"), suppressed_by=by))


def join_units(*units):
    """Return the issues of units, given as (folder, findings) pairs, after findings with the same cause were joined."""
    issues = [[(f, make_issue(f, f"ISS-{n:03d}")) for n, f in enumerate(findings)] for _, findings in units]
    shared_issues = [
        SharedIssue(n, units[n][0] or "", issue, cause)
        for n, pairs in enumerate(issues)
        for finding, issue in pairs
        if issue.status is IssueStatus.OPEN
        and (cause := find_shared_cause(finding, UnitKind.SKILL if units[n][0] else UnitKind.MEMORY))
    ]
    merged_issues = merge_issues(shared_issues)
    return [[merged_issues.get((n, issue.id), issue) for _, issue in pairs] for n, pairs in enumerate(issues)]


def test_units_of_a_project_share_a_finding():
    first, second = (
        [make_finding("AGENTS.md", "a.md")],
        [make_finding("CLAUDE.md", "b.md"), make_finding("CLAUDE.md", "a.md")],
    )
    (joined_issue,), other_issues = join_units((None, first), (None, second))
    assert list_locations(joined_issue) == ["AGENTS.md:1", "CLAUDE.md:1"]
    assert [issue.suppressed_by for issue in other_issues] == [None, "the same cause as AGENTS.md:1"]


def test_unit_with_the_worst_finding_of_a_cause_keeps_it():
    units = [make_finding("a.md", "x")], [make_finding("b.md", "x", severity=Severity.HIGH)]
    (covered_issue,), (joined_issue,) = join_units(*((None, findings) for findings in units))
    assert (joined_issue.severity, list_locations(joined_issue)) == (Severity.HIGH, ["b.md:1", "a.md:1"])
    assert covered_issue.suppressed_by == "the same cause as b.md:1"


def test_folder_is_the_cause_across_units():
    units = [make_finding("a.md", "docs/x.md", "docs")], [make_finding("b.md", "docs/y.md", "docs")]
    (joined_issue,), _ = join_units(*((None, findings) for findings in units))
    assert (joined_issue.description, list_locations(joined_issue)) == (
        "The folder `docs` does not exist.",
        ["a.md:1", "b.md:1"],
    )


def test_skills_share_a_missing_file_outside_of_them():
    first_finding, other_finding = (make_finding("SKILL.md", "docs/x.md", "docs", is_shared=True) for _ in range(2))
    (joined_issue,), (covered_issue,) = join_units(("skills/a", [first_finding]), ("skills/b", [other_finding]))
    assert (list_locations(joined_issue), joined_issue.status) == (["SKILL.md:1", "../b/SKILL.md:1"], IssueStatus.OPEN)
    assert joined_issue.evidence == ("", "../b/SKILL.md:1: ")
    assert (covered_issue.status, covered_issue.suppressed_by) == (
        IssueStatus.SUPPRESSED,
        "the same cause as skills/a/SKILL.md:1",
    )


def test_skills_share_no_missing_file_inside_of_them():
    units = [
        ("skills/a", [make_finding("SKILL.md", "docs/x.md")]),
        ("skills/b", [make_finding("SKILL.md", "docs/x.md")]),
    ]
    assert [issue.status for (issue,) in join_units(*units)] == [IssueStatus.OPEN] * 2


@pytest.mark.parametrize(
    "finding", [make_finding("a.md", "x", by="ignore"), make_finding("a.md", ""), make_finding("a.md", "y")]
)
def test_other_findings_are_not_joined_with_a_cause(finding):
    other_finding = make_finding("b.md", "x")
    assert merge_by_cause([finding, other_finding]) == [finding, other_finding]
    assert [
        len(issue.places) for findings in join_units((None, [finding]), (None, [other_finding])) for issue in findings
    ] == [1, 1]


def test_finding_without_a_cause_is_not_joined():
    findings = [make_finding("a.md", ""), make_finding("a.md", "")]
    assert len(set(find_causes(findings))) == 2


def test_limit_counts_causes_and_not_places(monkeypatch):
    monkeypatch.setattr(scan_module, "MAX_CAUSES", 3)
    links = "".join(f"[b](b{n}.md)\n\n" for n in range(2))
    body = "".join(f"[a](x/{n % 7}.md)\n\n" for n in range(40)) + "[b](b.md)\n\n## Related\n\n" + links
    result = scan(make_case(body), [spec_005_broken_link])
    assert [len(f.locations) for f in result.findings] == [40, 1, 1]
    assert result.truncation_notes == ("SPEC-005: more than 3 findings; the others are not listed",)
