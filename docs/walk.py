"""Print what commands print, for the pages: each runs in a scratch project with the example skill and a plugin."""

import atexit
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from templates.filters import fence_text  # noqa: E402

RUN_ID = "20261122-141354"
Span = str | tuple[str, str]
"""The line with this beginning, or all lines from one to another."""
_PLUGIN = {
    ".claude-plugin/plugin.json": '{"name": "my-plugin"}\n',
    "hooks/hooks.json": """{
  "hooks": {
    "OnStop": [{"hooks": [{"type": "command", "command": "true"}]}]
  }
}
""",
}


def ran(command: str, *spans: Span, keys: str = "") -> None:
    """Run a command in the scratch project, and print it with its output, or only with the `spans` of it.

    keys: what the user presses, one key at each prompt. The commands of all pages share one project.
    """
    lines = _stable(_output(command, keys)).splitlines()
    shown = list(_within(lines, spans)) if spans else lines
    print(fence_text("\n".join([f"$ {command}", *shown]), "console"))


def _within(lines: list[str], spans: Sequence[Span]) -> Iterator[str]:
    end = 0
    for span in spans:
        first, last = (span, span) if isinstance(span, str) else span
        start = _place(lines, first, end)
        if start > end:
            yield "…"
        end = _place(lines, last, start) + 1
        yield from lines[start:end]
    if end < len(lines):
        yield "…"


def _place(lines: list[str], beginning: str, start: int) -> int:
    for number in range(start, len(lines)):
        if lines[number].startswith(beginning):
            return number
    raise LookupError(f"no line begins with {beginning!r}: {lines}")


def _stable(text: str) -> str:
    """Replace what differs between two runs: run ids, folders, control sequences of the terminal."""
    text = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", text).replace("\r", "")
    text = re.sub(r"\b\d{8}-\d{6}(?=-)", RUN_ID, text).replace(str(_project()), "/home/me/notes")
    return "\n".join(line.rstrip() for line in text.splitlines())


@cache
def _project() -> Path:
    """Make a scratch project with the example and the plugin; its parent also holds the home."""
    base = Path(tempfile.mkdtemp(prefix="tune-skill-docs-")).resolve()
    atexit.register(shutil.rmtree, base)
    shutil.copytree(ROOT / "examples" / "release-notes", base / "notes" / "release-notes")
    for path, text in _PLUGIN.items():
        file = base / "notes" / "my-plugin" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return base / "notes"


def _output(command: str, keys: str) -> str:
    environment = {
        "HOME": str(_project().parent / "home"), "PATH": os.environ["PATH"], "NO_COLOR": "1", "TERM": "xterm",
        "COLUMNS": "100", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    words = [sys.executable, str(ROOT / "tune_skill.py"), *shlex.split(command)[1:]]
    if keys:
        return _typed(words, environment, keys)
    done = subprocess.run(
        words, cwd=_project(), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return done.stdout


def _typed(words: list[str], environment: dict[str, str], keys: str) -> str:
    child, terminal = pty.fork()
    if not child:
        os.chdir(_project())
        os.execve(words[0], words, environment)
    seen, left = b"", list(keys)
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # on Linux this is the end of a terminal
            part = b""
        if not part:
            break
        seen += part
        if left and seen.endswith(b"?] "):
            os.write(terminal, f"{left.pop(0)}\n".encode())
    os.waitpid(child, 0)
    return seen.decode()
