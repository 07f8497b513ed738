"""Test the summary of a fleet from its records."""

import pytest

import schemas
from actions.skill import parse_skill
from orchestrator.fleet.duplicates import find_duplicates
from orchestrator.fleet.fleet_summary import summarize
from orchestrator.fleet.text_hashes import hash_files, hash_passages

FRONTMATTER = "---\nname: a\ndescription: Counts. Use when counting.\n---\n\n# A\n\n"
LONG_PASSAGE = (
    "Walk along the shore at low water and write down each bird that you see, with its place and the hour. " * 3
)


def make_record(name, score=100, gate="pass", patterns=(), texts=None, error=None):
    """Return a record; `patterns` are ids."""
    path = f"/skills/{name}"
    if error:
        return {"path": path, "diagnosis": {"skill": {"path": path}, "error": error}, "files": [], "passages": []}
    skill = parse_skill(
        name, {file: text.encode() for file, text in (texts or {"SKILL.md": FRONTMATTER + name}).items()}
    )
    issues = [{"pattern": id} for id in patterns]
    counts = dict.fromkeys(("critical", "high", "medium", "low"), 0)
    diagnosis = {
        "skill": {"name": name}, "issues": issues, "issues_by_severity": counts,
        "quality_score": score, "quality_gate": gate,
    }  # fmt: skip
    return {"path": path, "diagnosis": diagnosis, "files": hash_files(skill), "passages": hash_passages(skill)}


def summarize_records(*records, most=10):
    summary = summarize(lambda: iter(records), most)
    schemas.check("fleet", {**summary, "looked": len(records), "seconds": 0.5, "store": "results.jsonl"})
    return summary


def find_repeated(*records, most=10):
    return find_duplicates(lambda: iter(records), most)


def test_distribution_counts_each_skill_in_one_band():
    summary = summarize_records(*(make_record(f"s{n}", score) for n, score in enumerate((0, 9, 10, 55, 89, 90, 100))))
    bands = {(band["from"], band["to"]): band["skills"] for band in summary["scores"]["bands"] if band["skills"]}
    assert bands == {(0, 9): 2, (10, 19): 1, (50, 59): 1, (80, 89): 1, (90, 100): 2}
    assert (summary["scores"]["mean"], summary["scores"]["median"]) == (50.4, 55)


@pytest.mark.parametrize("scores", [(), (70,)])
def test_distribution_of_few_skills(scores):
    summary = summarize_records(*(make_record("one", score) for score in scores))["scores"]
    expected = scores[0] if scores else None
    assert {summary[name] for name in ("mean", "lower_quartile", "median", "upper_quartile")} == {expected}


def test_most_common_pattern_is_that_of_most_skills():
    summary = summarize_records(
        make_record("a", patterns=["CTX-001", "CTX-001"]), make_record("b", patterns=["DF-009", "CTX-001"])
    )
    rows = [(row["pattern"], row["skills"], row["findings"]) for row in summary["patterns"]]
    assert rows == [("CTX-001", 2, 3), ("DF-009", 1, 1)]
    assert summary["patterns"][0]["title"] == "A history that keeps growing goes into every prompt"


def test_worst_skills_come_first_without_perfect_ones():
    records = [
        make_record("good"),
        make_record("fair", 70, "review"),
        *(make_record(f"bad{n}", n, "fail") for n in range(30)),
    ]
    summary = summarize_records(*records, most=3)
    assert [row["name"] for row in summary["worst"]] == ["bad0", "bad1", "bad2"]
    assert summary["gates"] == {"pass": 1, "review": 1, "fail": 30}
    assert [row["name"] for row in summarize_records(*records[:2])["worst"]] == ["fair"]


def test_failed_skill_is_counted_and_does_not_pass():
    summary = summarize_records(make_record("a"), make_record("b", error="took longer than 60 s"))
    assert (summary["skills"], summary["gates"]["pass"]) == (2, 1)
    assert summary["failed"] == [{"path": "/skills/b", "error": "took longer than 60 s"}]


def test_equal_skills_are_listed_once_not_by_file():
    texts = {"SKILL.md": FRONTMATTER + LONG_PASSAGE, "references/a.md": "# A\n\n" + LONG_PASSAGE + "More."}
    duplicates = find_repeated(*(make_record(name, texts=texts) for name in "abc"), make_record("d"))
    assert [(entry["count"], [place["skill"] for place in entry["places"]]) for entry in duplicates["skills"]] == [
        (3, ["/skills/a", "/skills/b", "/skills/c"])
    ]
    assert duplicates["files"] == duplicates["passages"] == []


def test_shared_file_is_listed_without_its_passages():
    shared_text = "# Shared\n\n" + LONG_PASSAGE
    duplicates = find_repeated(
        make_record("a", texts={"SKILL.md": FRONTMATTER + "one", "references/x.md": shared_text}),
        make_record("b", texts={"SKILL.md": FRONTMATTER + "two", "y.md": shared_text}),
    )
    assert [(entry["count"], entry["size"]) for entry in duplicates["files"]] == [(2, len(shared_text))]
    assert [(place["skill"], place["file"]) for place in duplicates["files"][0]["places"]] == [
        ("/skills/a", "references/x.md"), ("/skills/b", "y.md")
    ]  # fmt: skip
    assert duplicates["passages"] == []


def test_shared_passage_is_listed_with_its_places():
    duplicates = find_repeated(
        make_record("a", texts={"SKILL.md": f"{FRONTMATTER}One.\n\n{LONG_PASSAGE}\n"}),
        make_record("b", texts={"SKILL.md": f"{FRONTMATTER}Two.\n\nThree.\n\n  **{LONG_PASSAGE.strip()}**\n"}),
    )
    (entry,) = duplicates["passages"]
    assert [(place["skill"], place["line"]) for place in entry["places"]] == [("/skills/a", 10), ("/skills/b", 12)]
    assert entry["places"][0]["begins"].startswith("Walk along the shore")
    assert entry["count"] == 2
    assert entry["size"] >= 40


def test_repetition_within_a_skill_is_not_a_duplicate():
    texts = {
        "SKILL.md": f"{FRONTMATTER}{LONG_PASSAGE}\n\nAgain:\n\n{LONG_PASSAGE}\n",
        "a.md": "# A\n\n" + LONG_PASSAGE,
        "b.md": "# A\n\n" + LONG_PASSAGE,
    }
    assert find_repeated(make_record("a", texts=texts)) == {"skills": [], "files": [], "passages": []}


def test_small_files_and_short_passages_are_ignored():
    texts = {"LICENSE.md": "MIT", "references/s.md": "# S\n\nCount each bird once.\n"}
    duplicates = find_repeated(*(make_record(n, texts={"SKILL.md": FRONTMATTER + n, **texts}) for n in "ab"))
    assert duplicates == {"skills": [], "files": [], "passages": []}


def test_most_repeated_text_comes_first():
    def texts(name, *parts):
        return {"SKILL.md": FRONTMATTER + name, **{f"{part}.md": part * 100 for part in parts}}

    records = [make_record("a", texts=texts("a", "abc", "d" * 9)), make_record("b", texts=texts("b", "abc", "d" * 9))]
    duplicates = find_repeated(*records, most=1)
    assert [entry["size"] for entry in duplicates["files"]] == [900]
