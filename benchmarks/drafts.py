"""Measure the model's fixes: write the product's questions for drafts as files, and score their answers.

    python benchmarks/drafts.py choose [--planted N] [--fresh N] [CORPUS] -o ROWS    what is to be fixed, as JSON lines
    python benchmarks/drafts.py export ROWS -o DIR         the open questions, for any model or person to answer
    python benchmarks/drafts.py score DIR [--review OUT]   what became of the answers, by the product's own proof

A folder for each finding: `draft-….md` is the question, `.schema.json` the form of its answer, `.answer.json` where it
goes. `export` again writes what is asked next: the review, by another reader in a fresh conversation; and once more,
where the proof or the reviewer objected. `--review` lays out the fixes that both confirm, to be judged by a maintainer.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.case import Case
from actions.fixes.draft_groups import group_for_drafts
from actions.fixes.drafting import DraftedFixes, draft_fixes
from actions.fixes.proposals import propose_drafts
from actions.fixes.records import get_new_contents
from actions.patterns import all_patterns
from actions.patterns.page import CUSTOM
from actions.patterns.pattern import Pattern
from actions.project.lookup import NOTHING_SHOWN
from actions.review.accepting import AnswerFilter
from actions.review.judge import Question
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.skill import Skill
from benchmarks.answers import SYSTEM, Folder, read_case
from benchmarks.corpus import beside
from benchmarks.judged import SEED
from benchmarks.reviews import FixInSkill, lay_out
from orchestrator.fs import durable
from orchestrator.project.skill_finder import find_skills_below
from orchestrator.project.skill_reader import read_skill
from schemas.issues import Issue
from schemas.records import Fix, State
from schemas.vocabulary import Family, FixStatus, IssueStatus
from templates import render

ROOT = Path(__file__).resolve().parents[1]
PLANTED = ROOT / "tests" / "data" / "planted"
ROW = "finding.json"
_MAX_PER_PATTERN = 3
"""Maximum number of proven findings per pattern."""


@dataclass
class Drafting(Folder):
    """A folder whose questions may come twice under one name: the second review has another file."""

    def base(self, question: Question) -> Path:
        """Return the path of a question's files without their endings: the first that is free or holds its words."""
        first = super().base(question)
        places = [first, first.with_name(f"{first.name}-2"), first.with_name(f"{first.name}-3")]
        words = ((place, place.with_suffix(".md")) for place in places)
        return next((p for p, file in words if not file.exists() or file.read_text("utf-8") == question.prompt), first)


def list_planted() -> Iterator[dict[str, Any]]:
    """Return the faults that were planted in skills of our own."""
    for name, faults in json.loads((PLANTED / "expected.json").read_text("utf-8")).items():
        folder = PLANTED / name
        skill = read_skill(folder) if faults else None
        for fault in faults if skill else ():
            file = skill.by_path.get(fault["file"]) if skill else None
            quote = file.doc.line(fault["line"]).strip() if file else ""
            yield _row("planted", folder, fault["id"], fault["file"], fault["line"], fault["wrong"], quote, "medium")


def real(corpus: Path) -> Iterator[dict[str, Any]]:
    """Return findings in skills of a corpus: proven ones that no strategy fixes, and those that a model read rightly.

    Of one pattern the first in each skill.
    """
    for root in find_skills_below(corpus):
        case, reported = Case(read_skill(root)), set[str]()
        for issue in make_issues(scan(case)):
            at = issue.location
            fresh = issue.status is IssueStatus.OPEN and issue.pattern not in reported
            if fresh and not issue.pattern.startswith("SPEC") and not any(propose_drafts(issue, case)):
                reported.add(issue.pattern)
                yield _row("proven", root, issue.pattern, at.file, at.line_start or 1, issue.description,
                           issue.evidence[0], issue.severity.value)  # fmt: skip
    for one in json.loads((ROOT / "benchmarks" / "judged" / "read-2026-11-22.json").read_text("utf-8")):
        root = corpus / one["skill"]
        if one["verdict"] == "true" and root.is_dir():
            yield _row("read", root, one["pattern"], one["file"], 0, one["problem"], one["quote"], one["severity"])


def _row(
    kind: str, root: Path, pattern: str, file: str, line: int, message: str, quote: str, severity: str
) -> dict[str, Any]:
    return {"kind": kind, "skill": str(root), "pattern": pattern, "file": file, "line": line, "message": message,
            "quote": quote, "severity": severity}  # fmt: skip


