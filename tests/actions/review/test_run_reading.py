"""Test the reading of recorded sessions: the questions, the accepted answers, and what a second reading removes."""

import re

import pytest
from msgspec.structs import replace

from actions.evidence.collect import check_lines
from actions.evidence.issues import add_evidence
from actions.history.reader_events import describe_events
from actions.history.session_table import build_table
from actions.review.asking import JudgeClient
from actions.review.run_reading import read_runs
from actions.session.example import Recorded, agent, bash, hook, load, use, user, write
from schemas.vocabulary import Grade
from tests.examples import make_recorded_case
from tests.judges import ScriptedJudge, confirm_observation

TEXT = "# Depart\n\nRead `tides.md` before you cast off.\n\n```bash\nberth depart --now\n```\n"
FAILED_CALL = bash("berth depart --now", "gone, password=hunter2000!")
RUN = (user("Cast off."), load(), FAILED_CALL, agent("Gone."))
SKIPPED_OBSERVATION = {
    "kind": "skipped", "line": 5, "words": "Read `tides.md` before you cast off", "record": 3,
    "quote": "berth depart --now", "what": "The run cast off without reading tides.md.", "severity": "medium",
}  # fmt: skip


def make_first_answer(*observations):
    return {"orders": [], "observations": list(observations), "verdicts": []}


def make_second_answer(**answers):
    return {"orders": [], "observations": [], "verdicts": [confirm_observation(**answers)]}


def make_last_answer(*verdicts):
    """Return the answer of a last reader, with a verdict on each observation in order."""
    return {
        "checks": [{"number": n, "reason": "Looked up.", "verdict": verdict} for n, verdict in enumerate(verdicts, 1)]
    }


def accept_all(question):
    """Answer for a last reader who can refute nothing."""
    return make_last_answer(
        *["stands"] * (1 + max(int(n) for n in re.findall(r"^(\d+)\. \w+, line \d+, record", question.prompt, re.M)))
    )


def read_sessions(answer, second="no time", checks=accept_all, runs=(RUN,), **options):
    """Read the sessions with a judge; return the case with its observations, the judge, and the notes."""
    case = make_recorded_case(Recorded(TEXT, runs))
    first_answers, last_answers = (
        values if isinstance(values, tuple) else (values, values) for values in (answer, checks)
    )
    later_answers = {
        "reading 2": first_answers[1],
        "refutation 1": second,
        "check 1": last_answers[0],
        "check 2": last_answers[1],
    }

    def reply(question):
        value = later_answers.get(question.name.rpartition(", ")[2], first_answers[0])
        return value(question) if callable(value) else value

    judge = ScriptedJudge({"run": reply})
    client = JudgeClient(judge)
    return replace(case, observations=read_runs(case, client, **options)), judge, client.notes


def test_question_has_the_text_and_the_run_with_numbers():
    _, judge, _ = read_sessions(make_first_answer())
    prompt = judge.questions[0].prompt
    assert "| Read `tides.md` before you cast off." in prompt
    assert "[3] Bash: command='berth depart --now'" in prompt
    assert "[1] user: Cast off." in prompt
    assert prompt.count("Read `tides.md` before you cast off.\n") == 1
    assert "hunter2000" not in prompt
    assert not judge.questions[0].may_look


def test_observation_has_its_line_and_record():
    case, _, _ = read_sessions(make_first_answer(SKIPPED_OBSERVATION), make_second_answer(severity="low"))
    (event,) = [event for event in build_table(case).timelines[0].events if event.is_read]
    assert (event.kind, event.line, event.record) == ("skipped", 8, 3)
    assert [observation.severity for observation in case.observations] == ["low"]


@pytest.mark.parametrize("label", ["[3] Bash: ", "Bash: ", "[3] "])
def test_quote_may_have_the_number_and_author_of_its_record(label):
    quote = f"{label}command='berth depart --now'"
    case, _, _ = read_sessions(make_first_answer({**SKIPPED_OBSERVATION, "quote": quote}))
    assert [observation.quote.quote for observation in case.observations] == ["command='berth depart --now'"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"words": "Read the weather report"}, "words that are not in the text"),
        ({"words": "off"}, "words that are not in the text"),
        ({"quote": "berth depart --later"}, "quote that is not in its record"),
        ({"record": 900}, "quote that is not in its record"),
        ({"record": 1e30}, "quote that is not in its record"),
        ({"record": 1, "quote": "Cast off."}, "quote that is not in its record"),
    ],
)
def test_observation_without_its_words_or_record_is_rejected(changes, reason):
    case, judge, notes = read_sessions(make_first_answer({**SKIPPED_OBSERVATION, **changes}))
    assert case.observations == ()
    assert notes == [f"a scripted judge on the runs, rejected: 2 × {reason}"]
    assert len(judge.questions) == 2


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"happened": "no"}, "refuted by"),
        ({"demand": "silent"}, "refuted by"),
        ({"happened": "unclear"}, "left open by"),
        ({"sure": 6}, "left open by"),
        ({"readers": 4}, "left open by"),
        ({"defence": "user"}, "left open by"),
    ],
)
def test_observation_is_removed_by_a_second_reading(answers, reason):
    case, judge, notes = read_sessions(make_first_answer(SKIPPED_OBSERVATION), make_second_answer(**answers))
    assert case.observations == ()
    assert f"1 × {reason} the second reading" in notes[0]
    assert not [question for question in judge.questions if "check" in question.name]


