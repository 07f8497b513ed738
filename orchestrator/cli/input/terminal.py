"""Determine who started the command: a user at a terminal, a program, or a model in Claude Code."""

import os
import sys


def can_ask() -> bool:
    """Return whether a user is at a terminal and can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def is_started_by_model() -> bool:
    """Return whether Claude Code started the command. If so, a model could have chosen its options."""
    return bool(os.environ.get("CLAUDECODE")) and not can_ask()
