"""Test the reading of recorded sessions: the questions, the accepted answers, and what a second reading removes."""

import re

import pytest
from msgspec.structs import replace

from actions.evidence.collect import check_lines
from actions.evidence.issues import add_evidence
from actions.history.reader_events import describe_events
from actions.history.session_table import build_table
from actions.review.asking import Asking
from actions.review.run_reading import read_runs
from actions.session.example import Recorded, agent, bash, hook, load, use, user, write
from schemas.vocabulary import Grade
from tests.examples import recorded_case
from tests.judges import ScriptedJudge, confirm_observation

TEXT = "# Depart\n\nRead `tides.md` before you cast off.\n\n```bash\nberth depart --now\n```\n"
CASTS_OFF = bash("berth depart --now", "gone, password=hunter2000!")
RUN = (user("Cast off."), load(), CASTS_OFF, agent("Gone."))
SKIPPED = {
    "kind": "skipped", "line": 5, "words": "Read `tides.md` before you cast off", "record": 3,
    "quote": "berth depart --now", "what": "The run cast off without reading tides.md.", "severity": "medium",
}  # fmt: skip


def says(*observations):
    return {"orders": [], "observations": list(observations), "verdicts": []}


def rules(**answers):
    return {"orders": [], "observations": [], "verdicts": [confirm_observation(**answers)]}


def check(*verdicts):
    """Return the answer of a last reader, with a verdict on each observation in order."""
    return {"checks": [{"number": n, "reason": "Looked up.", "verdict": one} for n, one in enumerate(verdicts, 1)]}


def let_stand(question):
    """Answer for a last reader who can refute nothing."""
    return check(
        *["stands"] * (1 + max(int(n) for n in re.findall(r"^(\d+)\. \w+, line \d+, record", question.prompt, re.M)))
    )


def read(answer, second="no time", checks=let_stand, runs=(RUN,), **options):
    """Read the sessions with a judge; return the case with its observations, the judge, and the notes."""
    case = recorded_case(Recorded(TEXT, runs))
    firsts, lasts = (one if isinstance(one, tuple) else (one, one) for one in (answer, checks))
    later = {"reading 2": firsts[1], "refutation 1": second, "check 1": lasts[0], "check 2": lasts[1]}

    def reply(question):
        value = later.get(question.name.rpartition(", ")[2], firsts[0])
        return value(question) if callable(value) else value

    judge = ScriptedJudge({"run": reply})
    asking = Asking(judge)
    return replace(case, observations=read_runs(case, asking, **options)), judge, asking.notes


def test_question_has_the_text_and_the_run_with_numbers():
    _, judge, _ = read(says())
    prompt = judge.asked[0].prompt
    assert "| Read `tides.md` before you cast off." in prompt
    assert "[3] Bash: command='berth depart --now'" in prompt
    assert "[1] user: Cast off." in prompt
    assert prompt.count("Read `tides.md` before you cast off.\n") == 1
    assert "hunter2000" not in prompt
    assert not judge.asked[0].may_look


def test_observation_stands_at_its_line_and_record():
    case, _, _ = read(says(SKIPPED), rules(severity="low"))
    (event,) = [event for event in build_table(case).timelines[0].events if event.is_read]
    assert (event.kind, event.line, event.record) == ("skipped", 8, 3)
    assert [one.severity for one in case.observations] == ["low"]


