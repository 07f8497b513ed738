"""The front door: puts its own folder first on the import path and hands over.

The four packages have common names (`schemas`, `actions`, …) that other distributions and the user's own project may
hold too. The wheel keeps them inside `tune_skill/`, whose folder must come first so that ours are the ones imported.
"""

import sys
from collections.abc import Sequence
from pathlib import Path


def main() -> None:
    """Run the command `tune-skill`."""
    _come_first()
    from orchestrator.hooks.dispatch import HANDLERS, served

    match sys.argv[1:]:
        case ["hook", event] if event in HANDLERS and sys.platform != "win32":
            served(event)
        case _:
            from orchestrator.cli import main as command

            command()


def examined(of: str, seconds: int, megabytes: int, packed: Sequence[bytes]) -> list[bytes | str]:
    """Look at skills of a fleet in a worker of a Dask cluster, which knows this module alone."""
    _come_first()
    from orchestrator.fleet.cells import examined as here

    return here(of, seconds, megabytes, packed)


def _come_first() -> None:
    here = str(Path(__file__).resolve().parent)
    sys.path[:] = [here, *(entry for entry in sys.path if entry not in ("", here))]


if __name__ == "__main__":
    main()
