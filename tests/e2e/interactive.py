"""Run the real Claude Code at a terminal with a scripted model: send keys, and read the screen."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from typing import Any

from tests.claude_code import CLAUDE
from tests.e2e.machine import Machine
from tests.scripted_api import ScriptedApi

_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78DEHMc])")
_KEY = "sk-ant-api03-" + "k" * 40
_NO_ANIMATIONS = ("--settings", json.dumps({"prefersReducedMotion": True}))
"""Options without animations, which take a fifth of the time of a session."""
ENTER, ESC, UP, DOWN, TAB = "\r", "\x1b", "\x1b[A", "\x1b[B", "\t"


class Interactive:
    """A session at a terminal. `screen` is the printed text without escape sequences and spaces.

    is_allowed: whether the user has already allowed Claude Code to start the project's MCP server.
    """

    def __init__(
        self, machine: Machine, api: ScriptedApi, *options: str, is_allowed: bool = True, **variables: str
    ) -> None:
        _skip_onboarding(machine, is_allowed)
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 160, 0, 0))
        env = machine.environment(
            ANTHROPIC_API_KEY=_KEY,
            ANTHROPIC_BASE_URL=api.url,
            TERM="xterm-256color",
            DISABLE_AUTOUPDATER="1",
            **variables,
        )
        self.process = subprocess.Popen(
            [CLAUDE, "--permission-mode", "default", *_NO_ANIMATIONS, *options], cwd=machine.project, env=env, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.raw = b""
        if is_allowed:
            self.wait_for("for agents")
            self.read(1)

    def __enter__(self) -> "Interactive":
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    @property
    def screen(self) -> str:
        """Return the text printed so far without white space, which Claude Code draws with escape sequences."""
        return "".join(_ESCAPES.sub(b"", self.raw).decode(errors="replace").split())

    def read(self, seconds: float) -> None:
        """Read the output of the next seconds."""
        deadline = time.monotonic() + seconds
        while (seconds_left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([self.master], [], [], seconds_left)
            try:
                self.raw += os.read(self.master, 65_536) if ready else b""
            except OSError:  # On Linux, reading a closed terminal raises it.
                return

    def wait_for(
        self, condition: str | tuple[str, ...] | Callable[[], bool], seconds: float = 90, since: int = 0
    ) -> None:
        """Read until any of these words is on the screen (white space is ignored), or a condition holds.

        Claude Code redraws only changed cells, so letters may be missing; alternative words make the match reliable.
        """
        deadline = time.monotonic() + seconds
        while not (condition() if callable(condition) else self.shows(condition, since)):
            assert time.monotonic() < deadline, self.screen[-3000:]
            assert self.process.poll() is None, self.screen[-3000:]
            self.read(0.2)

    def shows(self, words: str | tuple[str, ...], since: int = 0) -> bool:
        """Return whether any of these words was on the screen."""
        screen = self.screen[since:]
        return any("".join(phrase.split()) in screen for phrase in ([words] if isinstance(words, str) else words))

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())
        self.read(0.4)

    def answer(self, condition: str | tuple[str, ...] | Callable[[], bool], *keys: str, since: int = 0) -> None:
        """Wait until a dialog is drawn, and press keys in it."""
        self.wait_for(condition, since=since)
        self.settle()
        for key in keys:
            self.type(key)

    def settle(self) -> None:
        """Read until no letter arrives for 0.8 s, at most for 30 s; a drawn dialog changes only digits and dots."""
        deadline, drawn_length = time.monotonic() + 30, -1
        while drawn_length < 0 or (re.search(r"[^\W\d_]", self.screen[drawn_length:]) and time.monotonic() < deadline):
            drawn_length = len(self.screen)
            self.read(0.8)

    def say(self, text: str) -> None:
        """Type a line, and press Enter after the terminal has shown it."""
        self.type(text)
        self.read(0.6)
        self.type(ENTER)


def _skip_onboarding(machine: Machine, is_allowed: bool) -> None:
    """Answer the questions at the first start: theme, API key, trust in the folder, and the project's MCP server."""
    file = machine.home / ".claude.json"
    known: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True,
               "enabledMcpjsonServers": ["tune-skill"] * is_allowed, "allowedTools": []}  # fmt: skip
    known |= {
        "hasCompletedOnboarding": True, "theme": "dark", "lastOnboardingVersion": "2.1.330", "numStartups": 5,
        "customApiKeyResponses": {"approved": [_KEY[-20:]], "rejected": []},
        "projects": {str(machine.project): project},
    }  # fmt: skip
    file.write_text(json.dumps(known))
