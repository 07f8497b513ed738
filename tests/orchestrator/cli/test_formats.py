"""Test the output formats of `diagnose` (text, Markdown, SARIF) and the effect of settings and --jobs."""

import json
import os
import sys
from pathlib import Path

import jsonschema
import pytest

import schemas
from orchestrator import model as judges
from orchestrator.cli.output.formats import sarif
from orchestrator.cli.output.registry import load_formats
from orchestrator.cli.output.results import RunResult
from orchestrator.model import JudgeAccess
from tests.fakes import SKILL_HEADER, install_catalogue, make_model_pattern, make_pattern, write_skill
from tests.judges import ScriptedJudge, add_finding, make_reading

SARIF = json.loads((Path(__file__).parents[2] / "data" / "sarif" / "sarif-2.1.0-rtm.5.json").read_text())
HOSTILE = "FIXABLE | <img src=x> [click](http://evil.test) \x1b[31m `tick` ![x](y) ::error:: %0A"


def parse_sarif(out):
    log = json.loads(out)
    jsonschema.Draft4Validator(SARIF).validate(log)
    return log["runs"][0]


def test_sarif_matches_the_official_schema(project_of_three_skills, diagnose):
    code, out, _ = diagnose("skills", "--format", "sarif")
    run = parse_sarif(out)
    assert code == 1
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert set(rules) == {"AGT-001", "CTX-001", "MEM-001", "TKN-001", "DF-001"}
    assert "Fix it." in rules["AGT-001"]["help"]["text"]
    (first_result,) = run["results"]
    assert (first_result["ruleId"], first_result["level"]) == ("AGT-001", "error")
    location = first_result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "skills/plover/SKILL.md", "uriBaseId": "PROJECT"}
    assert location["region"] == {"startLine": 8, "endLine": 8, "snippet": {"text": "FIXABLE walks."}}
    assert run["tool"]["driver"]["rules"][first_result["ruleIndex"]]["id"] == "AGT-001"
    assert run["originalUriBaseIds"]["PROJECT"]["uri"] == f"{project_of_three_skills.as_uri()}/"
    assert run["invocations"][0]["executionSuccessful"] is False
    assert "not UTF-8" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_sarif_leaves_out_the_least_severe_findings(project_of_three_skills, diagnose, monkeypatch):
    monkeypatch.setattr(sarif, "_MAX_RESULTS", 1)
    file = project_of_three_skills / "skills" / "plover" / "SKILL.md"
    file.write_text(SKILL_HEADER + "RISKY waits.\n\nFIXABLE walks.\n")
    (project_of_three_skills / "tune-skill.toml").write_text('[severity]\nCTX-001 = "low"')
    run = parse_sarif(diagnose("skills", "--format", "sarif")[1])
    assert [result["ruleId"] for result in run["results"]] == ["AGT-001"]
    texts = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert "1 of 2 findings are left out: code scanning accepts 1" in texts


def test_sarif_leaves_out_suppressed_findings(project_of_three_skills, diagnose):
    results = parse_sarif(diagnose("skills", "--format", "sarif")[1])["results"]
    assert [result["ruleId"] for result in results] == ["AGT-001"], "CTX-001 is suppressed by a comment"
    diagnose("skills", "--write-baseline", "known.json")
    assert parse_sarif(diagnose("skills", "--baseline", "known.json", "--format", "sarif")[1])["results"] == []


@pytest.mark.parametrize(
    ("level", "sarif_level"), [("critical", "error"), ("high", "error"), ("medium", "warning"), ("low", "note")]
)
def test_sarif_levels_follow_the_severity(project_of_three_skills, diagnose, level, sarif_level):
    (project_of_three_skills / "tune-skill.toml").write_text(f'[severity]\nAGT-001 = "{level}"')
    (result,) = parse_sarif(diagnose("skills/plover", "--format", "sarif")[1])["results"]
    assert (result["level"], result["properties"]["severity"]) == (sarif_level, level)


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS takes only names in UTF-8")
def test_sarif_handles_a_folder_name_that_is_not_utf_8(project_of_three_skills, diagnose):
    (project_of_three_skills / "skills/plover").rename(
        os.fsdecode(os.fsencode(project_of_three_skills / "skills") + b"/\xff"),
    )
    addresses = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in parse_sarif(diagnose("skills", "--format", "sarif")[1])["results"]
    ]
    assert "skills/%FF/SKILL.md" in addresses