def choose(count: int, of_corpus: int, corpus: Path | None) -> list[dict[str, Any]]:
    """Return a random choice, the same at each call: planted faults, and as many proven as read ones."""
    chance, found = random.Random(SEED), [row for row in list_planted() if _target(row)]
    chosen = chance.sample(found, min(count, len(found)))
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in real(corpus) if corpus and of_corpus else ():
        if _target(row):
            rows[row["kind"]].append(row)
    read = chance.sample(rows["read"], min(of_corpus // 2, len(rows["read"])))
    chance.shuffle(rows["proven"])
    times: Counter[str] = Counter()
    proven = [
        row for row in rows["proven"] if times.update([row["pattern"]]) or times[row["pattern"]] <= _MAX_PER_PATTERN
    ]
    return chosen + read + proven[: of_corpus - len(read)]


def _target(row: dict[str, Any]) -> tuple[Case, tuple[Issue, ...], tuple[Issue, ...]] | None:
    """Return the case, all issues, and those to fix together; None if the quote is not in the skill."""
    case = read_case(Path(row["skill"]))
    issues = make_issues(scan(case))
    here = [
        i
        for i in issues
        if (i.pattern, i.location.file, i.location.line_start) == (row["pattern"], row["file"], row["line"])
    ]
    if not here:
        module = all_patterns().get(row["pattern"])
        pattern = module.PATTERN if module else Pattern(CUSTOM, (), of=Family.CUSTOM)
        said = {**row, "problem": row["message"], "harm": row["message"], "looked_up": [], "from_knowledge": False,
                "explains_complaint": False}  # fmt: skip
        checked, patterns = AnswerFilter(case, "a reader", Counter()), {row["pattern"]: pattern}
        here = checked.accept_additions([said], patterns, issues, NOTHING_SHOWN)
        issues = (*issues, *here)
    opened = [issue for issue in issues if issue.status is IssueStatus.OPEN]
    family = next((group for group in group_for_drafts(opened, case.skill) if here and here[0] in group), None)
    return (case, issues, family) if family else None


def _draft(row: dict[str, Any], judge: Folder) -> tuple[DraftedFixes, Skill, tuple[Issue, ...]]:
    found = _target(row)
    if found is None:
        raise SystemExit(f"{row['skill']}: {row['pattern']} no longer exists: choose anew")
    case, issues, family = found
    return draft_fixes(State(issues=issues, iteration_count=1), case, judge, family, 0), case.skill, family


def export(rows: Path, out: Path) -> None:
    """Write the open questions to files, and print their names."""
    out.mkdir(parents=True, exist_ok=True)
    durable.write_bytes(out / SYSTEM, render("questions/system", may_look=True).encode())
    for number, line in enumerate(rows.read_text("utf-8").splitlines(), 1):
        row = json.loads(line)
        folder = out / f"{number:02d}-{row['kind']}-{row['pattern']}"
        folder.mkdir(parents=True, exist_ok=True)
        durable.write_json(folder / ROW, row)
        judge = Drafting(folder, read_case(Path(row["skill"])), writes=True)
        _draft(row, judge)
        waiting = [name for name, why in judge.state.items() if why]
        print(f"{folder.name}: {', '.join(waiting) or 'nothing'} open")


def score(out: Path, review: Path | None) -> None:
    """Print the result for each finding, and the counts by kind. review: where the confirmed fixes are written."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    laid_out: list[FixInSkill] = []
    for folder in sorted(path.parent for path in out.glob(f"*/{ROW}")):
        row = json.loads((folder / ROW).read_bytes())
        judge = Drafting(folder, read_case(Path(row["skill"])))
        done, skill, family = _draft(row, judge)
        fix = next(iter(done.fixes.values()), None)
        word = _outcome(fix, judge)
        counts[row["kind"]][word] += 1
        counts["all"][word] += 1
        print(f"{folder.name}: {word}" + (f": {fix.reason}" if fix and fix.reason else ""))
        if fix and fix.status is FixStatus.PROPOSED:
            writes = get_new_contents(fix, {sha256(data).hexdigest(): data for data in done.contents})
            name = "/".join(Path(row["skill"]).parts[-2:])
            laid_out.append((name, skill, skill.with_files(writes), fix, family))
    for kind, count in counts.items():
        print(f"{kind:<10}" + ", ".join(f"{word} {n}" for word, n in count.most_common()))
    if review:
        print(f"{lay_out(laid_out, review)} fixes laid out in {review}")


def _outcome(fix: Fix | None, judge: Folder) -> str:
    second = any(name.startswith("second") for name in judge.state)
    if any(judge.state.values()) or fix is None:
        return "open"
    if fix.status is FixStatus.PROPOSED:
        return "confirmed at the second time" if second else "confirmed"
    if not fix.changes and (fix.reason or "").startswith("it should not"):
        return "declined"
    return "refused by the reviewer" if fix.review else "refused by the proof"


def main() -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="what", required=True)
    one = kinds.add_parser("choose")
    one.add_argument("corpus", nargs="?", type=Path, default=beside("fresh"), help="default: ../shared/corpus/fresh")
    one.add_argument("--planted", type=int, default=15)
    one.add_argument("--fresh", type=int, default=15)
    one.add_argument("-o", "--output", type=Path, required=True)
    one = kinds.add_parser("export")
    one.add_argument("rows", type=Path)
    one.add_argument("-o", "--output", type=Path, required=True)
    one = kinds.add_parser("score")
    one.add_argument("folder", type=Path)
    one.add_argument("--review", type=Path)
    given = parser.parse_args()
    if given.what == "choose":
        rows = choose(given.planted, given.fresh, given.corpus)
        given.output.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    elif given.what == "export":
        export(given.rows, given.output)
    else:
        score(given.folder, given.review)


if __name__ == "__main__":
    main()
