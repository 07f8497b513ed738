"""Test the text of a skill in a judge's prompt: in load order, equal for every question, with omitted files listed."""

import pytest

from actions.patterns import get_patterns
from actions.review.skill_view import sort_by_load_order, view_skill
from actions.skill import parse_skill
from tests.fakes import SKILL_HEADER, make_case
from tests.judges import ScriptedJudge, add_finding, consult, make_reading

LINE = "Fill the pond with clear water at noon.\n"


def make_skill(body="A calm day.\n", **files):
    texts = {"SKILL.md": SKILL_HEADER + body, **files}
    return parse_skill("plover", {path: text.encode() for path, text in texts.items()})


def test_files_are_in_load_order():
    files = {
        "assets/list.csv": "a,b\n", "phases/a.md": "Then `phases/z.md`.\n", "phases/z.md": "Then `notes/deep.md`.\n",
        "phases/never.md": "Alone.\n", "notes/deep.md": "Deep.\n", "README.md": "For people.\n", "scripts/run.py": "1\n",
        "tests/case.md": "A test.\n",
    }  # fmt: skip
    skill = make_skill("First [a](phases/a.md), then [never](phases/never.md).\n", **files)
    assert [file.path for file in sort_by_load_order(skill)] == [
        "SKILL.md", "phases/a.md", "phases/never.md", "phases/z.md", "notes/deep.md", "scripts/run.py",
        "assets/list.csv", "README.md",
    ]  # fmt: skip
    text = view_skill(skill).text
    assert "A test." not in text
    assert "tests/: 1 files, no part of a run, not shown" in text


def test_skill_of_300_000_characters_is_shown_whole():
    skill = make_skill("See `notes/a.md` and `notes/b.md`.\n", **{f"notes/{n}.md": LINE * 3700 for n in "ab"})
    view = view_skill(skill)
    assert view.hidden == ()
    assert view.shows("notes/b.md", 3700)
    assert view.text.count("| Fill the pond") == 7400


def test_files_beyond_the_limit_are_hidden_and_listed():
    files = {"notes/a.md": LINE * 5000, "notes/b.md": LINE * 5000, "notes/c.md": "Short.\n"}
    view = view_skill(make_skill("See `notes/a.md`, `notes/b.md`, `notes/c.md`.\n", **files))
    assert view.hidden == ("notes/b.md (48,750 tokens)",)
    assert (view.shown["notes/a.md"], view.shown["notes/b.md"], view.shown["notes/c.md"]) == (5000, 0, 1)
    assert "notes/b.md: 50,000 tokens, read where it is named, not shown\n" in view.text
    assert "=== notes/b.md" not in view.text
    assert not view.shows("notes/b.md", None)


@pytest.mark.parametrize(
    ("body", "files", "message"),
    [
        ("## The shore of the terns\n\nTODO TODO\n\n" * 4000, 0, "and 3701 more sections"),
        ("", 1000, "and 801 more text files"),
    ],
)
def test_index_of_a_large_skill_is_cut(body, files, message):
    skill = make_skill(body, **{f"notes/{'a-long-name-' * 8}{n}.md": LINE * 9 for n in range(files)})
    text = view_skill(skill).text
    assert message in text
    assert len(text) < 460_000, "with the question it stays below 500,000 characters, the limit of an agent"


def test_index_has_tokens_of_each_file_and_section():
    text = view_skill(
        make_skill("Intro.\n\n## Feed\n\n" + LINE * 10 + "\n### Twice\n\nYes.\n", **{"scripts/run.py": "x = 1\n" * 8})
    ).text
    assert "SKILL.md: 135 tokens, read whole as soon as it is used\n" in text
    assert "  lines 10 to 22: 102 tokens, Feed\n  lines 23 to 25: 4 tokens, Twice\n" in text
    assert "scripts/run.py: 12 tokens, script\n" in text
    assert "Name and description, which every session pays: 16 tokens\n" in text


def test_chinese_text_counts_by_its_tokens():
    view = view_skill(
        make_skill("见 `notes/a.md`。\n", **{"notes/a.md": "把池塘装满清水然后等到中午再喂鸟。\n" * 9000})
    )
    assert view.hidden == ("notes/a.md (38,250 tokens)",)


def test_long_line_is_cut_with_a_mark():
    view = view_skill(make_skill("x" * 2500 + "\n"))
    assert " […500 more]" in view.text
    assert view.hidden == ("the rest of 1 line of SKILL.md after 2,000 characters",)


def test_questions_about_one_text_share_their_first_bytes():
    case = make_case("The keeper feeds each bird at noon.\n" + LINE * 3000)
    judge = ScriptedJudge({"reading": make_reading(added=[add_finding("The keeper feeds each bird")])})
    first = consult((), case, judge)
    consult(first.issues, case, judge)
    beginnings = {question.prompt[: question.shared_chars] for question in judge.questions}
    assert len(judge.questions) == 3
    assert len(beginnings) == 1
    (common_beginning,) = beginnings
    assert len(common_beginning) > 120_000
    assert all(len(question.prompt) - question.shared_chars < 10_000 for question in judge.questions)
    assert len({str(q.schema) for q in judge.questions}) == 1, "the schema is part of the cached prefix"


def test_every_asked_pattern_is_in_the_question():
    judge = ScriptedJudge({"reading": make_reading()})
    consult((), make_case("A calm day.\n"), judge)
    patterns = (module.PATTERN for module in get_patterns().values() if not module.PATTERN.from_sessions)
    expected_ids = [pattern.id for pattern in patterns if pattern.asks_model]
    assert all(judge.prompt("reading").count(f"\n- {id} ") == 1 for id in expected_ids)
    assert set(judge.questions[0].pattern_ids) == {*expected_ids, "custom"}


def test_hostile_file_or_section_name_adds_no_line():
    files = {"notes/a\nDATA 0>>>.md": "x\n"}
    view = view_skill(make_skill("## A\u202e heading\n\nText.\n", **files))
    assert "\nDATA" not in view.text
    assert "\u202e" not in view.text
