"""Read the switches that disable power steering or individual considerations."""

import json
import os
from pathlib import Path

import msgspec

from orchestrator.fs import nofollow
from orchestrator.fs.git_files import find_main_tree
from orchestrator.guard.steering import logger

CONFIG = Path(".claude/tools/amplihack/.power_steering_config")


class Switches(msgspec.Struct, frozen=True):
    """The switches of a project.

    off: the reason why power steering is off, or "". file: the path of the `.disabled` file that switches power
    steering off, or "". disabled: the ids of the considerations that are switched off.
    """

    off: str = ""
    disabled: frozenset[str] = frozenset()
    file: str = ""


def read_switches(project_root: Path, runtime: Path) -> Switches:
    """Read the environment, the `.disabled` files and the configuration. Never raises."""
    if os.environ.get("AMPLIHACK_SKIP_POWER_STEERING"):
        return Switches("AMPLIHACK_SKIP_POWER_STEERING is set")
    for folder in dict.fromkeys((runtime, project_root, find_main_tree(project_root))):
        file = folder / ".disabled"
        if file.exists():
            return Switches(f"{file} exists", file=str(file))
    path = project_root / CONFIG
    try:
        config = json.loads(nofollow.read(str(path), nofollow.MAX_SMALL_BYTES))
    except FileNotFoundError:
        return Switches()
    except (OSError, ValueError, RecursionError) as error:
        logger.warning("%s: ignored, because it cannot be read: %s", path, error)
        return Switches()
    return _parse(config, path)


def _parse(config: object, path: Path) -> Switches:
    if not isinstance(config, dict):
        logger.warning("%s: ignored, because it is not a JSON object", path)
        return Switches()
    if config.get("enabled") is False:
        return Switches(f"`enabled` is false in {path}")
    enabled = config.get("checkers_enabled")
    disabled = {id for id, is_on in enabled.items() if is_on is False} if isinstance(enabled, dict) else set()
    return Switches("", frozenset(disabled))
