"""Find the options in `userConfig` of a manifest that Claude Code refuses.

Source: the CLI 2.1.332; `tests/e2e/facts/test_manifest_facts.py` asks it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from actions.project.facts.manifest import OPTION, OPTION_NAME, OPTION_TYPES, REQUIRED_IN_OPTION

Steps = tuple[str | int, ...]


def find_refused_options(value: object) -> Iterator[tuple[Steps, str]]:
    """Yield the steps to each refused option in a manifest or in an entry of a marketplace, and its first fault."""
    options = value.get("userConfig") if isinstance(value, dict) else None
    for name, option in options.items() if isinstance(options, dict) else ():
        for steps, fault in _find_faults(name, option):
            yield ("userConfig", name, *steps), fault
            break


def _find_faults(name: str, option: object) -> Iterator[tuple[Steps, str]]:
    if not OPTION_NAME.fullmatch(name):
        yield (), "must be named with letters, digits and `_`"
    if not isinstance(option, dict):
        yield (), "must be an object"
        return
    missing = [f"`{key}`" for key in REQUIRED_IN_OPTION if key not in option]
    if missing:
        *others, last = missing
        yield (), f"needs {', '.join(others)} and {last}" if others else f"needs {last}"
    if "type" in option and option["type"] not in OPTION_TYPES:
        yield ("type",), f"must be one of {', '.join(OPTION_TYPES)}"
    yield from _find_wrong_values(option)


def _find_wrong_values(option: Mapping[str, Any]) -> Iterator[tuple[Steps, str]]:
    for key, value in option.items():
        if key not in OPTION:
            yield (key,), "is not a key of an option"
        elif (
            not isinstance(value, OPTION[key])
            or (isinstance(value, bool) and bool not in OPTION[key])
            or (key == "default" and isinstance(value, list) and not all(isinstance(item, str) for item in value))
        ):
            yield (key,), "has a value of the wrong type"
