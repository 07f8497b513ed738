"""Run one program within limits, and end every process that it started. Standard library only.

    python -I -S supervisor.py SETTINGS.json PROGRAM [ARGUMENT …]

This file is run by its path, without its package. It ends all processes when the program ends, on SIGTERM, when its
parent process is gone, and when a limit (time, disk space, processes) is exceeded. The name of the exceeded limit is
written to the file that the setting `ended` names.
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
from collections.abc import Iterable, Iterator
from typing import Any

_TICK, _DISK_EVERY = 0.1, 5  # seconds between two checks, and checks between two measurements of the disk space
_KILL_SECONDS = 4  # the parent of this process kills it after five
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux: orphaned descendants become children of this process


def main() -> int:
    """Run the program until it ends or exceeds a limit. Returns its exit code, or 1 if it exceeded a limit."""
    with open(sys.argv[1], "rb") as file:  # noqa: PTH123
        settings = json.load(file)
    os.setsid()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    received: list[int] = []
    for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(signal_number, lambda number, _: received.append(number))
    parent = settings["parent"]  # not `os.getppid()`, because this process may already have ended
    allowed = set(settings["environment"])
    allowed_prefixes = tuple(name for name in allowed if name.endswith("_"))
    inherited = {
        name: value for name, value in os.environ.items() if name in allowed or name.startswith(allowed_prefixes)
    }
    environment = inherited | settings["own"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (settings["bytes"], settings["bytes"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    process = subprocess.Popen(sys.argv[2:], env=environment, cwd=settings["cwd"])
    for fd in (0, 1):
        os.close(fd)  # only the program keeps them open, so that a reader of its output sees the end
    limit = _watch(process, settings, parent, received)
    if limit:
        with open(settings["ended"], "w") as file:  # noqa: PTH123
            file.write(limit)
    _end_all()
    return 1 if process.poll() is None or limit else process.returncode


def _watch(process: "subprocess.Popen[bytes]", settings: dict[str, Any], parent: int, received: list[int]) -> str:
    """Wait until the program ends or must be ended. Returns the name of the limit that it exceeded, or ""."""
    seconds_left, checked_at, tick = settings["seconds"], time.monotonic(), 0
    while process.poll() is None:
        if received or os.getppid() != parent:
            return ""
        processes, now = list(_list_processes()), time.monotonic()
        if (parent, "T") not in ((pid, state[0]) for pid, _, state in processes):
            seconds_left -= now - checked_at  # the program may have to wait for a stopped parent (Ctrl-Z)
        checked_at = now
        if seconds_left < 0:
            return "time"
        if len(_list_descendants(processes)) > settings["processes"]:
            return "processes"
        if tick % _DISK_EVERY == 0 and _measure_folder(settings["folder"], settings["bytes"]) > settings["bytes"]:
            return "disk"
        tick += 1
        time.sleep(_TICK)
    return ""


def _end_all() -> None:
    """End every descendant process.

    All of them are paused first, because a child that is forked in the meantime would survive. Returns only when no
    child is left to wait for, because a process can appear dead while one of its threads still writes.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < deadline:
        descendants = _list_descendants(_list_processes())
        for signal_number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in descendants:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal_number)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            if not descendants:
                return
        time.sleep(0.01)


def _list_descendants(processes: Iterable[tuple[int, int, str]]) -> list[int]:
    children: dict[int, list[int]] = {}
    for pid, parent_pid, _ in processes:
        children.setdefault(parent_pid, []).append(pid)
    descendants, stack = [], [os.getpid()]
    while stack:
        pids = children.pop(stack.pop(), [])
        descendants += pids
        stack += pids
    return descendants


def _list_processes() -> Iterator[tuple[int, int, str]]:
    """Yield the id of each living process, that of its parent, and its state, which begins with T if it is stopped."""
    if not os.path.isdir("/proc/self"):  # noqa: PTH112
        output = subprocess.run(["/bin/ps", "-axo", "pid=,ppid=,stat="], capture_output=True, check=False).stdout
        for row in output.decode().splitlines():
            pid, parent_pid, state = row.split()[:3]
            if not state.startswith("Z"):
                yield int(pid), int(parent_pid), state
        return
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdecimal():
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                fields = file.read().rpartition(b")")[2].split()
                if fields[0] != b"Z":
                    yield int(name), int(fields[1]), fields[0].decode()


def _measure_folder(folder: str, limit: int) -> int:
    """Return the number of bytes on disk below a folder. Stops counting above `limit`."""
    total, stack = 0, [folder]
    while stack and total <= limit:
        with contextlib.suppress(OSError), os.scandir(stack.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(entry.path)
    return total


if __name__ == "__main__":
    sys.exit(main() & 0xFF)
