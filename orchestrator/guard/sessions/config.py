"""Who the agent is and where its things stand: `.maceff/config.json` and the environment."""

import json
import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import schemas
from orchestrator.errors import reason
from orchestrator.fs import nofollow, project_root
from orchestrator.guard.sessions import consent

CONTAINER_MARK = Path("/.dockerenv")
DEFAULTS: Mapping[str, Any] = {
    "schema_version": 1,
    "agent": {"id": "", "name": "", "role": ""},
    "context_window": 200_000,
    "hooks": {"speak_at_tools": False, "power_steering": False, "judge": "none", "max_cost_usd": 0.5},
}
"""What `config init` writes; a file may say `auto_mode`, too.

`judge` (auto, sdk or none) is asked by power steering, for at most `max_cost_usd` at each stop. What the file says of
`hooks` holds where this user said it as well: see `consent`.
"""

_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


def _switched_on(values: Mapping[str, Any]) -> dict[str, Any]:
    """Give what costs something or reads a transcript, where it differs from its default."""
    return {f"hooks.{key}": value for key, value in values.get("hooks", {}).items() if value != DEFAULTS["hooks"][key]}


def safe_id(id: object) -> str:
    """Give a session's or agent's id as a file name: "unknown" for what cannot serve as one."""
    return id if isinstance(id, str) and _ID.fullmatch(id) else "unknown"


class ConsciousnessConfig:
    """The configuration of one project, read when it is asked for; a file that is not valid counts as missing."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or Path(project_root.find_project_root())
        self.path = self.root / project_root.FOLDER / "config.json"

    @property
    def values(self) -> Mapping[str, Any]:
        """What the file says, and nothing else; {} when it is missing or not valid (see `problem`)."""
        return self._read[0]

    @property
    def problem(self) -> str | None:
        """Why the file is not used; None when it is valid or not there."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Mapping[str, Any], str | None]:
        try:
            values = json.loads(nofollow.read(str(self.path), nofollow.SMALL))
            schemas.check("project_spec", values)
        except (FileNotFoundError, NotADirectoryError):
            return {}, None
        except (OSError, ValueError, RecursionError) as error:
            return {}, reason(error)
        return values, None

    @cached_property
    def unconfirmed(self) -> tuple[str, ...]:
        """The settings that the file switches on and this user did not, by their dotted names: it came with a clone."""
        asked = _switched_on(self.values)
        said = consent.read_consent(self.root) if asked else {}
        return tuple(key for key, value in asked.items() if said.get(key) != value)

    def get(self, *keys: str) -> Any:
        """Give a setting, or its default: `get("hooks", "power_steering")`. What is `unconfirmed` has its default."""
        found: Any = {} if ".".join(keys) in self.unconfirmed else self.values
        default: Any = DEFAULTS
        for key in keys:
            found = found.get(key) if isinstance(found, Mapping) else None
            default = default[key]
        return default if found is None else found

    @property
    def environment(self) -> str:
        """What told the agent root: env, container, host or fallback."""
        return self._found[0]

    @property
    def agent_root(self) -> Path:
        """Where the agent's own files stand.

        MACF_AGENT_ROOT; in a container ~/agent; `agent` in a project with `.claude/`; else ~/.macf/{agent}/agent.
        """
        return self._found[1]

    @property
    def agent_id(self) -> str:
        """The agent's id, for the paths of logs: MACF_AGENT_ID, the configuration, the user's name."""
        given = os.environ.get("MACF_AGENT_ID") or self.get("agent", "id") or os.environ.get("USER")
        return safe_id(given)

    @property
    def checkpoints_path(self) -> Path:
        """Where checkpoints stand."""
        return self.agent_root / "private" / "checkpoints"

    @property
    def reflections_path(self) -> Path:
        """Where reflections stand."""
        return self.agent_root / "private" / "reflections"

    @property
    def roadmaps_path(self) -> Path:
        """Where roadmaps stand."""
        return self.agent_root / "public" / "roadmaps"

    @cached_property
    def _found(self) -> tuple[str, Path]:
        home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises without one
        if given := os.environ.get("MACF_AGENT_ROOT"):
            return "env", Path(given)
        if CONTAINER_MARK.exists():
            return "container", home / "agent"
        if (self.root / ".claude").is_dir() and self.root != home:
            return "host", self.root / "agent"
        return "fallback", home / ".macf" / self.agent_id / "agent"