@pytest.mark.parametrize(
    ("verdicts", "reason"),
    [
        (("stands", "stands"), ""),
        (("stands", "arguable"), "1 × arguable by the last check"),
        (("wrong", "stands"), "1 × refuted by the last check"),
        (("arguable", "wrong"), "1 × refuted by the last check"),
    ],
)
def test_observation_is_kept_if_no_last_reader_can_refute_it(verdicts, reason):
    case, _, notes = read_sessions(
        make_first_answer(SKIPPED_OBSERVATION), make_second_answer(), tuple(map(make_last_answer, verdicts))
    )
    assert len(case.observations) == (not reason)
    assert [note.rpartition("rejected: ")[2] for note in notes] == [reason] * bool(reason)


def test_last_readers_see_the_narrowed_sentence_and_no_other():
    unconfirmed = {**SKIPPED_OBSERVATION, "what": "It was careless.", "quote": "berth depart"}
    second = {
        **make_first_answer(),
        "verdicts": [confirm_observation(1, fact="No call reads tides.md."), confirm_observation(2, readers=2)],
    }
    _, judge, _ = read_sessions(make_first_answer(SKIPPED_OBSERVATION, unconfirmed), second)
    prompts = [question.prompt for question in judge.questions if "check" in question.name]
    assert len(set(prompts)) == 2
    assert all(
        "1. skipped, line 3, record 3: “berth depart --now”: No call reads tides.md." in prompt for prompt in prompts
    )
    assert not any("careless" in prompt or "without reading" in prompt for prompt in prompts)


@pytest.mark.parametrize("checks", [(make_last_answer("stands"), "no time"), ("no time", make_last_answer("stands"))])
def test_one_last_reader_is_enough(checks):
    assert len(read_sessions(make_first_answer(SKIPPED_OBSERVATION), make_second_answer(), checks)[0].observations) == 1


@pytest.mark.parametrize("checks", ["no time", make_last_answer()])
def test_observation_that_no_last_reader_checked_is_left_out(checks):
    case, _, notes = read_sessions(make_first_answer(SKIPPED_OBSERVATION), make_second_answer(), checks)
    assert case.observations == ()
    assert any(note.startswith("1 observation in the runs left out, because no reader answered") for note in notes)


def test_observation_has_the_words_of_the_second_reader():
    case, _, _ = read_sessions(
        make_first_answer(SKIPPED_OBSERVATION),
        make_second_answer(fact="No record shows tides.md read,\npassword=hunter2000!", severity="low"),
    )
    (observation,) = case.observations
    assert observation.what.startswith("No record shows tides.md read, password=")
    assert "hunter2000" not in observation.what
    assert observation.severity == "low"


def test_observations_of_both_first_readers_are_checked_together():
    second_observation = {**SKIPPED_OBSERVATION, "what": "The run did not read it.", "quote": "berth depart"}
    case, judge, _ = read_sessions(
        (
            make_first_answer(SKIPPED_OBSERVATION),
            make_first_answer({**SKIPPED_OBSERVATION, "what": "Not read."}, second_observation),
        )
    )
    assert [observation.what for observation in case.observations] == [
        SKIPPED_OBSERVATION["what"],
        second_observation["what"],
    ]
    assert len({question.prompt for question in judge.questions}) == 5


@pytest.mark.parametrize(
    "answers",
    [(make_first_answer(SKIPPED_OBSERVATION), "no time"), ("no time", make_first_answer(SKIPPED_OBSERVATION))],
)
def test_one_first_reader_is_enough(answers):
    assert len(read_sessions(answers, make_second_answer())[0].observations) == 1


