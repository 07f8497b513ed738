"""Find the environment variables that a project sets itself, or tells its user to set."""

import re
from collections.abc import Collection, Iterator

from actions.memo import memoize
from actions.project.facts.hook_variables import (
    GENERAL_VARIABLES,
    PLUGIN_VARIABLES,
    ROOT_VARIABLES,
    is_data_variable,
)
from actions.project.find_units import find_units
from actions.project.project import Project
from actions.project.units import UnitKind
from actions.regex import regex
from actions.words import find_words

_NAMES = frozenset((*GENERAL_VARIABLES, *PLUGIN_VARIABLES, *ROOT_VARIABLES))
_ENDINGS = tuple(
    ".md .txt .sh .bash .zsh .fish .ps1 .py .js .mjs .cjs .ts .json .yml .yaml .toml .envrc Dockerfile Makefile".split()
)
_MAX_BYTES, _MAX_LINE = 200_000, 1_000
_EXPORT = regex(r"(?:\b(?:export|setenv|setx|ENV|set -\w+)\s+|\$env:|\s-e\s+|--env[ =])(\w+)")
_BEFORE_CLAUDE = regex(r"(?<![^\s`])(\w+)=\S*\s+(?:\S+\s+){0,6}claude(?:\s|$)")
_ENTRY = regex(r"\benv(?:iron)?(?:\[[\"']|\.)(\w+)[\"']?\]?\s*=(?!=)|(?<![\w${])(\w+)[\"']?\s*:(?!:)")
"""An entry of the environment in code, JSON or YAML."""
_REPLACEMENT = regex(r"replace|\bsub\(|\bsed\b|\benvsubst\b", re.IGNORECASE)


def list_settings_names(project: Project) -> Collection[str]:
    """Return the names under `env` in the settings of the project."""
    values = [project.read_object(unit.path).get("env") for unit in find_units(project) if unit.kind is UnitKind.HOOKS]
    return {name for value in values if isinstance(value, dict) for name in value}


@memoize
def list_set_variables(project: Project) -> Collection[str]:
    """Return the variables, of our tables or with similar names, that a script sets or a text tells the user to set."""
    return {name for path, line in _find_lines(project) for name in _find_set_names(path, line)}


@memoize
def list_replaced_variables(project: Project) -> Collection[str]:
    """Return the variables of our tables that a script of the project replaces by text, as installers do."""
    lines = [line for path, line in _find_lines(project) if not path.endswith((".md", ".json"))]
    return {name for line in lines if _REPLACEMENT.search(line) for name in find_words(line) & _NAMES}


@memoize
def _find_lines(project: Project) -> Collection[tuple[str, str]]:
    """Return the lines that name a variable like those of our tables, each with its file."""
    return [*_read_lines(project)]


def _read_lines(project: Project) -> Iterator[tuple[str, str]]:
    names = [b"CLAUDE_", *(name.encode() for name in _NAMES)]
    for path, file in project.files.items():
        if file.size <= _MAX_BYTES and (path.endswith(_ENDINGS) or path.rpartition("/")[2].startswith(".env")):
            raw = project.read_bytes(path) or b""
            if any(name in raw for name in names):
                lines = (line[:_MAX_LINE] for line in raw.decode("utf-8", "replace").split("\n"))
                yield from ((path, line) for line in lines if _has_name(line))


def _has_name(line: str) -> bool:
    words = find_words(line)
    return not _NAMES.isdisjoint(words) or any("CLAUDE_" in word and is_data_variable(word) for word in words)


def _find_set_names(path: str, line: str) -> Iterator[str]:
    yield from _EXPORT.findall(line)
    yield from _BEFORE_CLAUDE.findall(line)
    if not path.endswith(".md"):
        yield from (name for names in _ENTRY.findall(line) for name in names if name)
    if path.rpartition("/")[2].startswith(".env") and "=" in line:
        yield line.partition("=")[0].strip()