def test_sarif_paths_outside_the_project_start_at_the_skill(project_of_three_skills, diagnose, tmp_path_factory):
    folder = tmp_path_factory.mktemp("far") / "a plover"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL_HEADER + "FIXABLE.\n")
    run = parse_sarif(diagnose(folder, "--format", "sarif")[1])
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "SKILL.md",
        "uriBaseId": "SKILL-1",
    }
    assert run["originalUriBaseIds"]["SKILL-1"]["uri"] == f"{folder.as_uri()}/"


def test_fingerprints_survive_line_moves(project_of_three_skills, diagnose):
    def read_fingerprints():
        run = parse_sarif(diagnose("skills/plover", "--format", "sarif")[1])
        return [result["partialFingerprints"] for result in run["results"]]

    before = read_fingerprints()
    file = project_of_three_skills / "skills" / "plover" / "SKILL.md"
    file.write_text(file.read_text().replace("# Plover\n", "# Plover\n\nMany words.\n\nMore words.\n"))
    assert read_fingerprints() == before


@pytest.mark.parametrize("format_", ["text", "markdown", "sarif", "json"])
def test_hostile_text_is_escaped_in_each_format(project_of_three_skills, diagnose, format_):
    (project_of_three_skills / "skills" / "plover" / "SKILL.md").write_text(SKILL_HEADER + HOSTILE + "\n")
    _, out, _ = diagnose("skills/plover", "--format", format_)
    assert "\x1b" not in out
    if format_ == "markdown":
        (line,) = [line.strip() for line in out.splitlines() if "<img" in line]
        assert line.startswith("- ``FIXABLE")
        assert line.endswith("``")
    if format_ == "sarif":
        parse_sarif(out)


@pytest.mark.parametrize("format_", ["concise", "full", "markdown", "json"])
def test_folder_name_is_printed_safely(project_of_three_skills, diagnose, format_):
    name = "a\x1b]0;pwn\x07\u202eb"
    (project_of_three_skills / "skills" / "plover").rename(project_of_three_skills / "skills" / name)
    _, out, err = diagnose(f"skills/{name}", "--format", format_)
    assert "fixable" in out or format_ in ("full", "markdown")
    assert not {"\x1b", "\x07", "\u202e"} & set(out + err)


def test_full_shows_place_line_and_advice_once(project_of_three_skills, diagnose):
    lines = diagnose("skills/plover", "--format", "full")[1].splitlines()
    text = "\n".join(lines)
    assert "plover  score 92, gate pass  (1 high)" in lines
    assert "high  AGT-001  FIXABLE  (proven)" in lines
    assert "    SKILL.md:8\n      | FIXABLE walks." in text
    assert text.count("Instead: Fix it.") == 1
    assert "suppressed: 1 (comment in SKILL.md:10)" in lines


def test_concise_finding_has_a_relative_path(project_of_three_skills, diagnose, monkeypatch):
    lines = diagnose("skills/plover")[1].splitlines()
    assert lines[0] == "skills/plover/SKILL.md:8: high AGT-001 [*] This line says FIXABLE."
    assert lines[-2] == (
        "plover: score 92, gate pass, 1 finding (1 high), 1 suppressed, 1 fixable [*]: tune-skill run skills/plover"
    )
    monkeypatch.chdir(project_of_three_skills / "skills" / "gull")
    assert diagnose("../plover")[1].startswith("../plover/SKILL.md:8: ")
    assert diagnose(".")[1] == "gull: score 100, gate pass, 0 findings\n"


