"""Find names of models that misspell an alias or a full name: Claude Code sends them to the API, which refuses them.

Source: the CLI 2.1.332; `tests/e2e/facts/test_agent_facts.py` asks it. It replaces only aliases.
"""

from actions.memo import memoize
from actions.project.facts.models import ALIASES, FAMILIES, FULL_NAMES
from actions.project.near_name import find_near
from actions.project.project import Project
from actions.regex import regex

_FULL_NAME = regex(r"claude-([a-z]+)-\d")
_NAME = "|".join(FAMILIES)
_VERSION = r"v?(\d)(?:[.-](\d))?"
_FORMS = (
    regex(rf"(?:claude-)?({_NAME})(?:-?{_VERSION})?"),
    regex(rf"claude-{_VERSION}-({_NAME})"),
)
"""A family with a version, which is no full name: `opus4.6`, `sonnet-4`, `claude-opus`, `claude-4-sonnet`."""
_GATEWAY = b"ANTHROPIC_BASE_URL"
_MAX_BYTES = 200_000


def find_misspelled_model(project: Project, name: str) -> str | None:
    """Return the model that a name misspells, or None if the name may be right.

    A family with a version in another form may be right if the project names a gateway, which may have own names.
    """
    plain = name.strip().lower().removesuffix("[1m]")
    if known := _find_intended(plain):
        return None if _has_gateway(project) else known
    if match := _FULL_NAME.match(plain):
        known = find_near(match[1], FAMILIES)
        return plain.replace(match[1], known, 1) if known else None
    return find_near(plain, ALIASES)


def _find_intended(name: str) -> str | None:
    """Return the full name, or the alias, that a family with a version means, or None for another name."""
    if name in ALIASES:
        return None
    if match := _FORMS[0].fullmatch(name):
        family, version = match[1], (match[2], match[3])
    elif match := _FORMS[1].fullmatch(name):
        family, version = match[3], (match[1], match[2])
    else:
        return None
    full = "-".join(("claude", family, *filter(None, version)))
    is_old = version[0] is not None and version[0] < "4"
    is_full = name == full and version[0] is not None
    return None if is_full or is_old else full if full in FULL_NAMES else family


@memoize
def _has_gateway(project: Project) -> bool:
    """Return whether a text, a script or the settings name the variable of a gateway."""
    files = (path for path, file in project.files.items() if file.size <= _MAX_BYTES)
    return any(_GATEWAY in (project.read_bytes(path) or b"") for path in files)
