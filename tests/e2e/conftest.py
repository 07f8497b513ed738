"""Run the real Claude Code and the real tune-skill with a scripted model; each test has its own `Machine`."""

import pytest
from _pytest.runner import runtestprotocol

from tests.e2e.machine import Machine


@pytest.fixture
def machine(tmp_path):
    """Return a machine with a new home, temporary folder, PATH and project, whose names need quotes in a shell."""
    return Machine(tmp_path)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Repeat a failed terminal test once, because Claude Code may draw too slowly on a busy machine."""
    if item.path.name != "test_terminal.py":
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if any(report.failed for report in reports):
        item._initrequest()
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
