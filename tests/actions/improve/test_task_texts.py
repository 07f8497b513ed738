"""Test that exam texts are recognized where they must not appear, and other texts are not."""

import pytest

from actions.improve.task_texts import ExamPhrases, TaskText, find_leaked_tasks, list_phrases

PRACTICE = TaskText("p", "Write the notes of the release for all users of the old version 3.1.")
EXAM = TaskText(
    "e", "Write the notes of the release for all users of the new version 4.0.",
    ("The notes name each of the breaking changes in their order",), (("log.txt", "fix the lock of gate two at night"),),
)  # fmt: skip
EXAM_PHRASES = ExamPhrases.build([EXAM], [PRACTICE])


@pytest.mark.parametrize(
    "text",
    [
        f"Someone wrote: {EXAM.prompt}",
        "for all users of the NEW version,\n4.0",
        "the notes name each of the breaking changes in their order",
        "git said: fix the lock of gate two at night",
    ],
)
def test_seal_finds_texts_of_the_exam(text):
    assert EXAM_PHRASES.find(text)


@pytest.mark.parametrize("text", [PRACTICE.prompt, "Write the notes.", "", "the new version", "(?i)((((((((((a+)+)+"])
def test_seal_ignores_texts_shared_with_practice(text):
    assert EXAM_PHRASES.find(text) == ""


def test_digest_of_a_task_ignores_name_and_checks():
    renamed_task = TaskText("other", EXAM.prompt, (), EXAM.files)
    assert renamed_task.digest == EXAM.digest
    assert TaskText("e", EXAM.prompt).digest != EXAM.digest


def test_leaked_tasks_are_those_whose_prompt_a_text_repeats():
    texts = [f"# Skill\n\nExample: {EXAM.prompt}\n"]
    assert find_leaked_tasks([EXAM, TaskText("q", "Paint the boat of my aunt green.")], texts) == {"e"}


CHINESE = "请为第{}位客人写一封正式的欢迎信，并说明酒店的早餐时间和退房规则。"
JAPANESE = "{}番目の灯台の日誌を今日の天気に合わせて短くまとめてください。"
THAI = "เขียนจดหมายต้อนรับแขกคนที่ {} และอธิบายเวลาอาหารเช้าของโรงแรมให้ชัดเจน"


@pytest.mark.parametrize("prompt", [CHINESE, JAPANESE, THAI, "Fix gate {}.", "修复登录{}"])
def test_seal_works_without_spaces_and_for_short_prompts(prompt):
    tasks = [TaskText(f"t{n}", prompt.format(n)) for n in range(4)]
    skill = "# Skill\n\n" + "\n".join(f"- {task.prompt}" for task in tasks)
    assert find_leaked_tasks(tasks, [skill]) == {"t0", "t1", "t2", "t3"}
    assert find_leaked_tasks(tasks, ["# 技能\n\n请写信。 Fix the gate."]) == set()
    assert ExamPhrases.build(tasks[:1], tasks[1:]).find(skill)


def test_short_prompt_is_found_only_on_its_own():
    exam_phrases = ExamPhrases.build([TaskText("e", "Fix login", ("x",), (("a", "ok"),))], [])
    assert exam_phrases.find("Example: `fix login`") == "fix login"
    assert exam_phrases.find("We fix login pages. x\nok\n") == ""


def test_phrases_have_eight_words_or_up_to_24_characters():
    assert {len(phrase) for phrase in list_phrases("a " * 20)} == {8}
    assert {len(phrase) for phrase in list_phrases("灯" * 20)} == {12}
    assert {len(phrase) for phrase in list_phrases("ก" * 50)} == {24}
    assert list_phrases("one two three") == set()
