"""Parse JSON that others wrote into strings that every output can encode."""

import json
from typing import Any

from actions.regex import regex

_SURROGATE_ESCAPE = regex(r"\\u[dD][89a-fA-F]")
_SURROGATE = regex("[\ud800-\udfff]")


def load_json(text: str, **hooks: Any) -> Any:
    r"""Return the value of a JSON text, in which unpaired surrogates such as `\ud800` are replaced by U+FFFD.

    `json.loads` and JSON.parse accept them, but UTF-8 has no form for them. `hooks` are those of `json.loads`. Raises
    ValueError if the text is not JSON, and RecursionError if it is nested too deeply.
    """
    value = json.loads(text, **hooks)
    if not _SURROGATE.search(text) and not _SURROGATE_ESCAPE.search(text):
        return value
    hooks.pop("object_pairs_hook", None)
    return json.loads(replace_surrogates(json.dumps(value, ensure_ascii=False)), **hooks)


def replace_surrogates(text: str) -> str:
    """Replace surrogates, which only escapes and names that are not UTF-8 leave in a text, by U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)
