"""What sessions show: one checker a file, `session_<consideration>.py`. Nothing is registered by hand."""

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import cast

from actions.session.checker import Answer, Checker, Quote, Session, Verdict, unknown

__all__ = ["Answer", "Checker", "Quote", "Session", "Verdict", "all_checkers", "check_session"]
_PREFIX = "session_"


@cache
def all_checkers() -> Mapping[str, Checker]:
    """Every checker by the id of its consideration."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name.startswith(_PREFIX))
    modules = {name.removeprefix(_PREFIX): import_module(f"{__name__}.{name}") for name in names}
    return MappingProxyType({id: cast(Checker, module) for id, module in modules.items()})


def check_session(checker: str, session: Session) -> tuple[Answer, Exception | None]:
    """Return what the checker of a consideration (`_check_<id>`) answers, and its error if it failed.

    The answer is unknown without a checker, as for `generic`, and after an error.
    """
    if (known := all_checkers().get(checker.removeprefix("_check_"))) is None:
        return unknown("only a judge can tell, and none answered"), None
    try:
        return known.check(session), None
    except Exception as error:  # noqa: BLE001 - the caller decides what follows
        return unknown(f"the checker failed: {type(error).__name__}"), error
