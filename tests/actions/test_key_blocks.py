"""Test that private keys are hidden, and that text about them is not."""

import pytest

from actions.secrets import WITHHELD, withhold_secrets
from actions.session.redaction import redact

KEY_LINE = "q7Zp2Lx9Vb4Kt8Wm3Rs6Hd1Nw5/AbCdEfGh0123456789+abcdefghijklmnopqr"
KEY_BLOCKS = [
    f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINE}\n{KEY_LINE}\nx1A=\n-----END RSA PRIVATE KEY-----",
    f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,A1\n\n{KEY_LINE}\nx1A=",
    f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{KEY_LINE}\n=x1Ab\n-----END PGP PRIVATE KEY BLOCK-----",
    f'"-----BEGIN PRIVATE KEY-----\\n" +\n  "{KEY_LINE}\\n" +\n  "-----END PRIVATE KEY-----"',
    f"It is -----BEGIN PRIVATE KEY-----\n> {KEY_LINE}\n> x1A=\n> -----END PRIVATE KEY-----",
    f"    1→-----BEGIN PRIVATE KEY-----\n    2→{KEY_LINE}\n    3→x1A=\n    4→-----END PRIVATE KEY-----",
    f"8f14e45f (Gull 2026-01-01 1) -----BEGIN PRIVATE KEY-----\n8f14e45f (Gull 2026-01-01 2) {KEY_LINE}",
    f"key: |\n  -----BEGIN PRIVATE KEY-----\n  {KEY_LINE}\n[…]\n  {KEY_LINE}\n  x1A=",
    f"PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPublic-Lines: 1\n{KEY_LINE}\nPrivate-Lines: 1\n{KEY_LINE}\nPrivate-MAC: a1",
    f"-----BEGIN PRIVATE KEY----- {KEY_LINE} {KEY_LINE} -----END PRIVATE KEY-----",
    rf'"key": "-----BEGIN PRIVATE KEY-----\n{KEY_LINE}\nx1A=\n-----END PRIVATE KEY-----\n",',
    rf'"key": "-----BEGIN PRIVATE KEY-----\\n{KEY_LINE}\\nx1A=\\n",',
]


@pytest.mark.parametrize("block", KEY_BLOCKS)
@pytest.mark.parametrize("hide", [lambda text: "\n".join(withhold_secrets(text.split("\n"))), redact])
def test_private_key_is_hidden_and_the_text_below_it_is_not(block, hide):
    hidden = hide(f"Use this key.\n{block}\nThen cast off: now.\nTern")
    assert hidden.startswith("Use this key.\n")
    assert hidden.endswith("\nThen cast off: now.\nTern")
    assert not any(part in hidden for part in (KEY_LINE[:20], KEY_LINE[-20:], "x1A", "a1"))


@pytest.mark.parametrize(
    "text",
    [
        "Never print a line with `-----BEGIN RSA PRIVATE KEY-----`.\nRead the tides.\nCast off.",
        "Match `-----BEGIN (RSA )?PRIVATE KEY-----` and `-----BEGIN EC PRIVATE KEY-----`:\n- ghp_\n- sk-",
        '    if "-----BEGIN PRIVATE KEY-----" in text:\n        return\n',
    ],
)
@pytest.mark.parametrize("hide", [lambda text: "\n".join(withhold_secrets(text.split("\n"))), redact])
def test_text_that_names_the_first_line_of_a_key_is_kept(text, hide):
    assert hide(text) == text


def test_first_line_of_a_key_without_a_key_is_withheld_alone():
    text = "```\n-----BEGIN RSA PRIVATE KEY-----\n```\nx1\nNext"
    assert list(withhold_secrets(text.split("\n"))) == ["```", WITHHELD, "```", "x1", "Next"]