def test_each_run_has_one_reader_before_any_run_has_two():
    _, judge, _ = read_sessions(make_first_answer(SKIPPED_OBSERVATION), make_second_answer(), runs=(RUN, RUN))
    names = [question.name.partition(", ")[2] for question in judge.questions]
    assert names == ["", "", *["reading 2"] * 2, *["refutation 1"] * 2, *["check 1"] * 2, *["check 2"] * 2]


@pytest.mark.parametrize(("kind", "count"), [("detour", 1), ("wasted", 1), ("otherwise", 0)])
def test_detour_counts_even_if_the_text_does_not_forbid_it(kind, count):
    case, _, _ = read_sessions(
        make_first_answer({**SKIPPED_OBSERVATION, "kind": kind}), make_second_answer(demand="silent")
    )
    assert len(case.observations) == count


def test_observation_in_other_words_is_removed():
    answer = make_first_answer(
        SKIPPED_OBSERVATION, {**SKIPPED_OBSERVATION, "what": "The tides were not read.", "quote": "berth depart"}
    )
    second = {**make_first_answer(), "verdicts": [confirm_observation(1, same=2), confirm_observation(2, same=1)]}
    case, _, notes = read_sessions(answer, second)
    assert [observation.what for observation in case.observations] == [SKIPPED_OBSERVATION["what"]]
    assert "1 × repeated in other words" in notes[0]


@pytest.mark.parametrize(
    "second",
    [
        make_second_answer(),
        {**make_first_answer(), "verdicts": [confirm_observation(1, same=3), confirm_observation(2, same=3)]},
    ],
)
def test_observations_that_equal_each_other_or_a_third_are_one(second):
    quote = "berth depart" if len(second["verdicts"]) > 1 else SKIPPED_OBSERVATION["quote"]
    answer = make_first_answer(
        SKIPPED_OBSERVATION, {**SKIPPED_OBSERVATION, "what": "The tides were not read.", "quote": quote}
    )
    assert [observation.what for observation in read_sessions(answer, second)[0].observations] == [
        SKIPPED_OBSERVATION["what"]
    ]


def test_observation_remains_if_its_duplicate_is_refuted():
    answer = make_first_answer(
        SKIPPED_OBSERVATION, {**SKIPPED_OBSERVATION, "what": "The tides were not read.", "quote": "berth depart"}
    )
    second = {
        **make_first_answer(),
        "verdicts": [confirm_observation(1, happened="no"), confirm_observation(2, same=1)],
    }
    assert [observation.what for observation in read_sessions(answer, second)[0].observations] == [
        "The tides were not read."
    ]


def test_observation_is_checked_without_a_second_reading():
    case, judge, _ = read_sessions(make_first_answer(SKIPPED_OBSERVATION))
    assert [observation.what for observation in case.observations] == [SKIPPED_OBSERVATION["what"]]
    assert SKIPPED_OBSERVATION["what"] in judge.questions[-1].prompt


def test_observation_in_two_sessions_is_a_finding():
    case, _, _ = read_sessions(
        make_first_answer(SKIPPED_OBSERVATION), make_second_answer(severity="medium"), runs=(RUN, RUN)
    )
    (finding,) = [finding for finding in check_lines(case).findings if finding.pattern.id == "SES-014"]
    assert (finding.line, finding.severity, finding.sessions) == (8, "medium", ("session-2", "session-1"))
    assert finding.message == "Not followed in 2 runs: The run cast off without reading tides.md."
    assert {occurrence.read_by.name for occurrence in finding.occurrences} == {"a scripted judge"}
    assert Grade.READ not in {
        finding.grade for finding in check_lines(read_sessions(make_first_answer(SKIPPED_OBSERVATION))[0]).findings
    }


@pytest.mark.parametrize(("severity", "patterns"), [("medium", ["SES-014"]), ("low", [])])
def test_failure_in_one_run_is_a_finding_unless_low(severity, patterns):
    case, _, _ = read_sessions(
        make_first_answer({**SKIPPED_OBSERVATION, "kind": "failed"}), make_second_answer(severity=severity)
    )
    assert [finding.pattern.id for finding in check_lines(case).findings] == patterns


def test_only_the_newest_runs_are_read():
    _, judge, notes = read_sessions(make_first_answer(), runs=(RUN, RUN, RUN), max_runs=2)
    assert [question.name for question in judge.questions[:2]] == ["run session-3 record 2", "run session-2 record 2"]
    assert notes == ["a scripted judge read the 2 newest of 3 runs"]


def test_log_shows_the_context_that_a_hook_added():
    _, judge, _ = read_sessions(make_first_answer(), runs=((hook("--- tides.md ---\nHigh at noon."), *RUN),))
    assert "[1] Claude Code: (put into the context, SessionStart) --- tides.md ---\nHigh" in judge.questions[0].prompt


