"""Export the product's questions as files that any model or person can answer, and score the answers.

One folder for each skill: `NAME.md` is the question, `NAME.schema.json` the form of its answer, `NAME.answer.json` is
where the answer goes. `project/` holds the files that may be looked up; a reader who opens one writes its path into
`NAME.lookups.txt`, with the lines read (`a/b.py:10-80`). Together they may take what a model may look up at first;
the score lists those that fit. When all are answered, a second export writes the refutation.

A reference list is a JSON line for each fault of an expert's list: `skill` (its folder and name), `file`, `line`,
`severity`, `problem`, and `found`, which another reader fills in: the id of the finding that reports it, or "". Where
it is missing, a finding at the same lines counts, and the output says so.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actions.case import Case
from actions.patterns import get_patterns
from actions.project.allowance import make_allowance
from actions.project.lookup import Library
from actions.project.lookup_log import Lookup, LookupLog
from actions.project.lookup_paths import find_refusal, read_text
from actions.review.asking import JudgeClient
from actions.review.checking import find_answer_errors
from actions.review.consult import consult_judge
from actions.review.judge import Question, Reply
from actions.review.verdicts import is_open
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.secrets import withhold_secrets
from benchmarks.judged import VERDICTS, read_judgements
from orchestrator.fs import durable
from orchestrator.project.targets import find_target
from orchestrator.run.case_reader import read_target
from schemas.issues import Issue
from schemas.vocabulary import Grade, IssueSource, IssueStatus, Ruling, Severity
from templates import render

SKILL, SYSTEM, PROJECT = "skill.json", "system.md", "project"
LAST = "refutation"
_MAX_DISTANCE = 3
"""Maximum distance between a finding and a planted fault, in lines."""
_PLACE = re.compile(r"^([\w./-]+):(\d+)(?:-\d+)?: ")
COLUMNS = ("planted", "found", "proven", "read", "refuted", "rejected", "beyond", *VERDICTS)
"""Planted faults, and those that were found; open findings by grade; refuted and rejected ones; those of at least
medium severity that were not planted; verdicts of readers on the findings that a model added."""


@dataclass
class Folder:
    """A judge whose answers are files in a folder. writes: its questions are written there."""

    path: Path
    case: Case
    writes: bool = False
    name: str = "the reader"
    state: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return the answers in the files. The last question waits until all others are answered."""
        if self.writes and library is not None:
            _copy_files(library, self.path / PROJECT)
        return [self._reply_to(question, library) for question in questions]

    def base(self, question: Question) -> Path:
        """Return the path of a question's files without their endings."""
        return self.path / question.name.replace(" ", "-").replace(",", "")

    def _reply_to(self, question: Question, library: Library | None) -> Reply:
        log = self._read_log(question, library)
        why, value = self._value(question, log)
        self.state[question.name] = why
        return Reply(None, why) if why else Reply(value, looked_up=log)

    def _read_log(self, question: Question, library: Library | None) -> LookupLog:
        """Return the files that a reader claims to have opened, as a log of look-ups."""
        file, log = self.base(question).with_suffix(".lookups.txt"), LookupLog()
        if library is None or not file.exists():
            return log
        allowance = make_allowance(question.prompt, question.schema, library.size)
        for path in filter(None, map(str.strip, file.read_text("utf-8").splitlines())):
            _, log = library.look_up(Lookup((path,), batch=file.name), log, allowance)
        return log

    def _value(self, question: Question, log: LookupLog) -> tuple[str, Any]:
        if question.name == LAST and any(self.state.values()):
            return "asked when all other questions are answered", None
        base = self.base(question)
        words, answer = base.with_suffix(".md"), base.with_suffix(".answer.json")
        if self.writes and not answer.exists():
            durable.write_bytes(words, question.prompt.encode())
            durable.write_json(base.with_suffix(".schema.json"), dict(question.schema))
        if not answer.exists():
            return f"no answer in {answer.name}", None
        if not words.exists() or words.read_text("utf-8") != question.prompt:
            return "the skill or the question has changed since the export; export into a new folder", None
        return self._read(question, answer, log)

    def _read(self, question: Question, answer: Path, log: LookupLog) -> tuple[str, Any]:
        try:
            value = json.loads(answer.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            return f"{answer.name} is not JSON: {str(error)[:100]}", None
        for line in find_answer_errors(question, value, self.case, log):
            print(f"  {question.name}, does not count: {line}")
        return "", value


def export(skills: Sequence[Path], out: Path) -> None:
    """Write the open questions about skills to files, and print their names."""
    out.mkdir(parents=True, exist_ok=True)
    durable.write_bytes(out / SYSTEM, render("questions/system", may_look=True).encode())
    for skill in skills:
        folder = _folder_for(skill.resolve(), out)
        folder.mkdir(exist_ok=True)
        durable.write_json(folder / SKILL, {"path": str(skill.resolve())})
        judge = Folder(folder, read_case(skill.resolve()), writes=True)
        judge_issues(judge)
        waiting = [name for name, why in judge.state.items() if why]
        print(f"{folder}: {len(judge.state) - len(waiting)} answered, open: {', '.join(waiting) or 'nothing'}")


def _folder_for(skill: Path, out: Path) -> Path:
    """Return the folder for a skill; it has a number if another skill has the same name."""
    for number in range(1, 1000):
        folder = out / (skill.name if number == 1 else f"{skill.name}-{number}")
        if not (folder / SKILL).exists() or _path_of(folder) == skill:
            return folder
    raise FileExistsError(out)


def _path_of(folder: Path) -> Path:
    return Path(json.loads((folder / SKILL).read_bytes())["path"])


def find_exports(out: Path) -> list[tuple[Path, Path]]:
    """Return the skills whose questions are in a folder, each with the folder of its answers."""
    return [(_path_of(file.parent), file.parent) for file in sorted(out.glob(f"*/{SKILL}"))]


def judge_issues(judge: Folder) -> tuple[Issue, ...]:
    """Return the issues of a skill, judged by the answers in the files."""
    client = JudgeClient(judge, judge.case)
    issues = consult_judge(make_issues(scan(judge.case)), judge.case, client)
    judge.notes += client.notes
    return issues


def read_case(root: Path) -> Case:
    """Return the case of a skill, or of another unit by its file, with the project around it."""
    return read_target(find_target(str(root)))


def _copy_files(library: Library, to: Path) -> None:
    """Copy the files that may be looked up, with secrets withheld, unless they are copied already."""
    if to.exists():
        return
    for path in library.project.files:
        if not find_refusal(library.project, path):
            (to / path).parent.mkdir(parents=True, exist_ok=True)
            lines = withhold_secrets(iter((read_text(library.project, path) or "").splitlines()))
            (to / path).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def score(out: Path, listed: Path | None = None, reference: Path | None = None) -> None:
    """Print the scores of the answers in a folder; write the added findings to `listed`, for readers to judge.

    reference: an expert's list of faults, against which recall is measured.
    """
    expert = [json.loads(line) for line in reference.read_text("utf-8").splitlines()] if reference else []
    recall: Counter[str] = Counter()
    table: dict[str, Counter[str]] = defaultdict(Counter)
    rows: list[dict[str, object]] = []
    for path, folder in find_exports(out):
        print(f"{folder.name}")
        judge = Folder(folder, read_case(path))
        issues = judge_issues(judge)
        for note in judge.notes:
            print(f"  {note}")
        _count_recall([row for row in expert if str(path).endswith(f"/{row['skill']}")], issues, recall)
        for name, why in judge.state.items():
            print(f"  {name}: {why}") if why else None
        _count(issues, _read_planted(path), str(path), table)
        rows += [_row(path, issue) for issue in issues if issue.source is IssueSource.MODEL]
    _print_table(table)
    for severity in ("high", "medium", "low") if expert else ():
        print(f"recall of {severity}: {recall[severity]} of {recall[f'{severity}, listed']}")
    if listed:
        listed.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _count_recall(rows: Sequence[Mapping[str, Any]], issues: Sequence[Issue], recall: Counter[str]) -> None:
    """Count the faults of an expert's list by severity, and those that an open finding reports."""
    opened = {issue.id: issue for issue in issues if is_open(issue)}
    for row in rows:
        here = (i for i in opened.values() if any(_is_at(place, row["file"], row["line"]) for place in _places(i)))
        by_place = next((issue.id for issue in here), "")
        found = row["found"] in opened if "found" in row else bool(by_place)
        recall.update({f"{row['severity']}, listed": 1, row["severity"]: found})
        if "found" not in row and by_place:
            print(f"  reported, by its place alone: {by_place}: {row['problem']}")
        elif not found:
            print(f"  of the reference, not reported: {row['severity']} {row['file']}:{row['line']} {row['problem']}")


def _read_planted(skill: Path) -> Sequence[Mapping[str, Any]] | None:
    """Return the faults that were planted in a skill; None if that is unknown."""
    file = skill.parent / "expected.json"
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    faults: Sequence[Mapping[str, Any]] | None = known.get(skill.name)
    return faults


def _count(
    issues: Sequence[Issue],
    planted: Sequence[Mapping[str, Any]] | None,
    skill: str,
    table: dict[str, Counter[str]],
) -> None:
    opened = [issue for issue in issues if is_open(issue)]
    ids = {issue.id for issue in opened}
    opened += [issue for issue in issues if issue.verdict and issue.verdict.duplicate_of in ids]
    for fault in planted or ():
        reported = any(reports(issue, fault) for issue in opened)
        excused = fault.get("excused", "")  # a reader found that the page of the pattern allows it today
        if not excused:
            table[fault["id"]].update({"planted": 1, "found": reported})
        if not reported:
            print(f"  not found: {fault['id']} {fault['file']}:{fault['line']} {fault['wrong']} {excused}")
    for issue in issues:
        table[issue.pattern].update(_marks(issue, planted, skill))
        if issue.status is IssueStatus.REJECTED and issue.verdict:
            print(f"  {issue.verdict.word}: {_line(issue)} ({issue.verdict.why})")


def _marks(issue: Issue, planted: Sequence[Mapping[str, Any]] | None, skill: str) -> Iterator[str]:
    if issue.status is IssueStatus.REJECTED:
        yield "refuted" if issue.verdict and issue.verdict.word is Ruling.REFUTED else "rejected"
    if issue.status is not IssueStatus.OPEN:
        return
    yield issue.grade.value
    if planted is not None and issue.severity is not Severity.LOW and not any(reports(issue, one) for one in planted):
        print(f"  beyond what was planted: {_line(issue)}")
        yield "beyond"
    at = issue.location
    judged = {key[1:]: word for key, word in read_judgements().items() if skill.endswith(f"/{key[0]}")}
    if issue.grade is Grade.READ and (word := judged.get((issue.pattern, at.file, at.line_start or 1))):
        yield word


def reports(issue: Issue, fault: Mapping[str, Any]) -> bool:
    """Return whether a finding reports a planted fault: its family or cause, or none of its own, at about its line."""
    wanted, own = get_patterns()[fault["id"]].PATTERN, get_patterns().get(issue.pattern)
    same_cause = own is not None and bool(wanted.cause) and own.PATTERN.cause == wanted.cause
    if own is not None and issue.type is not wanted.family and not same_cause:
        return False
    return any(_is_at(place, fault["file"], fault["line"]) for place in _places(issue))


def _is_at(place: tuple[str, int, int], file: str, line: int) -> bool:
    return place[0] == file and place[1] - _MAX_DISTANCE <= line <= place[2] + _MAX_DISTANCE


def _places(issue: Issue) -> Iterator[tuple[str, int, int]]:
    at = issue.location
    yield at.file, at.line_start or 1, at.line_end or at.line_start or 1
    for text in issue.evidence[1:]:
        if place := _PLACE.match(text):
            yield place[1], int(place[2]), int(place[2])


def _line(issue: Issue) -> str:
    at = issue.location
    return f"{issue.pattern} {issue.severity} {at.file}:{at.line_start or 1} {issue.description}"


def _row(skill: Path, issue: Issue) -> dict[str, object]:
    """Return an added finding in the shape of `benchmarks/judged/*.jsonl`, to be given a verdict and a why."""
    at = issue.location
    return {
        "skill": f"{skill.parent.name}/{skill.name}",
        "id": issue.id,
        "looked_up": list(issue.read_by.looked_up) if issue.read_by else [],
        "pattern": issue.pattern,
        "file": at.file,
        "line": at.line_start or 1,
        "severity": issue.severity.value,
        "status": issue.status.value,
        "message": issue.description,
        "harm": issue.impact,
        "quote": issue.evidence[0],
        "verdict": "",
        "why": "",
    }


def _print_table(table: Mapping[str, Counter[str]]) -> None:
    total: Counter[str] = Counter()
    print(f"\n{'pattern':<13}" + "".join(f"{name:>10}" for name in COLUMNS))
    for id, counts in [*sorted(table.items()), ("all", total)]:
        total.update(counts if id != "all" else {})
        print(f"{id:<13}" + "".join(f"{counts[name] or '':>10}" for name in COLUMNS))
    if total["planted"]:
        print(f"\n{total['found']} of {total['planted']} planted faults found")
