"""Regular expressions that are compiled when they are first asked: who looks at one session needs few of them."""

import re
from typing import Any, cast


class _Uncompiled:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        self.__dict__[name] = asked = getattr(re.compile(self._pattern), name)
        return asked


def regex(pattern: str) -> re.Pattern[str]:
    """Return what serves as the compiled pattern. A wrong one raises when it is first asked: a test asks them all."""
    return cast(re.Pattern[str], _Uncompiled(pattern))
