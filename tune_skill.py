"""The front door: puts its own folder first on the import path and hands over.

The four packages have common names (`schemas`, `actions`, …) that other distributions and the user's own project may
hold too. The wheel keeps them inside `tune_skill/`, whose folder must come first so that ours are the ones imported.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial


def main() -> None:
    """Run the command `tune-skill`."""
    is_heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not with nohup or in the background
    if is_heard:
        signal.signal(signal.SIGINT, _leave)
    _come_first()
    from orchestrator.hooks.dispatch import HANDLERS, served

    command: Callable[[], None]
    match sys.argv[1:]:
        case ["hook", event] if event in HANDLERS and sys.platform != "win32":
            command = partial(served, event)
        case _:
            from orchestrator.cli import main as command
    if is_heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    command()


def examined(of: str, seconds: int, megabytes: int, packed: Sequence[bytes]) -> list[bytes | str]:
    """Look at skills of a fleet in a worker of a Dask cluster, which knows this module alone."""
    _come_first()
    from orchestrator.fleet.cells import examined as here

    return here(of, seconds, megabytes, packed)


def _leave(*_: object) -> None:
    """End at once: nothing is begun while the command is still loading, and a traceback of imports tells nobody."""
    os._exit(130)


def _come_first() -> None:
    here = os.path.realpath(__file__).rpartition(os.sep)[0]
    sys.path[:] = [here, *(entry for entry in sys.path if entry not in ("", here))]


if __name__ == "__main__":
    main()
