"""Validate the regular expressions and JSON schemas of checks, before a run costs anything."""

import re
from collections.abc import Mapping
from typing import Any

from orchestrator.errors import one_line

_MAX_LENGTH = 1000
"""Maximum number of characters of a regular expression. (To compile 19 KB of character classes takes 20 s.)"""

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


def compile_regex(text: str, flags: str = "") -> re.Pattern[str]:
    """Compile a regular expression. Raises ValueError if it is invalid or too long."""
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"the regular expression has {len(text):,} characters; at most {_MAX_LENGTH:,} are allowed")
    try:
        return re.compile(text, sum(_FLAGS.get(letter, re.NOFLAG) for letter in set(flags)))
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"invalid regular expression: {error}") from None


def ensure_schema(schema: Mapping[str, Any]) -> None:
    """Raise ValueError if a JSON schema is invalid. Schemas to which it refers are not checked."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        _ensure_regexes(schema)
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"invalid JSON schema: {one_line(f'{error.json_path}: {error.message}')[:200]}") from None
    except RecursionError:
        raise ValueError("invalid JSON schema: nested too deeply") from None


def _ensure_regexes(schema: Any) -> None:
    if isinstance(schema, list):
        for subschema in schema:
            _ensure_regexes(subschema)
    elif isinstance(schema, dict):
        properties = schema.get("patternProperties")
        for text in (schema.get("pattern"), *(properties if isinstance(properties, dict) else ())):
            if isinstance(text, str):
                compile_regex(text)
        for subschema in schema.values():
            _ensure_regexes(subschema)
