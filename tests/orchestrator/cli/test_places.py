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
HEAD = "---\nname: plan\ndescription: Plans a release. Use when a release is planned.\n---\n\n# Plan\n\n"
ALONE = "Read [one](one.md).\n\n"
THRICE = "Read [two](two.md).\n\nThen [two](two.md), and [two](two.md).\n\nThen [two](two.md) again.\n\n"


def list_links(folder, count):
    return "".join(f"- [{n}]({folder}/t{n}.md)\n" for n in range(count))


MANY = list_links("topics", 40)


@pytest.fixture
def diagnose(tmp_path, monkeypatch, capsys):
    """Return a function that diagnoses a project with these texts by path."""

    def run(files, *arguments):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit):
            main(["diagnose", ".", *arguments])
        return capsys.readouterr().out

    return run


def a_skill(body):
    return {"skills/plan/SKILL.md": HEAD + body}


def rows_of(out):
    rows = json.loads(out)
    return rows if isinstance(rows, list) else [rows]


@pytest.mark.parametrize(
    ("body", "end"),
    [
        (ALONE, "The link target `one.md` does not exist."),
        (THRICE, "The link target `two.md` does not exist. (also SKILL.md:10, SKILL.md:12)"),
        (MANY, "The folder `topics` does not exist. (40 places)"),
    ],
)
def test_concise_line_names_few_places_and_counts_many(diagnose, body, end):
    first = diagnose(a_skill(body)).splitlines()[0]
    assert first == f"skills/plan/SKILL.md:8: medium SPEC-005 {end}"


def test_full_format_names_all_places(diagnose):
    out = diagnose(a_skill(MANY), "--format", "full")
    assert "(proven, 40 places)" in out
    assert all(f"SKILL.md:{line}" in out for line in range(8, 48))
    assert "| - [4](topics/t4.md)" in out


def test_markdown_names_all_places(diagnose):
    out = diagnose(a_skill(MANY), "--format", "markdown")
    assert "The folder `topics` does not exist. (proven, 40 places)" in out
    assert "  - `SKILL.md:27: - [19](topics/t19.md)`\n  - and `SKILL.md:28`, `SKILL.md:29`" in out
    assert "`SKILL.md:47`\n" in out


def test_json_lists_all_places(diagnose):
    (row,) = rows_of(diagnose(a_skill(MANY), "--format", "json"))
    schemas.check("diagnose", row)
    (issue,) = row["issues"]
    assert [place["line_start"] for place in issue["locations"]] == list(range(8, 48))
    assert issue["locations"][39]["quote"] == "- [39](topics/t39.md)"
    assert {place["file"] for place in issue["locations"]} == {issue["location"]["file"]} == {"SKILL.md"}
    assert (row["issues_by_severity"]["medium"], row["quality_score"]) == (1, 95)


def test_issue_without_locations_is_read(diagnose):
    """Earlier versions wrote no locations."""
    (row,) = rows_of(diagnose(a_skill(ALONE), "--format", "json"))
    (known,) = row["issues"]
    locations = known.pop("locations")
    schemas.check("diagnose", row)
    issue = from_json(Issue, known)
    assert [asdict(place) for place in issue.places] == locations
    assert issue.locations == ()


def test_sarif_has_related_locations(diagnose):
    log = json.loads(diagnose(a_skill(MANY), "--format", "sarif"))
    jsonschema.Draft4Validator(SARIF).validate(log)
    (result,) = log["runs"][0]["results"]
    assert [at["physicalLocation"]["region"]["startLine"] for at in result["locations"]] == [8]
    related = result["relatedLocations"]
    assert [at["id"] for at in related] == list(range(1, 40))
    assert related[38]["physicalLocation"]["artifactLocation"]["uri"] == "skills/plan/SKILL.md"
    assert related[38]["physicalLocation"]["region"]["startLine"] == 47
    assert result["message"]["text"].startswith(
        "The folder `topics` does not exist. Also in [SKILL.md:9](1), [SKILL.md:10](2)"
    )
    assert result["message"]["text"].endswith("[SKILL.md:13](5) and 34 more.")


