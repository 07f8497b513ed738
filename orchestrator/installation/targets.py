"""Find the files that an installation for the user or a project writes."""

import os
from pathlib import Path

import msgspec

from orchestrator.errors import Refused
from orchestrator.fs import nofollow
from orchestrator.fs.home import claude_folder
from orchestrator.guard.sessions.paths import find_project_root


class InstallTarget(msgspec.Struct, frozen=True):
    """A `.claude` folder, and the files that an installation writes.

    `settings` is the file for the hooks, `servers` the file for the MCP server. The hooks of a project contain absolute
    paths of this machine, so they are written to `settings.local.json`, which is private.
    """

    name: str
    folder: Path
    settings: Path
    servers: Path

    @property
    def root(self) -> Path:
        """The folder of the project, or the one with the user's `.claude` folder."""
        return self.folder.parent

    @property
    def skill(self) -> Path:
        """The file of the slash command."""
        return self.folder / "skills" / "tune-skill" / "SKILL.md"

    @property
    def judge(self) -> Path:
        """The file of the agent that answers questions."""
        return self.folder / "agents" / "skill-judge.md"

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that an installation writes or changes."""
        return (self.settings, self.folder / "settings.json", self.servers, self.skill, self.judge)


def find_user_target() -> InstallTarget:
    """Return the files of an installation in the user's folder: CLAUDE_CONFIG_DIR or `~/.claude`."""
    folder = claude_folder()
    config_folder = folder if os.environ.get("CLAUDE_CONFIG_DIR") else folder.parent
    return InstallTarget("user", folder, folder / "settings.json", config_folder / ".claude.json")


def find_project_target() -> InstallTarget:
    """Return the files of an installation in the project.

    Raises Refused if the project is the home folder, or if one of the files is a link.
    """
    root = find_project_root()
    if root.resolve() == Path(os.path.expanduser("~")).resolve():  # noqa: PTH111 - Path.home() raises without one
        raise Refused(f"{root} is your home folder, not a project; use --user, or change to a project")
    folder = root / ".claude"
    target = InstallTarget("project", folder, folder / "settings.local.json", root / ".mcp.json")
    for path in target.files:
        ensure_no_link(path)
    return target


def ensure_no_link(path: Path) -> None:
    """Raise Refused if a file of a project, or a folder on the way to it, is a link."""
    if link := nofollow.find_link(str(path)):
        raise Refused(
            f"{link} is a link; links in a project are not followed; use --user, or replace the link with a file;"
            " nothing was changed"
        )


def list_settings_files() -> dict[str, Path]:
    """Return the settings files that Claude Code reads in this project by scope, lowest precedence first."""
    user, root = find_user_target(), find_project_root() / ".claude"
    return {"user": user.settings, "shared": root / "settings.json", "project": root / "settings.local.json"}
