"""Have a model draft a small edit for a defect, check its size and invariants, and have it reviewed."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from actions.case import Case
from actions.fixes.draft_review import Candidate, review_fixes
from actions.fixes.drafting import DraftTester, describe_fault, match_drafts
from actions.fixes.passages import MAX_PASSAGES, cut_passages, list_line_ranges
from actions.fixes.records import add_review
from actions.improve.sorting import FailedRun
from actions.improve.targets import find_rejection
from actions.improve.task_texts import ExamPhrases
from actions.review.asking import JudgeClient, build_question, render_skill
from actions.review.judge import Question
from actions.review.skill_view import view_skill
from actions.scoring.scan import scan
from actions.skill.harmful import HARMFUL_KINDS
from actions.skill.paths import MARKDOWN
from schemas.improvement import Improvement, Step, StepStatus
from schemas.issues import Issue
from schemas.records import Fix
from schemas.vocabulary import FixStatus

MAX_HUNKS, MAX_LINES = 4, 40
"""Maximum numbers of hunks in the diff of a step, and of its removed or added lines."""
_MAX_RUNS = 4
"""Maximum number of failed runs to show to a drafter."""


def build_draft_question(state: Improvement, issue: Issue, case: Case, runs: Sequence[FailedRun]) -> Question:
    """Build the question that asks for a small edit, with failed runs and the rejected edits for the same defect."""
    ranges = list_line_ranges(issue, case.skill)
    return build_question(
        f"step {len(state.steps) + 1}: draft for {issue.id}",
        "draft",
        render_skill(case, view_skill(case.skill).text),
        drafts=((issue.id,),),
        faults=[describe_fault((issue,), None)],
        patterns=[],
        others="",
        parts=cut_passages(case.skill, ranges, view_skill(case.skill))[:MAX_PASSAGES],
        describes=False,
        is_second=False,
        harmful=HARMFUL_KINDS,
        step={
            "runs": runs[:_MAX_RUNS],
            "hunks": MAX_HUNKS,
            "lines": MAX_LINES,
            "rejected": [_describe_rejected(step) for step in state.steps if step.issue == issue.id and step.fix],
        },
    )


def _describe_rejected(step: Step) -> dict[str, str]:
    assert step.fix is not None, "only drafted steps are described"
    return {"diff": "\n".join(change.diff for change in step.fix.changes), "reason": step.reason}


def draft_step(
    state: Improvement, issue: Issue, answer: Mapping[str, Any] | None, case: Case, exam_phrases: ExamPhrases
) -> Step:
    """Build a step from a model's draft. The step is rejected if it is too large or violates an invariant."""
    number = len(state.steps) + 1
    if answer is None:
        return Step(number, issue.id, StepStatus.REJECTED, "the model gave no usable draft")
    drafts = list(match_drafts([(issue,)], answer))
    if not drafts:
        return Step(number, issue.id, StepStatus.REJECTED, "the model drafted nothing for this defect")
    tester = DraftTester(case, state.issues, scan(case, known=state.issues), number)
    attempt = tester.try_draft((issue,), drafts[0][1])
    texts = {path: data.decode() for path, data in attempt.writes.items()}
    fix = attempt.to_fix(f"FIX-{number:03d}") if attempt.fix.changes else None
    fix = fix and replace(fix, status=FixStatus.PROPOSED, reason=None)
    step = Step(number, issue.id, StepStatus.PROPOSED, "", fix, texts=texts)
    reasons = [*attempt.reasons, *(_list_excesses(fix, case, texts, exam_phrases) if fix else ())]
    return reject(step, "; ".join(reasons)) if reasons else step


def reject(step: Step, reason: str) -> Step:
    """Mark a step as rejected, and its fix as refused for the same reason."""
    fix = step.fix and replace(step.fix, status=FixStatus.REFUSED, reason=reason)
    return replace(step, status=StepStatus.REJECTED, reason=reason, fix=fix)


def reject_repeated(state: Improvement, step: Step, earlier: Mapping[str, str]) -> Step:
    """Reject a step if the same edit was rejected before, else return it unchanged.

    `earlier` maps the digests of edits in earlier improvements to the reasons of their rejection.
    """
    reason = find_rejection(state, step.digest) or earlier.get(step.digest, "")
    return reject(step, f"not tried again: {reason}") if reason else step


def measure_edit(fix: Fix) -> tuple[int, int]:
    """Return the number of hunks in a fix's diff, and the number of lines that it removes or adds."""
    lines = [line for change in fix.changes for line in change.diff.splitlines()]
    hunks = sum(line.startswith("@@") for line in lines)
    return hunks, sum(line[:1] in ("+", "-") and line[:3] not in ("+++", "---") for line in lines)


def _list_excesses(fix: Fix, case: Case, texts: Mapping[str, str], exam_phrases: ExamPhrases) -> list[str]:
    hunks, lines = measure_edit(fix)
    excesses = []
    if hunks > MAX_HUNKS or lines > MAX_LINES:
        allowed = f"at most {MAX_HUNKS} hunks and {MAX_LINES} lines are allowed"
        excesses.append(f"the edit has {hunks} hunks and {lines} changed lines; {allowed}")
    if others := [path for path in texts if not path.lower().endswith(MARKDOWN)]:
        excesses.append(f"the edit changes {', '.join(others)}; only Markdown files may be changed")
    old = {path: file.text if (file := case.skill.by_path.get(path)) else "" for path in texts}
    if any(exam_phrases.find(text) and not exam_phrases.find(old[path]) for path, text in texts.items()):
        excesses.append("the edit contains text of an exam task")
    return excesses


def review_step(state: Improvement, step: Step, case: Case, review_case: Case, client: JudgeClient) -> Step:
    """Have a model review a step, given `review_case` and the diff, and return the step with the review.

    The step is rejected if the model objects or gives no answer.
    """
    assert step.fix is not None, "a proposed step has a fix"
    writes = {path: text.encode() for path, text in step.texts.items()}
    issue = next(issue for issue in state.issues if issue.id == step.issue)
    candidate = Candidate(step.fix, [issue], case.with_files(writes).skill)
    ((reasons, review),) = review_fixes([candidate], review_case, client)
    step = replace(step, fix=add_review(step.fix, review))
    return reject(step, "; ".join(reasons)) if reasons else step


def apply_steps(case: Case, steps: Sequence[Step]) -> Case:
    """Return the case after the edits of the steps."""
    for step in steps:
        case = case.with_files({path: text.encode() for path, text in step.texts.items()})
    return case
