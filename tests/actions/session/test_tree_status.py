"""Test the verdicts that follow from the output of `git status` if a sub-agent has no records."""

import pytest

from actions.patterns.session_pattern import check_consideration
from actions.session.answer import Verdict
from actions.session.example import bash, edit, use, user
from actions.session.session import Session
from tests.examples import make_transcript

GO = user("Split the tests.")
AGENT = use("Task", "Done.", description="Split the tests", prompt="Go.", subagent_type="worker")
STARTED = use("Task", "Async agent launched successfully.\nagentId: a41f", description="Split it", prompt="Go.")
ENDED = use("TaskOutput", "<status>completed</status>", task_id="a41f")
HEAD = 'On branch fix\nChanges not staged for commit:\n  (use "git add <file>..." to update)\n'
TESTS = f"{HEAD}\tmodified:   tests/test_a.py\n\nUntracked files:\n\ttests/test_b.py\n\t.notes/"
CODE = f"{HEAD}\tmodified:   src/core.py"
SHORT = " M tests/test_a.py\n?? tests/test_b.py"
IDS = ("documentation_updates", "tutorial_needed", "philosophy_compliance", "feature_docs_discoverable")


def get_verdicts(*parts):
    """Return the verdicts on the considerations that a session without changes cannot violate."""
    session = Session(make_transcript(GO, *parts))
    return {check_consideration(f"_check_{id}", session)[0].verdict for id in IDS}


@pytest.mark.parametrize(
    "parts",
    [
        (AGENT, bash("git status", TESTS)),
        (AGENT, bash("git status --short", SHORT)),
        (AGENT, bash("git add tests && git status -s", SHORT)),
        (AGENT, bash("git status", "On branch fix\nnothing to commit, working tree clean")),
        (STARTED, ENDED, bash("git status", TESTS)),
        (edit("README.md", "x"), AGENT, bash("git status", f"{TESTS}\n\tREADME.md")),
        (AGENT, bash("git stash && pytest; git stash pop"), bash("git status", TESTS)),
        (AGENT, bash("git status", TESTS), bash("git commit -am x", "[fix 1a2b3c4] x")),
    ],
)
def test_listing_without_code_and_pages_is_satisfied(parts):
    assert get_verdicts(*parts) == {Verdict.SATISFIED}


BY_CODE = [
    (AGENT,),
    (bash("git status", TESTS), AGENT),
    (AGENT, bash("git status", CODE)),
    (AGENT, bash("git status", f"{HEAD}\trenamed:    tests/a.py -> src/a.py")),
    (AGENT, bash("git status", f"{HEAD}\nUntracked files:\n\tlib/")),
    (AGENT, bash("git status tests", TESTS)),
    (AGENT, bash("git status | head -4", TESTS)),
    (AGENT, bash("git status --untracked-files=no", TESTS)),
    (AGENT, bash("git -C ../other status", TESTS)),
    (AGENT, bash("git status", "fatal: not a git repository", error=True)),
    (AGENT, bash("git commit -am x", "[fix 1a2b3c4] x"), bash("git status", TESTS)),
    (AGENT, bash("git stash"), bash("git status", TESTS)),
    (use("Task", "Done.", description="Split it", prompt="Split and commit."), bash("git status", TESTS)),
    (STARTED, bash("git status", TESTS), ENDED),
    (AGENT, bash("git status", TESTS), AGENT),
]


@pytest.mark.parametrize("parts", BY_CODE)
def test_listing_that_may_lack_code_is_unknown(parts):
    assert Verdict.UNKNOWN in get_verdicts(*parts)


@pytest.mark.parametrize("path", ["docs/new.md", "notes.txt", "docs/", "../a.md"])
def test_listing_with_a_page_leaves_new_pages_unknown(path):
    session = Session(make_transcript(GO, AGENT, bash("git status --short", f"?? {path}")))
    assert check_consideration("_check_feature_docs_discoverable", session)[0].verdict is Verdict.UNKNOWN
