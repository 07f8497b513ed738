"""Find the values in plugin.json and marketplace.json that Claude Code refuses, so that a plugin is not loaded."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.project.facts.manifest import (
    COMMAND_TYPES,
    ELEMENTS,
    ENTRY,
    MARKETPLACE,
    METADATA,
    NAMES,
    PERSON,
    PLUGIN,
    REQUIRED_IN_MARKETPLACE,
    Types,
)
from actions.project.manifest_paths import is_sample
from actions.project.plugins import MANIFEST
from actions.project.plugins import MARKETPLACE as MARKETPLACE_FILE
from actions.project.project import Project
from actions.project.units import Unit
from actions.project.user_config import find_refused_options

Steps = tuple[str | int, ...]
_LOST_PLUGIN = "the plugin is not loaded"
_LOST_ENTRY = "this plugin cannot be installed"
_LOST_MARKETPLACE = "the marketplace cannot be added"


class RefusedValue(msgspec.Struct, frozen=True):
    """A value that Claude Code refuses: its line, its key, what is wrong with it, and what is lost."""

    line: int
    key: str
    fault: str
    loss: str


def find_refused_values(project: Project, unit: Unit) -> Iterator[RefusedValue]:
    """Yield the values of a manifest or a marketplace that Claude Code refuses."""
    document = project.read_json(unit.path)
    if document is None or not isinstance(document.value, dict) or is_sample(unit):
        return
    for steps, fault, loss in _find_faults(unit.path, document.value):
        key = ".".join(str(step) for step in steps if isinstance(step, str) and step != "plugins") or "plugins"
        yield RefusedValue(document.find_line(*steps), key, fault, loss)


def _find_faults(path: str, value: Mapping[str, Any]) -> Iterator[tuple[Steps, str, str]]:
    """Yield the steps to each refused value in the file at a path, its fault, and what is lost."""
    if path.endswith(MANIFEST):
        wrong = (*_find_wrong_types(value, PLUGIN), *_find_wrong_elements(value), *find_refused_options(value))
        yield from ((steps, fault, _LOST_PLUGIN) for steps, fault in wrong)
    elif path.endswith(MARKETPLACE_FILE):
        yield from _find_in_marketplace(value)


def _find_in_marketplace(value: Mapping[str, Any]) -> Iterator[tuple[Steps, str, str]]:
    """Yield the same for a marketplace."""
    wrong = [*_find_wrong_types(value, MARKETPLACE), *_find_in_person(value, "owner")]
    wrong += [((key,), "is missing") for key in REQUIRED_IN_MARKETPLACE if key not in value]
    metadata = value.get("metadata")
    wrong += [(("metadata", *steps), fault) for steps, fault in _find_wrong_types(metadata, METADATA)]
    yield from ((steps, fault, _LOST_MARKETPLACE) for steps, fault in wrong)
    entries = value.get("plugins")
    has_root = isinstance(metadata, dict) and "pluginRoot" in metadata
    for n, entry in enumerate(entries if isinstance(entries, list) else ()):
        wrong = [*_find_wrong_types(entry, ENTRY), *_find_wrong_elements(entry), *_find_in_person(entry, "author")]
        wrong += [*_find_in_source(entry, has_root), *find_refused_options(entry)]
        yield from ((("plugins", n, *steps), fault, _LOST_ENTRY) for steps, fault in wrong)


def _find_wrong_types(value: object, types: Types) -> Iterator[tuple[Steps, str]]:
    """Yield the steps and the fault of each value of an object that has a wrong type."""
    for key, item in value.items() if isinstance(value, dict) else ():
        if key in types and not isinstance(item, types[key]):
            yield (key,), f"must be {_name(types[key])}"


def _find_wrong_elements(value: object) -> Iterator[tuple[Steps, str]]:
    """Yield the steps and the fault of the first element with a wrong type in each list of paths.

    `commands` may be an object, whose values must be objects.
    """
    for key, items in value.items() if isinstance(value, dict) else ():
        types = ELEMENTS.get(key, ()) if isinstance(items, list) else COMMAND_TYPES if key == "commands" else ()
        pairs = enumerate(items) if isinstance(items, list) else items.items() if isinstance(items, dict) else ()
        wrong = next((step for step, item in pairs if types and not isinstance(item, types)), None)
        if wrong is not None:
            is_list = isinstance(items, list)
            yield (key, wrong), f"{'has an element that ' if is_list else ''}must be {_name(types)}"


def _name(types: tuple[type, ...]) -> str:
    return " or ".join(NAMES[type_] for type_ in types)


def _find_in_person(value: object, key: str) -> Iterator[tuple[Steps, str]]:
    """Yield the faults in an `author` or an `owner`, which must have a name."""
    person = value.get(key) if isinstance(value, dict) else None
    if isinstance(person, dict):
        yield from (((key, *steps), fault) for steps, fault in _find_wrong_types(person, PERSON))
        if person.get("name", "") == "":
            yield (key,), "has no `name`"


def _find_in_source(entry: object, has_root: bool) -> Iterator[tuple[Steps, str]]:
    """Yield the fault of a relative source. has_root: whether the marketplace has a `metadata.pluginRoot`.

    A bare name is allowed only with such a root.
    """
    if not isinstance(entry, dict):
        return
    source = entry.get("source")
    if "source" not in entry:
        yield (), "has no `source`"
    elif isinstance(source, str) and not source.startswith("./") and source != "." and ("/" in source or not has_root):
        yield ("source",), 'must begin with `./`, or be an object such as `{"source": "github", "repo": "…"}`'
