"""Test which output styles of settings are misspelled."""

import json

import pytest

from actions.project.find_units import find_units
from actions.project.style_names import find_unknown_style
from tests.examples import make_project

STYLES = {
    ".claude/output-styles/brief.md": "---\nname: Terse Notes\ndescription: Brief.\n---\n\nWrite less.\n",
    ".claude/output-styles/sub/plain.md": "Write plainly.\n",
    "plug/.claude-plugin/plugin.json": '{"name": "plug"}',
    "plug/output-styles/loud.md": "Write loudly.\n",
}


@pytest.mark.parametrize(
    ("style", "known"),
    [
        ("Terse Notes", None),
        ("terse notes", "Terse Notes"),
        ("Terse-Notes", "Terse Notes"),
        ("brief", "Terse Notes"),
        ("plain", None),
        ("Plain", "plain"),
        ("explanatory", "Explanatory"),
        ("Learning", None),
        ("Default", None),
        ("loud", None),
        ("mine", None),
        (3, None),
        ("", None),
    ],
)
def test_style_of_settings(style, known):
    project = make_project({**STYLES, ".claude/settings.json": json.dumps({"outputStyle": style})})
    found = [unknown.known for unit in find_units(project) if (unknown := find_unknown_style(project, unit))]
    assert found == [known] * bool(known)