def test_log_shows_the_calls_before_the_run():
    _, judge, _ = read_sessions(make_first_answer(), runs=((bash("berth tides"), *RUN),))
    assert "[1] Bash: command='berth tides'" in judge.questions[0].prompt


def test_log_names_a_deleted_line_by_its_words():
    older_text = TEXT.replace("Read `tides.md` before", "Always read `tides.md` before")
    observation_of_deleted_line = {**SKIPPED_OBSERVATION, "words": "Always read `tides.md` before you cast off"}
    case, _, _ = read_sessions(make_first_answer(observation_of_deleted_line), runs=((load(older_text), *RUN[2:]),))
    (event,) = [event for event in build_table(case).timelines[0].events if event.is_read]
    assert event.line is None
    assert event.text.endswith("(line 3 of the loaded text, which is gone now)")


def test_log_of_a_long_run_is_bounded_and_has_every_call():
    steps = tuple(bash(f"berth list {number}", "boat " * 500) for number in range(120))
    _, judge, _ = read_sessions(make_first_answer(), runs=((load(), *steps),), limit=60_000)
    prompt = judge.questions[0].prompt
    assert len(prompt) < 80_000
    assert all(f"berth list {number}'" in prompt for number in range(120))


def test_observation_is_shown_after_hundreds_of_events():
    late_observation = {**SKIPPED_OBSERVATION, "record": 403, "quote": "berth depart --now"}
    case, _, _ = read_sessions(
        make_first_answer(late_observation), make_second_answer(), runs=((*RUN[:2], *[FAILED_CALL] * 220),)
    )
    assert [event.record for event in build_table(case).timelines[0].events if event.is_read] == [403]


def test_log_of_a_long_run_has_its_whole_beginning():
    steps = tuple(write(f"log-{number}.md", f"{number:03} " * 1500) for number in range(40))
    _, judge, _ = read_sessions(make_first_answer(), runs=((load(), *steps),), limit=60_000)
    assert [f"{number:03} " * 1500 in judge.questions[0].prompt for number in (0, 3, 6, 39)] == [
        True,
        True,
        False,
        False,
    ]


def test_log_has_the_whole_text_that_the_run_wrote():
    passage = "\n".join(f"## Leg {number}\n\nNorth." for number in range(300))
    _, judge, _ = read_sessions(make_first_answer(), runs=((load(), write("log.md", passage)),))
    assert repr(passage) in judge.questions[0].prompt


def test_log_has_the_files_of_the_text_that_the_run_read():
    read_of_own_file = use("Read", "1\tEach log has five lines.", file_path="/skills/example/log.md")
    read_of_other_file = use("Read", "1\tA log of yesterday.", file_path="/project/log.md")
    _, judge, _ = read_sessions(make_first_answer(), runs=((load(), read_of_own_file, read_of_other_file),))
    assert "result: 1\tEach log has five lines." in judge.questions[0].prompt
    assert "A log of yesterday" not in judge.questions[0].prompt


def test_quote_of_a_coloured_output_is_found():
    run_with_colours = (load(), bash("berth depart --now", "\x1b[31mfailed:\x1b[39m no \x1b[1mrope\x1b[22m"))
    case, judge, _ = read_sessions(
        make_first_answer({**SKIPPED_OBSERVATION, "record": 3, "quote": "failed: no rope"}), runs=(run_with_colours,)
    )
    assert "result: failed: no rope" in judge.questions[0].prompt
    assert [observation.quote.record for observation in case.observations] == [2]


def test_observations_do_not_count_as_proven_events():
    case, _, _ = read_sessions(make_first_answer({**SKIPPED_OBSERVATION, "kind": "skipped"}))
    assert case.observations
    assert "without reading tides.md" not in describe_events(case)


def test_fingerprint_does_not_depend_on_the_words_of_a_model():
    def identify(words):
        case, _, _ = read_sessions(
            make_first_answer({**SKIPPED_OBSERVATION, "what": words}), make_second_answer(), runs=(RUN, RUN)
        )
        return [issue.fingerprint for issue in add_evidence((), check_lines(case), case, ())]

    assert identify("The run cast off blindly.") == identify("No tides were read.")


def test_observations_of_several_kinds_at_a_line_are_one():
    def note(question):
        return make_first_answer({**SKIPPED_OBSERVATION, "kind": "late" if "session-2" in question.name else "skipped"})

    case, _, _ = read_sessions(note, make_second_answer(), runs=(RUN, RUN))
    assert [len(finding.occurrences) for finding in check_lines(case).findings if finding.pattern.id == "SES-014"] == [
        2
    ]
