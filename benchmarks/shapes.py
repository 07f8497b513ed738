"""Measure the CPU seconds of `diagnose` and `run` for a megabyte of one kind of text, and for many files.

    python benchmarks/shapes.py [--against CHECKOUT] [--kb N] [NAME ...]

The kinds of text are those of `tests/actions/patterns/test_hostile.py`; each NAME selects the kinds whose name contains
it. With --against, each `diagnose` is also measured with another checkout.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.actions.patterns.test_hostile import REPEATED, SHAPES  # noqa: E402

HEAD = "---\nname: tides\ndescription: Logs the tides. Use when a user asks for the tide.\n---\n\n# Tides\n\n"
MAX_SECONDS = 120.0
"""CPU seconds after which a command is killed."""
OTHER_FILES = 500
"""Files next to SKILL.md, for the shapes that need them."""


def repeat(text: str, size: int) -> str:
    """Repeat a text up to a size; `{n}` becomes the number of the repetition."""
    parts, length, number = [], 0, 0
    while length < size:
        parts.append(text.replace("{n}", f"{number:03}"))
        length += len(parts[-1])
        number += 1
    return "".join(parts)[:size]


def list_skills(size: int) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the name and the files of each skill."""
    for name, text in SHAPES.items():
        yield name, {"SKILL.md": HEAD + repeat(text, size)}
    for name, (text, make_other_files) in REPEATED.items():
        yield name, {"SKILL.md": HEAD + repeat(text, size), **make_other_files(OTHER_FILES)}
    for count in (1_000, 4_000, 50_000):
        files = {f"references/{n % 100}/{n}.md": f"# Part {n}\n\nSee [next]({n + 1}.md).\n" for n in range(count)}
        yield f"{count:,} files", {"SKILL.md": f"{HEAD}Read [it](references/0/0.md).\n", **files}


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a skill into a new folder."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def measure_cpu(checkout: Path, folder: Path, *words: str) -> str:
    """Return the CPU seconds of a command of a checkout, run with its `.venv`."""
    env = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(
        [checkout / ".venv/bin/tune-skill", *words], cwd=folder, env=env, capture_output=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(MAX_SECONDS), int(MAX_SECONDS) + 1)),
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{spent:.1f}" if process.returncode in (0, 1, 2) else f"over {spent:.0f}"


def main() -> None:
    """Print a row for each kind of text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--kb", type=int, default=1_000, metavar="N")
    options = parser.parse_args()
    print("| | before | `diagnose` | `run` |\n|---|---:|---:|---:|" if options.against else "| | `diagnose` | `run` |")
    for name, files in list_skills(options.kb * 1_000):
        if options.names and not any(part in name for part in options.names):
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            write_files(folder / "tides", files)
            diagnose = ("diagnose", "--no-cache", "tides")
            times = [measure_cpu(checkout, folder, *diagnose) for checkout in (options.against, ROOT) if checkout]
            times.append(
                measure_cpu(ROOT, folder, "run", "tides", "--apply", "all", "--judge", "none", "--no-sessions")
            )
        print(f"| {name} | {' | '.join(times)} |", flush=True)


if __name__ == "__main__":
    main()
