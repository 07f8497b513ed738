"""The real Claude Code with the real tune-skill; only the model is scripted. Each test has its own machine."""

import pytest
from _pytest.runner import runtestprotocol

from tests.e2e.machine import Machine


@pytest.fixture
def machine(tmp_path):
    """A fresh home, temporary folder, PATH and project, under names that quoting must get right."""
    return Machine(tmp_path)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Give a test of a terminal a second try: Claude Code draws in its own time, which a busy machine stretches."""
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
