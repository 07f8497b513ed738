"""Measure time and memory of `tune-skill sessions`, which joins sessions with the texts that they followed.

    python benchmarks/history.py [FOLDER] [--sessions N] [--megabytes N]

Repeats the recorded sessions of FOLDER with new ids until there are N sessions of this size, and joins them with the
texts in FOLDER (default: ../shared/corpus/sessions/with-skills).
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.corpus import find_corpus  # noqa: E402


def write_sessions(folder: Path, source: Path, count: int, size: int) -> None:
    """Write sessions of about `size` bytes; each repeats one recorded session with new ids."""
    recorded = [path.read_bytes().rstrip() + b"\n" for path in sorted(source.glob("*.jsonl"))]
    folder.mkdir()
    for n in range(count):
        part, turn = recorded[n % len(recorded)], 0
        with (folder / f"{n:08d}-0000-4000-8000-000000000000.jsonl").open("wb") as file:
            while file.tell() < size:
                turn += 1
                new = b"%d_%d_" % (n, turn)
                file.write(part.replace(b'"toolu_', b'"toolu_' + new).replace(b'"msg_', b'"msg_' + new))


def write_texts(project: Path, source: Path) -> None:
    """Write the texts in the folder of the sessions as skills and commands of a project."""
    for path in source.glob("*.md"):
        name = path.name.removesuffix(".md").removesuffix(".SKILL")
        is_skill = path.name.endswith(".SKILL.md")
        target = project / ".claude" / (f"skills/{name}/SKILL.md" if is_skill else f"commands/erk/{name}.md")
        target.parent.mkdir(parents=True)
        target.write_bytes(path.read_bytes())


def main() -> None:
    """Print time, memory and the ratio to `json.loads` of every line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=find_corpus("sessions/with-skills"))
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--megabytes", type=int, default=3)
    options = parser.parse_args()
    if options.folder is None:
        sys.exit("no recorded sessions found: give their folder")
    with tempfile.TemporaryDirectory() as name:
        project, sessions = Path(name, "project"), Path(name, "sessions")
        write_texts(project, options.folder)
        write_sessions(sessions, options.folder, options.sessions, options.megabytes * 1_000_000)
        command = [sys.executable, str(ROOT / "tune_skill.py"), "sessions", str(project), "--sessions", str(sessions)]
        began = time.perf_counter()
        process = subprocess.run([*command, "--format", "json"], stdout=subprocess.PIPE, check=True)
        wall, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.process_time()
        for path in sessions.iterdir():
            with path.open("rb") as file:
                for line in file:
                    json.loads(line)
        loads = time.process_time() - began
    cpu = used.ru_utime + used.ru_stime
    uses = sum(unit["uses"] for unit in json.loads(process.stdout)["units"])
    print(
        f"{options.sessions} sessions of {options.megabytes} MB: {wall:.1f} s, CPU {cpu:.1f} s,"
        f" {used.ru_maxrss / 1024:.0f} MB"
    )
    print(f"    {cpu / loads:.2f} x json.loads of every line ({loads:.1f} s); {uses} uses joined")


if __name__ == "__main__":
    main()
