"""Measure the model's fixes: write the product's questions for drafts as files, and score their answers.

    python benchmarks/drafts.py choose [--planted N] [--read N] [--proven N] [CORPUS] -o ROWS
                                                what is to be fixed, as JSON lines; --judged: which findings were read
    python benchmarks/drafts.py export ROWS -o DIR         the open questions, for any model or person to answer
    python benchmarks/drafts.py score DIR [--review OUT]   what became of the answers, by the product's own proof

A folder for each skill, in which a user has chosen the findings of ROWS: `draft-….md` is a question, `.schema.json` the
form of its answer, `.answer.json` where it goes, `project/` and `.lookups.txt` as for `judge.py`. `export` again writes
what is asked next: the review, by another reader in a fresh conversation; and once more, where parsers or reviewer
objected. It also prints what is wrong in a draft; in a run its author would hear it, at most three times.
`--review` lays out the fixes that both confirm, to be judged by a maintainer.
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
from benchmarks.answers import SYSTEM, Folder, read_case
from benchmarks.corpus import beside
from benchmarks.judged import JUDGED, SEED
from benchmarks.reviews import FixInSkill, write_layout
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
"""A finding to be fixed, as a line of ROWS."""
_MAX_PER_PATTERN = 3
"""Maximum number of proven findings per pattern."""


@dataclass
class Drafting(Folder):
    """A folder whose questions may come twice under one name: the second review has another file.

    issues: all findings of the skill.
    """

    issues: Sequence[Issue] = ()

    def base(self, question: Question) -> Path:
        """Return the path of a question's files without their endings: the first that is free or holds its words."""
        first = super().base(question)
        places = [first, first.with_name(f"{first.name}-2"), first.with_name(f"{first.name}-3")]
        words = ((place, place.with_suffix(".md")) for place in places)
        return next((p for p, file in words if not file.exists() or file.read_text("utf-8") == question.prompt), first)

    def _read(self, question: Question, answer: Path, log: LookupLog) -> tuple[str, Any]:
        why, value = super()._read(question, answer, log)
        for line in () if why else find_draft_errors(question, value, self.case, self.issues):
            print(f"  {question.name}: {line}")
        return why, value


def list_planted() -> Iterator[Row]:
    """Return the faults that were planted in skills of our own."""
    for name, faults in json.loads((PLANTED / "expected.json").read_text("utf-8")).items():
        folder = PLANTED / name
        skill = read_skill(folder) if faults else None
        for fault in faults if skill else ():
            file = skill.by_path.get(fault["file"]) if skill else None
            quote = file.doc.line(fault["line"]).strip() if file else ""
            yield _row("planted", folder, fault["id"], fault["file"], fault["line"], fault["wrong"], quote, "medium")


def list_proven(corpus: Path) -> Iterator[Row]:
    """Yield proven findings of a corpus that no strategy fixes; of one pattern the first in each skill."""
    for root in find_skills_below(corpus):
        case, reported = Case(read_skill(root)), set[str]()
        for issue in make_issues(scan(case)):
            at = issue.location
            fresh = issue.status is IssueStatus.OPEN and issue.pattern not in reported
            if fresh and not issue.pattern.startswith("SPEC") and not any(propose_drafts(issue, case)):
                reported.add(issue.pattern)
                yield _row("proven", root, issue.pattern, at.file, at.line_start or 1, issue.description,
                           issue.evidence[0], issue.severity.value)  # fmt: skip


def list_read(corpus: Path, judged: Path) -> Iterator[Row]:
    """Yield the findings of a model that a reader called true, in skills of a corpus."""
    roots = find_skills_below(corpus)
    for one in json.loads(judged.read_text("utf-8")):
        root = next((root for root in roots if str(root).endswith(f"/{one['skill']}")), None)
        if one["verdict"] == "true" and root:
            said = (one["pattern"], one["file"], 0, one["problem"], one["quote"], one["severity"])
            yield {**_row("read", root, *said), "looked_up": one.get("looked_up", [])}


def _row(kind: str, root: Path, pattern: str, file: str, line: int, message: str, quote: str, severity: str) -> Row:
    return {"kind": kind, "skill": str(root), "pattern": pattern, "file": file, "line": line, "message": message,
            "quote": quote, "severity": severity}  # fmt: skip


def choose(planted: int, read: int, proven: int, corpus: Path | None, judged: Path) -> list[Row]:
    """Return a random choice of findings of each kind, the same at each call."""
    chance, found = random.Random(SEED), [row for row in list_planted() if _find_issues([row])]
    chosen = chance.sample(found, min(planted, len(found)))
    if corpus and read:
        true = [row for row in list_read(corpus, judged) if _find_issues([row])]
        chosen += chance.sample(true, min(read, len(true)))
    if corpus and proven:
        rows = [row for row in list_proven(corpus) if _find_issues([row])]
        chance.shuffle(rows)
        times: Counter[str] = Counter()
        few = [row for row in rows if times.update([row["pattern"]]) or times[row["pattern"]] <= _MAX_PER_PATTERN]
        chosen += few[:proven]
    return chosen


