"""Test that secrets in quotes are replaced, and the rest is kept."""

import pytest

from actions.session.redaction import HIDDEN, redact
from actions.session.transcript_parse import CUT


@pytest.mark.parametrize(
    "text",
    [
        "export API_KEY=hunter2000",
        '{"password": "tern-and-gull"}',
        r"{\"password\": \"tern-and-gull\"}",
        "Please use:\npassword hunter2000\n",
        "Authorization: Bearer abc.def-123456",
        "git clone https://ann:swordfish@host.example/repo",
        "sk-ant-REDACTED",
        "ghp_" + "a1B2" * 9,
        "redis://:p4ssw0rd@host",
        "berth moor 3 --token a1b2c3d4e5f6a7b8c9d0",
        "curl -u admin:S3cretPassw0rd https://host.example",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nMIIEow\n",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_redact_hides_secrets(text):
    redacted = redact(text)
    assert HIDDEN in redacted
    for secret in (
        "hunter2000",
        "tern-and-gull",
        "abc.def-123456",
        "swordfish",
        "abcdefgh12345678",
        "a1B2a1B2",
        "MIIE",
        "p4ssw0rd",
        "a1b2c3d4",
        "S3cret",
    ):
        assert secret not in redacted


@pytest.mark.parametrize(
    "text",
    [
        'berth start --session-id "${CLAUDE_SESSION_ID}"',
        "3be1ad48e467599a3077d9563dc010554ae84d49 Moor",
        "token=$TOKEN",
        "Co-Authored-By: Ann <ann@host.example>",
        "author: Ann Harbour",
        "total_tokens: 34497",
        "--- PASS: TestParseLongName10 (0.00s)",
        "pass: 45/45, first_pass: section1-draft",
        "the password is missing",
        "main.c:1234:56:error:expected-something1",
    ],
)
def test_redact_keeps_other_words(text):
    assert redact(text) == text


KEY_LINE = "q7Zp2Lx9Vb4Kt8Wm3Rs6Hd1Nw5/AbCdEfGh0123456789+abcdefghijklmnopqr"


@pytest.mark.parametrize(
    "text", [f"{KEY_LINE}\n{KEY_LINE}\n-----END PRIVATE KEY-----", f'"{KEY_LINE}\\n{KEY_LINE}\\n"']
)
def test_redact_hides_a_key_without_its_first_line(text):
    assert KEY_LINE not in redact(text)


def test_redact_keeps_the_names_of_hidden_values():
    assert redact("Authorization: Token a1B2c3d4e5") == f"Authorization: Token {HIDDEN}"


def test_redact_hides_the_end_of_a_word_that_was_cut():
    assert redact(f"token=a1{CUT}w3Rs6Hd1Nw5 is it{CUT}and more") == f"token=a1{CUT}{HIDDEN} is it{CUT}and more"
