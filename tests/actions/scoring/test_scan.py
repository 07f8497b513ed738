"""Test the scan: stable fingerprints, suppression by comments, and a failing pattern that affects no other."""

import pytest

import actions.scoring.scan as scan_module
from actions.case import Case
from actions.scoring.issues import make_issues, update_issues
from actions.scoring.scan import scan
from actions.skill import parse_skill
from schemas.vocabulary import IssueStatus
from tests.fakes import install_catalogue, install_word_catalogue, list_unused_messages, make_case, make_pattern

TWO_FAULTS = "One FIXABLE.\n\nA RISKY there.\n"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_word_catalogue(monkeypatch)


def map_fingerprints(body, **files):
    return {f.pattern.id: f.fingerprint for f in scan(make_case(body, **files)).findings}


def test_fingerprint_survives_moved_lines_and_white_space():
    assert map_fingerprints(TWO_FAULTS) == map_fingerprints(
        "Some words.\n\nMore words.\n\n  A   RISKY  there.\n\nOne FIXABLE.\n"
    )


def test_fingerprint_changes_with_file_and_text():
    fingerprint = map_fingerprints(TWO_FAULTS)["AGT-001"]
    assert fingerprint != map_fingerprints("One other FIXABLE.\n")["AGT-001"]
    assert (
        fingerprint
        != map_fingerprints("See [more](references/more.md).\n", references__more="One FIXABLE.\n")["AGT-001"]
    )


def test_fingerprints_of_equal_lines_in_one_file_differ():
    findings = scan(make_case("One FIXABLE.\n\nOne FIXABLE.\n")).findings
    assert len({f.fingerprint for f in findings}) == 2


def test_scan_orders_by_severity_then_place(monkeypatch):
    install_catalogue(
        monkeypatch,
        [
            make_pattern("AGT-001", "low", impact=("easy",)),
            make_pattern("CTX-001", "worst", impact=("blocks", "loses")),
        ],
        [],
    )
    findings = scan(make_case("low\n\nworst\n\nlow worst\n")).findings
    assert [f.pattern.id for f in findings] == ["CTX-001", "CTX-001", "AGT-001", "AGT-001"]
    assert [f.line for f in findings] == sorted(f.line for f in findings[:2]) + sorted(f.line for f in findings[2:])


@pytest.mark.parametrize(
    "body",
    [
        "<!-- tune-skill: ignore AGT-001 we want it -->\nOne FIXABLE.\n",
        "<!-- tune-skill: ignore AGT-001 -->\n\nOne FIXABLE.\n",
        "One FIXABLE. <!-- tune-skill: ignore AGT-001 fine -->\n",
        "<!-- Tune-Skill: Ignore agt-001 -->\nOne FIXABLE.\n",
        "<!-- tune-skill: ignore AGT-001: a -> b -->\nOne FIXABLE.\n",
        "<!-- tune-skill: ignore CTX-001, AGT-001 both -->\nOne FIXABLE.\n",
        "<!-- tune-skill: ignore AGT-001 -->\n```\none\nOne FIXABLE.\n```\n",
        "```js\n// tune-skill: ignore AGT-001 we want it\nOne FIXABLE.\n```\n",
        "```bash\nOne FIXABLE.  # tune-skill: ignore AGT-001\n```\n",
        "```html\n<!-- tune-skill: ignore AGT-001 -->\nOne FIXABLE.\n```\n",
    ],
)
def test_comment_suppresses_on_its_line_and_the_next_with_text(body):
    (finding,) = scan(make_case(body)).findings
    assert finding.suppressed_by is not None
    assert finding.suppressed_by.startswith("comment in SKILL.md:")
    assert scan(make_case(body)).open == ()


@pytest.mark.parametrize(
    "body",
    [
        "<!-- tune-skill: ignore CTX-001 another -->\nOne FIXABLE.\n",
        "<!-- tune-skill: ignore AGT-001 -->\nSomething else.\nOne FIXABLE.\n",
        "# tune-skill: ignore AGT-001\n\nOne FIXABLE.\n",
        "<!-- tune-skill: ignore -->\nOne FIXABLE.\n",
    ],
)
def test_comment_elsewhere_suppresses_nothing(body):
    assert [f.pattern.id for f in scan(make_case(body)).open] == ["AGT-001"]