def _find_issues(rows: Sequence[Row]) -> tuple[Case, tuple[Issue, ...], dict[str, str]] | None:
    """Return the case of a skill, all issues, and those that rows name: id -> kind. None if a quote is not there."""
    case = read_case(Path(rows[0]["skill"]))
    issues, kinds = tuple(make_issues(scan(case))), dict[str, str]()
    for row in rows:
        place = (row["pattern"], row["file"], row["line"])
        here = [i for i in issues if (i.pattern, i.location.file, i.location.line_start) == place]
        if not here:
            here = _add_issue(row, case, issues)
            issues = (*issues, *here)
        if not here or here[0].status is not IssueStatus.OPEN:
            return None
        kinds[here[0].id] = row["kind"]
    return case, issues, kinds


def _add_issue(row: Row, case: Case, issues: Sequence[Issue]) -> list[Issue]:
    module = get_patterns().get(row["pattern"])
    pattern = module.PATTERN if module else Pattern(CUSTOM, (), other_family=Family.CUSTOM)
    said = {"looked_up": [], **row, "problem": row["message"], "harm": row["message"], "from_knowledge": False,
            "explains_complaint": False}  # fmt: skip
    library, log = find_library(case), NOTHING_SHOWN
    if library and said["looked_up"]:
        _, log = library.look_up(Lookup(tuple(said["looked_up"])), log)
    return AnswerFilter(case, "a reader").accept_additions([said], {row["pattern"]: pattern}, issues, log)


def _draft(rows: Sequence[Row], judge: Drafting) -> tuple[DraftedFixes, Case, tuple[Issue, ...], dict[str, str]]:
    """Draft fixes for the findings of one skill as after the user's choice."""
    found = _find_issues(rows)
    if found is None:
        raise SystemExit(f"{rows[0]['skill']}: a finding no longer exists: choose anew")
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
    given = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    for number, (skill, mine) in enumerate(group_by_key((row["skill"], row) for row in given).items(), 1):
        folder = out / f"{number:02d}-{Path(skill).name}"
        folder.mkdir(parents=True, exist_ok=True)
        durable.write_bytes(folder / ROWS, "".join(json.dumps(row) + "\n" for row in mine).encode())
        judge = Drafting(folder, read_case(Path(skill)), writes=True)
        _draft(mine, judge)
        waiting = [name for name, why in judge.state.items() if why]
        print(f"{folder.name}: {', '.join(waiting) or 'nothing'} open")


def score(out: Path, review: Path | None) -> None:
    """Print the result for each finding, and the counts by kind. review: where the confirmed fixes are written."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    laid_out: list[FixInSkill] = []
    for file in sorted(out.glob(f"*/{ROWS}")):
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        judge = Drafting(file.parent, read_case(Path(rows[0]["skill"])))
        done, case, issues, kinds = _draft(rows, judge)
        for id, kind in kinds.items():
            fix = next((fix for fix in done.fixes.values() if id in fix.issue_ids), None)
            word = _outcome(id, fix, judge)
            counts[kind][word] += 1
            counts["all"][word] += 1
            print(f"{file.parent.name} {id}: {word}" + (f": {fix.reason}" if fix and fix.reason else ""))
        new = {sha256(data).hexdigest(): data for data in done.contents}
        for fix in done.fixes.values():
            if fix.status is FixStatus.PROPOSED:
                after = case.skill.with_files(get_new_contents(fix, new))
                mine = tuple(issue for issue in issues if issue.id in fix.issue_ids)
                laid_out.append(("/".join(Path(rows[0]["skill"]).parts[-2:]), case.skill, after, fix, mine))
    for kind, count in counts.items():
        print(f"{kind:<10}" + ", ".join(f"{word} {n}" for word, n in count.most_common()))
    if review:
        print(f"{write_layout(laid_out, review)} fixes laid out in {review}")


def _outcome(id: str, fix: Fix | None, judge: Folder) -> str:
    second = any(name.startswith("second") and id in name for name in judge.state)
    if any(judge.state.values()) or fix is None:
        return "open"
    if fix.status is FixStatus.PROPOSED:
        return "confirmed at the second time" if second else "confirmed"
    if not (fix.reason or "").startswith("the draft failed"):
        return "declined"
    return "refused by the reviewer" if fix.review else "refused by the proof"


def main() -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="what", required=True)
    one = kinds.add_parser("choose")
    one.add_argument("corpus", nargs="?", type=Path, default=beside("fresh"), help="default: ../shared/corpus/fresh")
    one.add_argument("--planted", type=int, default=15)
    one.add_argument("--read", type=int, default=7)
    one.add_argument("--proven", type=int, default=8)
    one.add_argument("--judged", type=Path, default=JUDGED / "read-2026-11-22.json")
    one.add_argument("-o", "--output", type=Path, required=True)
    one = kinds.add_parser("export")
    one.add_argument("rows", type=Path)
    one.add_argument("-o", "--output", type=Path, required=True)
    one = kinds.add_parser("score")
    one.add_argument("folder", type=Path)
    one.add_argument("--review", type=Path)
    given = parser.parse_args()
    if given.what == "choose":
        rows = choose(given.planted, given.read, given.proven, given.corpus, given.judged)
        given.output.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    elif given.what == "export":
        export(given.rows, given.output)
    else:
        score(given.folder, given.review)


if __name__ == "__main__":
    main()
