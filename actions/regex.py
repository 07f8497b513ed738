"""Compile regular expressions on first use: a check of one session needs only a few of them."""

import re
from typing import Any, cast


class _Uncompiled:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        self.__dict__[name] = attribute = getattr(re.compile(self._pattern), name)
        return attribute


def regex(pattern: str) -> re.Pattern[str]:
    """Return an object that acts as the compiled pattern. An invalid pattern raises on first use; a test uses each."""
    return cast(re.Pattern[str], _Uncompiled(pattern))
