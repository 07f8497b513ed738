"""Load and search the policies: those of tune-skill, merged with the project's own."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import schemas
from orchestrator.errors import BadInput
from orchestrator.fs import nofollow
from orchestrator.guard.sessions.paths import data_dir

Manifest = dict[str, Any]
_WEIGHTS = {"name": 3, "keywords": 2, "description": 1}


def get_overlay_path(root: Path | None = None) -> Path:
    """Return the path of a project's own policies."""
    return data_dir(root) / "policies" / "manifest.json"


@cache
def load_base_manifest() -> Mapping[str, Any]:
    """Return the policies of tune-skill. Callers share this object and must not change it."""
    manifest: Manifest = json.loads(files(schemas).joinpath("policies.json").read_bytes())
    return manifest


def load_merged_manifest(root: Path | None = None) -> Manifest:
    """Return the policies of tune-skill merged with the project's own.

    Raises BadInput, with the file and the position, if the project's policies cannot be read or are invalid.
    """
    path = get_overlay_path(root)
    try:
        overlay = json.loads(nofollow.read(str(path), nofollow.MAX_SMALL_BYTES))
    except FileNotFoundError:
        overlay = {}
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadInput(f"{path}: {why}; fix it or remove it") from error
    merged = deep_merge(load_base_manifest(), overlay) if isinstance(overlay, dict) else overlay
    try:
        schemas.check("policy_manifest", merged)
    except schemas.Invalid as error:
        raise BadInput(f"{path}: {error}; fix it or remove it") from error
    return dict(merged)


def deep_merge(base: Mapping[str, Any], overlay: Mapping[str, Any]) -> Manifest:
    """Merge `overlay` into `base`. Objects are merged, null removes a key, and any other value replaces the old one."""
    merged = {key: value for key, value in base.items() if overlay.get(key, value) is not None}
    for key, value in overlay.items():
        old = merged.get(key)
        if isinstance(value, Mapping):
            merged[key] = deep_merge(old if isinstance(old, Mapping) else {}, value)
        elif value is not None:
            merged[key] = value
    return merged


def search_policies(manifest: Mapping[str, Any], text: str) -> list[str]:
    """Return the names of the policies that contain every word of `text`, best match first."""
    words = text.casefold().split()
    scores = {name: _score(name, policy, words) for name, policy in manifest["policies"].items()}
    return sorted((name for name, score in scores.items() if score), key=lambda name: (-scores[name], name))


def _score(name: str, policy: Mapping[str, Any], words: list[str]) -> int:
    """Return how well a policy matches, by the parts in which each word occurs. Returns 0 if a word occurs in none."""
    texts = {
        "name": name,
        "keywords": " ".join(policy.get("keywords", ())),
        "description": policy["description"],
    }
    scores = [sum(weight for part, weight in _WEIGHTS.items() if word in texts[part].casefold()) for word in words]
    return sum(scores) if scores and all(scores) else 0
