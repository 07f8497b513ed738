"""Measure the cost of a diagnosis: seconds, memory, skills per second, and the CPU time of patterns and functions.

    python benchmarks/diagnose.py [FOLDER] [--jobs N] [--functions N]

FOLDER holds skills (default: the examples). Wall times depend on the load of the machine, so compare the ratios.
`first` is a pattern's time when the patterns run in the order of their ids; it includes the parts of the shared model
that the pattern is the first to parse. `again` is its time in a second pass, when the model is parsed.
"""

import argparse
import cProfile
import os
import pstats
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.case import Case
from actions.patterns import list_checked_patterns
from actions.patterns.pattern import get_check
from actions.regex import regex
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.skill import Skill
from orchestrator.project.skill_finder import find_skills_below
from orchestrator.project.skill_reader import read_skill
from schemas.vocabulary import UnitKind

LazyPattern = type(regex(""))
ROOT = Path(__file__).resolve().parents[1]


def measure_seconds(command: list[str], env: Mapping[str, str] | None = None) -> float:
    """Return the wall time of a process, the best of three."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, check=False)
        best = min(best, time.perf_counter() - start)
    return best


def print_process(folder: Path, roots: list[Path], jobs: int | None) -> None:
    """Print the cost of the command from start to exit."""
    sizes = [f.stat().st_size for f in folder.rglob("*") if f.is_file()]
    command = [sys.executable, str(ROOT / "tune_skill.py"), "diagnose", "--format", "json"]
    many = [*command, str(folder), *(["--jobs", str(jobs)] if jobs else [])]
    bare, single = (
        measure_seconds([sys.executable, "-c", "pass"]),
        measure_seconds([*command, str(roots[0]), "--no-cache"]),
    )
    total = measure_seconds([*many, "--no-cache"])
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{len(roots)} skills, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB, {os.cpu_count()} cores")
    print(f"python -c pass        {bare:7.3f} s")
    print(f"one skill             {single:7.3f} s  {single / bare:6.1f} x bare")
    print(f"all skills            {total:7.3f} s  {total / bare:6.1f} x bare  {len(roots) / total:.0f} skills/s"
          f"  {sum(sizes) / total / 1e6:.1f} MB/s")  # fmt: skip
    print(f"largest process       {memory:7.0f} MB")
    with tempfile.TemporaryDirectory() as home:
        cached = measure_seconds(many, {**os.environ, "XDG_CACHE_HOME": home})
    print(f"all, from the cache   {cached:7.3f} s  {cached / bare:6.1f} x bare")


def print_patterns(roots: list[Path]) -> None:
    """Print each pattern's share of the CPU time, the slowest first."""
    checks = {m.PATTERN.id: check for m in list_checked_patterns(UnitKind.SKILL) if (check := get_check(m))}
    first, again = Counter[str](), Counter[str]()
    for root in roots:
        case = Case(read_skill(root))
        for times in (first, again):
            for id, check in checks.items():
                start = time.process_time_ns()
                for _ in check(case):
                    pass
                times[id] += time.process_time_ns() - start
    whole = sum(first.values())
    print(f"\nall patterns: {whole / 1e9:.2f} s CPU\npattern       first ms   share   again ms   share")
    for id, spent in sorted(again.items(), key=lambda item: -max(first[item[0]], item[1])):
        print(f"{id:<12}{first[id] / 1e6:>10.1f}{first[id] / whole:>8.1%}{spent / 1e6:>11.1f}{spent / whole:>8.1%}")


def print_functions(roots: list[Path], count: int) -> None:
    """Print the functions that take the most time, with built-in calls (mostly regexes) counted for their caller."""
    profile = cProfile.Profile()
    profile.enable()
    for root in roots:
        make_issues(scan(Case(read_skill(root))))
    profile.disable()
    own: Counter[str] = Counter()
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    for (file, line, name), (_, _, spent, _, callers) in stats.items():
        if file == "~" or file.startswith("<"):
            for (caller_file, caller_line, caller), (*_, part, _) in callers.items():
                own[f"{Path(caller_file).name}:{caller_line} {caller}"] += part
        else:
            own[f"{Path(file).name}:{line} {name}"] += spent
    whole = sum(own.values())
    print(f"\nfunctions, of {whole:.2f} s under the profiler")
    for name, spent in own.most_common(count):
        print(f"{spent * 1000:>9.1f} ms {spent / whole:>6.1%}  {name}")


def print_regexes(roots: list[Path], count: int) -> None:
    """Print the regexes that take the most time per line. To speed one up, factor `\\b` out or find a literal first."""
    texts = (file.text for root in roots for file in read_skill(root).instructions)
    lines = list(islice((line for text in texts for line in text.split("\n") if line.strip()), 5000))
    modules = [(name, module) for name, module in sys.modules.items() if name.startswith("actions.")]
    name_by_regex: dict[re.Pattern[str], str] = {}
    for name, module in modules:
        items = ((key, value) for key, value in vars(module).items() if isinstance(value, re.Pattern | LazyPattern))
        regexes = ((key, value) for key, value in items if isinstance(value.pattern, str))
        name_by_regex |= {regex: f"{name.removeprefix('actions.')}.{key}" for key, regex in regexes if key.isupper()}
    times: dict[str, float] = {}
    for expression, name in name_by_regex.items():
        start = time.process_time()
        for line in lines:
            expression.search(line)
        times[name] = (time.process_time() - start) / len(lines) * 1e6
    print("\nregexes, microseconds a line")
    for name, spent in sorted(times.items(), key=lambda item: -item[1])[:count]:
        print(f"{spent:>9.1f}  {name}")


def print_reading(roots: list[Path]) -> None:
    """Print the CPU time of reading files and of parsing documents."""
    start = time.process_time()
    skills: list[Skill] = [read_skill(root) for root in roots]
    read = time.process_time() - start
    for skill in skills:
        for file in skill.files:
            _ = file.doc
    print(f"\nreading: {read * 1000:.0f} ms, documents: {(time.process_time() - start - read) * 1000:.0f} ms CPU")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "examples")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--functions", type=int, default=25, help="how many functions and regexes to list")
    options = parser.parse_args()
    roots = find_skills_below(options.folder)
    if not roots:
        sys.exit(f"{options.folder}: no skill found; give a folder with skills")
    print_process(options.folder, roots, options.jobs)
    print_reading(roots)
    print_patterns(roots)
    print_functions(roots, options.functions)
    print_regexes(roots, options.functions)


if __name__ == "__main__":
    main()