@pytest.mark.parametrize("label", ["[3] Bash: ", "Bash: ", "[3] "])
def test_quote_may_have_the_number_and_author_of_its_record(label):
    quote = f"{label}command='berth depart --now'"
    case, _, _ = read(says({**SKIPPED, "quote": quote}))
    assert [one.quote.quote for one in case.observations] == ["command='berth depart --now'"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"words": "Read the weather report"}, "words that are not in the text"),
        ({"words": "off"}, "words that are not in the text"),
        ({"quote": "berth depart --later"}, "quote that is not in its record"),
        ({"record": 900}, "quote that is not in its record"),
        ({"record": 1e30}, "quote that is not in its record"),
        ({"record": 1, "quote": "Cast off."}, "quote that is not in its record"),
    ],
)
def test_observation_without_its_words_or_record_is_rejected(changed, reason):
    case, judge, notes = read(says({**SKIPPED, **changed}))
    assert case.observations == ()
    assert notes == [f"a scripted judge on the runs, rejected: 2 × {reason}"]
    assert len(judge.asked) == 2


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"happened": "no"}, "refuted by"),
        ({"demand": "silent"}, "refuted by"),
        ({"happened": "unclear"}, "left open by"),
        ({"sure": 6}, "left open by"),
        ({"readers": 4}, "left open by"),
        ({"defence": "user"}, "left open by"),
    ],
)
def test_observation_is_removed_by_a_second_reading(answers, why):
    case, judge, notes = read(says(SKIPPED), rules(**answers))
    assert case.observations == ()
    assert f"1 × {why} the second reading" in notes[0]
    assert not [question for question in judge.asked if "check" in question.name]


@pytest.mark.parametrize(
    ("verdicts", "reason"),
    [
        (("stands", "stands"), ""),
        (("stands", "arguable"), "1 × arguable by the last check"),
        (("wrong", "stands"), "1 × refuted by the last check"),
        (("arguable", "wrong"), "1 × refuted by the last check"),
    ],
)
def test_observation_stands_if_no_last_reader_can_refute_it(verdicts, reason):
    case, _, notes = read(says(SKIPPED), rules(), tuple(map(check, verdicts)))
    assert len(case.observations) == (not reason)
    assert [note.rpartition("rejected: ")[2] for note in notes] == [reason] * bool(reason)


def test_last_readers_see_the_narrowed_sentence_and_no_other():
    open_one = {**SKIPPED, "what": "It was careless.", "quote": "berth depart"}
    second = {
        **says(),
        "verdicts": [confirm_observation(1, fact="No call reads tides.md."), confirm_observation(2, readers=2)],
    }
    _, judge, _ = read(says(SKIPPED, open_one), second)
    prompts = [question.prompt for question in judge.asked if "check" in question.name]
    assert len(set(prompts)) == 2
    assert all("1. skipped, line 3, record 3: “berth depart --now”: No call reads tides.md." in one for one in prompts)
    assert not any("careless" in one or "without reading" in one for one in prompts)


@pytest.mark.parametrize("checks", [(check("stands"), "no time"), ("no time", check("stands"))])
def test_one_last_reader_is_enough(checks):
    assert len(read(says(SKIPPED), rules(), checks)[0].observations) == 1


@pytest.mark.parametrize("checks", ["no time", check()])
def test_observation_that_no_last_reader_checked_is_left_out(checks):
    case, _, notes = read(says(SKIPPED), rules(), checks)
    assert case.observations == ()
    assert any(note.startswith("1 observation in the runs left out, because no reader answered") for note in notes)


def test_observation_has_the_words_of_the_second_reader():
    case, _, _ = read(says(SKIPPED), rules(fact="No record shows tides.md read,\npassword=hunter2000!", severity="low"))
    (one,) = case.observations
    assert one.what.startswith("No record shows tides.md read, password=")
    assert "hunter2000" not in one.what
    assert one.severity == "low"


def test_observations_of_both_first_readers_are_checked_together():
    other = {**SKIPPED, "what": "The run did not read it.", "quote": "berth depart"}
    case, judge, _ = read((says(SKIPPED), says({**SKIPPED, "what": "Not read."}, other)))
    assert [one.what for one in case.observations] == [SKIPPED["what"], other["what"]]
    assert len({question.prompt for question in judge.asked}) == 5


@pytest.mark.parametrize("answers", [(says(SKIPPED), "no time"), ("no time", says(SKIPPED))])
def test_one_first_reader_is_enough(answers):
    assert len(read(answers, rules())[0].observations) == 1


