"""Where Claude Code looks for skills and hooks: the user's folder, or that of a project."""

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.fs import nofollow
from orchestrator.fs.home import claude_folder
from orchestrator.guard.sessions.paths import find_project_root


@dataclass(frozen=True)
class Place:
    """A `.claude` folder: its skill of ours, and the settings that hold our hooks.

    Hooks name absolute paths of this machine, so a project's stand in `settings.local.json`, which is not shared.
    """

    name: str
    folder: Path
    settings: Path
    servers: Path

    @property
    def skill(self) -> Path:
        """The file of the slash command."""
        return self.folder / "skills" / "tune-skill" / "SKILL.md"

    @property
    def judge(self) -> Path:
        """The file of the agent that answers a question."""
        return self.folder / "agents" / "skill-judge.md"


def user_place() -> Place:
    """Give the user's place: `~/.claude`, or CLAUDE_CONFIG_DIR."""
    folder = claude_folder()
    beside = folder if os.environ.get("CLAUDE_CONFIG_DIR") else folder.parent
    return Place("user", folder, folder / "settings.json", beside / ".claude.json")


def project_place() -> Place:
    """Give the project's place. Raises Refused in the home folder, whose `.claude` is the user's, and for a link."""
    root = find_project_root()
    if root.resolve() == Path(os.path.expanduser("~")).resolve():  # noqa: PTH111 - Path.home() raises without one
        raise Refused(f"{root} is your home, not a project; use --user, or change to a project")
    folder = root / ".claude"
    place = Place("project", folder, folder / "settings.local.json", root / ".mcp.json")
    for path in (place.settings, folder / "settings.json", place.servers, place.skill, place.judge):
        if linked := nofollow.find_link(str(path)):
            raise Refused(f"{linked} is a link, and none is followed in a project; use --user, or put a file there")
    return place


def settings_files() -> dict[str, Path]:
    """Give every settings file that Claude Code reads here, the weightiest last."""
    user, root = user_place(), find_project_root() / ".claude"
    return {"user": user.settings, "shared": root / "settings.json", "project": root / "settings.local.json"}
