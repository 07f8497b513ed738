"""The entry point: puts its own folder first on the import path and calls the command.

The four packages have common names (`schemas`, `actions`, …) that other distributions and the user's own project may
also use. The wheel puts them into the folder `tune_skill/`, which must come first on the path.
"""

import _signal  # type: ignore[import-not-found]
import gc
import os
import sys

TYPE_CHECKING = False  # while `typing` or `signal` is imported, Ctrl-C would print a traceback
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def main() -> None:
    """Run the command `tune-skill`."""
    handles_ctrl_c = (
        _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    )  # not with nohup, nor in background
    if handles_ctrl_c:
        _signal.signal(_signal.SIGINT, _exit_interrupted)
    _put_own_folder_first()
    gc.set_threshold(100_000)  # what the imports build stays; collecting meanwhile takes a tenth of a short command
    from orchestrator.guard.hooks.dispatch import HANDLERS, serve

    command: Callable[[], None]
    match sys.argv[1:]:
        case ["hook", event] if event in HANDLERS and sys.platform != "win32":
            command = lambda: serve(event)  # noqa: E731 - `functools` would be loaded for this alone
        case _:
            from orchestrator.cli import main as command
    try:
        if handles_ctrl_c:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        command()
    except KeyboardInterrupt:  # raised before or after the command's own handler was active
        _exit_interrupted()
    finally:
        gc.freeze()  # the interpreter would search all that is left for cycles, a fifth of a short command


def scan_packed(caller_version: str, seconds: int, megabytes: int, packed: "Sequence[bytes]") -> list[bytes | str]:
    """Scan skills of a fleet in a worker of a Dask cluster, which imports only this module by name."""
    _put_own_folder_first()
    from orchestrator.fleet.process_pool import scan_packed as scan

    return scan(caller_version, seconds, megabytes, packed)


def _exit_interrupted(*_: object) -> None:
    """Exit at once: the command is still loading, so no work is lost, and a traceback would not help."""
    os._exit(130)


def _put_own_folder_first() -> None:
    here = os.path.realpath(__file__).rpartition(os.sep)[0]
    sys.path[:] = [here, *(entry for entry in sys.path if entry not in ("", here))]


if __name__ == "__main__":
    main()
