"""Compile regular expressions on first use, because a session or a small skill needs only a few of them."""

import re
from typing import Any, cast


class _Uncompiled:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        self.__dict__[name] = attribute = getattr(re.compile(self.pattern, self._flags), name)
        return attribute


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return an object that acts as the compiled pattern. An invalid pattern raises on first use. A test uses each."""
    return cast(re.Pattern[str], _Uncompiled(pattern, flags))
