"""Recognize scripts that copy the units of a project to a `.claude` folder."""

import posixpath

from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex

_SCRIPTS = ("install.sh", "setup.sh")
_COPIES_AGENTS = regex(r"/agents[\"'/]?(?!\w)")


def are_agents_copied(project: Project, unit: Unit) -> bool:
    """Return whether a script in the root of an agent's plugin or project copies agents to `.claude`."""
    paths = (posixpath.join(root, name) for root in {unit.plugin_root or "", ""} for name in _SCRIPTS)
    texts = ((project.read_bytes(path) or b"").decode("utf-8", "replace") for path in paths)
    return any(".claude" in text and _COPIES_AGENTS.search(text) for text in texts)