def test_concise_groups_equal_findings(project_of_three_skills, diagnose):
    (project_of_three_skills / "skills" / "plover" / "SKILL.md").write_text(SKILL_HEADER + "FIXABLE walks.\n\n" * 7)
    first, last, *_ = diagnose("skills/plover")[1].splitlines()
    assert first.endswith("(7 places)")
    assert "7 findings (7 high; only the first 3 of each pattern count)" in last


def test_concise_counts_findings_above_the_limit(project_of_three_skills, diagnose, monkeypatch):
    monkeypatch.setattr("orchestrator.cli.output.formats.concise._MAX_FINDINGS", 1)
    (project_of_three_skills / "skills" / "plover" / "SKILL.md").write_text(
        SKILL_HEADER + "FIXABLE walks.\n\nRISKY waits.\n\nRISKY sits.\n"
    )
    lines = diagnose("skills/plover")[1].splitlines()
    assert lines[0] == "skills/plover/SKILL.md:8: high AGT-001 [*] This line says FIXABLE."
    assert lines[1] == "… and 2 more CTX-001, none of higher severity: --format full lists all"


@pytest.mark.parametrize("columns", [80, 120])
def test_text_is_not_wider_than_the_terminal(project_of_three_skills, diagnose, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    file = project_of_three_skills / "skills" / "plover" / "SKILL.md"
    file.write_text(SKILL_HEADER + "\n\n".join(f"FIXABLE {n} " + "很长的一行，" * 40 + "word " * 40 for n in range(9)))
    monkeypatch.chdir(project_of_three_skills / "skills")
    lines = diagnose("plover", "--format", "full")[1].splitlines()
    widths = [sum(1 + (ord(c) > 0x2E80) for c in line) for line in lines]
    assert max(widths) <= columns
    assert any("…" in line for line in lines)
    assert any("SKILL.md:24" in line for line in lines), "a place after the fifth is missing"


def test_concise_lists_equal_findings_of_several_skills_once(project_of_three_skills, diagnose):
    for name in ("plover", "gull"):
        (project_of_three_skills / "skills" / name / "SKILL.md").write_text(SKILL_HEADER + "FIXABLE walks.\n")
    code, out, err = diagnose("skills")
    assert code == 1
    assert [line for line in out.splitlines() if "FIXABLE" in line] == [
        "skills/gull/SKILL.md:8: high AGT-001 [*] This line says FIXABLE. (also skills/plover/SKILL.md:8)"
    ]
    assert "score" not in out, "a unit that passes the gate has a line of its own"
    assert "1 finding of medium severity or worse" in err


def test_several_skills_end_with_a_summary(project_of_three_skills, diagnose):
    code, out, err = diagnose("skills")
    assert code == 1
    assert out.splitlines()[-3:] == [
        "3 skills: 1 without findings, 1 with high findings, 1 unreadable",
        "1 finding can be fixed [*]: tune-skill run skills/plover",
        "To read about a pattern: tune-skill patterns AGT-001",
    ]
    assert "wreck" in err


def test_concise_counts_units_with_unparsed_code(project_of_three_skills, diagnose):
    fence = "```bash\n" + "a |\n" * 300 + "```\n"
    for name in ("gull", "wreck"):
        text = f"{SKILL_HEADER.replace('plover', name)}Count.\n\n{fence}"
        (project_of_three_skills / "skills" / name / "SKILL.md").write_text(text)
    lines = diagnose("skills")[1].splitlines()
    assert [line for line in lines if "not parsed" in line] == [
        "Some code of 2 units was not parsed; --format full says why."
    ]
    for arguments in (["skills", "--format", "full"], ["skills/gull"]):
        assert "not parsed, too long or too deeply nested: SKILL.md:" in diagnose(*arguments)[1]


def test_markdown_lists_skills_places_and_advice(project_of_three_skills, diagnose):
    _, out, _ = diagnose("skills", "--format", "markdown")
    assert (
        "**Fails:** 1 finding of medium severity or worse (--fail-on): skills/plover/SKILL.md:8 AGT-001; 1 unit" in out
    )
    assert "| `skills/wreck` | **yes:** not read |" in out
    assert "| plover | **yes:** high AGT-001 in SKILL.md:8 | 92 | pass | 0 | 1 | 0 | 0 |" in out
    assert "**fails** (high AGT-001 in SKILL.md:8), score 92, gate **pass**" in out
    assert "- `SKILL.md:8` This line says FIXABLE. (proven)" in out
    assert "Instead: Fix it." in out
    assert "**Not read.**" in out


def test_markdown_begins_with_why_the_command_fails(project_of_three_skills, diagnose):
    (project_of_three_skills / "skills" / "wreck" / "SKILL.md").write_text(SKILL_HEADER + "All is well.\n")
    _, out, err = diagnose("skills", "--format", "markdown")
    _, failure = err.splitlines()[-1].split("tune-skill: ")
    assert out.startswith(f"# Diagnosis\n\n**Fails:** {failure}.\n\n| Skill | Fails |")
    assert "| plover | no | 92 | pass |" in diagnose("skills", "--format", "markdown", "--fail-on", "never")[1]
    assert "| plover | no | 92 | pass |" in diagnose("skills", "--format", "markdown", "--fail-on", "gate")[1]


def test_markdown_without_findings_has_no_table(project_of_three_skills, diagnose):
    for name in ("plover", "wreck"):
        (project_of_three_skills / "skills" / name / "SKILL.md").write_text(SKILL_HEADER + "All is well.\n")
    assert diagnose("skills", "--format", "markdown")[1].startswith("# Diagnosis\n\n3 without a finding.\n")


READER, HARM = "a wise [model]", "The birds | are lost."


@pytest.fixture
def model_that_reports(monkeypatch):
    """Install a model that reports the pattern TERN, which has no check."""
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "FIXABLE"), make_model_pattern("CTX-009", "TERN")], [])
    reading = make_reading(added=[add_finding("FIXABLE walks.", pattern="CTX-009", harm=HARM)])
    judge = ScriptedJudge({"reading": reading}, name=READER)
    monkeypatch.setattr(
        judges, "choose_judge", lambda options, say, **_: JudgeAccess(judge if options.judge == "sdk" else None)
    )


