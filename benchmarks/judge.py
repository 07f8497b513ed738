"""Measure how much a judge adds to the heuristics, on labelled skills and sessions.

    python benchmarks/judge.py measure [CORPUS] [--max-cost-usd X] [--pairs N] [--skills N] [--sessions N]
    python benchmarks/judge.py export SKILL… -o DIR      write the questions, for any model or person to answer
    python benchmarks/judge.py score DIR [--findings F] [--reference R]   print the scores of the answers

`benchmarks/answers.py` describes the files of `export` and the reference list R. The rest is about `measure`.

Skills: a labelled dimension of pairs/NNN/before/SKILL without a finding is a false negative; a well-maintained skill
(skills/…) with a counted finding of medium severity or worse is a false positive.
Sessions: sessions/labels.jsonl; a missed fault is a false negative, a fault reported in a clean session is a false
positive, unknown answers are counted separately. Targets: usage of at least 95 %, false positives below 5 %, false
negatives below 10 %. If no model is available, only the heuristics are measured, with a note.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.project.lookup import Library
from actions.review.judge import Question, Reply
from actions.scoring.issues import select_counted_issues
from actions.session.judge import SessionJudge
from actions.session.session import Session
from benchmarks.accuracy import format_share, select_dimension
from benchmarks.answers import export, score
from benchmarks.corpus import find_corpus
from benchmarks.sessions import TABLES
from orchestrator.engine.scan import scan_named
from orchestrator.engine.units import ScanOptions
from orchestrator.guard.steering.considerations import load_shipped_considerations
from orchestrator.guard.steering.evaluate import analyze
from orchestrator.guard.transcripts import read_transcript
from orchestrator.model import JudgeAccess
from orchestrator.model.budget import Budget
from orchestrator.model.environment import find_access_problem
from orchestrator.model.sdk import SKILL_LIMITS, Limits, SdkJudge, get_session_limits
from orchestrator.project.skill_finder import find_skills_below
from schemas.considerations import AnswerSource
from schemas.issues import Issue
from schemas.vocabulary import IssueStatus, Severity


@dataclass
class Tally:
    """The errors of one method, and the number of answers from the model."""

    name: str
    wrong: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)

    def count(self, is_fault: bool, reported: bool | None) -> None:
        """Count one labelled item: whether it is a fault, and whether it was reported (None: unknown)."""
        self.asked["fault" if is_fault else "clean"] += 1
        if reported is None:
            self.wrong["unknown"] += 1
        elif reported != is_fault:
            self.wrong["false negative" if is_fault else "false positive"] += 1

    def format_line(self) -> str:
        """Return the line of this method."""
        return (
            f"{self.name:<12} false positives {format_share(self.wrong['false positive'], self.asked['clean'])}"
            f"  false negatives {format_share(self.wrong['false negative'], self.asked['fault'])}"
            f"  unknown {self.wrong['unknown']}"
        )


class CountingJudge(SdkJudge):
    """A judge that counts questions and answers."""

    asked = answered = 0

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Ask the questions and count the answers."""
        replies = super().ask(questions, library)
        self.asked += len(replies)
        self.answered += sum(reply.value is not None for reply in replies)
        return replies


def has_serious_issue(issues: Iterable[Issue]) -> bool:
    """Return whether a counted issue has medium severity or worse."""
    return any(i.severity is not Severity.LOW for i in select_counted_issues(issues))


def diagnose(skill: Path, access: JudgeAccess) -> list[Issue]:
    """Return the open findings of a skill."""
    return [i for i in scan_named(str(skill), ScanOptions(), access).issues if i.status is IssueStatus.OPEN]


def measure_skills(pairs: Sequence[Path], maintained: Sequence[Path], access: JudgeAccess, tally: Tally) -> None:
    """Measure a method on skills with known faults, and on well-maintained skills."""
    for pair in pairs:
        labels = json.loads((pair / "meta.json").read_text())["dimensions"]
        found = diagnose(find_skills_below(pair / "before")[0], access)
        for dimension in labels:
            tally.count(True, bool(select_dimension(found, dimension)))
    for skill in maintained:
        tally.count(False, has_serious_issue(diagnose(skill, access)))


