"""Measure the accuracy of the findings on skills before and after a fix (pairs), and on well-maintained skills.

    python benchmarks/accuracy.py [CORPUS] [--details]

Pairs: the shares of labelled dimensions that are flagged before the fix, that are milder after it (or not flagged), and
that are heavier after it; and the share of dimensions without a label that do not change. Milder and heavier compare
sums of severity weights (critical 25, high 8, medium 5, low 1) over all open findings of a dimension.
Well-maintained skills: the share that passes the gate, and each open, counted finding of medium severity or worse.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.case import Case
from actions.scoring.issues import make_issues, select_counted_issues
from actions.scoring.quality import DEDUCTIONS, measure
from actions.scoring.scan import scan
from benchmarks.corpus import find_corpus
from orchestrator.project.skill_finder import find_skills_below
from orchestrator.project.skill_reader import read_skill
from schemas.issues import Issue
from schemas.vocabulary import Gate, IssueStatus, Severity

TYPES_BY_DIMENSION = {
    "token_consumption": ("token_consumption",),
    "context_explosion": ("context_explosion",),
    "dataflow": ("dataflow_break", "authoring_violation"),
    "docs_redundancy": ("doc_redundancy", "TKN-001", "TKN-006"),
    "docs_conflict": ("doc_conflict",),
    "agent_failure": ("agent_failure",),
    "memory_loss": ("memory_loss",),
    "broken_reference": ("DF-009", "SPEC-005"),
    "frontmatter": ("spec_violation",),
}
"""The families and patterns that belong to each labelled dimension."""


@dataclass(frozen=True)
class Verdict:
    """The result of one dimension of a pair: weights before and after, and the patterns with findings."""

    pair: str
    dimension: str
    labelled: bool
    before: int
    after: int
    patterns: str

    @property
    def is_flagged(self) -> bool:
        """Whether the fault was found before the fix."""
        return self.before > 0

    @property
    def change(self) -> str:
        """The outcome in a word."""
        if self.after > self.before:
            return "heavier"
        if self.after == self.before:
            return "unchanged" if self.is_flagged else "not flagged" if self.labelled else "silent"
        return "milder"


def find_issues(root: Path) -> tuple[Issue, ...]:
    """Return the open issues of a skill; print the patterns that failed."""
    result = scan(Case(read_skill(root)))
    for id, reason in result.failed.items():
        print(f"{root.name}: {id} failed: {reason}", file=sys.stderr)
    return tuple(i for i in make_issues(result) if i.status is IssueStatus.OPEN)


def select_dimension(issues: Iterable[Issue], dimension: str) -> list[Issue]:
    """Return the issues that belong to a dimension."""
    return [
        i for i in issues if i.type.value in TYPES_BY_DIMENSION[dimension] or i.pattern in TYPES_BY_DIMENSION[dimension]
    ]


def sum_weights(issues: Iterable[Issue]) -> int:
    """Return the sum of severity weights."""
    return sum(DEDUCTIONS[issue.severity] for issue in issues)


def judge_pair(pair: Path) -> Iterator[Verdict]:
    """Judge each dimension of one pair."""
    labels = json.loads((pair / "meta.json").read_text())["dimensions"]
    before, after = (find_issues(find_skills_below(pair / side)[0]) for side in ("before", "after"))
    for dimension in TYPES_BY_DIMENSION:
        old, new = select_dimension(before, dimension), select_dimension(after, dimension)
        names = Counter(i.pattern for i in old)
        names.subtract(i.pattern for i in new)
        changed = " ".join(f"{name}{-n:+d}" for name, n in sorted(names.items()) if n)
        unchanged = " ".join(sorted({i.pattern for i in old} & {i.pattern for i in new}))
        patterns = "; ".join(part for part in (changed, unchanged and f"unchanged: {unchanged}") if part)
        yield Verdict(pair.name, dimension, dimension in labels, sum_weights(old), sum_weights(new), patterns)


def format_share(part: int, whole: int) -> str:
    """Return a share as `n/m (p %)`."""
    return f"{part}/{whole} ({100 * part / whole:.0f} %)" if whole else "0/0"


def print_pairs(verdicts: list[Verdict], details: bool) -> None:
    """Print the labelled dimensions, and the changes of the others."""
    labelled = [v for v in verdicts if v.labelled]
    unlabelled = [v for v in verdicts if not v.labelled]
    print(f"{'pair':<6}{'dimension':<20}{'before':>7}{'after':>7}  outcome")
    for v in labelled + [v for v in unlabelled if details and v.change not in ("silent", "unchanged")]:
        mark = "" if v.labelled else "(no label) "
        print(f"{v.pair:<6}{v.dimension:<20}{v.before:>7}{v.after:>7}  {mark}{v.change:<12} {v.patterns}")
    heavier = sum(v.change == "heavier" for v in labelled)
    milder = sum(v.change == "milder" for v in labelled)
    unchanged = sum(v.change in ("silent", "unchanged") for v in unlabelled)
    flagged = format_share(sum(v.is_flagged for v in labelled), len(labelled))
    print(f"\nlabelled dimensions flagged before   {flagged}  want >= 75 %")
    print(f"flagged before and milder after      {format_share(milder, len(labelled))}  want >= 55 %")
    print(f"heavier after                        {format_share(heavier, len(labelled))}  want <= 5 %")
    print(f"dimensions without label, unchanged  {format_share(unchanged, len(unlabelled))}")
    heavier = sum(v.change == "heavier" for v in unlabelled)
    print(f"dimensions without label, heavier    {format_share(heavier, len(unlabelled))}")


def print_skills(roots: list[Path], base: Path) -> None:
    """Print the gate and the serious findings of the well-maintained skills."""
    passed, serious, low = 0, 0, Counter[str]()
    for root in roots:
        issues = find_issues(root)
        _, points, gate = measure(issues)
        passed += gate is Gate.PASS
        if gate is not Gate.PASS:
            print(f"gate {gate} ({points}): {root.relative_to(base)}")
        for issue in issues:
            if issue not in select_counted_issues(issues) or issue.severity is Severity.LOW:
                low[issue.pattern] += 1
                continue
            serious += 1
            place = f"{root.relative_to(base)}/{issue.location.file}:{issue.location.line_start}"
            print(f"{issue.pattern} {issue.severity.value} {place}")
            print(f"    {issue.description}\n    | {issue.evidence[0][:150]}")
    print(f"\nmaintained skills that pass the gate {format_share(passed, len(roots))}  want >= 95 %")
    print(f"serious findings per skill           {serious}/{len(roots)} = {serious / max(1, len(roots)):.2f}"
          "  want <= 0.15")  # fmt: skip
    print(f"low or not counted                   {sum(low.values())}: "
          + " ".join(f"{name} {n}" for name, n in low.most_common()))  # fmt: skip


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", type=Path, default=find_corpus(), help="default: ../shared/corpus")
    parser.add_argument("--details", action="store_true", help="also print the changed dimensions that have no label")
    options = parser.parse_args()
    if options.corpus is None:
        parser.error("corpus not found: give its folder")
    corpus: Path = options.corpus
    if not corpus.is_dir():
        sys.exit(
            f"{corpus} is not a folder: give the folder of the corpus (pairs/NNN/{{before,after}}/SKILL, skills/…)"
        )
    pairs = sorted(path.parent for path in (corpus / "pairs").glob("*/meta.json"))
    print_pairs([verdict for pair in pairs for verdict in judge_pair(pair)], options.details)
    print()
    print_skills(find_skills_below(corpus / "skills"), corpus)


if __name__ == "__main__":
    main()
