"""Measure the CPU seconds of `diagnose` and `run` for a megabyte of one kind of text, and for very many files.

    python benchmarks/shapes.py [--against CHECKOUT] [--kb N] [NAME ...]

The shapes are those of `tests/actions/patterns/test_hostile.py`, and files; a NAME chooses those that hold it. With
--against each `diagnose` is also measured with another checkout, one right after the other.
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
    """Repeat a text up to a size; `{n}` counts."""
    parts, length, number = [], 0, 0
    while length < size:
        parts.append(text.replace("{n}", f"{number:03}"))
        length += len(parts[-1])
        number += 1
    return "".join(parts)[:size]


def skills(size: int) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the name and the files of each skill."""
    for name, text in SHAPES.items():
        yield name, {"SKILL.md": HEAD + repeat(text, size)}
    for name, (text, beside) in REPEATED.items():
        yield name, {"SKILL.md": HEAD + repeat(text, size), **beside(OTHER_FILES)}
    for count in (1_000, 4_000, 50_000):
        files = {f"references/{n % 100}/{n}.md": f"# Part {n}\n\nSee [next]({n + 1}.md).\n" for n in range(count)}
        yield f"{count:,} files", {"SKILL.md": f"{HEAD}Read [it](references/0/0.md).\n", **files}


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a skill into a new folder."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def seconds(checkout: Path, folder: Path, *words: str) -> str:
    """Return the CPU seconds of a command of a checkout, with the environment it has in `.venv`."""
    env = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [checkout / ".venv/bin/tune-skill", *words], cwd=folder, env=env, capture_output=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(MAX_SECONDS), int(MAX_SECONDS) + 1)),
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{spent:.1f}" if done.returncode in (0, 1, 2) else f"over {spent:.0f}"


def main() -> None:
    """Print a row for each shape."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("names", nargs="*", metavar="NAME")
    asked.add_argument("--against", type=Path, metavar="CHECKOUT")
    asked.add_argument("--kb", type=int, default=1_000, metavar="N")
    given = asked.parse_args()
    print("| | before | `diagnose` | `run` |\n|---|---:|---:|---:|" if given.against else "| | `diagnose` | `run` |")
    for name, files in skills(given.kb * 1_000):
        if given.names and not any(part in name for part in given.names):
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            write_files(folder / "tides", files)
            look = ("diagnose", "--no-cache", "tides")
            times = [seconds(checkout, folder, *look) for checkout in (given.against, ROOT) if checkout]
            times.append(seconds(ROOT, folder, "run", "tides", "--apply", "all", "--judge", "none", "--no-sessions"))
        print(f"| {name} | {' | '.join(times)} |", flush=True)


if __name__ == "__main__":
    main()
