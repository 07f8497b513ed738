"""Test that passwords with any punctuation are hidden whole behind their name, and that code of a similar form is kept."""

import random
import string

import pytest

from actions.secrets import WITHHELD, withhold_secrets, withhold_values
from actions.session.redaction import redact

CHARACTERS = string.ascii_letters + string.digits + "!@#$%^&*()-_=+[]{};:,.<>/?|~"
PASSWORDS = [
    "Ab3!{x;y}zz9Q",
    "Ab3;xyz9Qpp1",
    "?k(9]Wm,x2[Tt",
    "*Ab3x}yz9Qpp;",
    "$Ab3xyz<Qpp1",
    ".Q7}m;Zk>2",
    "Rt5>[aZ!,mQ",
    "?9#K{b&Lp2?T",
]
QUOTED = [
    'password = "{}"',
    "const dbPassword = '{}';",
    '{{"password": "{}"}}',
    "export DB_PASSWORD='{}'",
    'os.getenv("DB_PASSWORD", "{}")',
    "run --password '{}' now",
    "the password is `{}`",
]
BARE = ["password: {}", "DB_PASSWORD={}"]


def make_passwords(count):
    """Return passwords as a password manager makes them."""
    numbers = random.Random(7)
    return ["".join(numbers.choices(CHARACTERS, k=numbers.choice((12, 16, 20, 24)))) for _ in range(count)]


@pytest.mark.parametrize("form", QUOTED)
def test_quoted_password_ends_at_its_quote(form):
    for password in PASSWORDS:
        line = form.format(password)
        assert list(withhold_secrets([line])) == [WITHHELD], line
        for hidden in (withhold_values(line), redact(line)):
            assert password[-4:] not in hidden, line


@pytest.mark.parametrize("form", BARE)
def test_bare_password_ends_at_white_space(form):
    for password in PASSWORDS:
        line = f"  {form.format(password)}"
        assert list(withhold_secrets([line])) == [WITHHELD], line
        assert password[-4:-1] not in withhold_values(line), line


@pytest.mark.parametrize(("forms", "most"), [(QUOTED, 0.05), (BARE, 0.2)])
def test_passwords_of_a_password_manager_are_hidden(forms, most):
    lines = [(form.format(password), password) for form in forms for password in make_passwords(200)]
    shown = [line for line, password in lines if password in withhold_values(line)]
    assert len(shown) <= most * len(lines), shown[:5]


@pytest.mark.parametrize(
    "line",
    [
        'password = "${DB_PASSWORD2}"',
        'password: "{{ vault.password2 }}"',
        'token = "$(cat token2.txt)"',
        'password = "{password2}"',
        "password = get_password(2),",
        "secret: [secret1, secret2]",
        "token: Maybe[Bird2],",
        "password: /^[a-z0-9]{8,}$/",
        "token: '<your-token-2>'",
        "password: ./secrets/*.v2",
        "token = tokens[0];",
        "secret: !Ref Secret2",
        "password: (item2) => item2.value",
        "password={this.state.password2}",
    ],
)
def test_code_behind_a_name_is_kept(line):
    assert list(withhold_secrets([line])) == [line]
