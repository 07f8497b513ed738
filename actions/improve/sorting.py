"""Sort failed runs by their cause, which a model determines and proves with quotes.

A run that did not use the skill is sorted without a model. A defect counts only if the model quotes both the record of
the run and the skill.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.patterns.page import CUSTOM
from actions.patterns.pattern import Pattern
from actions.project.lookup_log import NOTHING_SHOWN
from actions.review.accepting import AnswerFilter
from actions.review.asking import build_question, render_skill
from actions.review.judge import Question
from actions.review.quotes import flatten, locate_quote
from actions.review.skill_view import view_skill
from actions.scoring.issues import rank_issues
from schemas.improvement import Cause, Failure, Improvement
from schemas.issues import Issue
from schemas.vocabulary import Family

_DEFECT_PATTERN = Pattern(CUSTOM, (), other_family=Family.CUSTOM)
_MIN_QUOTE = 6
MAX_RECORD = 60_000
"""Maximum number of characters of a run's record in a question. The middle of a longer record is left out."""


class FailedRun(msgspec.Struct, frozen=True):
    """A failed run, with its failed checks and their reasons, and its record.

    `is_used` means that the run called the skill. `was_opened` means that the run only read SKILL.md.
    """

    key: str
    task: str
    prompt: str
    checks: tuple[str, ...]
    record: str
    is_used: bool
    was_opened: bool = False

    @property
    def shown_record(self) -> str:
        """The record as shown to a model."""
        return shorten_record(self.record)


def shorten_record(record: str) -> str:
    """Return a record without the middle if it is longer than `MAX_RECORD`."""
    half = MAX_RECORD // 2
    return record if len(record) <= MAX_RECORD else f"{record[:half]}\n[…]\n{record[-half:]}"


def build_sorting_question(run: FailedRun, case: Case, passed: str = "") -> Question:
    """Build the question about a failed run. `passed` is the record of a successful run of the same task, or ""."""
    shared_text = render_skill(case, view_skill(case.skill).text)
    return build_question(
        f"sorting of {run.key}", "sorting", shared_text, task=run.prompt, checks=run.checks, record=run.shown_record,
        passed=shorten_record(passed),
    )  # fmt: skip


def make_unused_failure(run: FailedRun) -> Failure:
    """Build the failure of a run that did not use the skill."""
    opened = "; SKILL.md was opened with Read, which does not count as a call" if run.was_opened else ""
    return Failure(run.key, run.task, Cause.UNUSED, f"the skill was not called{opened}")


def accept_sorting(
    state: Improvement, run: FailedRun, answer: Mapping[str, Any] | None, case: Case, judge: str
) -> Improvement:
    """Add a sorted failure to the state. A defect becomes an issue, or evidence of an issue at the same lines."""
    if answer is None:
        return _add_failure(state, Failure(run.key, run.task, Cause.UNKNOWN, "the model gave no usable answer"))
    cause, reason, quote = Cause(answer["cause"]), flatten(answer["reason"]), flatten(answer["run_quote"])
    if len(quote) < _MIN_QUOTE or quote not in flatten(run.shown_record):
        why = f"the model's quote is not in the record of the run (its reason: {reason})"
        return _add_failure(state, Failure(run.key, run.task, Cause.UNKNOWN, why))
    failure = Failure(run.key, run.task, cause, reason, quote)
    if cause is not Cause.DEFECT:
        return _add_failure(state, failure)
    if (known := _find_known_issue(answer, state.issues, case)) is None:
        item = {"pattern": CUSTOM, "severity": "high", "file": answer["file"], "quote": answer["skill_quote"],
                "problem": answer["reason"], "harm": answer["harm"], "looked_up": [], "from_knowledge": False,
                "explains_complaint": False}  # fmt: skip
        added = AnswerFilter(case, judge).accept_additions(
            [item], {CUSTOM: _DEFECT_PATTERN}, state.issues, NOTHING_SHOWN
        )
        if not added:
            why = f"the model quoted no line of the skill (its reason: {reason})"
            return _add_failure(state, replace(failure, cause=Cause.UNKNOWN, reason=why))
        known = added[0]
        state = replace(state, issues=(*state.issues, known))
    evidence = (*known.evidence, f"in the run {run.key}: {quote}")
    issues = rank_issues(replace(i, evidence=evidence) if i.id == known.id else i for i in state.issues)
    return _add_failure(replace(state, issues=issues), replace(failure, issue=known.id))


def _find_known_issue(answer: Mapping[str, Any], issues: Sequence[Issue], case: Case) -> Issue | None:
    """Return the issue at the lines that an answer quotes, or None."""
    file = case.skill.by_path.get(answer["file"])
    lines = locate_quote(file, answer["skill_quote"]) if file else None
    matching = (i for i in issues if lines and i.location.file == answer["file"] and i.location.overlaps(*lines))
    return next(matching, None)


def _add_failure(state: Improvement, failure: Failure) -> Improvement:
    return replace(state, failures=(*state.failures, failure))
