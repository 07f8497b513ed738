"""Measure how the CPU seconds of `run --apply all` grow with the number of fixes of one kind.

    python benchmarks/many_fixes.py [NUMBER ...]

Kinds: dead links in one file (above 100 lines, each link is a separate draft), one dead link in each of many files,
unknown options of scripts, and types that are defined twice. Each run is rolled back, and the files are compared.
A ratio of 2 is linear growth.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TUNE = [sys.executable, str(ROOT / "tune_skill.py")]
HEAD = "---\nname: many\ndescription: Counts birds. Use when counting birds.\n---\n\n"
SCRIPT = (
    "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--max-{0}', type=int)\nprint(p.parse_args())\n"
)
TYPE = "```ts\ninterface Bird{0} {{ name{0}: string, wing{0}: number, nest{0}: string }}\n```\n"
Files = Iterator[tuple[str, str]]


def make_word(number: int) -> str:
    """Return a word that resembles no other."""
    return "".join(chr(97 + byte % 26) for byte in sha256(b"%d" % number).digest()[:12])


def write_links(n: int) -> Files:
    """Yield a dead link, and the file that it should link to."""
    yield "SKILL.md", f"See [it](references/guide-{n:05}-label.md).\n"
    yield f"references/guide-{n:05}-labels.md", "Text.\n"


def write_files(n: int) -> Files:
    """Yield a file with a dead link, and the file that it should link to."""
    yield "SKILL.md", f"See [it](references/g{n:05}.md) and [more](references/guide{n:05}.md).\n"
    yield f"references/g{n:05}.md", f"# G{n}\n\nSee [it](guides{n:05}.md).\n"
    yield f"references/guide{n:05}.md", "Text.\n"


def write_options(n: int) -> Files:
    """Yield a call with an unknown option, and the script."""
    path = f"scripts/count{n:05}.py"
    yield "SKILL.md", f"Run `python3 ${{CLAUDE_SKILL_DIR}}/{path} --max-{make_word(n)}s=300`, then go on.\n\n"
    yield path, SCRIPT.format(make_word(n))


def write_types(n: int) -> Files:
    """Yield a type that a phase and a specification define."""
    yield "SKILL.md", f"See [it](phases/{n:05}-look.md) and [shape](specs/s{n:05}.md).\n"
    yield f"specs/s{n:05}.md", f"# Shape {make_word(n)}\n\n{TYPE.format(make_word(n))}"
    yield (
        f"phases/{n:05}-look.md",
        f"# Look {make_word(n)}\n\nEach has this shape:\n\n{TYPE.format(make_word(n))}\nThen stop.\n",
    )


KINDS = {"links": write_links, "files": write_files, "options": write_options, "types": write_types}


def make_files(number: int, *kinds: str) -> dict[str, str]:
    """Return the files of a skill with this number of faults of each kind."""
    files = {"SKILL.md": HEAD}
    for kind in kinds:
        for path, text in (entry for n in range(number) for entry in KINDS[kind](n)):
            files[path] = files.get(path, "") + text
    return files


def write_skill(project: Path, kind: str, number: int) -> Path:
    """Write a skill with this number of faults, and return its folder."""
    skill = project / ".claude/skills/many"
    for path, text in make_files(number, kind).items():
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_text(text)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    return skill


def measure_cpu(project: Path, home: Path, *arguments: str) -> float:
    """Return the CPU seconds of a command. Raises CalledProcessError."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = {**os.environ, "HOME": str(home)}
    subprocess.run([*TUNE, *arguments], cwd=project, env=env, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def read_all(skill: Path) -> dict[Path, bytes]:
    """Return the bytes of each file."""
    return {path: path.read_bytes() for path in skill.rglob("*") if path.is_file()}


def main() -> None:
    """Print the seconds for each number, and the ratio to the previous number."""
    for kind in KINDS:
        before = 0.0
        for number in map(int, sys.argv[1:] or (50, 100, 200, 400)):
            with tempfile.TemporaryDirectory() as folder:
                project, home = Path(folder) / "project", Path(folder) / "home"
                skill = write_skill(project, kind, number)
                old = read_all(skill)
                seconds = measure_cpu(project, home, "run", str(skill), "--apply", "all", "--judge", "none")
                assert read_all(skill) != old, "nothing was fixed"
                measure_cpu(project, home, "rollback", "--all")
                assert read_all(skill) == old, "the rollback left differences"
            ratio = f"{seconds / before:6.2f} x" if before else ""
            print(f"{kind:8} {number:6,} {seconds:8.2f} s {ratio}", flush=True)
            before = seconds


if __name__ == "__main__":
    main()
