"""The front door: puts its own folder first on the import path and hands over.

The four packages have common names (`schemas`, `actions`, …) that other distributions and the user's own project may
hold too. The wheel keeps them inside `tune_skill/`, whose folder must come first so that ours are the ones imported.
"""

import sys
from pathlib import Path


def main() -> None:
    """Run the command `tune-skill`."""
    here = str(Path(__file__).resolve().parent)
    sys.path[:] = [here, *(entry for entry in sys.path if entry not in ("", here))]
    from orchestrator.cli import main as command

    command()


if __name__ == "__main__":
    main()
