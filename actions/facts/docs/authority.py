"""Which of two files holds when they differ, and where one text of both is kept: a spec before a phase, and so on."""

from collections.abc import Mapping
from types import MappingProxyType

from actions.skill import Role

AUTHORITY: Mapping[Role, int] = MappingProxyType({Role.SPEC: 0, Role.PHASE: 1, Role.MAIN: 2, Role.REFERENCE: 3})
"""Role of a file -> its rank, 0 first; other files have none."""
