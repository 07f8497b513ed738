"""Test the digest of a session in a judge's prompt."""

from actions.session.digest import format_input, write_digest
from actions.session.example import agent, bash, use, user
from tests.examples import make_transcript


def test_digest_has_inputs_and_results_with_record_numbers():
    text = write_digest(make_transcript(user("Count."), bash("wc -l a", "12"), agent("Twelve.")))
    assert text.splitlines() == [
        "[0] user: Count.",
        "[1] Bash: command='wc -l a'",
        "[2] result: 12",
        "[3] assistant: Twelve.",
    ]


def test_digest_keeps_its_limit_the_goal_and_the_end():
    text = write_digest(
        make_transcript(user("The goal."), *(agent(f"Step {n}. " + "x" * 400) for n in range(500)), agent("The end.")),
        20_000,
    )
    assert len(text) < 21_000
    assert text.startswith("[0] user: The goal.")
    assert text.endswith("The end.")
    assert "records left out" in text


def test_input_of_a_call_has_no_secret_at_any_depth():
    command = "cd /srv\ncurl -u admin:hunter22 https://quay.example"
    transcript = make_transcript(use("Moor", "", text=command, steps=[{"run": [command]}], count=2))
    hidden = r"'cd /srv\n[hidden] https://quay.example'"
    assert format_input(transcript.calls[0]) == f"text={hidden}; steps=[{{'run': [{hidden}]}}]; count=2"
