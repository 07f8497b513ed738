"""Give each test its own HOME, and strict mode: errors that are only logged in use raise here."""

import gc
import itertools
import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cases import pytest_pycollect_makeitem  # noqa: F401 - a hook
from tests.claude_code import QUICK


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """Return a counter of new folders: `mktemp` would look at all folders of all tests each time."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def fresh_home(homes, monkeypatch):
    home = next(homes)
    home.mkdir()
    for name in [n for n in os.environ if n.startswith(("ANTHROPIC_", "CLAUDE", "TUNE_SKILL_", "AWS_"))]:
        monkeypatch.delenv(name)  # no test asks a real model with a developer's key
    folders = {
        "XDG_STATE_HOME": home / "state",
        "XDG_CACHE_HOME": home / "cache",
        "CLAUDE_CONFIG_DIR": home / ".claude",
    }
    for name, value in {"HOME": home, **folders, **QUICK}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("MACF_EVENTS_LOG_PATH", str(home / "events" / "log.jsonl"))
    monkeypatch.setenv("TUNE_SKILL_STRICT", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("CI", raising=False)  # in CI a skill's own settings do not count
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # a test with a full disk would leave damaged caches


def pytest_collection_modifyitems(items):
    """Give each process its share of the slow tests, which mostly wait, and spread them, so that others work meanwhile.

    `worksteal` gives each process an equal part of the tests, in their order. Tests of one `xdist_group` stay together.
    """
    slow, fast, ordered = {}, [], []
    for item in items:
        if item.get_closest_marker("slow"):
            group = item.get_closest_marker("xdist_group")
            slow.setdefault(group.args[0] if group else item.nodeid, []).append(item)
        else:
            fast.append(item)
    count, others = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")), iter(fast)
    for number in range(count):
        share = [*slow.values()][number::count]
        size = (len(items) - len(ordered)) // (count - number) - sum(map(len, share))
        ordered += spread(share, [*itertools.islice(others, max(0, size))])
    items[:] = [*ordered, *others]


def spread(slow, fast):
    """Spread groups of slow tests over the first half of the fast ones, between two files of these.

    A file is not interrupted, because its fixtures would be set up again.
    """
    files = [list(tests) for _, tests in itertools.groupby(fast, lambda item: item.path)]
    spread, left, passed = [], list(slow), 0
    for tests in files:
        due = len(slow) * min(1, 2 * passed / len(fast))
        while left and len(slow) - len(left) <= due:
            spread += left.pop(0)
        spread += tests
        passed += len(tests)
    return [*spread, *itertools.chain(*left)]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """Look for garbage once: pytest does it twice more, and then the interpreter, each time through all tests."""
    gc.collect()
    gc.freeze()


def has_room_in_memory(folder: Path) -> bool:
    """Return whether a folder is on a disk in memory with 2 GB free that keeps extended attributes."""
    try:
        disk = os.statvfs(folder)
        with tempfile.NamedTemporaryFile(dir=folder) as probe:
            os.setxattr(probe.name, "user.probe", b"")
    except (OSError, AttributeError):
        return False
    return disk.f_bavail * disk.f_frsize > 2_000_000_000


if has_room_in_memory(memory := Path("/dev/shm")):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))  # else the tests wait for the disk

gc.set_threshold(20_000, 20, 20)  # thousands of tests stay collected; frozen, they would mislead Hypothesis

settings.register_profile("tests", deadline=None)  # an example may wait for other processes
settings.load_profile("tests")

os.fsync = lambda fd: os.fstat(fd) and None  # no test cuts the power, and the disk is slow; children still wait for it

for _signal in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(_signal) is signal.SIG_IGN:  # as nohup and background jobs hand it on to every child
        signal.signal(_signal, signal.default_int_handler)
