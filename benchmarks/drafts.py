"""Measure the model's fixes: write the product's questions for drafts as files, and score their answers.

    python benchmarks/drafts.py choose [--planted N] [--read N] [--proven N] [CORPUS] -o ROWS
                                                           write the findings to fix, as JSON lines;
                                                           --judged: the file of findings that a reader judged
    python benchmarks/drafts.py export ROWS -o DIR         write the open questions, for any model or person to answer
    python benchmarks/drafts.py score DIR [--review OUT]   check the answers with the product's own proof

Each skill gets a folder, as if a user had chosen its findings in ROWS: `draft-….md` is a question, `.schema.json` the
schema of its answer, and the answer goes into `.answer.json`; `project/` and `.lookups.txt` are as for `judge.py`. A
further `export` writes the next questions: a review, for another reader in a new conversation, and then a second draft
if the parsers or the reviewer objected. It also prints the errors of a draft; in a run, its author gets them at most
three times. `--review` writes the confirmed fixes as pages, for a maintainer to judge.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.case import Case
from actions.fixes.draft_check import find_draft_errors
from actions.fixes.drafting import DraftedFixes, draft_fixes
from actions.fixes.proposals import propose_drafts
from actions.fixes.records import get_new_contents
from actions.grouping import group_by_key
from actions.patterns import get_patterns
from actions.patterns.page import CUSTOM
from actions.patterns.pattern import Pattern
from actions.project.lookup_log import NOTHING_SHOWN, Lookup, LookupLog
from actions.review.accepting import AnswerFilter
from actions.review.checking import find_library
from actions.review.judge import Question
from actions.scoring.issues import make_issues
from actions.scoring.quality import measure
from actions.scoring.scan import scan
from benchmarks.answers import SYSTEM, FileJudge, read_case
from benchmarks.corpus import find_corpus
from benchmarks.judged import JUDGED, SEED
from benchmarks.reviews import FixInSkill, write_pages
from orchestrator.fs import durable
from orchestrator.project.skill_finder import find_skills_below
from orchestrator.project.skill_reader import read_skill
from schemas.issues import Issue, Tokens
from schemas.records import Fix, Round, State
from schemas.vocabulary import Family, FixStatus, IssueStatus
from templates import render

ROOT = Path(__file__).resolve().parents[1]
PLANTED = ROOT / "tests" / "data" / "planted"
ROWS = "findings.jsonl"
Row = dict[str, Any]
"""A finding to fix, as a line of ROWS."""
_MAX_PER_PATTERN = 3
"""Maximum number of proven findings per pattern."""


@dataclass
class DraftJudge(FileJudge):
    """A judge of files whose questions may repeat a name: the second review gets another file.

    issues: all findings of the skill.
    """

    issues: Sequence[Issue] = ()

    def get_base_path(self, question: Question) -> Path:
        """Return the path of a question's files without suffixes: the first that is unused or has its prompt."""
        first = super().get_base_path(question)
        paths = [first, first.with_name(f"{first.name}-2"), first.with_name(f"{first.name}-3")]
        prompts = ((path, path.with_suffix(".md")) for path in paths)
        return next(
            (path for path, file in prompts if not file.exists() or file.read_text("utf-8") == question.prompt), first
        )

    def _parse_answer(self, question: Question, answer: Path, log: LookupLog) -> tuple[str, Any]:
        reason, value = super()._parse_answer(question, answer, log)
        for line in () if reason else find_draft_errors(question, value, self.case, self.issues):
            print(f"  {question.name}: {line}")
        return reason, value


def list_planted() -> Iterator[Row]:
    """Yield the faults that are planted in the test skills of this project."""
    for name, faults in json.loads((PLANTED / "expected.json").read_text("utf-8")).items():
        folder = PLANTED / name
        skill = read_skill(folder) if faults else None
        for fault in faults if skill else ():
            file = skill.by_path.get(fault["file"]) if skill else None
            quote = file.doc.line(fault["line"]).strip() if file else ""
            yield _make_row(
                "planted", folder, fault["id"], fault["file"], fault["line"], fault["wrong"], quote, "medium"
            )


