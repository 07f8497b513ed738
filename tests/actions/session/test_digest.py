"""Test the digest of a session in a judge's prompt."""

from actions.session.digest import write_digest
from actions.session.example import agent, bash, user
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
