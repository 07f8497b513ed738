"""The considerations that are in force: the project's own file, the shipped one, or five that always serve."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import schemas
from orchestrator.fs import nofollow
from orchestrator.guard.steering import log as power_log
from schemas.codec import from_json
from schemas.considerations import Consideration

OVERRIDE = Path(".claude/tools/amplihack/considerations.yaml")
DEFAULT_IDS = ("todos_complete", "dev_workflow_complete", "philosophy_compliance", "local_testing", "ci_status")
"""What is asked when no file holds a valid item."""


def load_considerations(project_root: Path) -> tuple[Consideration, ...]:
    """Return the considerations of a project. Never raises: what is invalid is logged and left out."""
    own = project_root / OVERRIDE
    try:
        text = nofollow.read(str(own), nofollow.SMALL)
    except (FileNotFoundError, NotADirectoryError):
        text = None
    except OSError as error:
        power_log.warning("%s: %s; the shipped considerations serve", own, error.strerror)
        text = None
    if text is None:
        return shipped()
    return _valid(text, str(own)) or _default()


@cache
def shipped() -> tuple[Consideration, ...]:
    """Return the considerations that come with the package: `considerations.yaml`, as `./dev generate` wrote it."""
    items = json.loads(Path(schemas.__file__).with_name("considerations.json").read_bytes())
    return tuple(from_json(Consideration, item) for item in items)


def _default() -> tuple[Consideration, ...]:
    return tuple(
        Consideration(
            id, "default", f"Is {id.replace('_', ' ')} satisfied?", "blocker", f"_check_{id}", ("DEVELOPMENT",)
        )
        for id in DEFAULT_IDS
    )


def _valid(text: bytes, name: str) -> tuple[Consideration, ...]:
    import yaml  # the shipped ones need none, and a hook waits

    try:
        items = yaml.load(text.decode("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        power_log.warning("%s: cannot be read (%s)", name, str(error).split("\n")[0])
        return ()
    if isinstance(items, dict):
        items = items.get("considerations")
    found: dict[str, Consideration] = {}
    for item in items if isinstance(items, list) else ():
        one = _item(item, name)
        if one is not None and one.id not in found:
            found[one.id] = one
    return tuple(found.values())


def _item(item: Any, name: str) -> Consideration | None:
    try:
        schemas.check("consideration", item)
    except schemas.Invalid as error:
        power_log.warning("%s: an item was left out: %s", name, error)
        return None
    return from_json(Consideration, item)
