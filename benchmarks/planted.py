"""Count the planted faults of a plugin that each linter reports, one fault at a time.

    python benchmarks/planted.py --tools DIR

The faults are those of `tests/actions/project/test_seeded_faults.py`. Their author knows the checks of this project, so
the figure of tune-skill is biased; only those of the other linters are informative. DIR is the folder into which
`benchmarks/peers.py` installed the linters. A fault counts as reported if the output for the faulty plugin has a line
that the output for the clean plugin lacks, ignoring positions, counts and times.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.peers import list_project_commands  # noqa: E402
from tests.actions.project.test_seeded_faults import FAULTS, build_files, plant  # noqa: E402

_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")
_SUMMARY = re.compile(r"(?i)\b(?:score|gate|found|files?|checked|errors?,|warnings?,|total|grade|took|ms)\b")


def read_lines(command: list[str], files: Mapping[str, str]) -> set[str]:
    """Return the lines that a linter prints for a plugin, without numbers and summary lines."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "shore"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        for script in root.rglob("*.sh"):
            script.chmod(0o755)
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        subprocess.run(["git", "add", "."], cwd=root, check=True)
        process = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
        text = (process.stdout + process.stderr).replace(str(root), "")
    return {_NUMBERS.sub("N", line.strip()) for line in text.splitlines() if not _SUMMARY.search(line)}


def main() -> None:
    """Print the number and the names of the faults that each linter reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True)
    options = parser.parse_args()
    for tool, command in list_project_commands(options.tools).items():
        clean = read_lines(command, build_files())
        reported = [fault[0] for fault in FAULTS if read_lines(command, plant(fault)) - clean]
        print(f"{tool:20} {len(reported):3} of {len(FAULTS)}: {'; '.join(reported)}", flush=True)


if __name__ == "__main__":
    main()
