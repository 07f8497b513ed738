"""Judge findings on skills that were not used to write the patterns, by readers who did not write the pattern.

    python benchmarks/judged.py table [CORPUS]                 per pattern: findings, judged, true, debatable, false
    python benchmarks/judged.py draw [CORPUS] --most 10 -o F   findings to judge, at most 10 of a pattern, at random
    python benchmarks/judged.py sample [CORPUS] --most 60 -o F findings of medium or worse over all patterns

CORPUS is a folder of repositories, each with skills and other units. A judgement is a line of
`benchmarks/judged/*.jsonl`: skill, pattern, file, line, severity, verdict (true, debatable, false), why, a short quote.
A set that someone has seen cannot measure later changes.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import find_corpus
from orchestrator.engine.scan import scan_project_units, scan_units
from orchestrator.engine.units import ScanOptions
from orchestrator.project.targets import find_targets

JUDGED = Path(__file__).resolve().parent / "judged"
VERDICTS = ("true", "debatable", "false")
SEED = 20261122


@dataclass(frozen=True)
class Finding:
    """A finding in a skill of the corpus, or in another unit of a repository; for these, `skill` is the repository."""

    skill: str
    pattern: str
    severity: str
    file: str
    line: int
    message: str
    also: tuple[str, ...]
    quote: str

    @property
    def key(self) -> tuple[str, str, str, int]:
        """The key of a judgement."""
        return self.skill, self.pattern, self.file, self.line


def list_open_findings(corpus: Path) -> Iterator[Finding]:
    """Yield every open finding in the skills and other units of the repositories of a corpus."""
    for repository in sorted(path for path in corpus.resolve().iterdir() if path.is_dir()):
        options = ScanOptions()
        targets = find_targets([str(repository)], (), options.projects)
        for row in (*scan_units(targets.skills, options), *scan_project_units(targets.units, options)):
            for id, reason in row.failed.items():
                print(f"{row.name}: {id} failed: {reason}", file=sys.stderr)
            for issue in row.open_issues:
                place = (issue.location.file, issue.location.line_start or 0, issue.description, issue.evidence[1:])
                name = str(Path(row.path).resolve().relative_to(corpus.resolve()))
                yield Finding(name, issue.pattern, issue.severity.value, *place, (*issue.evidence, "")[0][:120])


def read_judgements() -> dict[tuple[str, str, str, int], str]:
    """Return the verdict by the key of a judgement; the last one counts."""
    lines = [line for file in sorted(JUDGED.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    rows = [json.loads(line) for line in lines if line.strip()]
    return {(row["skill"], row["pattern"], row["file"], row["line"]): row["verdict"] for row in rows}


def print_table(findings: list[Finding]) -> None:
    """Print, per pattern, the current findings and how readers judged them."""
    known = read_judgements()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for finding in findings:
        serious = finding.severity != "low"
        counts[finding.pattern].update({"findings": 1, "serious": serious, known.get(finding.key, ""): 1})
    print(f"{'pattern':<14}{'findings':>9}{'medium+':>9}{'judged':>8}" + "".join(f"{v:>11}" for v in VERDICTS))
    total = Counter[str]()
    for id, count in [*sorted(counts.items()), ("all", total)]:
        total.update(count if id != "all" else {})
        judged = sum(count[v] for v in VERDICTS)
        shares = "".join(f"{count[v]:>11}" for v in VERDICTS)
        print(f"{id:<14}{count['findings']:>9}{count['serious']:>9}{judged:>8}{shares}")


def draw_sample(findings: list[Finding], most: int, *, per_pattern: bool) -> list[Finding]:
    """Return a reproducible sample: at most `most` findings per pattern, or of medium or worse in total."""
    draw = random.Random(SEED)
    if not per_pattern:
        serious = [finding for finding in findings if finding.severity != "low"]
        return draw.sample(serious, min(most, len(serious)))
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.pattern].append(finding)
    return [finding for group in groups.values() for finding in draw.sample(group, min(most, len(group)))]


def main() -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("table", "draw", "sample"))
    parser.add_argument(
        "corpus", nargs="?", type=Path, default=find_corpus("fresh"), help="default: ../shared/corpus/fresh"
    )
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("-o", "--output", type=Path, help="where draw and sample write JSON lines; default: print")
    options = parser.parse_args()
    if options.corpus is None:
        parser.error("corpus not found: give its folder")
    findings = list(list_open_findings(options.corpus))
    if options.what == "table":
        print_table(findings)
        return
    chosen = draw_sample(findings, options.most, per_pattern=options.what == "draw")
    text = "".join(json.dumps(asdict(finding), ensure_ascii=False) + "\n" for finding in chosen)
    options.output.write_text(text, "utf-8") if options.output else print(text, end="")


if __name__ == "__main__":
    main()