def list_proven(corpus: Path) -> Iterator[Row]:
    """Yield proven findings of a corpus that no strategy fixes; only the first one per pattern and skill."""
    for root in find_skills_below(corpus):
        case, reported = Case(read_skill(root)), set[str]()
        for issue in make_issues(scan(case)):
            at = issue.location
            is_new = issue.status is IssueStatus.OPEN and issue.pattern not in reported
            if is_new and not issue.pattern.startswith("SPEC") and not any(propose_drafts(issue, case)):
                reported.add(issue.pattern)
                yield _make_row("proven", root, issue.pattern, at.file, at.line_start or 1, issue.description,
                           issue.evidence[0], issue.severity.value)  # fmt: skip


def list_read(corpus: Path, judged: Path) -> Iterator[Row]:
    """Yield the findings of a model that a reader judged true, in skills of a corpus."""
    roots = find_skills_below(corpus)
    for judgement in json.loads(judged.read_text("utf-8")):
        root = next((root for root in roots if str(root).endswith(f"/{judgement['skill']}")), None)
        if judgement["verdict"] == "true" and root:
            values = [judgement[key] for key in ("problem", "quote", "severity")]
            row = _make_row("read", root, judgement["pattern"], judgement["file"], 0, *values)
            yield {**row, "looked_up": judgement.get("looked_up", [])}


def _make_row(
    kind: str, root: Path, pattern: str, file: str, line: int, message: str, quote: str, severity: str
) -> Row:
    return {"kind": kind, "skill": str(root), "pattern": pattern, "file": file, "line": line, "message": message,
            "quote": quote, "severity": severity}  # fmt: skip


def choose(planted: int, read: int, proven: int, corpus: Path | None, judged: Path) -> list[Row]:
    """Return a random sample of findings of each kind; it is the same at each call."""
    draw, candidates = random.Random(SEED), [row for row in list_planted() if _find_issues([row])]
    chosen = draw.sample(candidates, min(planted, len(candidates)))
    if corpus and read:
        confirmed = [row for row in list_read(corpus, judged) if _find_issues([row])]
        chosen += draw.sample(confirmed, min(read, len(confirmed)))
    if corpus and proven:
        rows = [row for row in list_proven(corpus) if _find_issues([row])]
        draw.shuffle(rows)
        counts: Counter[str] = Counter()
        few = [row for row in rows if counts.update([row["pattern"]]) or counts[row["pattern"]] <= _MAX_PER_PATTERN]
        chosen += few[:proven]
    return chosen


def _find_issues(rows: Sequence[Row]) -> tuple[Case, tuple[Issue, ...], dict[str, str]] | None:
    """Return the case of a skill, its issues, and {id: kind} of those in rows; None if a finding no longer exists."""
    case = read_case(Path(rows[0]["skill"]))
    issues, kinds = tuple(make_issues(scan(case))), dict[str, str]()
    for row in rows:
        place = (row["pattern"], row["file"], row["line"])
        matches = [i for i in issues if (i.pattern, i.location.file, i.location.line_start) == place]
        if not matches:
            matches = _add_issue(row, case, issues)
            issues = (*issues, *matches)
        if not matches or matches[0].status is not IssueStatus.OPEN:
            return None
        kinds[matches[0].id] = row["kind"]
    return case, issues, kinds


def _add_issue(row: Row, case: Case, issues: Sequence[Issue]) -> list[Issue]:
    module = get_patterns().get(row["pattern"])
    pattern = module.PATTERN if module else Pattern(CUSTOM, (), other_family=Family.CUSTOM)
    addition = {"looked_up": [], **row, "problem": row["message"], "harm": row["message"], "from_knowledge": False,
            "explains_complaint": False}  # fmt: skip
    library, log = find_library(case), NOTHING_SHOWN
    if library and addition["looked_up"]:
        _, log = library.look_up(Lookup(tuple(addition["looked_up"])), log)
    return AnswerFilter(case, "a reader").accept_additions([addition], {row["pattern"]: pattern}, issues, log)


def _draft(rows: Sequence[Row], judge: DraftJudge) -> tuple[DraftedFixes, Case, tuple[Issue, ...], dict[str, str]]:
    """Draft fixes for the findings of one skill as if a user had chosen them."""
    found = _find_issues(rows)
    if found is None:
        raise SystemExit(f"{rows[0]['skill']}: a finding no longer exists; run `choose` again")
    case, issues, kinds = found
    chosen = [issue for issue in issues if issue.id in kinds]
    counts, points, gate = measure(issues)
    first = Round(1, points, gate, counts, Tokens(), chosen=tuple(kinds))
    state = State(issues=issues, iteration_count=1, rounds=(first,))
    judge.issues = issues
    return draft_fixes(state, case, judge, chosen, 0), case, issues, kinds