def test_model_finding_shows_model_and_reason(project_of_three_skills, model_that_reports, diagnose):
    _, lines, _ = diagnose("skills/plover", "--judge", "sdk")
    assert "skills/plover/SKILL.md:8: high CTX-009 No line says who pays the ferry. (read by a wise [model])\n" in lines
    _, text, _ = diagnose("skills/plover", "--judge", "sdk", "--format", "full")
    assert "high  AGT-001  FIXABLE  (proven)\n" in text
    assert "high  CTX-009  TERN  (read)\n" in text
    assert "      read by a wise [model]: The birds | are lost.\n" in text
    _, markdown, _ = diagnose("skills/plover", "--judge", "sdk", "--format", "markdown")
    assert r"(read by a wise \[model\]: The birds \| are lost.)" in markdown
    row = json.loads(diagnose("skills/plover", "--judge", "sdk", "--format", "json")[1])
    schemas.check("diagnose", row)
    read_by = {"name": READER, "reason": HARM, "looked_up": [], "from_knowledge": False, "explains_complaint": False}
    assert {i["pattern"]: (i["grade"], i["source"], i["read_by"]) for i in row["issues"]} == {
        "AGT-001": ("proven", "parser", None),
        "CTX-009": ("read", "sdk", read_by),
    }
    run = parse_sarif(diagnose("skills/plover", "--judge", "sdk", "--format", "sarif")[1])
    properties_by_rule = {result["ruleId"]: result["properties"] for result in run["results"]}
    assert properties_by_rule["AGT-001"]["grade"] == "proven"
    assert {name: properties_by_rule["CTX-009"][name] for name in ("grade", "readBy", "reason")} == {
        "grade": "read", "readBy": READER, "reason": HARM
    }  # fmt: skip
    assert {r["id"]: r["properties"]["grades"] for r in run["tool"]["driver"]["rules"]} == {
        "AGT-001": ["proven", "read"], "CTX-009": ["read"]
    }  # fmt: skip


