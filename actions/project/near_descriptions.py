"""Find units of one kind in one plugin or folder whose descriptions are nearly equal."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from actions.memo import memoize
from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.skill.frontmatter import parse_frontmatter

_WORD = re.compile(r"\w+")
_FEWEST = 10
"""Words; shorter descriptions are alike without being about one thing."""
_ALIKE = 0.85
_MOST = 20
"""Descriptions that are compared with a new one: those with the same rarest triples of words."""
_KEYS = 6


@dataclass(frozen=True)
class NearDescription:
    """A unit with a description like that of an earlier unit: how many of its words both have."""

    other: Unit
    shared: int
    words: int


@memoize
def find_near_descriptions(project: Project) -> Mapping[str, NearDescription]:
    """Return, by path, the units whose description is nearly that of an earlier unit."""
    found: dict[str, NearDescription] = {}
    by_key: dict[tuple[object, ...], list[tuple[Unit, frozenset[str]]]] = {}
    for unit in find_units(project):
        words = _read_words(project, unit) if unit.kind in (UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND) else []
        if len(words) < _FEWEST:
            continue
        keys = [(*unit.key[:2], key) for key in _choose_keys(words)]
        unique = frozenset(words)
        for other, others in (one for key in keys for one in by_key.get(key, ())[:_MOST]):
            shared = len(unique & others)
            if shared / len(unique | others) >= _ALIKE and other.name != unit.name:
                found.setdefault(unit.path, NearDescription(other, shared, len(unique)))
        for key in keys:
            by_key.setdefault(key, []).append((unit, unique))
    return found


def _read_words(project: Project, unit: Unit) -> list[str]:
    text = (project.read_bytes(unit.path) or b"").decode("utf-8", "replace").lstrip("\ufeff")
    return _WORD.findall(parse_frontmatter(tuple(text.splitlines())).text("description").lower())


def _choose_keys(words: list[str]) -> Iterator[bytes]:
    """Yield the smallest hashes of triples of words: texts that are nearly equal share at least one."""
    triples = {blake2b(" ".join(words[n : n + 3]).encode(), digest_size=8).digest() for n in range(len(words) - 2)}
    yield from sorted(triples)[:_KEYS]
