"""Export the product's questions as files that any model or person can answer, and score the answers.

Each skill gets a folder: `NAME.md` is a question, `NAME.schema.json` the schema of its answer, and the answer goes into
`NAME.answer.json`. `project/` has the files that may be looked up. A reader who opens one writes its path and the lines
read into `NAME.lookups.txt` (`a/b.py:10-80`). Their total size has the limit with which a model starts; the score lists
the look-ups within it. When all questions are answered, a second export writes the refutation.

A reference list has one JSON line per fault that an expert found: `skill` (its folder and name), `file`, `line`,
`severity`, `problem`, and `found`, the id of the finding that reports the fault, or "". Another reader fills in
`found`. Without it, a finding at the same lines counts, and the output says so.
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
"""Planted faults, and how many were found; open findings by grade; refuted and rejected findings; findings of medium
severity or worse that were not planted; verdicts of readers on the findings that a model added."""


@dataclass
class FileJudge:
    """A judge that reads its answers from files in a folder. writes: whether it writes its questions there."""

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

    def get_base_path(self, question: Question) -> Path:
        """Return the path of a question's files without their suffixes."""
        return self.path / question.name.replace(" ", "-").replace(",", "")

    def _reply_to(self, question: Question, library: Library | None) -> Reply:
        log = self._read_log(question, library)
        reason, value = self._find_answer(question, log)
        self.state[question.name] = reason
        return Reply(None, reason) if reason else Reply(value, looked_up=log)

    def _read_log(self, question: Question, library: Library | None) -> LookupLog:
        """Return the files that a reader claims to have opened, as a log of look-ups."""
        file, log = self.get_base_path(question).with_suffix(".lookups.txt"), LookupLog()
        if library is None or not file.exists():
            return log
        allowance = make_allowance(question.prompt, question.schema, library.size)
        for path in filter(None, map(str.strip, file.read_text("utf-8").splitlines())):
            _, log = library.look_up(Lookup((path,), batch=file.name), log, allowance)
        return log

    def _find_answer(self, question: Question, log: LookupLog) -> tuple[str, Any]:
        if question.name == LAST and any(self.state.values()):
            return "asked when all other questions are answered", None
        base = self.get_base_path(question)
        prompt, answer = base.with_suffix(".md"), base.with_suffix(".answer.json")
        if self.writes and not answer.exists():
            durable.write_bytes(prompt, question.prompt.encode())
            durable.write_json(base.with_suffix(".schema.json"), dict(question.schema))
        if not answer.exists():
            return f"no answer in {answer.name}", None
        if not prompt.exists() or prompt.read_text("utf-8") != question.prompt:
            return "the skill or the question has changed since the export; export into a new folder", None
        return self._parse_answer(question, answer, log)

    def _parse_answer(self, question: Question, answer: Path, log: LookupLog) -> tuple[str, Any]:
        try:
            value = json.loads(answer.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            return f"{answer.name} is not JSON: {str(error)[:100]}", None
        for line in find_answer_errors(question, value, self.case, log):
            print(f"  {question.name}, not counted: {line}")
        return "", value


def export(skills: Sequence[Path], out: Path) -> None:
    """Write the open questions about skills to files, and print their names."""
    out.mkdir(parents=True, exist_ok=True)
    durable.write_bytes(out / SYSTEM, render("questions/system", may_look=True).encode())
    for skill in skills:
        folder = _choose_folder(skill.resolve(), out)
        folder.mkdir(exist_ok=True)
        durable.write_json(folder / SKILL, {"path": str(skill.resolve())})
        judge = FileJudge(folder, read_case(skill.resolve()), writes=True)
        judge_issues(judge)
        open_names = [name for name, reason in judge.state.items() if reason]
        print(f"{folder}: {len(judge.state) - len(open_names)} answered, open: {', '.join(open_names) or 'nothing'}")


def _choose_folder(skill: Path, out: Path) -> Path:
    """Return the folder for a skill, with a number if another skill has the same name."""
    for number in range(1, 1000):
        folder = out / (skill.name if number == 1 else f"{skill.name}-{number}")
        if not (folder / SKILL).exists() or _read_skill_path(folder) == skill:
            return folder
    raise FileExistsError(out)


def _read_skill_path(folder: Path) -> Path:
    return Path(json.loads((folder / SKILL).read_bytes())["path"])


def find_exports(out: Path) -> list[tuple[Path, Path]]:
    """Return the path of each exported skill, with the folder of its answers."""
    return [(_read_skill_path(file.parent), file.parent) for file in sorted(out.glob(f"*/{SKILL}"))]


def judge_issues(judge: FileJudge) -> tuple[Issue, ...]:
    """Return the issues of a skill, judged by the answers in the files."""
    client = JudgeClient(judge, judge.case)
    issues = consult_judge(make_issues(scan(judge.case)), judge.case, client)
    judge.notes += client.notes
    return issues


def read_case(root: Path) -> Case:
    """Return the case of a skill, or of another unit by its file, with the project around it."""
    return read_target(find_target(str(root)))


def _copy_files(library: Library, target: Path) -> None:
    """Copy the files that may be looked up, with secrets withheld, unless the target folder exists."""
    if target.exists():
        return
    for path in library.project.files:
        if not find_refusal(library.project, path):
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            lines = withhold_secrets(iter((read_text(library.project, path) or "").splitlines()))
            (target / path).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def score(out: Path, findings_file: Path | None = None, reference: Path | None = None) -> None:
    """Print the scores of the answers in a folder; write the added findings to `findings_file`, for readers to judge.

    reference: an expert's list of faults, against which recall is measured.
    """
    expert = [json.loads(line) for line in reference.read_text("utf-8").splitlines()] if reference else []
    recall: Counter[str] = Counter()
    table: dict[str, Counter[str]] = defaultdict(Counter)
    rows: list[dict[str, object]] = []
    for path, folder in find_exports(out):
        print(f"{folder.name}")
        judge = FileJudge(folder, read_case(path))
        issues = judge_issues(judge)
        for note in judge.notes:
            print(f"  {note}")
        _count_recall([row for row in expert if str(path).endswith(f"/{row['skill']}")], issues, recall)
        for name, reason in judge.state.items():
            if reason:
                print(f"  {name}: {reason}")
        _count_findings(issues, _read_planted(path), str(path), table)
        rows += [_make_row(path, issue) for issue in issues if issue.source is IssueSource.MODEL]
    _print_table(table)
    for severity in ("high", "medium", "low") if expert else ():
        print(f"recall of {severity}: {recall[severity]} of {recall[f'{severity}, listed']}")
    if findings_file:
        findings_file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def _count_recall(rows: Sequence[Mapping[str, Any]], issues: Sequence[Issue], recall: Counter[str]) -> None:
    """Count the faults of an expert's list, and the reported ones, by severity."""
    open_issues = {issue.id: issue for issue in issues if is_open(issue)}
    for row in rows:
        nearby = (
            i
            for i in open_issues.values()
            if any(_is_near(place, row["file"], row["line"]) for place in _list_places(i))
        )
        nearby_id = next((issue.id for issue in nearby), "")
        found = row["found"] in open_issues if "found" in row else bool(nearby_id)
        recall.update({f"{row['severity']}, listed": 1, row["severity"]: found})
        if "found" not in row and nearby_id:
            print(f"  reported, matched by line only: {nearby_id}: {row['problem']}")
        elif not found:
            print(f"  reference fault not reported: {row['severity']} {row['file']}:{row['line']} {row['problem']}")


def _read_planted(skill: Path) -> Sequence[Mapping[str, Any]] | None:
    """Return the faults that were planted in a skill; None if unknown."""
    file = skill.parent / "expected.json"
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    faults: Sequence[Mapping[str, Any]] | None = known.get(skill.name)
    return faults


def _count_findings(
    issues: Sequence[Issue],
    planted: Sequence[Mapping[str, Any]] | None,
    skill: str,
    table: dict[str, Counter[str]],
) -> None:
    open_issues = [issue for issue in issues if is_open(issue)]
    ids = {issue.id for issue in open_issues}
    open_issues += [issue for issue in issues if issue.verdict and issue.verdict.duplicate_of in ids]
    for fault in planted or ():
        reported = any(is_report_of(issue, fault) for issue in open_issues)
        excused = fault.get("excused", "")  # a reader found that the page of the pattern now allows it
        if not excused:
            table[fault["id"]].update({"planted": 1, "found": reported})
        if not reported:
            print(f"  not found: {fault['id']} {fault['file']}:{fault['line']} {fault['wrong']} {excused}")
    for issue in issues:
        table[issue.pattern].update(_list_columns(issue, planted, skill))
        if issue.status is IssueStatus.REJECTED and issue.verdict:
            print(f"  {issue.verdict.word}: {_format_issue(issue)} ({issue.verdict.why})")


def _list_columns(issue: Issue, planted: Sequence[Mapping[str, Any]] | None, skill: str) -> Iterator[str]:
    if issue.status is IssueStatus.REJECTED:
        yield "refuted" if issue.verdict and issue.verdict.word is Ruling.REFUTED else "rejected"
    if issue.status is not IssueStatus.OPEN:
        return
    yield issue.grade.value
    if (
        planted is not None
        and issue.severity is not Severity.LOW
        and not any(is_report_of(issue, fault) for fault in planted)
    ):
        print(f"  not planted: {_format_issue(issue)}")
        yield "beyond"
    at = issue.location
    judged = {key[1:]: word for key, word in read_judgements().items() if skill.endswith(f"/{key[0]}")}
    if issue.grade is Grade.READ and (word := judged.get((issue.pattern, at.file, at.line_start or 1))):
        yield word


def is_report_of(issue: Issue, fault: Mapping[str, Any]) -> bool:
    """Return whether a finding reports a planted fault: near its line, with the same family or cause unless custom."""
    planted, own = get_patterns()[fault["id"]].PATTERN, get_patterns().get(issue.pattern)
    same_cause = own is not None and bool(planted.cause) and own.PATTERN.cause == planted.cause
    if own is not None and issue.type is not planted.family and not same_cause:
        return False
    return any(_is_near(place, fault["file"], fault["line"]) for place in _list_places(issue))


def _is_near(place: tuple[str, int, int], file: str, line: int) -> bool:
    return place[0] == file and place[1] - _MAX_DISTANCE <= line <= place[2] + _MAX_DISTANCE


def _list_places(issue: Issue) -> Iterator[tuple[str, int, int]]:
    at = issue.location
    yield at.file, at.line_start or 1, at.line_end or at.line_start or 1
    for text in issue.evidence[1:]:
        if place := _PLACE.match(text):
            yield place[1], int(place[2]), int(place[2])


def _format_issue(issue: Issue) -> str:
    at = issue.location
    return f"{issue.pattern} {issue.severity} {at.file}:{at.line_start or 1} {issue.description}"


def _make_row(skill: Path, issue: Issue) -> dict[str, object]:
    """Return an added finding as a row of `benchmarks/judged/*.jsonl`; a reader fills in `verdict` and `why`."""
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