def test_each_run_has_one_reader_before_any_has_two():
    _, judge, _ = read(says(SKIPPED), rules(), runs=(RUN, RUN))
    names = [question.name.partition(", ")[2] for question in judge.asked]
    assert names == ["", "", *["reading 2"] * 2, *["refutation 1"] * 2, *["check 1"] * 2, *["check 2"] * 2]


@pytest.mark.parametrize(("kind", "count"), [("detour", 1), ("wasted", 1), ("otherwise", 0)])
def test_silence_of_the_text_is_no_defence_of_a_detour(kind, count):
    case, _, _ = read(says({**SKIPPED, "kind": kind}), rules(demand="silent"))
    assert len(case.observations) == count


def test_observation_in_other_words_is_removed():
    twice = says(SKIPPED, {**SKIPPED, "what": "The tides were not read.", "quote": "berth depart"})
    second = {**says(), "verdicts": [confirm_observation(1, same=2), confirm_observation(2, same=1)]}
    case, _, notes = read(twice, second)
    assert [one.what for one in case.observations] == [SKIPPED["what"]]
    assert "1 × repeated in other words" in notes[0]


@pytest.mark.parametrize(
    "second", [rules(), {**says(), "verdicts": [confirm_observation(1, same=3), confirm_observation(2, same=3)]}]
)
def test_observations_of_the_same_words_or_the_same_third_are_one(second):
    quote = "berth depart" if len(second["verdicts"]) > 1 else SKIPPED["quote"]
    twice = says(SKIPPED, {**SKIPPED, "what": "The tides were not read.", "quote": quote})
    assert [one.what for one in read(twice, second)[0].observations] == [SKIPPED["what"]]


def test_observation_remains_if_the_other_one_in_its_words_is_refuted():
    twice = says(SKIPPED, {**SKIPPED, "what": "The tides were not read.", "quote": "berth depart"})
    second = {**says(), "verdicts": [confirm_observation(1, happened="no"), confirm_observation(2, same=1)]}
    assert [one.what for one in read(twice, second)[0].observations] == ["The tides were not read."]


def test_observation_is_checked_without_a_second_reading():
    case, judge, _ = read(says(SKIPPED))
    assert [one.what for one in case.observations] == [SKIPPED["what"]]
    assert SKIPPED["what"] in judge.asked[-1].prompt


def test_observation_in_two_sessions_is_a_finding():
    case, _, _ = read(says(SKIPPED), rules(severity="medium"), runs=(RUN, RUN))
    (finding,) = [one for one in check_lines(case).findings if one.pattern.id == "SES-014"]
    assert (finding.line, finding.severity, finding.sessions) == (8, "medium", ("session-2", "session-1"))
    assert finding.message == "Not followed in 2 runs: The run cast off without reading tides.md."
    assert {one.read_by.name for one in finding.occurrences} == {"a scripted judge"}
    assert Grade.READ not in {one.grade for one in check_lines(read(says(SKIPPED))[0]).findings}


@pytest.mark.parametrize(("severity", "found"), [("medium", ["SES-014"]), ("low", [])])
def test_failure_in_one_run_is_a_finding_unless_low(severity, found):
    case, _, _ = read(says({**SKIPPED, "kind": "failed"}), rules(severity=severity))
    assert [one.pattern.id for one in check_lines(case).findings] == found


def test_only_the_newest_runs_are_read():
    _, judge, notes = read(says(), runs=(RUN, RUN, RUN), max_runs=2)
    assert [question.name for question in judge.asked[:2]] == ["run session-3 record 2", "run session-2 record 2"]
    assert notes == ["a scripted judge read the 2 newest of 3 runs"]


def test_log_shows_what_a_hook_put_into_the_context():
    _, judge, _ = read(says(), runs=((hook("--- tides.md ---\nHigh at noon."), *RUN),))
    assert "[1] Claude Code: (put into the context, SessionStart) --- tides.md ---\nHigh" in judge.asked[0].prompt