def test_comment_in_frontmatter_also_covers_the_opening_line(monkeypatch):
    def list_open(text):
        return [(f.line, f.pattern.id) for f in scan(Case(parse_skill("plover", {"SKILL.md": text.encode()}))).open]

    note = "# tune-skill: ignore AGT-001\n"
    assert list_open(f"---\nname: plover\n{note}other: FIXABLE\n---\n\nOne FIXABLE.\n") == [(7, "AGT-001")]
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "---")], [])
    assert list_open(f"---\n{note}name: plover\n---\n") == [(4, "AGT-001")]


def test_unused_suppression_is_reported_with_its_place():
    result = scan(make_case("<!-- tune-skill: ignore AGT-001 old -->\nNothing here.\n"))
    assert list_unused_messages(result) == ["SKILL.md:8: ignore AGT-001 matches no finding"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("AGT-01", "no such pattern; did you mean AGT-001?"),
        ("ATG-001", "no such pattern; did you mean AGT-001?"),
        ("AGT-099", "no such pattern; write ids such as CTX-003, separated by commas"),
        ("AGT", "no such pattern; write ids such as CTX-003, separated by commas"),
    ],
)
def test_suppression_of_an_unknown_id_suggests_a_similar_one(code, reason):
    result = scan(make_case(f"<!-- tune-skill: ignore {code} old -->\nOne FIXABLE.\n"))
    assert list_unused_messages(result) == [f"SKILL.md:8: ignore {code.upper()}: {reason}"]
    assert len(result.open) == 1


def test_comment_without_a_comma_reads_the_second_id_as_reason():
    result = scan(make_case("<!-- tune-skill: ignore AGT-001 CTX-001 -->\nOne FIXABLE, one RISKY.\n"))
    assert [f.pattern.id for f in result.open] == ["CTX-001"]
    message = "CTX-001 is read as the reason; add a comma before it to ignore it too"
    assert list_unused_messages(result) == [f"SKILL.md:8: {message}"]


@pytest.mark.parametrize("comment", ["<!-- tune-skill: ignore AGT-001", "<!-- tune-skill: ignore AGT-001\nold -->"])
def test_comment_without_an_end_is_reported_and_ignores_nothing(comment):
    result = scan(make_case(f"One FIXABLE.\n\n{comment}\n\nOne FIXABLE.\n"))
    assert list_unused_messages(result) == ["SKILL.md:10: this comment does not end on its line; add -->"]
    assert len(result.open) == 2


def test_comment_shown_in_a_fence_is_reported_only_if_it_applies():
    fence = "```md\n<!-- tune-skill: ignore AGT-001 -->\n{}<!-- tune-skill: ignroe AGT-001 -->\n```\n"
    assert list_unused_messages(scan(make_case(fence.format("")))) == []
    result = scan(make_case(fence.format("One FIXABLE.\n")))
    assert list_unused_messages(result) == [] and result.open == ()
    code = "```js\n// tune-skill: ignore AGT-001\n```\n"
    assert list_unused_messages(scan(make_case(code))) == ["SKILL.md:9: ignore AGT-001 matches no finding"]


def test_heading_about_tuning_is_not_a_comment():
    assert (
        list_unused_messages(scan(make_case("# Tune skills\n\n```sh\n# tuned skills ignore the rest\nls\n```\n"))) == []
    )


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- tune-skill: ignroe AGT-001 -->",
        "<!-- tune-skill: ignore -->",
        "<!-- tune-skill: skip CTX-001 -->",
        "<!-- tune-skill ignore AGT-001 -->",
        "<!-- Tune_Skill: Ignore AGT-001 -->",
        "<!-- tune-skil: ignore AGT-001 -->",
    ],
)
def test_malformed_comment_is_reported(comment):
    message = "SKILL.md:8: not a tune-skill comment; write `tune-skill: ignore ID`"
    assert list_unused_messages(scan(make_case(f"{comment}\nOne FIXABLE.\n"))) == [message]