def test_sarif_counts_the_places_beyond_the_limit(diagnose, monkeypatch):
    monkeypatch.setattr(sarif, "_MAX_PLACES", 10)
    (run,) = json.loads(diagnose(a_skill(MANY), "--format", "sarif"))["runs"]
    assert len(run["results"][0]["relatedLocations"]) == 9
    assert run["results"][0]["message"]["text"].endswith("and 34 more.")
    texts = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    assert "ISS-001: 30 of 40 places are left out: code scanning accepts 10" in texts


def test_sarif_names_no_other_place_of_a_single_one(diagnose):
    (result,) = json.loads(diagnose(a_skill(ALONE), "--format", "sarif"))["runs"][0]["results"]
    assert (result["message"]["text"], result["relatedLocations"]) == ("The link target `one.md` does not exist.", [])


PROJECT = {
    "CLAUDE.md": "# Birds\n\nSee [the list](docs/list.md).\n",
    "AGENTS.md": "# Birds\n\nAgain [the list](docs/list.md), and [the map](docs/map.md).\n",
}
LEDGER = "known.json"


def test_units_of_a_project_share_a_finding(diagnose):
    rows = {row["unit"]["path"]: row for row in rows_of(diagnose(PROJECT, "--format", "json"))}
    (issue,) = rows["AGENTS.md"]["issues"]
    assert issue["description"] == "The folder `docs` does not exist."
    places = [(place["file"], place["line_start"]) for place in issue["locations"]]
    assert places == [("AGENTS.md", 3), ("AGENTS.md", 3), ("CLAUDE.md", 3)]
    (covered,) = rows["CLAUDE.md"]["suppressed"]
    assert (rows["CLAUDE.md"]["issues"], covered["suppressed_by"]) == ([], "the same cause as AGENTS.md:3")
    assert [rows[path]["quality_score"] for path in PROJECT] == [100, 95]


SKILLS = {
    ".claude-plugin/plugin.json": '{"name": "plover"}\n',
    "skills/count/SKILL.md": HEAD.replace("plan", "count") + 'Ask `Skill("plover:lst")`.\n',
    "skills/plan/SKILL.md": HEAD + "Call `/plover:lst`, then [the rules](../../docs/rules.md).\n",
    "skills/ring/SKILL.md": HEAD.replace("plan", "ring") + "See [the rules](../../docs/rules.md).\n",
    "skills/list/SKILL.md": HEAD.replace("plan", "list") + "List the birds.\n",
    "commands/tell.md": '---\ndescription: Tells of birds.\n---\n\nAsk `Skill("plover:lst")`.\n',
}


def list_open(out):
    rows = {row.get("unit", row.get("skill"))["path"]: row for row in rows_of(out)}
    return {
        (Path(path).name, issue["pattern"]): [place["file"] for place in issue["locations"]]
        for path, row in rows.items()
        for issue in row["issues"]
    }


def test_skills_and_commands_share_a_finding(diagnose):
    assert list_open(diagnose(SKILLS, "--format", "json")) == {
        ("tell.md", "PRJ-040"): ["commands/tell.md", "skills/count/SKILL.md", "skills/plan/SKILL.md"],
        ("plan", "SPEC-005"): ["SKILL.md", "../ring/SKILL.md"],
    }


def test_copy_of_a_skill_has_no_finding_of_its_own(diagnose):
    skill = HEAD.replace("description", "descripton") + "Count.\n"
    copies = {f"{folder}/plan/SKILL.md": skill for folder in ("skills", "more/x/skills", "more/skills")}
    copies[".claude-plugin/plugin.json"] = '{"name": "plover"}\n'
    (row, *others) = sorted(rows_of(diagnose(copies, "--format", "json")), key=lambda row: -len(row["issues"]))
    assert {tuple(place["file"] for place in issue["locations"]) for issue in row["issues"]} == {
        ("SKILL.md", "../../more/skills/plan/SKILL.md", "../../more/x/skills/plan/SKILL.md")
    }
    assert [(len(one["issues"]), one["quality_score"]) for one in others] == [(0, 100)] * 3


def test_cached_rows_share_a_finding(diagnose):
    first = diagnose(SKILLS, "--format", "json")
    assert list_open(diagnose({}, "--format", "json")) == list_open(first)


