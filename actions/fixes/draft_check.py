"""Check the drafts in a model's answer as soon as it arrives, so that the model can correct them at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actions.case import Case
from actions.fixes.drafting import DraftTester, match_drafts
from actions.review.judge import Question
from actions.review.quotes import flatten
from actions.review.replacements import InvalidDraft, apply_replacements
from actions.scoring.scan import scan
from schemas.issues import Issue

_LOSS = "the fix loses this"
_KEEP = "; keep it token for token, or name the whole of it in `removes` or `rewords`"


def find_draft_errors(
    question: Question, value: Mapping[str, Any], case: Case, issues: Sequence[Issue]
) -> tuple[str, ...]:
    """Return the errors of the drafts in an answer, one line each: missing drafts, conflicts, failed checks.

    `issues` are all findings of the run. If the question asks for no drafts, there are no errors.
    """
    return tuple(_list_errors(question, value, case, issues)) if question.drafts else ()


def _list_errors(
    question: Question, value: Mapping[str, Any], case: Case, issues: Sequence[Issue]
) -> Iterator[str]:  # fmt: skip
    known = {issue.id: issue for issue in issues}
    groups = [tuple(known[id] for id in ids if id in known) for ids in question.drafts]
    drafts = list(match_drafts([group for group in groups if group], value))
    named = {id for draft in value["drafts"] for id in draft["faults"]}
    if missing := [ids[0] for ids in question.drafts if named.isdisjoint(ids)]:
        yield f"no draft for {', '.join(missing)}; draft a fix for each, or say in `declined` why there is none"
    try:
        apply_replacements([edit for _, draft in drafts for edit in draft["edits"]], case.skill)
    except InvalidDraft as error:
        hint = "for two faults in the same text, write one draft that names both in `faults`"
        yield f"the drafts do not fit together: {error}; {hint}"
    tester = DraftTester(case, issues, scan(case, known=issues))
    for group, draft in drafts:
        attempt = tester.try_draft(group, draft)
        for reason in () if attempt.is_declined else attempt.reasons:
            hint = _KEEP if _LOSS in reason else ""
            yield flatten(f"draft for {', '.join(issue.id for issue in group)}: {reason}{hint}")
