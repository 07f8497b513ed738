"""The front door: puts its own folder first on the import path and hands over.

The four packages have common names (`schemas`, `actions`, …) that other distributions and the user's own project may
hold too. The wheel keeps them inside `tune_skill/`, whose folder must come first so that ours are the ones imported.
"""

import _signal  # type: ignore[import-not-found]
import os
import sys

TYPE_CHECKING = False  # while `typing`, `signal` and the like were loading, a Ctrl-C would end in a traceback
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def main() -> None:
    """Run the command `tune-skill`."""
    is_heard = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler  # not with nohup or in the background
    if is_heard:
        _signal.signal(_signal.SIGINT, _leave)
    _come_first()
    from orchestrator.guard.hooks.dispatch import HANDLERS, serve

    command: Callable[[], None]
    match sys.argv[1:]:
        case ["hook", event] if event in HANDLERS and sys.platform != "win32":
            command = lambda: serve(event)  # noqa: E731 - `functools` would be loaded for this alone
        case _:
            from orchestrator.cli import main as command
    try:
        if is_heard:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        command()
    except KeyboardInterrupt:  # between two lines of the command itself
        _leave()


def scan_packed(of: str, seconds: int, megabytes: int, packed: "Sequence[bytes]") -> list[bytes | str]:
    """Scan skills of a fleet in a worker of a Dask cluster, which imports only this module by name."""
    _come_first()
    from orchestrator.fleet.process_pool import scan_packed as scan

    return scan(of, seconds, megabytes, packed)


def _leave(*_: object) -> None:
    """End at once: nothing is begun while the command is still loading, and a traceback of imports tells nobody."""
    os._exit(130)


def _come_first() -> None:
    here = os.path.realpath(__file__).rpartition(os.sep)[0]
    sys.path[:] = [here, *(entry for entry in sys.path if entry not in ("", here))]


if __name__ == "__main__":
    main()
