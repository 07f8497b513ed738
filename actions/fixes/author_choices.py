"""Read questions that only the skill's author can answer, and store the author's choices for the next draft."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from actions.review.quotes import flatten
from schemas.records import AuthorChoice, Fix, State
from schemas.vocabulary import FixStatus, IssueStatus


def read_choice(answer: Mapping[str, Any]) -> AuthorChoice | None:
    """Return the choice that a draft leaves to the author, or None."""
    choice = answer.get("choice")
    return AuthorChoice(flatten(choice["question"]), tuple(map(flatten, choice["readings"]))) if choice else None


def list_open_choices(state: State) -> dict[str, AuthorChoice]:
    """Map the ids of open findings that need the author's decision to their unanswered choices."""
    open_ids = {issue.id for issue in state.issues if issue.status is IssueStatus.OPEN}
    refused = (fix for fix in state.proposed_fixes if fix.status is FixStatus.REFUSED)
    choices = ((fix.issue_ids[0], fix.choice) for fix in refused)
    return {id: choice for id, choice in choices if choice and not choice.chosen and id in open_ids}


def choose(state: State, answers: Mapping[str, str]) -> State:
    """Store the author's choices (finding id -> reading or free text) in the state, for the next drafts."""
    return replace(state, proposed_fixes=tuple(_choose(fix, answers) for fix in state.proposed_fixes))


def _choose(fix: Fix, answers: Mapping[str, str]) -> Fix:
    chosen = next((flatten(answers[id]) for id in fix.issue_ids if id in answers), "")
    return replace(fix, choice=replace(fix.choice, chosen=chosen)) if chosen and fix.choice else fix


def get_chosen(fixes: Iterable[Fix], id: str) -> str:
    """Return the reading of a finding that the author chose last, or "" if the author chose none."""
    return next((fix.choice.chosen for fix in reversed([*fixes]) if id in fix.issue_ids and fix.choice), "")


def is_reopened(fix: Fix) -> bool:
    """Return whether the findings of a refused fix may be drafted again, because the author has chosen a reading."""
    return fix.status is FixStatus.REFUSED and fix.choice is not None and bool(fix.choice.chosen)
