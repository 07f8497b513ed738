"""What switches power steering off, wholly or for single considerations."""

import json
import os
from pathlib import Path

import msgspec

from orchestrator.fs import nofollow
from orchestrator.fs.git_files import main_tree
from orchestrator.guard.steering import log as power_log

CONFIG = Path(".claude/tools/amplihack/.power_steering_config")


class Switches(msgspec.Struct, frozen=True):
    """`off` says why nothing is asked, or is ""; `left_out` are the ids of considerations that are not asked.

    `file` is the `.disabled` file that switches it off, or "".
    """

    off: str = ""
    left_out: frozenset[str] = frozenset()
    file: str = ""


def switches(project_root: Path, runtime: Path) -> Switches:
    """Read the environment, the `.disabled` files and the configuration. Never raises."""
    if os.environ.get("AMPLIHACK_SKIP_POWER_STEERING"):
        return Switches("AMPLIHACK_SKIP_POWER_STEERING is set")
    for folder in dict.fromkeys((runtime, project_root, main_tree(project_root))):
        file = folder / ".disabled"
        if file.exists():
            return Switches(f"{file} is there", file=str(file))
    path = project_root / CONFIG
    try:
        config = json.loads(nofollow.read(str(path), nofollow.SMALL))
    except FileNotFoundError:
        return Switches()
    except (OSError, ValueError, RecursionError) as error:
        power_log.warning("%s: cannot be read (%s); everything is asked", path, error)
        return Switches()
    return _of(config, path)


def _of(config: object, path: Path) -> Switches:
    if not isinstance(config, dict):
        power_log.warning("%s: not a JSON object; everything is asked", path)
        return Switches()
    if config.get("enabled") is False:
        return Switches(f"{path} says so")
    single = config.get("checkers_enabled")
    off = {id for id, on in single.items() if on is False} if isinstance(single, dict) else set()
    return Switches("", frozenset(off))