def test_unused_suppressions_beyond_a_limit_are_counted():
    messages = list_unused_messages(
        scan(make_case("".join(f"<!-- tune-skill: ignore CTX-{n} -->\nOne.\n" for n in range(200, 303))))
    )
    assert messages[99].startswith("SKILL.md:206: ignore CTX-299: no such pattern")
    assert messages[100:] == ["3 more suppressions have no effect"]


def test_scan_names_a_pattern_that_fails_alone(monkeypatch):
    failing_pattern = make_pattern("CTX-001", "x")
    failing_pattern.check = lambda case: 1 / 0
    install_catalogue(monkeypatch, [failing_pattern, make_pattern("AGT-001", "FIXABLE")], [])
    result = scan(make_case(TWO_FAULTS))
    assert dict(result.failed) == {"CTX-001": "ZeroDivisionError: division by zero"}
    assert [f.pattern.id for f in result.findings] == ["AGT-001"]


def test_hostile_comment_is_scanned_quickly():
    body = "<!-- tune-skill: ignore " + "AGT-001, " * 20_000 + "\n"
    assert scan(make_case(body)).findings == ()


def test_scan_limits_the_findings_of_a_pattern_and_says_so(monkeypatch):
    assert scan(make_case("One FIXABLE.\n" * 3)).truncation_notes == ()
    monkeypatch.setattr(scan_module, "MAX_CAUSES", 2)
    result = scan(make_case("One FIXABLE.\n" * 3))
    assert [finding.line for finding in result.findings] == [8, 9]
    assert result.truncation_notes == ("AGT-001: more than 2 findings; the others are not listed",)


def make_ignored_lines(*words):
    return "".join(f"<!-- tune-skill: ignore AGT-001 -->\n\nOne {word}.\n\n" for word in words)


def test_suppressed_findings_do_not_hide_open_ones(monkeypatch):
    monkeypatch.setattr(scan_module, "MAX_CAUSES", 2)
    result = scan(make_case(make_ignored_lines(*["FIXABLE"] * 4, "gull") + "\nThe last FIXABLE.\n"))
    assert [finding.quote for finding in result.open] == ["The last FIXABLE."]
    assert (len(result.findings), result.truncated) == (3, ("AGT-001",))
    assert [message.partition(":")[0] for message in list_unused_messages(result)] == ["SKILL.md"]


def test_truncated_pattern_lists_known_issues_beyond_the_limit(monkeypatch):
    case = make_case("".join(f"FIXABLE {n}.\n\n" for n in range(9)))
    known_issues = make_issues(scan(case))[5:7]
    monkeypatch.setattr(scan_module, "MAX_CAUSES", 2)
    result = scan(case, known=known_issues)
    assert [finding.quote for finding in result.findings] == ["FIXABLE 0.", "FIXABLE 1.", "FIXABLE 5.", "FIXABLE 6."]
    assert (result.truncated, result.unsearched) == (("AGT-001",), frozenset())
    result_after_fix = scan(make_case("".join(f"FIXABLE {n}.\n\n" for n in range(9) if n != 5)), known=known_issues)
    assert [finding.quote for finding in result_after_fix.findings] == ["FIXABLE 0.", "FIXABLE 1.", "FIXABLE 6."]
    assert result_after_fix.list_conclusive(["AGT-001"]) == {"AGT-001"}


def test_issue_is_not_resolved_if_the_search_ended_before_it(monkeypatch):
    case = make_case("".join(f"FIXABLE {n}.\n\n" for n in range(9)))
    known_issues = make_issues(scan(case))[7:]
    monkeypatch.setattr(scan_module, "MAX_CAUSES", 2)
    monkeypatch.setattr(scan_module, "MAX_COMPARED_CAUSES", 4)
    result = scan(case, known=known_issues)
    issues = update_issues(known_issues, make_issues(result, known_issues), result.list_conclusive(["AGT-001"]))
    assert result.unsearched == {"AGT-001"}
    assert {i.status for i in issues} == {IssueStatus.OPEN}
