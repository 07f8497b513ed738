"""Test that secrets are hidden in commands of several lines and behind escapes."""

import json

import pytest

from actions.secrets import withhold_secrets
from actions.session.redaction import redact


@pytest.mark.parametrize(
    "command",
    [
        "curl -s \\\n  -H accept \\\n  -u admin:hunter22 \\\n  https://a.b",
        "mysql -h host \\\n  -phunter22 quay",
        "docker login -u me \\\n  -p swordfish-hunter22 host",
    ],
)
@pytest.mark.parametrize("hide", [lambda text: "\n".join(withhold_secrets(text.split("\n"))), redact])
@pytest.mark.parametrize("write", [str, repr, json.dumps])
def test_secret_of_a_command_of_several_lines_is_hidden(command, hide, write):
    assert "hunter22" not in hide(write(command))
    assert hide(write("ls \\\n  -u admin:gull22")) == write("ls \\\n  -u admin:gull22")


def test_secret_in_escaped_text_is_hidden_where_it_is():
    command = "cd /srv\ncurl -u admin:hunter22 https://a.b\nls \u00fc"
    assert redact(json.dumps(command)) == r'"cd /srv\n[hidden] https://a.b\nls \u00fc"'
    assert redact(repr(command)) == r"'cd /srv\n[hidden] https://a.b\nls ü'"
