"""Test that records are built from JSON values, also by many threads at the same time."""

import json
import subprocess
import sys
from pathlib import Path

from schemas.codec import to_json
from tests.schemas.samples import make_rich_state

_PROGRAM = """
import json, sys, threading
sys.path.insert(0, sys.argv[1])
sys.setswitchinterval(0.0005)
from schemas.codec import from_json, to_json
from schemas.records import State

def build():
    barrier.wait()
    results.append(to_json(from_json(State, data)))

data, barrier, results = json.load(sys.stdin), threading.Barrier(16), []
threads = [threading.Thread(target=build) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit(results != [data] * 16)
"""


def test_from_json_is_safe_when_threads_meet_a_new_record():
    root, data = Path(__file__).parents[2], json.dumps(to_json(make_rich_state()))
    assert subprocess.run([sys.executable, "-c", _PROGRAM, root], input=data, text=True).returncode == 0
