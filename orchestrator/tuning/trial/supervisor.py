"""Run one program within limits, and end every process that it started. Standard library only.

    python -I -S supervisor.py SETTINGS.json PROGRAM [ARGUMENT …]

It is started by its path, without its package. It ends all processes when the program ends, on SIGTERM, when its
parent process is gone, and when a limit of time, disk space or processes is exceeded; the exceeded limit is then
written to the file `ended` of the settings.
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

_TICK, _DISK_EVERY = 0.1, 5
_END_SECONDS = 4  # its parent would kill it after five
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux: orphans below become children of this process


def main() -> int:
    """Run the program until it ends or exceeds a limit; return its exit code."""
    with open(sys.argv[1], "rb") as file:  # noqa: PTH123
        settings = json.load(file)
    os.setsid()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    received: list[int] = []
    for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(ending, lambda number, _: received.append(number))
    parent = settings["parent"]  # it may already be gone
    kept = set(settings["environment"])
    begun = tuple(name for name in kept if name.endswith("_"))
    passed = {name: value for name, value in os.environ.items() if name in kept or name.startswith(begun)}
    environment = passed | settings["own"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (settings["bytes"], settings["bytes"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    process = subprocess.Popen(sys.argv[2:], env=environment, cwd=settings["cwd"])
    for number in (0, 1):
        os.close(number)  # only the program may keep them open, so that a reader sees their end
    why = _watch(process, settings, parent, received)
    if why:
        with open(settings["ended"], "w") as file:  # noqa: PTH123
            file.write(why)
    _end_all()
    return 1 if process.poll() is None or why else process.returncode


def _watch(process: "subprocess.Popen[bytes]", settings: dict[str, Any], parent: int, received: list[int]) -> str:
    """Wait for the end of the program; return the exceeded limit, or "" if it ended normally."""
    until, tick = time.monotonic() + settings["seconds"], 0
    while process.poll() is None:
        if received or os.getppid() != parent:
            return ""
        if time.monotonic() > until:
            return "time"
        if len(_list_descendants()) > settings["processes"]:
            return "processes"
        if tick % _DISK_EVERY == 0 and _measure_folder(settings["folder"], settings["bytes"]) > settings["bytes"]:
            return "disk"
        tick += 1
        time.sleep(_TICK)
    return ""


def _end_all() -> None:
    """End every descendant process. All are stopped first, because one that forks meanwhile would survive.
    Returns when there is no child to wait for, because a process may look dead while one of its threads still writes.
    """
    until = time.monotonic() + _END_SECONDS
    while time.monotonic() < until:
        found = _list_descendants()
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for one in found:
                with contextlib.suppress(OSError):
                    os.kill(one, number)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            if not found:
                return
        time.sleep(0.01)


def _list_descendants() -> list[int]:
    """Return the living descendants of this process."""
    children: dict[int, list[int]] = {}
    for one, above in _list_processes():
        children.setdefault(above, []).append(one)
    found, waiting = [], [os.getpid()]
    while waiting:
        fresh = children.pop(waiting.pop(), [])
        found += fresh
        waiting += fresh
    return found


def _list_processes() -> Iterator[tuple[int, int]]:
    """Yield each living process with its parent."""
    if not os.path.isdir("/proc/self"):  # noqa: PTH112
        listed = subprocess.run(["/bin/ps", "-axo", "pid=,ppid=,stat="], capture_output=True, check=False).stdout
        for row in listed.decode().splitlines():
            one, above, state = row.split()[:3]
            if not state.startswith("Z"):
                yield int(one), int(above)
        return
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdecimal():
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                facts = file.read().rpartition(b")")[2].split()
                if facts[0] != b"Z":
                    yield int(name), int(facts[1])


def _measure_folder(folder: str, limit: int) -> int:
    """Return the bytes on disk below a folder; stop counting above `limit`."""
    total, waiting = 0, [folder]
    while waiting and total <= limit:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return total


if __name__ == "__main__":
    sys.exit(main() & 0xFF)
