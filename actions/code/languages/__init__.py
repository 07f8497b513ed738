"""List the languages that can be parsed, each defined in its own file."""

from actions.code.language import Language
from actions.code.languages.bash import BASH
from actions.code.languages.javascript import JAVASCRIPT, TYPESCRIPT
from actions.code.languages.python import PYTHON

__all__ = ["BASH", "EXTENSIONS", "JAVASCRIPT", "LANGUAGES", "PYTHON", "TYPESCRIPT", "find_language"]
LANGUAGES = (JAVASCRIPT, TYPESCRIPT, PYTHON, BASH)
EXTENSIONS = frozenset(extension for language in LANGUAGES for extension in language.extensions)
_BY_ALIAS = {alias: language for language in LANGUAGES for alias in language.aliases}


def find_language(name: str) -> Language | None:
    """Return the language for the language name of a fence or a file extension, or None if it cannot be parsed."""
    return _BY_ALIAS.get(name.lower().lstrip("."))
