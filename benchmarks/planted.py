"""Count the planted faults of a plugin that each linter reports, one fault at a time.

    python benchmarks/planted.py --tools DIR

The faults are those of `tests/actions/project/test_seeded_faults.py`: their author knows what this project checks, so
the column of tune-skill says nothing of its own; those of the others say what their users see. DIR holds the linters
as `benchmarks/peers.py` installs them. A fault counts as reported if the output for the faulty plugin has a line that
the output for the clean one has not, positions, counts and times left out.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.peers import project_commands  # noqa: E402
from tests.actions.project.test_seeded_faults import FAULTS, build_files, plant  # noqa: E402

_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")
_SUMMARY = re.compile(r"(?i)\b(?:score|gate|found|files?|checked|errors?,|warnings?,|total|grade|took|ms)\b")


def read_lines(command: list[str], files: Mapping[str, str]) -> set[str]:
    """Return the lines that a linter prints of a plugin, without numbers and sums."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "shore"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        for script in root.rglob("*.sh"):
            script.chmod(0o755)
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        subprocess.run(["git", "add", "."], cwd=root, check=True)
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
        text = (done.stdout + done.stderr).replace(str(root), "")
    return {_NUMBERS.sub("N", line.strip()) for line in text.splitlines() if not _SUMMARY.search(line)}


def main() -> None:
    """Print for each linter how many faults it reports, and which planted faults it alone misses or finds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True)
    options = parser.parse_args()
    found: Counter[str] = Counter()
    for tool, command in project_commands(options.tools).items():
        clean = read_lines(command, build_files())
        named = [fault[0] for fault in FAULTS if read_lines(command, plant(fault)) - clean]
        found[tool] = len(named)
        print(f"{tool:20} {len(named):3} of {len(FAULTS)}: {'; '.join(named)}", flush=True)


if __name__ == "__main__":
    main()
