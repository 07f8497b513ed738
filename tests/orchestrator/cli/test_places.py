"""Test how each format shows a finding with one, three and many locations, in one unit and in several."""

import json
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import asdict

import schemas
from orchestrator.cli import main
from orchestrator.cli.output.formats import sarif
from schemas.codec import from_json
from schemas.issues import Issue

SARIF = json.loads((Path(__file__).parents[2] / "data" / "sarif" / "sarif-2.1.0-rtm.5.json").read_text())
SKILL_HEADER = "---\nname: plan\ndescription: Plans a release. Use when a release is planned.\n---\n\n# Plan\n\n"
LINK_AT_ONE_PLACE = "Read [one](one.md).\n\n"
LINK_AT_THREE_PLACES = "Read [two](two.md).\n\nThen [two](two.md), and [two](two.md).\n\nThen [two](two.md) again.\n\n"


def list_links(folder, count):
    return "".join(f"- [{n}]({folder}/t{n}.md)\n" for n in range(count))


LINKS_AT_40_PLACES = list_links("topics", 40)
MISSING_TOPICS = "The link target `topics/t0.md` does not exist: the skill has only its SKILL.md."


@pytest.fixture
def diagnose(tmp_path, monkeypatch, capsys):
    """Return a function that writes the given texts by path, diagnoses the project and returns stdout."""

    def run_diagnose(files, *arguments):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit):
            main(["diagnose", ".", *arguments])
        return capsys.readouterr().out

    return run_diagnose


def make_skill_files(body):
    return {"skills/plan/SKILL.md": SKILL_HEADER + body}


def parse_rows(out):
    rows = json.loads(out)
    return rows if isinstance(rows, list) else [rows]


@pytest.mark.parametrize(
    ("body", "end"),
    [
        (LINK_AT_ONE_PLACE, "The link target `one.md` does not exist."),
        (LINK_AT_THREE_PLACES, "The link target `two.md` does not exist. (also SKILL.md:10, SKILL.md:12)"),
        (LINKS_AT_40_PLACES, f"{MISSING_TOPICS} (40 places)"),
    ],
)
def test_concise_line_names_few_places_and_counts_many(diagnose, body, end):
    first = diagnose(make_skill_files(body)).splitlines()[0]
    assert first == f"skills/plan/SKILL.md:8: medium SPEC-005 {end}"


def test_full_format_names_all_places(diagnose):
    out = diagnose(make_skill_files(LINKS_AT_40_PLACES), "--format", "full")
    assert "(proven, 40 places)" in out
    assert all(f"SKILL.md:{line}" in out for line in range(8, 48))
    assert "| - [4](topics/t4.md)" in out


def test_markdown_names_all_places(diagnose):
    out = diagnose(make_skill_files(LINKS_AT_40_PLACES), "--format", "markdown")
    assert f"{MISSING_TOPICS} (proven, 40 places)" in out
    assert "  - `SKILL.md:27: - [19](topics/t19.md)`\n  - and `SKILL.md:28`, `SKILL.md:29`" in out
    assert "`SKILL.md:47`\n" in out


def test_json_lists_all_places(diagnose):
    (row,) = parse_rows(diagnose(make_skill_files(LINKS_AT_40_PLACES), "--format", "json"))
    schemas.check("diagnose", row)
    (issue,) = row["issues"]
    assert [place["line_start"] for place in issue["locations"]] == list(range(8, 48))
    assert issue["locations"][39]["quote"] == "- [39](topics/t39.md)"
    assert {place["file"] for place in issue["locations"]} == {issue["location"]["file"]} == {"SKILL.md"}
    assert (row["issues_by_severity"]["medium"], row["quality_score"]) == (1, 95)


def test_issue_without_locations_is_read(diagnose):
    """Earlier versions wrote no locations."""
    (row,) = parse_rows(diagnose(make_skill_files(LINK_AT_ONE_PLACE), "--format", "json"))
    (raw_issue,) = row["issues"]
    locations = raw_issue.pop("locations")
    schemas.check("diagnose", row)
    issue = from_json(Issue, raw_issue)
    assert [asdict(place) for place in issue.places] == locations
    assert issue.locations == ()


def test_sarif_has_related_locations(diagnose):
    log = json.loads(diagnose(make_skill_files(LINKS_AT_40_PLACES), "--format", "sarif"))
    jsonschema.Draft4Validator(SARIF).validate(log)
    (result,) = log["runs"][0]["results"]
    assert [location["physicalLocation"]["region"]["startLine"] for location in result["locations"]] == [8]
    related = result["relatedLocations"]
    assert [location["id"] for location in related] == list(range(1, 40))
    assert related[38]["physicalLocation"]["artifactLocation"]["uri"] == "skills/plan/SKILL.md"
    assert related[38]["physicalLocation"]["region"]["startLine"] == 47
    assert result["message"]["text"].startswith(f"{MISSING_TOPICS} Also in [SKILL.md:9](1), [SKILL.md:10](2)")
    assert result["message"]["text"].endswith("[SKILL.md:13](5) and 34 more.")


