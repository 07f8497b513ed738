"""Run tasks as usual, except for skills whose text asks to harm the process."""

import os
import re
import signal
import time
from pathlib import Path

from orchestrator.fleet import scan_task

MARKERS = "POISON_MARKERS"
"""Environment variable: a folder where a process leaves a file before it dies, so that the next process survives."""
WORKER = "POISON_WORKER"
"""Environment variable of workers, which may be killed; the test process has none and must not be killed."""


def run_task(task):
    """Diagnose a skill, or harm the process as its text asks."""
    text = task.skill.main.text
    if "please be slow" in text:
        time.sleep(0.05)
    if "please hang" in text:
        re.match(r"(a+)+$", "a" * 60 + "b")  # This never releases the GIL, so no thread could stop it.
    if "please sleep" in text:
        time.sleep(600)
    if "please eat memory" in text:
        memory = []
        while True:
            memory.append(bytearray(10_000_000))
    if "please die once" in text:
        marker = Path(os.environ[MARKERS], task.skill.folder)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    elif "please die" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "please kill my worker" in text and WORKER in os.environ:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)
    if "please fail" in text:
        raise ValueError("a task\nthat fails")
    if "please print" in text:
        print("+{}")
    return scan_task.run_task(task)
