"""Run the tests in several processes (`--processes N`): forks of the one that has collected them.

Collecting takes seconds of each core. Done once, it leaves room for more processes than cores, since many tests wait.
"""

import os
import pickle
import selectors
import signal
import sys
import traceback
from collections.abc import Iterator
from os import read, write  # tests replace those of `os`
from pathlib import Path
from typing import Any

import pytest

MAX_PORTION = 40
"""Maximum number of tests of one file that a process takes at a time."""
CORE = Path(__file__).parent / "actions"
LENGTH = 4
"""Bytes of a number: of a portion in the queue, and of the length of a message."""
Items = list[pytest.Item]


def pytest_addoption(parser):
    parser.addoption("--processes", type=int, default=0, metavar="N", help="Run the tests in N processes.")


def pytest_runtestloop(session):
    """Run the tests in processes, if there are to be some; None leaves it to pytest."""
    count = session.config.option.processes
    if not count or session.config.option.collectonly or session.testsfailed:
        return None
    return Processes(session, split(session.items)).run(count)


def split(items: Items) -> list[Items]:
    """Return the portions of the queue, so that no long one is left at the end.

    Slow tests are alone and come first, two for each portion of others: most of them wait. Last come those of the core.
    """
    portions: dict[object, Items] = {}
    for number, item in enumerate(items):
        group, is_slow = item.get_closest_marker("together"), item.get_closest_marker("slow")
        key = group.args[0] if group else item.nodeid if is_slow else (item.path, number // MAX_PORTION)
        portions.setdefault(key, []).append(item)
    slow = [portion for portion in portions.values() if portion[0].get_closest_marker("slow")]
    fast = sorted((one for one in portions.values() if one not in slow), key=lambda one: CORE in one[0].path.parents)
    ordered = []
    while slow or fast:
        ordered += [*slow[:2], *fast[:1]]
        del slow[:2], fast[:1]
    return ordered


class Processes:
    """The processes of a session, and the queue from which they take portions of the tests."""

    def __init__(self, session: pytest.Session, portions: list[Items]) -> None:
        self.session, self.hook, self.portions = session, session.config.hook, portions
        self.queue, queue = os.pipe()
        write(queue, b"".join(number.to_bytes(LENGTH, "big") for number in range(len(portions))))
        os.close(queue)
        self.running: dict[int, str] = {}
        """The test that each process runs, by the channel of its messages."""
        self.errors: list[str] = []
        self.unfinished = {item.nodeid: item for item in session.items}

    def run(self, count: int) -> bool:
        """Run all tests; return True, as pytest expects. A test whose process ended early has failed."""
        base = self.session.config._tmp_path_factory.getbasetemp()
        pids: dict[int, int] = {}
        try:
            for number in range(count):
                messages, channel = os.pipe()
                if not (pid := os.fork()):
                    Worker(self.session, channel).run(self._take(), base / f"process-{number}")
                os.close(channel)
                pids[messages] = pid
            self._listen(list(pids))
        finally:
            for pid in pids.values():
                os.kill(pid, signal.SIGTERM)  # it has ended, unless this process was interrupted
                os.waitpid(pid, 0)
        for item in [] if self.session.shouldfail else [*self.unfinished.values()]:
            self._fail(item)
        return True

    def _take(self) -> Iterator[pytest.Item]:
        """Yield tests from the queue until it is empty."""
        while number := read(self.queue, LENGTH):
            yield from self.portions[int.from_bytes(number, "big")]

    def _listen(self, channels: list[int]) -> None:
        """Report what the processes send, until all have ended."""
        buffers = dict.fromkeys(channels, b"")
        with selectors.DefaultSelector() as selector:
            for channel in channels:
                selector.register(channel, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select():
                    data = read(key.fd, 1 << 20)
                    buffers[key.fd] = self._report_all(key.fd, buffers[key.fd] + data)
                    if not data:
                        if test := self.running.get(key.fd):
                            self.errors.append(f"a process ended in {test}")
                        selector.unregister(key.fd)
                        os.close(key.fd)

    def _report_all(self, channel: int, data: bytes) -> bytes:
        """Report the whole messages at the beginning of the data; return the rest."""
        while len(data) >= LENGTH and len(data) >= (end := LENGTH + int.from_bytes(data[:LENGTH], "big")):
            self._report(channel, *pickle.loads(data[LENGTH:end]))
            data = data[end:]
        return data

    def _report(self, channel: int, kind: str, value: Any) -> None:
        if kind == "report":
            report = self.hook.pytest_report_from_serializable(config=self.session.config, data=value)
            self.hook.pytest_runtest_logreport(report=report)
            if self.session.shouldfail:  # as many as `--maxfail` allows: the processes find the queue empty
                [*self._take()]
        elif kind == "error":
            self.errors.append(value)
        elif kind == "start":
            self.running[channel] = value[0]
            self.hook.pytest_runtest_logstart(nodeid=value[0], location=value[1])
        else:
            del self.unfinished[value[0]], self.running[channel]
            self.hook.pytest_runtest_logfinish(nodeid=value[0], location=value[1])

    def _fail(self, item: pytest.Item) -> None:
        words = "\n".join(("it has not ended", *self.errors))
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", words, "call")
        self.hook.pytest_runtest_logreport(report=report)


class Worker:
    """A process that runs tests; as a plugin it sends what pytest reports."""

    def __init__(self, session: pytest.Session, channel: int) -> None:
        self.session, self.channel = session, channel

    def run(self, items: Iterator[pytest.Item], temp: Any) -> None:
        """Run the tests, each with the next one, which may share its fixtures; then end this process."""
        try:
            self._prepare(temp)
            item = next(items, None)
            while item:
                following = next(items, None)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                item = following
        finally:
            if sys.exc_info()[0]:
                self._send("error", traceback.format_exc())
            os._exit(0)

    def _prepare(self, temp: Any) -> None:
        """Replace what this process must not share with the others: the terminal, captured output, the folder."""
        plugins = self.session.config.pluginmanager
        plugins.unregister(name="terminalreporter")
        plugins.register(self)
        capture = plugins.getplugin("capturemanager")
        capture.stop_global_capturing()
        capture.start_global_capturing()
        temp.mkdir()
        self.session.config._tmp_path_factory._basetemp = temp

    def _send(self, kind: str, value: Any) -> None:
        message = pickle.dumps((kind, value))
        message = len(message).to_bytes(LENGTH, "big") + message
        while message:
            message = message[write(self.channel, message) :]

    def pytest_runtest_logstart(self, nodeid, location):
        self._send("start", (nodeid, location))

    def pytest_runtest_logreport(self, report):
        data = self.session.config.hook.pytest_report_to_serializable(config=self.session.config, report=report)
        self._send("report", data)

    def pytest_runtest_logfinish(self, nodeid, location):
        self._send("finish", (nodeid, location))
