"""Judge findings on skills that were not used to write the rules, by readers who did not write the rule.

    python benchmarks/judged.py table [CORPUS]                 per pattern: findings, judged, true, debatable, false
    python benchmarks/judged.py draw [CORPUS] --most 10 -o F   findings to judge, at most 10 of a pattern, at random
    python benchmarks/judged.py sample [CORPUS] --most 60 -o F findings of medium or worse over all patterns

CORPUS is a folder of repositories, each with skills and other units. A judgement is a line of
`benchmarks/judged/*.jsonl`: skill, pattern, file, line, severity, verdict (true, debatable, false), why, a short quote.
A set that someone has seen is spent: it does not measure later changes.
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

from benchmarks.corpus import beside
from orchestrator.engine.scan import scan_project_units, scan_units
from orchestrator.engine.units import ScanOptions
from orchestrator.project.targets import find_targets

JUDGED = Path(__file__).resolve().parent / "judged"
VERDICTS = ("true", "debatable", "false")
SEED = 20261122


@dataclass(frozen=True)
class Found:
    """A finding in a skill of the corpus, or in another unit of a repository; then `skill` is the repository."""

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


def find_open(corpus: Path) -> Iterator[Found]:
    """Return every open finding in the skills and other units of the repositories of a corpus, at its first place."""
    for repository in sorted(path for path in corpus.resolve().iterdir() if path.is_dir()):
        options = ScanOptions()
        targets = find_targets([str(repository)], (), options.projects)
        for row in (*scan_units(targets.skills, options), *scan_project_units(targets.units, options)):
            for id, why in row.failed.items():
                print(f"{row.name}: {id} failed: {why}", file=sys.stderr)
            for one in row.open_issues:
                place = (one.location.file, one.location.line_start or 0, one.description, one.evidence[1:])
                name = str(Path(row.path).resolve().relative_to(corpus.resolve()))
                yield Found(name, one.pattern, one.severity.value, *place, (*one.evidence, "")[0][:120])


def read_judgements() -> dict[tuple[str, str, str, int], str]:
    """Return the verdicts of all files, the last one for each place."""
    lines = [line for file in sorted(JUDGED.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    rows = [json.loads(line) for line in lines if line.strip()]
    return {(row["skill"], row["pattern"], row["file"], row["line"]): row["verdict"] for row in rows}


def print_table(found: list[Found]) -> None:
    """Print, per pattern, the current findings and how readers judged them."""
    known = read_judgements()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        counts[one.pattern].update({"findings": 1, "heavy": one.severity != "low", known.get(one.key, ""): 1})
    print(f"{'pattern':<14}{'findings':>9}{'medium+':>9}{'judged':>8}" + "".join(f"{v:>11}" for v in VERDICTS))
    total = Counter[str]()
    for id, count in [*sorted(counts.items()), ("all", total)]:
        total.update(count if id != "all" else {})
        judged = sum(count[v] for v in VERDICTS)
        shares = "".join(f"{count[v]:>11}" for v in VERDICTS)
        print(f"{id:<14}{count['findings']:>9}{count['heavy']:>9}{judged:>8}{shares}")


def draw_sample(found: list[Found], most: int, *, per_pattern: bool) -> list[Found]:
    """Draw a reproducible sample: at most so many findings per pattern, or in all of medium or worse."""
    chance = random.Random(SEED)
    if not per_pattern:
        heavy = [one for one in found if one.severity != "low"]
        return chance.sample(heavy, min(most, len(heavy)))
    groups: dict[str, list[Found]] = defaultdict(list)
    for one in found:
        groups[one.pattern].append(one)
    return [one for group in groups.values() for one in chance.sample(group, min(most, len(group)))]


def main() -> None:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("table", "draw", "sample"))
    parser.add_argument("corpus", nargs="?", type=Path, default=beside("fresh"), help="default: ../shared/corpus/fresh")
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("-o", "--output", type=Path, help="where draw and sample write JSON lines; default: print")
    options = parser.parse_args()
    if options.corpus is None:
        parser.error("no corpus: name its folder")
    found = list(find_open(options.corpus))
    if options.what == "table":
        print_table(found)
        return
    chosen = draw_sample(found, options.most, per_pattern=options.what == "draw")
    text = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in chosen)
    options.output.write_text(text, "utf-8") if options.output else print(text, end="")


if __name__ == "__main__":
    main()
