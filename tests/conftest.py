"""Give each test its own HOME, and strict mode, in which errors that are otherwise only logged are raised."""

import gc
import itertools
import os
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cases import pytest_pycollect_makeitem  # noqa: F401 - a hook
from tests.claude_code import LOW_CPU_ENVIRONMENT

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """Return a counter for the names of new folders, because `mktemp` lists the folders of all tests at each call."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def fresh_home(homes, monkeypatch):
    home = next(homes)
    home.mkdir()
    for name in [n for n in os.environ if n.startswith(("ANTHROPIC_", "CLAUDE", "TUNE_SKILL_", "AWS_"))]:
        monkeypatch.delenv(name)  # no test may query a real model with a developer's key
    folders = {
        "XDG_STATE_HOME": home / "state",
        "XDG_CACHE_HOME": home / "cache",
        "CLAUDE_CONFIG_DIR": home / ".claude",
    }
    for name, value in {"HOME": home, **folders, **LOW_CPU_ENVIRONMENT}.items():
        monkeypatch.setenv(name, str(value))
    log = home / ".maceff" / "agent_events_log.jsonl"  # otherwise each write searches for the project
    monkeypatch.setenv("MACF_EVENTS_LOG_PATH", str(log))
    monkeypatch.setenv("TUNE_SKILL_STRICT", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("CI", raising=False)  # in CI, the settings of a skill are ignored
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # a test with a full disk would leave damaged bytecode files


@pytest.fixture(autouse=True)
def same_signal_handlers():
    """Fail a test that leaves another handler: the processes that later tests start would inherit an ignored signal."""
    before = [signal.getsignal(number) for number in ENDING_SIGNALS]
    yield
    after = [signal.getsignal(number) for number in ENDING_SIGNALS]
    for number, handler in zip(ENDING_SIGNALS, before, strict=True):
        signal.signal(number, handler)
    assert after == before


def pytest_collection_modifyitems(items):
    """Give each process its share of the slow tests, spread out, because they mostly wait while other tests can run.

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
    """Distribute groups of slow tests over the first half of the fast tests, at the borders between files.

    A group never splits a file, because the fixtures of that file would be set up twice.
    """
    files = [list(tests) for _, tests in itertools.groupby(fast, lambda item: item.path)]
    ordered, left, passed = [], list(slow), 0
    for tests in files:
        due = len(slow) * min(1, 2 * passed / len(fast))
        while left and len(slow) - len(left) <= due:
            ordered += left.pop(0)
        ordered += tests
        passed += len(tests)
    return [*ordered, *itertools.chain(*left)]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    """Collect garbage once, then freeze: pytest and the interpreter would collect three times more over all tests."""
    gc.collect()
    gc.freeze()


def is_large_memory_disk(folder: Path) -> bool:
    """Return whether a folder is on a file system with 2 GB free that supports extended attributes."""
    try:
        disk = os.statvfs(folder)
        with tempfile.NamedTemporaryFile(dir=folder) as probe:
            os.setxattr(probe.name, "user.probe", b"")
    except (OSError, AttributeError):
        return False
    return disk.f_bavail * disk.f_frsize > 2_000_000_000


if is_large_memory_disk(memory := Path("/dev/shm")):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))  # otherwise the tests wait for the disk

gc.set_threshold(
    20_000, 20, 20
)  # collect less often, because thousands of tests stay in memory; gc.freeze would mislead Hypothesis

settings.register_profile("tests", deadline=None)  # no deadline, because an example may wait for other processes
settings.load_profile("tests")

os.fsync = lambda fd: os.fstat(fd) and None  # no test cuts the power, and fsync is slow; child processes call it

for _signal in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(_signal) is signal.SIG_IGN:  # inherited from nohup or a background job
        signal.signal(_signal, signal.default_int_handler)