@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_diagnose_counts_patterns_that_need_a_model(project_of_three_skills, model_that_reports, diagnose, format_):
    printed = "1 pattern needs a model and was not checked. To check it: `tune-skill diagnose SKILL --judge auto`"
    assert diagnose("skills", "--format", format_)[1].count(printed) == 1
    for options in (("--judge", "sdk"), ("--ignore", "CTX")):
        assert "can only be read" not in diagnose("skills/plover", "--format", format_, *options)[1]
    assert json.loads(diagnose("skills/plover", "--format", "json")[1])["unasked"] == 1
    assert json.loads(diagnose("skills/plover", "--format", "json", "--judge", "sdk")[1])["unasked"] == 0


def test_sarif_rule_help_lists_clauses(project_of_three_skills, diagnose):
    run = parse_sarif(diagnose("skills/plover", "--format", "sarif")[1])
    rule_help = run["tool"]["driver"]["rules"][0]["help"]
    assert (
        rule_help["text"]
        == "It is:\n- FIXABLE.\n\nIt is not:\n- Another word.\n\nWhy it is bad: It does harm.\n\nInstead: Fix it."
    )
    assert rule_help["markdown"].startswith("**It is**\n\n- FIXABLE.\n\n**It is not**\n\n- Another word.")


def test_select_and_ignore_choose_patterns(project_of_three_skills, diagnose):
    (project_of_three_skills / "tune-skill.toml").write_text('select = ["CTX"]')

    def list_patterns(*options):
        row = json.loads(diagnose("skills/plover", "--format", "json", *options)[1])
        return {issue["pattern"] for issue in row["issues"] + row["suppressed"]}

    assert list_patterns() == {"CTX-001"}
    assert list_patterns("--select", "AGT-001,CTX") == {"AGT-001", "CTX-001"}
    assert list_patterns("--select", "AGT,CTX", "--ignore", "context_explosion") == {"AGT-001"}


def test_unknown_pattern_id_is_a_usage_error(project_of_three_skills, diagnose):
    code, out, err = diagnose("skills/plover", "--select", "AGT-999")
    assert (code, out) == (2, "")
    assert "no pattern matches 'AGT-999'" in err


def test_bad_settings_fail_one_skill_only(project_of_three_skills, diagnose):
    (project_of_three_skills / "skills" / "gull" / "tune-skill.toml").write_text("select = 3")
    code, out, err = diagnose("skills", "--format", "json")
    assert code == 1
    assert [("error" in row) for row in json.loads(out)] == [True, False, True]
    assert "/select: 3 is not a list" in err


def test_diagnose_jobs_keep_the_order(project_of_three_skills, diagnose):
    for number in range(12):
        folder = project_of_three_skills / "skills" / f"tern-{number:02}"
        folder.mkdir()
        (folder / "SKILL.md").write_text(SKILL_HEADER + "FIXABLE.\n\n" * (number % 3) + "All is well.\n")
    output_of_one_job = diagnose("skills", "--format", "json", "--jobs", "1")
    output_of_two_jobs = diagnose("skills", "--format", "json", "--jobs", "2")
    assert output_of_one_job == output_of_two_jobs
    assert len(json.loads(output_of_one_job[1])) == 15


def test_state_schema_accepts_each_format_of_a_run():
    schema = json.loads((Path(schemas.__file__).parent / "state.schema.json").read_text())
    offered = {name for name, format in load_formats().items() if RunResult in format.formatters}
    assert offered <= set(schema["$defs"]["options"]["properties"]["format"]["enum"])


def test_diagnose_names_the_pattern_of_the_worst_finding(tune, project):
    write_skill(project / "gull", "One RISKY.\n")
    (project / "tune-skill.toml").write_text('[severity]\nCTX-001 = "low"\n')
    result = tune("diagnose", "gull", "plover")
    assert result.out.index("CTX-001") < result.out.index("AGT-001")
    assert result.out.splitlines()[-1] == "To read about a pattern: tune-skill patterns AGT-001"