def test_log_shows_what_the_run_did_just_before():
    _, judge, _ = read(says(), runs=((bash("berth tides"), *RUN),))
    assert "[1] Bash: command='berth tides'" in judge.asked[0].prompt


def test_line_that_is_gone_is_named_in_words():
    older = TEXT.replace("Read `tides.md` before", "Always read `tides.md` before")
    gone = {**SKIPPED, "words": "Always read `tides.md` before you cast off"}
    case, _, _ = read(says(gone), runs=((load(older), *RUN[2:]),))
    (event,) = [event for event in build_table(case).timelines[0].events if event.is_read]
    assert event.line is None
    assert event.text.endswith("(line 3 of the loaded text, which is gone now)")


def test_log_of_a_long_run_is_bounded_and_has_every_call():
    steps = tuple(bash(f"berth list {number}", "boat " * 500) for number in range(120))
    _, judge, _ = read(says(), runs=((load(), *steps),), limit=60_000)
    prompt = judge.asked[0].prompt
    assert len(prompt) < 80_000
    assert all(f"berth list {number}'" in prompt for number in range(120))


def test_observation_is_shown_after_hundreds_of_events():
    late = {**SKIPPED, "record": 403, "quote": "berth depart --now"}
    case, _, _ = read(says(late), rules(), runs=((*RUN[:2], *[CASTS_OFF] * 220),))
    assert [event.record for event in build_table(case).timelines[0].events if event.is_read] == [403]


def test_log_of_a_long_run_has_its_beginning_whole():
    steps = tuple(write(f"log-{number}.md", f"{number:03} " * 1500) for number in range(40))
    _, judge, _ = read(says(), runs=((load(), *steps),), limit=60_000)
    assert [f"{number:03} " * 1500 in judge.asked[0].prompt for number in (0, 3, 6, 39)] == [True, True, False, False]


def test_log_has_what_the_run_wrote_whole():
    passage = "\n".join(f"## Leg {number}\n\nNorth." for number in range(300))
    _, judge, _ = read(says(), runs=((load(), write("log.md", passage)),))
    assert repr(passage) in judge.asked[0].prompt


def test_log_has_the_files_of_the_text_that_the_run_read():
    own = use("Read", "1\tEach log has five lines.", file_path="/skills/example/log.md")
    other = use("Read", "1\tA log of yesterday.", file_path="/project/log.md")
    _, judge, _ = read(says(), runs=((load(), own, other),))
    assert "result: 1\tEach log has five lines." in judge.asked[0].prompt
    assert "A log of yesterday" not in judge.asked[0].prompt


def test_quote_of_a_coloured_output_is_found():
    coloured = (load(), bash("berth depart --now", "\x1b[31mfailed:\x1b[39m no \x1b[1mrope\x1b[22m"))
    case, judge, _ = read(says({**SKIPPED, "record": 3, "quote": "failed: no rope"}), runs=(coloured,))
    assert "result: failed: no rope" in judge.asked[0].prompt
    assert [one.quote.record for one in case.observations] == [2]


def test_observations_are_no_proven_events_for_another_reading():
    case, _, _ = read(says({**SKIPPED, "kind": "skipped"}))
    assert case.observations
    assert "without reading tides.md" not in describe_events(case)


def test_finding_keeps_its_identity_whatever_words_a_model_uses():
    def identify(words):
        case, _, _ = read(says({**SKIPPED, "what": words}), rules(), runs=(RUN, RUN))
        return [issue.fingerprint for issue in add_evidence((), check_lines(case), case, ())]

    assert identify("The run cast off blindly.") == identify("No tides were read.")


def test_departures_of_several_kinds_from_one_line_are_one_finding():
    def note(question):
        return says({**SKIPPED, "kind": "late" if "session-2" in question.name else "skipped"})

    case, _, _ = read(note, rules(), runs=(RUN, RUN))
    assert [len(one.occurrences) for one in check_lines(case).findings if one.pattern.id == "SES-014"] == [2]
