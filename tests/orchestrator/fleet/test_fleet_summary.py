"""Test the summary of a fleet from its records."""

import pytest

import schemas
from actions.skill import parse_skill
from orchestrator.fleet.duplicates import find_duplicates
from orchestrator.fleet.fleet_summary import summarize
from orchestrator.fleet.text_hashes import hash_files, hash_passages

HEAD = "---\nname: a\ndescription: Counts. Use when counting.\n---\n\n# A\n\n"
LONG = "Walk along the shore at low water and write down each bird that you see, with its place and the hour. " * 3


def a_record(name, score=100, gate="pass", patterns=(), texts=None, error=None):
    """Return a record; `patterns` are ids."""
    path = f"/skills/{name}"
    if error:
        return {"path": path, "diagnosis": {"skill": {"path": path}, "error": error}, "files": [], "passages": []}
    skill = parse_skill(name, {file: text.encode() for file, text in (texts or {"SKILL.md": HEAD + name}).items()})
    issues = [{"pattern": id} for id in patterns]
    counts = dict.fromkeys(("critical", "high", "medium", "low"), 0)
    diagnosis = {
        "skill": {"name": name}, "issues": issues, "issues_by_severity": counts,
        "quality_score": score, "quality_gate": gate,
    }  # fmt: skip
    return {"path": path, "diagnosis": diagnosis, "files": hash_files(skill), "passages": hash_passages(skill)}


def of(*records, most=10):
    found = summarize(lambda: iter(records), most)
    schemas.check("fleet", {**found, "looked": len(records), "seconds": 0.5, "store": "results.jsonl"})
    return found


def repeated(*records, most=10):
    return find_duplicates(lambda: iter(records), most)


def test_distribution_counts_each_skill_in_one_band():
    found = of(*(a_record(f"s{n}", score) for n, score in enumerate((0, 9, 10, 55, 89, 90, 100))))
    bands = {(band["from"], band["to"]): band["skills"] for band in found["scores"]["bands"] if band["skills"]}
    assert bands == {(0, 9): 2, (10, 19): 1, (50, 59): 1, (80, 89): 1, (90, 100): 2}
    assert (found["scores"]["mean"], found["scores"]["median"]) == (50.4, 55)


@pytest.mark.parametrize("scores", [(), (70,)])
def test_distribution_of_few_skills(scores):
    found = of(*(a_record("one", score) for score in scores))["scores"]
    wanted = scores[0] if scores else None
    assert {found[name] for name in ("mean", "lower_quartile", "median", "upper_quartile")} == {wanted}


def test_most_common_pattern_is_that_of_most_skills():
    found = of(a_record("a", patterns=["CTX-001", "CTX-001"]), a_record("b", patterns=["DF-009", "CTX-001"]))
    rows = [(row["pattern"], row["skills"], row["findings"]) for row in found["patterns"]]
    assert rows == [("CTX-001", 2, 3), ("DF-009", 1, 1)]
    assert found["patterns"][0]["title"] == "A history that keeps growing goes into every prompt"


def test_worst_skills_come_first_without_perfect_ones():
    records = [a_record("good"), a_record("fair", 70, "review"), *(a_record(f"bad{n}", n, "fail") for n in range(30))]
    found = of(*records, most=3)
    assert [row["name"] for row in found["worst"]] == ["bad0", "bad1", "bad2"]
    assert found["gates"] == {"pass": 1, "review": 1, "fail": 30}
    assert [row["name"] for row in of(*records[:2])["worst"]] == ["fair"]


def test_failed_skill_is_counted_and_does_not_pass():
    found = of(a_record("a"), a_record("b", error="took longer than 60 s"))
    assert (found["skills"], found["gates"]["pass"]) == (2, 1)
    assert found["failed"] == [{"path": "/skills/b", "error": "took longer than 60 s"}]


def test_equal_skills_are_listed_once_not_by_file():
    texts = {"SKILL.md": HEAD + LONG, "references/a.md": "# A\n\n" + LONG + "More."}
    found = repeated(*(a_record(name, texts=texts) for name in "abc"), a_record("d"))
    assert [(one["count"], [at["skill"] for at in one["places"]]) for one in found["skills"]] == [
        (3, ["/skills/a", "/skills/b", "/skills/c"])
    ]
    assert found["files"] == found["passages"] == []


def test_shared_file_is_listed_without_its_passages():
    shared = "# Shared\n\n" + LONG
    found = repeated(
        a_record("a", texts={"SKILL.md": HEAD + "one", "references/x.md": shared}),
        a_record("b", texts={"SKILL.md": HEAD + "two", "y.md": shared}),
    )
    assert [(one["count"], one["size"]) for one in found["files"]] == [(2, len(shared))]
    assert [(at["skill"], at["file"]) for at in found["files"][0]["places"]] == [
        ("/skills/a", "references/x.md"), ("/skills/b", "y.md")
    ]  # fmt: skip
    assert found["passages"] == []


def test_shared_passage_is_listed_with_its_places():
    found = repeated(
        a_record("a", texts={"SKILL.md": f"{HEAD}One.\n\n{LONG}\n"}),
        a_record("b", texts={"SKILL.md": f"{HEAD}Two.\n\nThree.\n\n  **{LONG.strip()}**\n"}),
    )
    (one,) = found["passages"]
    assert [(at["skill"], at["line"]) for at in one["places"]] == [("/skills/a", 10), ("/skills/b", 12)]
    assert one["places"][0]["begins"].startswith("Walk along the shore")
    assert one["count"] == 2
    assert one["size"] >= 40


def test_repetition_within_a_skill_is_no_duplicate():
    texts = {"SKILL.md": f"{HEAD}{LONG}\n\nAgain:\n\n{LONG}\n", "a.md": "# A\n\n" + LONG, "b.md": "# A\n\n" + LONG}
    assert repeated(a_record("a", texts=texts)) == {"skills": [], "files": [], "passages": []}


def test_small_files_and_short_passages_are_ignored():
    texts = {"LICENSE.md": "MIT", "references/s.md": "# S\n\nCount each bird once.\n"}
    found = repeated(*(a_record(n, texts={"SKILL.md": HEAD + n, **texts}) for n in "ab"))
    assert found == {"skills": [], "files": [], "passages": []}


def test_most_repeated_text_comes_first():
    def texts(name, *parts):
        return {"SKILL.md": HEAD + name, **{f"{part}.md": part * 100 for part in parts}}

    records = [a_record("a", texts=texts("a", "abc", "d" * 9)), a_record("b", texts=texts("b", "abc", "d" * 9))]
    found = repeated(*records, most=1)
    assert [one["size"] for one in found["files"]] == [900]
