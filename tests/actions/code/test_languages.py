"""Test the languages: their node kinds are in the grammar, their aliases are unique."""

from collections.abc import Mapping

import pytest
from msgspec.structs import asdict

from actions.code.languages import EXTENSIONS, LANGUAGES, find_language
from actions.code.tree import has_kind
from actions.skill.paths import is_script_path, is_text_path


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_language_kinds_are_in_its_grammar(language):
    values = {name: value for name, value in asdict(language).items() if name != "grammar"}
    kinds = {kind for value in values.values() if isinstance(value, tuple | Mapping) for kind in value}
    assert len(kinds) > 5
    assert [kind for kind in sorted(kinds) if not has_kind(language, kind)] == []


def test_language_extensions_are_text_and_scripts():
    assert all(language.extensions for language in LANGUAGES)
    assert [
        extension for extension in EXTENSIONS if not (is_text_path(f"a{extension}") and is_script_path(f"a{extension}"))
    ] == []
    assert all(find_language(extension) is language for language in LANGUAGES for extension in language.extensions)


def test_language_aliases_are_unique():
    aliases = [alias for language in LANGUAGES for alias in language.aliases]
    assert sorted(aliases) == sorted(set(aliases))
