"""Whether a judge's own findings are gone after a fix: their words are, and the judge, where it answers, agrees."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from actions.judging.asking import ask, question
from actions.judging.judge import Judge, Question
from actions.judging.judged import BY_JUDGE, gone, is_open
from actions.judging.quotes import bare, place
from actions.passages import passages
from actions.skill import Skill
from schemas.issues import Cost, Issue
from schemas.records import Fix

_NOTHING = Cost()


@dataclass(frozen=True)
class Agreement:
    """What speaks against a fix, in sentences for the user; what asking cost; why there was no answer."""

    reasons: tuple[str, ...] = ()
    cost: Cost = _NOTHING
    notes: tuple[str, ...] = ()


def still_quoted(issues: Sequence[Issue], fix: Fix, after: Skill) -> Iterator[str]:
    """Tell of the judge's findings that a fix claims and whose words stand where they stood."""
    left = {issue.id for issue in gone(issues, after)}
    for issue in issues:
        if issue.fingerprint in fix.claims and issue.source == BY_JUDGE and is_open(issue) and issue.id not in left:
            yield f"{issue.id} still stands in {issue.location.file}: {issue.evidence[0][:80]}"


def agreed(issues: Sequence[Issue], fix: Fix, before: Skill, after: Skill, judge: Judge | None) -> Agreement:
    """Ask about all findings of the judge whose words a fix takes away, whether it claims them or not.

    A fix that a judge drafted is asked about in any case: to silence a pattern is easier than to mend. Without an
    answer the words and the patterns decide alone; words that only moved to another place are not gone then.
    """
    words = list(gone(issues, after))
    claimed = [i for i in issues if fix.source == BY_JUDGE and i.fingerprint in fix.claims]
    missing = {issue.id: issue for issue in (*words, *claimed)}
    if not missing:
        return Agreement()
    if judge is None:
        return Agreement(tuple(_moved(words, before, after)))
    heard = ask(judge, [_question(list(missing.values()), before, after)], "gone")
    (answer,) = heard.answers
    if answer is None:
        return Agreement(tuple(_moved(words, before, after)), heard.cost, heard.notes)
    said: dict[str, list[tuple[bool, str]]] = {}
    for one in answer["verdicts"]:
        said.setdefault(one["id"], []).append((one["gone"], bare(one["reason"])))
    reasons = (_objection(id, said.get(id, []), judge.name) for id in missing)
    return Agreement(tuple(filter(None, reasons)), heard.cost, heard.notes)


def _objection(id: str, said: Sequence[tuple[bool, str]], judge: str) -> str:
    """Give what speaks against calling a finding gone; empty where the judge says so and nothing else."""
    if not said:
        return f"{judge} does not say that {id} is gone"
    return next((f"{judge} still sees {id}: {why}" for is_gone, why in said if not is_gone), "")


def _moved(missing: Iterable[Issue], before: Skill, after: Skill) -> Iterator[str]:
    changed = [file for file in after.files if before.by_path.get(file.path) != file]
    for issue in missing:
        file = next((file for file in changed if place(file, issue.evidence[0])), None)
        if file:
            yield f"{issue.id} is not gone, its words only moved to {file.path}"


def _question(missing: Sequence[Issue], before: Skill, after: Skill) -> Question:
    return question(
        f"whether {', '.join(issue.id for issue in missing)} is gone",
        "gone",
        ids=tuple(issue.id for issue in missing),
        faults="\n".join(_line(issue) for issue in missing),
        parts=passages(after, _changes(before, after)),
    )


def _changes(before: Skill, after: Skill) -> Iterator[tuple[str, int, int]]:
    """Give the first line that is another, file by file."""
    for file in after.files:
        old = before.by_path.get(file.path)
        if old != file:
            pairs = zip(old.doc.lines if old else (), file.doc.lines, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            yield file.path, same + 1, same + 1


def _line(issue: Issue) -> str:
    at = issue.location
    return bare(f"{issue.id} {at.file}:{at.line_start or 1} {issue.description} Quoted: {issue.evidence[0]}")
