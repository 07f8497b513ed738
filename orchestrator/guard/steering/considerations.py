"""Load the considerations of a project from its own file, or those of tune-skill if it has none."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import schemas
from orchestrator.errors import reason
from orchestrator.fs import nofollow
from orchestrator.guard.steering import logger
from schemas.codec import from_json
from schemas.considerations import Consideration

OVERRIDE = Path(".claude/tools/amplihack/considerations.yaml")
DEFAULT_IDS = ("todos_complete", "dev_workflow_complete", "philosophy_compliance", "local_testing", "ci_status")
"""The considerations of a project whose own file contains no valid item."""


def load_considerations(project_root: Path) -> tuple[Consideration, ...]:
    """Return the considerations of a project. Never raises: invalid items are logged and skipped."""
    own = project_root / OVERRIDE
    try:
        text = nofollow.read(str(own), nofollow.MAX_SMALL_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        text = None
    except OSError as error:
        logger.warning("%s: %s; using the shipped considerations", own, error.strerror)
        text = None
    if text is None:
        return load_shipped_considerations()
    return _parse(text, str(own)) or _build_defaults()


@cache
def load_shipped_considerations() -> tuple[Consideration, ...]:
    """Return the considerations of tune-skill, from the JSON that `./dev generate` makes from `considerations.yaml`."""
    items = json.loads(Path(schemas.__file__).with_name("considerations.json").read_bytes())
    return tuple(from_json(Consideration, item) for item in items)


def _build_defaults() -> tuple[Consideration, ...]:
    return tuple(
        Consideration(
            id, "default", f"Is {id.replace('_', ' ')} satisfied?", "blocker", f"_check_{id}", ("DEVELOPMENT",)
        )
        for id in DEFAULT_IDS
    )


def _parse(text: bytes, name: str) -> tuple[Consideration, ...]:
    from actions.yaml_reader import YamlError, read_yaml  # imported late: the shipped considerations do not need it

    try:
        items = read_yaml(text.decode("utf-8"), allows_aliases=True).value
    except YamlError as error:
        logger.warning("%s:%d: the file %s", name, error.line, error)
        return ()
    except UnicodeDecodeError as error:
        logger.warning("%s: %s; save it as UTF-8", name, reason(error))
        return ()
    if isinstance(items, dict):
        items = items.get("considerations")
    by_id: dict[str, Consideration] = {}
    for item in items if isinstance(items, list) else ():
        consideration = _parse_item(item, name)
        if consideration is not None:
            by_id.setdefault(consideration.id, consideration)
    return tuple(by_id.values())


def _parse_item(item: Any, name: str) -> Consideration | None:
    try:
        schemas.check("consideration", item)
    except schemas.Invalid as error:
        logger.warning("%s: invalid item skipped: %s", name, error)
        return None
    return from_json(Consideration, item)