def export(rows: Path, out: Path) -> None:
    """Write the open questions to files, and print their names."""
    out.mkdir(parents=True, exist_ok=True)
    durable.write_bytes(out / SYSTEM, render("questions/system", may_look=True).encode())
    parsed_rows = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    for number, (skill, own_rows) in enumerate(group_by_key((row["skill"], row) for row in parsed_rows).items(), 1):
        folder = out / f"{number:02d}-{Path(skill).name}"
        folder.mkdir(parents=True, exist_ok=True)
        durable.write_bytes(folder / ROWS, "".join(json.dumps(row) + "\n" for row in own_rows).encode())
        judge = DraftJudge(folder, read_case(Path(skill)), writes=True)
        _draft(own_rows, judge)
        open_questions = [name for name, reason in judge.state.items() if reason]
        print(f"{folder.name}: {', '.join(open_questions) or 'nothing'} open")


def score(out: Path, review: Path | None) -> None:
    """Print the result for each finding, and the counts by kind. review: a folder for pages of the confirmed fixes."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    fixes_to_review: list[FixInSkill] = []
    for file in sorted(out.glob(f"*/{ROWS}")):
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        judge = DraftJudge(file.parent, read_case(Path(rows[0]["skill"])))
        drafted, case, issues, kinds = _draft(rows, judge)
        for id, kind in kinds.items():
            fix = next((fix for fix in drafted.fixes.values() if id in fix.issue_ids), None)
            outcome = _describe_outcome(id, fix, judge)
            counts[kind][outcome] += 1
            counts["all"][outcome] += 1
            print(f"{file.parent.name} {id}: {outcome}" + (f": {fix.reason}" if fix and fix.reason else ""))
        new = {sha256(data).hexdigest(): data for data in drafted.contents}
        for fix in drafted.fixes.values():
            if fix.status is FixStatus.PROPOSED:
                after = case.skill.with_files(get_new_contents(fix, new))
                fixed_issues = tuple(issue for issue in issues if issue.id in fix.issue_ids)
                fixes_to_review.append(
                    ("/".join(Path(rows[0]["skill"]).parts[-2:]), case.skill, after, fix, fixed_issues)
                )
    for kind, count in counts.items():
        print(f"{kind:<10}" + ", ".join(f"{word} {n}" for word, n in count.most_common()))
    if review:
        print(f"{write_pages(fixes_to_review, review)} fixes written to {review}")


def _describe_outcome(id: str, fix: Fix | None, judge: FileJudge) -> str:
    is_second = any(name.startswith("second") and id in name for name in judge.state)
    if any(judge.state.values()) or fix is None:
        return "open"
    if fix.status is FixStatus.PROPOSED:
        return "confirmed at the second draft" if is_second else "confirmed"
    if not (fix.reason or "").startswith("the draft failed"):
        return "declined"
    return "refused by the reviewer" if fix.review else "refused by the proof"


def main() -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    command = commands.add_parser("choose")
    command.add_argument(
        "corpus", nargs="?", type=Path, default=find_corpus("fresh"), help="default: ../shared/corpus/fresh"
    )
    command.add_argument("--planted", type=int, default=15)
    command.add_argument("--read", type=int, default=7)
    command.add_argument("--proven", type=int, default=8)
    command.add_argument("--judged", type=Path, default=JUDGED / "read-2026-11-22.json")
    command.add_argument("-o", "--output", type=Path, required=True)
    command = commands.add_parser("export")
    command.add_argument("rows", type=Path)
    command.add_argument("-o", "--output", type=Path, required=True)
    command = commands.add_parser("score")
    command.add_argument("folder", type=Path)
    command.add_argument("--review", type=Path)
    options = parser.parse_args()
    if options.what == "choose":
        rows = choose(options.planted, options.read, options.proven, options.corpus, options.judged)
        options.output.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    elif options.what == "export":
        export(options.rows, options.output)
    else:
        score(options.folder, options.review)


if __name__ == "__main__":
    main()