def test_sarif_counts_the_places_beyond_the_limit(diagnose, monkeypatch):
    monkeypatch.setattr(sarif, "_MAX_PLACES", 10)
    (run,) = json.loads(diagnose(make_skill_files(LINKS_AT_40_PLACES), "--format", "sarif"))["runs"]
    assert len(run["results"][0]["relatedLocations"]) == 9
    assert run["results"][0]["message"]["text"].endswith("and 34 more.")
    texts = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert "ISS-001: 30 of 40 places are left out: code scanning accepts 10" in texts


def test_sarif_has_no_related_location_for_a_single_place(diagnose):
    (result,) = json.loads(diagnose(make_skill_files(LINK_AT_ONE_PLACE), "--format", "sarif"))["runs"][0]["results"]
    assert (result["message"]["text"], result["relatedLocations"]) == ("The link target `one.md` does not exist.", [])


PROJECT = {
    "CLAUDE.md": "# Birds\n\nSee [the list](docs/list.md).\n",
    "AGENTS.md": "# Birds\n\nAgain [the list](docs/list.md), and [the map](docs/map.md).\n",
}
BASELINE = "known.json"


def test_units_of_a_project_share_a_finding(diagnose):
    rows = {row["unit"]["path"]: row for row in parse_rows(diagnose(PROJECT, "--format", "json"))}
    (issue,) = rows["AGENTS.md"]["issues"]
    assert issue["description"] == "The folder `docs` does not exist."
    places = [(place["file"], place["line_start"]) for place in issue["locations"]]
    assert places == [("AGENTS.md", 3), ("AGENTS.md", 3), ("CLAUDE.md", 3)]
    (suppressed_issue,) = rows["CLAUDE.md"]["suppressed"]
    assert (rows["CLAUDE.md"]["issues"], suppressed_issue["suppressed_by"]) == ([], "the same cause as AGENTS.md:3")
    assert [rows[path]["quality_score"] for path in PROJECT] == [100, 95]


PROJECT_WITH_SHARED_FAULTS = {
    ".claude-plugin/plugin.json": '{"name": "plover"}\n',
    "skills/count/SKILL.md": SKILL_HEADER.replace("plan", "count") + 'Ask `Skill("plover:lst")`.\n',
    "skills/plan/SKILL.md": SKILL_HEADER + "Call `/plover:lst`, then [the rules](../../docs/rules.md).\n",
    "skills/ring/SKILL.md": SKILL_HEADER.replace("plan", "ring") + "See [the rules](../../docs/rules.md).\n",
    "skills/list/SKILL.md": SKILL_HEADER.replace("plan", "list") + "List the birds.\n",
    "commands/tell.md": '---\ndescription: Tells of birds.\n---\n\nAsk `Skill("plover:lst")`.\n',
}


def list_open_findings(out):
    rows = {row.get("unit", row.get("skill"))["path"]: row for row in parse_rows(out)}
    return {
        (Path(path).name, issue["pattern"]): [place["file"] for place in issue["locations"]]
        for path, row in rows.items()
        for issue in row["issues"]
    }


def test_skills_and_commands_share_a_finding(diagnose):
    assert list_open_findings(diagnose(PROJECT_WITH_SHARED_FAULTS, "--format", "json")) == {
        ("tell.md", "PRJ-040"): ["commands/tell.md", "skills/count/SKILL.md", "skills/plan/SKILL.md"],
        ("plan", "SPEC-005"): ["SKILL.md", "../ring/SKILL.md"],
    }


def test_copy_of_a_skill_has_no_finding_of_its_own(diagnose):
    skill = SKILL_HEADER.replace("description", "descripton") + "Count.\n"
    copies = {f"{folder}/plan/SKILL.md": skill for folder in ("skills", "more/x/skills", "more/skills")}
    copies[".claude-plugin/plugin.json"] = '{"name": "plover"}\n'
    (row, *copy_rows) = sorted(parse_rows(diagnose(copies, "--format", "json")), key=lambda row: -len(row["issues"]))
    assert {tuple(place["file"] for place in issue["locations"]) for issue in row["issues"]} == {
        ("SKILL.md", "../../more/skills/plan/SKILL.md", "../../more/x/skills/plan/SKILL.md")
    }
    assert [(len(copy_row["issues"]), copy_row["quality_score"]) for copy_row in copy_rows] == [(0, 100)] * 3


def test_cached_rows_share_a_finding(diagnose):
    first = diagnose(PROJECT_WITH_SHARED_FAULTS, "--format", "json")
    assert list_open_findings(diagnose({}, "--format", "json")) == list_open_findings(first)


def test_shared_finding_is_reported_once_and_scored_once(diagnose):
    results = json.loads(diagnose(PROJECT_WITH_SHARED_FAULTS, "--format", "sarif"))["runs"][0]["results"]
    (shared_result,) = [result for result in results if result["ruleId"] == "SPEC-005"]
    (related,) = shared_result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "skills/ring/SKILL.md"
    scores = {
        row["skill"]["name"]: row["quality_score"]
        for row in parse_rows(diagnose({}, "--format", "json"))
        if "skill" in row
    }
    assert scores["ring"] == 100 > scores["plan"]


