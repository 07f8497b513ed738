"""Print which of the faults that an expert found in the corpus are reported by `diagnose`.

    python benchmarks/expert.py [CORPUS] [--all]   the faults that a parser can find; with --all also the others

The expert had the whole repository. The faults are in `judged/expert.jsonl` next to the projects. A fault counts as
reported if a finding is in its file, on a line of its quote.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.corpus import find_corpus
from orchestrator.engine.rows import Row
from orchestrator.engine.scan import scan_units
from orchestrator.engine.units import ScanOptions
from schemas.issues import Issue


def find_reports(fault: dict[str, Any], row: Row) -> Iterator[Issue]:
    """Yield the findings of a skill that are about a fault."""
    text = Path(row.path, fault["file"]).read_text("utf-8").splitlines()
    quote = fault["quote"].strip()
    lines = {n for n, line in enumerate(text, 1) if quote[:60] in line or (line.strip() and line.strip() in quote)}
    for issue in row.open_issues:
        at = issue.location
        if at.file == fault["file"] and not lines.isdisjoint(range(at.line_start or 0, (at.line_end or 0) + 1)):
            yield issue


def main() -> None:
    """Print a line for each fault, and the count of reported ones."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", nargs="?", type=Path, default=find_corpus("projects") or Path("projects"))
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    lines = (args.corpus / "judged" / "expert.jsonl").read_text("utf-8").splitlines()
    faults = [fault for fault in map(json.loads, lines) if args.all or fault["how"] == "parser"]
    folders = {
        name: next(args.corpus.rglob(f"{name}/SKILL.md")).parent for name in {fault["skill"] for fault in faults}
    }
    rows = {Path(row.path).name: row for row in scan_units([str(path) for path in folders.values()], ScanOptions())}
    reported = 0
    for fault in faults:
        ids = {issue.pattern for issue in find_reports(fault, rows[fault["skill"]])}
        reported += bool(ids)
        place = f"{fault['skill']}/{fault['file']}"
        print(f"{', '.join(sorted(ids)) or '-':<12}{fault['severity']:<8}{place}: {fault['quote'][:80]}")
    print(f"{reported} of {len(faults)} reported")


if __name__ == "__main__":
    main()