def test_shared_finding_is_reported_once_and_scored_once(diagnose):
    results = json.loads(diagnose(SKILLS, "--format", "sarif"))["runs"][0]["results"]
    (opened,) = [one for one in results if one["ruleId"] == "SPEC-005" and not one["suppressions"]]
    (related,) = opened["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "skills/ring/SKILL.md"
    scores = {
        row["skill"]["name"]: row["quality_score"]
        for row in rows_of(diagnose({}, "--format", "json"))
        if "skill" in row
    }
    assert scores["ring"] == 100 > scores["plan"]


def test_concise_line_names_places_in_other_skills(diagnose):
    lines = [" ".join(line.split()) for line in diagnose(SKILLS).splitlines()]
    text = " ".join(lines)
    assert "`../../docs/rules.md` does not exist. (also skills/ring/SKILL.md:8)" in text


def test_baseline_accepts_a_shared_finding_in_each_skill(diagnose, tmp_path):
    diagnose(SKILLS, "--write-baseline", LEDGER)
    entries = [(entry["skill"], entry["file"]) for entry in json.loads((tmp_path / LEDGER).read_text())["findings"]]
    assert ("skills/ring", "SKILL.md") in entries and not any(file.startswith("../") for _, file in entries)
    assert list_open(diagnose({}, "--baseline", LEDGER, "--format", "json")) == {}


def test_unit_alone_has_its_own_places(diagnose, tmp_path, capsys):
    diagnose(PROJECT)
    with pytest.raises(SystemExit):
        main(["diagnose", "CLAUDE.md", "--format", "json"])
    (row,) = rows_of(capsys.readouterr().out)
    assert [issue["description"] for issue in row["issues"]] == ["The link target `docs/list.md` does not exist."]


def test_baseline_holds_the_places_of_all_units(diagnose, tmp_path):
    diagnose(PROJECT, "--write-baseline", LEDGER)
    entries = json.loads((tmp_path / LEDGER).read_text())["findings"]
    assert [entry["skill"] for entry in entries] == ["AGENTS.md", "AGENTS.md", "CLAUDE.md"]
    rows = rows_of(diagnose(PROJECT, "--baseline", LEDGER, "--format", "json"))
    assert [(row["issues"], row["notes"]) for row in rows] == [([], [])] * 2
    more = PROJECT | {"CLAUDE.md": PROJECT["CLAUDE.md"] + "\nAnd [the map](docs/map.md).\n"}
    rows = rows_of(diagnose(more, "--baseline", LEDGER, "--format", "json"))
    assert [[place["line_start"] for place in i["locations"]] for row in rows for i in row["issues"]] == [[5]]


@pytest.fixture
def tuned(tmp_path, monkeypatch, capsys):
    """Return a skill whose references were renamed, and the output of a run that applied its fix."""
    skill = tmp_path / "plan"
    texts = {
        "SKILL.md": HEAD + "Read [phase one](phases/01-plan.md).\n\n" + list_links("docs", 9),
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


def test_finding_with_many_places_is_one_fix_that_can_be_undone(tuned, capsys):
    skill, texts, out = tuned
    assert "FIX-001" in out and "FIX-002" not in out
    assert "docs/" not in (skill / "SKILL.md").read_text() + (skill / "phases/01-plan.md").read_text()
    with pytest.raises(SystemExit):
        main(["rollback", "--all"])
    assert {path: (skill / path).read_text() for path in texts} == texts


def test_report_counts_the_other_places(tuned, tmp_path):
    (report,) = tmp_path.glob(".workflow/skill-tuning/*/report.md")
    assert "| ISS-001 | `SKILL.md:10` and 13 others | The folder `docs` does not exist." in report.read_text()


def test_state_without_locations_is_read(tuned, tmp_path, capsys):
    (path,) = tmp_path.glob(".workflow/skill-tuning/*/state.json")
    state = json.loads(path.read_text())
    for issue in state["issues"]:
        del issue["locations"]
    path.write_text(json.dumps(state))
    with pytest.raises(SystemExit) as end:
        main(["status", "--format", "json"])
    assert (end.value.code, json.loads(capsys.readouterr().out)["issues"][0]["locations"]) == (0, [])
