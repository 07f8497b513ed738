"""What sessions show: one checker a file, `session_<consideration>.py`. Nothing is registered by hand."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import cast

from actions.session.checker import Answer, Checker, Quote, Session, Verdict

__all__ = ["Answer", "Checker", "Quote", "Session", "Verdict", "all_checkers"]

_PREFIX = "session_"


@cache
def all_checkers() -> Mapping[str, Checker]:
    """Every checker by the id of its consideration."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name.startswith(_PREFIX))
    modules = {name.removeprefix(_PREFIX): import_module(f"{__name__}.{name}") for name in names}
    return MappingProxyType({id: cast(Checker, module) for id, module in modules.items()})