def test_concise_line_names_places_in_other_skills(diagnose):
    lines = [" ".join(line.split()) for line in diagnose(PROJECT_WITH_SHARED_FAULTS).splitlines()]
    text = " ".join(lines)
    assert "`../../docs/rules.md` does not exist. (also skills/ring/SKILL.md:8)" in text


def test_baseline_accepts_a_shared_finding_in_each_skill(diagnose, tmp_path):
    diagnose(PROJECT_WITH_SHARED_FAULTS, "--write-baseline", BASELINE)
    entries = [(entry["skill"], entry["file"]) for entry in json.loads((tmp_path / BASELINE).read_text())["findings"]]
    assert ("skills/ring", "SKILL.md") in entries and not any(file.startswith("../") for _, file in entries)
    assert list_open_findings(diagnose({}, "--baseline", BASELINE, "--format", "json")) == {}


def test_unit_diagnosed_alone_has_only_its_own_places(diagnose, tmp_path, capsys):
    diagnose(PROJECT)
    with pytest.raises(SystemExit):
        main(["diagnose", "CLAUDE.md", "--format", "json"])
    (row,) = parse_rows(capsys.readouterr().out)
    assert [issue["description"] for issue in row["issues"]] == ["The link target `docs/list.md` does not exist."]


def test_baseline_lists_the_places_of_all_units(diagnose, tmp_path):
    diagnose(PROJECT, "--write-baseline", BASELINE)
    entries = json.loads((tmp_path / BASELINE).read_text())["findings"]
    assert [entry["skill"] for entry in entries] == ["AGENTS.md", "AGENTS.md", "CLAUDE.md"]
    rows = parse_rows(diagnose(PROJECT, "--baseline", BASELINE, "--format", "json"))
    assert [(row["issues"], row["notes"]) for row in rows] == [([], [])] * 2
    project_with_new_link = PROJECT | {"CLAUDE.md": PROJECT["CLAUDE.md"] + "\nAnd [the map](docs/map.md).\n"}
    rows = parse_rows(diagnose(project_with_new_link, "--baseline", BASELINE, "--format", "json"))
    assert [[place["line_start"] for place in i["locations"]] for row in rows for i in row["issues"]] == [[5]]


@pytest.fixture
def fixed_skill(tmp_path, monkeypatch, capsys):
    """Return a skill whose references were renamed, and the output of a run that applied its fix."""
    skill = tmp_path / "plan"
    texts = {
        "SKILL.md": SKILL_HEADER + "Read [phase one](phases/01-plan.md).\n\n" + list_links("docs", 9),
        "phases/01-plan.md": "# One\n\n" + list_links("../docs", 5),
        **{f"references/t{n}.md": f"# Topic {n}\n\nKnow it.\n" for n in range(9)},
    }
    for path, text in texts.items():
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["run", "plan", "--yes", "--apply", "safe"])
    return skill, texts, capsys.readouterr().out


def test_finding_with_many_places_is_one_fix_that_can_be_undone(fixed_skill, capsys):
    skill, texts, out = fixed_skill
    assert "FIX-001" in out and "FIX-002" not in out
    assert "docs/" not in (skill / "SKILL.md").read_text() + (skill / "phases/01-plan.md").read_text()
    with pytest.raises(SystemExit):
        main(["rollback", "--all"])
    assert {path: (skill / path).read_text() for path in texts} == texts


def test_report_counts_the_other_places(fixed_skill, tmp_path):
    (report,) = tmp_path.glob(".workflow/skill-tuning/*/report.md")
    assert "| ISS-001 | `SKILL.md:10` and 13 others | The folder `docs` does not exist." in report.read_text()


def test_state_without_locations_is_read(fixed_skill, tmp_path, capsys):
    (path,) = tmp_path.glob(".workflow/skill-tuning/*/state.json")
    state = json.loads(path.read_text())
    for issue in state["issues"]:
        del issue["locations"]
    path.write_text(json.dumps(state))
    with pytest.raises(SystemExit) as exit_info:
        main(["status", "--format", "json"])
    assert (exit_info.value.code, json.loads(capsys.readouterr().out)["issues"][0]["locations"]) == (0, [])


def test_places_of_linked_skills_are_those_of_the_links(diagnose, tmp_path):
    names = ("count", "sort")
    for plugin, name in zip("ab", names, strict=True):
        (tmp_path / plugin / "skills").mkdir(parents=True)
        (tmp_path / plugin / "skills" / name).symlink_to(f"../../shared/{name}")
    files = {f"{plugin}/.claude-plugin/plugin.json": f'{{"name": "{plugin}"}}' for plugin in "ab"}
    out = diagnose(files | {f"shared/{name}/SKILL.md": f"# Title of {name}\n\nDo it.\n" for name in names})
    (line,) = (line for line in out.splitlines() if ": high SPEC-001" in line)
    assert line.startswith("a/skills/count/SKILL.md:1: high SPEC-001 ")
    assert line.endswith(" (also b/skills/sort/SKILL.md:1)")
