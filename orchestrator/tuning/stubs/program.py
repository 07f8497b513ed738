"""Run a stub: log the call, then act on the state file.

    python -I -S program.py FOLDER NAME [ARGUMENT …]

This file is started by its path. FOLDER contains `calls.jsonl`, with one record per call, and the state `NAME.json`.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

CALLS = "calls.jsonl"


class StubError(Exception):
    """Raised for a call that the real program would reject. It has the message and the exit code of the program."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


Act = Callable[[Sequence[str], dict[str, Any]], str]
"""A function that runs a call. It gets the arguments and the state, which it can change, and returns the output.

It raises StubError if the call fails.
"""


def main() -> int:
    """Run the stub that is named on the command line. Return its exit code."""
    folder, name, arguments = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    log_call(folder, name, arguments)
    file = folder / f"{name}.json"
    state = json.loads(file.read_text())
    before = json.dumps(state)
    try:
        output = load(name)(arguments, state)
    except StubError as error:
        sys.stderr.write(f"{error}\n")
        return error.code
    if json.dumps(state) != before:
        file.write_text(json.dumps(state, ensure_ascii=False, indent=1))
    sys.stdout.write(f"{output}\n" if output else "")
    return 0


def log_call(folder: Path, name: str, arguments: Sequence[str]) -> None:
    """Append a call to the log."""
    with (folder / CALLS).open("a") as log:
        log.write(json.dumps({"name": name, "arguments": list(arguments)}, ensure_ascii=False) + "\n")


def load(name: str) -> Act:
    """Return the function that runs a stub."""
    from orchestrator.tuning.stubs import curl, gh

    stubs: Mapping[str, Act] = {"gh": gh.act, "curl": curl.act}
    return stubs[name]


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))
    from orchestrator.tuning.stubs import program  # the stubs raise the StubError of this module, not of `__main__`

    sys.exit(program.main())
