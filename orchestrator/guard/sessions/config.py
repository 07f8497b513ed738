"""Read a project's configuration and its agent's identity: `.maceff/config.json` and the environment."""

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import schemas
from actions.regex import regex
from orchestrator.errors import reason
from orchestrator.fs import nofollow, project_root
from orchestrator.fs.ownership import describe_other_owner
from orchestrator.guard.sessions import consent

CONTAINER_MARK = Path("/.dockerenv")
DEFAULTS: Mapping[str, Any] = {
    "schema_version": 1,
    "agent": {"id": "", "name": "", "role": ""},
    "context_window": 200_000,
    "hooks": {"speak_at_tools": False, "power_steering": False, "judge": "none", "max_cost_usd": 0.5},
}
"""The defaults, which `config init` writes. A file can also have the key `auto_mode`.

Power steering asks the `judge` (auto, sdk or none), for at most `max_cost_usd` per stop. A setting of `hooks` is used
only if this user has chosen it (see `consent`).
"""

_ID = regex(r"[A-Za-z0-9_-]{1,128}")


def _list_changed_hook_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `hooks` settings that differ from the defaults, which can cost money or read transcripts."""
    return {f"hooks.{key}": value for key, value in values.get("hooks", {}).items() if value != DEFAULTS["hooks"][key]}


def safe_id(id: object) -> str:
    """Return the id of a session or agent if it can be a file name, else "unknown"."""
    return id if isinstance(id, str) and _ID.fullmatch(id) else "unknown"


class ProjectConfig:
    """The configuration of one project, read at first use. An invalid file is treated as missing."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or Path(project_root.find_project_root())
        self.path = self.root / project_root.FOLDER / "config.json"

    @property
    def values(self) -> Mapping[str, Any]:
        """The content of the file, or {} if it is missing or invalid (see `problem`)."""
        return self._read[0]

    @property
    def problem(self) -> str | None:
        """Why the file is not used, or None if it is valid or missing."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Mapping[str, Any], str | None]:
        try:
            values = json.loads(nofollow.read(str(self.path), nofollow.MAX_SMALL_BYTES))
            schemas.check("project_spec", values)
        except (FileNotFoundError, NotADirectoryError):
            return {}, None
        except (OSError, ValueError, RecursionError) as error:
            return {}, reason(error)
        return values, None

    def explain_problem(self) -> str:
        """Return why the file is not used and what to do, or "" if it is valid or missing."""
        if self.problem is None:
            return ""
        where = "" if self.problem.startswith(str(self.root)) else f"{self.path}: "
        return describe_other_owner(self.path) or f"{where}{self.problem}; correct the file first"

    @cached_property
    def settings_without_consent(self) -> tuple[str, ...]:
        """The dotted names of settings in the file that this user has not consented to, as in a new clone."""
        settings = _list_changed_hook_settings(self.values)
        allowed = consent.read_consent(self.root) if settings else {}
        return tuple(key for key, value in settings.items() if allowed.get(key) != value)

    def get(self, *keys: str) -> Any:
        """Return a setting, as in `get("hooks", "power_steering")`.

        Returns the default if it is not set, or if the user has not consented to it.
        """
        value: Any = {} if ".".join(keys) in self.settings_without_consent else self.values
        default: Any = DEFAULTS
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
            default = default[key]
        return default if value is None else value

    @property
    def environment(self) -> str:
        """How the agent root was found: env, container, host or fallback."""
        return self._environment_and_root[0]

    @property
    def agent_root(self) -> Path:
        """The folder of the agent's own files.

        In order of precedence: MACF_AGENT_ROOT, `~/agent` in a container, `agent` in a project with a `.claude/`,
        `~/.macf/{agent}/agent`.
        """
        return self._environment_and_root[1]

    @property
    def agent_id(self) -> str:
        """The agent's id, which is used in the paths of logs.

        In order of precedence: MACF_AGENT_ID, the id in the configuration, the name of the user.
        """
        return safe_id(os.environ.get("MACF_AGENT_ID") or self.get("agent", "id") or os.environ.get("USER"))

    @property
    def checkpoints_path(self) -> Path:
        """The folder of checkpoints."""
        return self.agent_root / "private" / "checkpoints"

    @property
    def reflections_path(self) -> Path:
        """The folder of reflections."""
        return self.agent_root / "private" / "reflections"

    @property
    def roadmaps_path(self) -> Path:
        """The folder of roadmaps."""
        return self.agent_root / "public" / "roadmaps"

    @cached_property
    def _environment_and_root(self) -> tuple[str, Path]:
        home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises without one
        if folder := os.environ.get("MACF_AGENT_ROOT"):
            return "env", Path(folder)
        if CONTAINER_MARK.exists():
            return "container", home / "agent"
        if (self.root / ".claude").is_dir() and self.root != home:
            return "host", self.root / "agent"
        return "fallback", home / ".macf" / self.agent_id / "agent"