def measure_sessions(rows: Sequence[tuple[Path, dict[str, object]]], judge: SessionJudge | None, tally: Tally) -> None:
    """Measure a method on labelled sessions."""
    for path, labels in rows:
        found = analyze(Session(read_transcript(path)), load_shipped_considerations(), judge).results
        applicable = [result for result in found.values() if result.applicable]
        tally.asked["answers"] += len(applicable)
        tally.asked["by the model"] += sum(result.source is AnswerSource.MODEL for result in applicable)
        for label, (id, meaning) in TABLES.items():
            satisfied = found[id].satisfied
            tally.count(meaning[labels[label]] == "violated", None if satisfied is None else not satisfied)


def read_labelled(corpus: Path, most: int | None) -> list[tuple[Path, dict[str, object]]]:
    """Return the sessions with their labels."""
    lines = (corpus / "sessions" / "labels.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines[:most]]
    return [(corpus / "sessions" / row["file"], row["labels"]) for row in rows]


def list_accesses(ceiling: float, limits: Limits) -> Iterator[JudgeAccess]:
    """Yield no judge, then the judge if one is available."""
    yield JudgeAccess()
    if not find_access_problem(os.environ):
        yield JudgeAccess(sdk=CountingJudge(Budget(ceiling), limits=limits, say=print))


def measure(options: argparse.Namespace) -> None:
    """Print both tables."""
    if options.corpus is None or not options.corpus.is_dir():
        sys.exit(
            f"{options.corpus or 'corpus'}: not found; give the folder of the corpus (pairs/…, sessions/labels.jsonl)"
        )
    if problem := find_access_problem(os.environ):
        print(f"no model is asked: {problem}. Only the heuristics are measured.\n")
    pairs = sorted(path.parent for path in (options.corpus / "pairs").glob("*/meta.json"))[: options.pairs]
    maintained = find_skills_below(options.corpus / "skills")[: options.skills]
    print(f"{len(pairs)} skills with faults, {len(maintained)} maintained skills")
    for access in list_accesses(options.max_cost_usd, SKILL_LIMITS):
        tally = Tally("judge" if access.judge else "heuristics")
        measure_skills(pairs, maintained, access, tally)
        print_tally(tally, access)
    rows = read_labelled(options.corpus, options.sessions)
    print(f"\n{len(rows)} sessions")
    for access in list_accesses(options.max_cost_usd, get_session_limits()):
        tally = Tally("judge" if access.judge else "heuristics")
        measure_sessions(rows, access.get_session_judge(), tally)
        print_tally(tally, access)


def print_tally(tally: Tally, access: JudgeAccess) -> None:
    """Print the errors of a method, how often the model answered, and its cost."""
    print(tally.format_line())
    if isinstance(access.judge, CountingJudge):
        usage = format_share(access.judge.answered, access.judge.asked)
        print(f"{'':<12} {access.name}: {usage} questions answered, {access.spent:.4f} USD")
    if tally.asked["answers"]:
        print(f"{'':<12} answers by the model {format_share(tally.asked['by the model'], tally.asked['answers'])}")
    for note in access.notes:
        print(f"{'':<12} {note}")


def parse_args() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    command = commands.add_parser("measure")
    command.add_argument("corpus", nargs="?", type=Path, default=find_corpus(), help="default: ../shared/corpus")
    command.add_argument("--max-cost-usd", type=float, default=5.0, help="for each of the two tables")
    command.add_argument("--pairs", type=int, help="only the first N pairs")
    command.add_argument("--skills", type=int, default=20, help="only the first N maintained skills (default 20)")
    command.add_argument("--sessions", type=int, help="only the first N sessions")
    command = commands.add_parser("export")
    command.add_argument("skill", nargs="+", type=Path)
    command.add_argument("-o", "--output", type=Path, required=True)
    command = commands.add_parser("score")
    command.add_argument("folder", type=Path)
    command.add_argument("--findings", type=Path, help="write the added findings to this file, for a reader to judge")
    command.add_argument("--reference", type=Path, help="an expert's list of faults, to measure recall")
    return parser.parse_args()


def main() -> None:
    """Run one of the three commands."""
    options = parse_args()
    if options.what == "export":
        export(options.skill, options.output)
    elif options.what == "score":
        score(options.folder, options.findings, options.reference)
    else:
        measure(options)


if __name__ == "__main__":
    main()
