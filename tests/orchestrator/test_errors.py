"""Test that the message of an error is one printable line."""

import pytest

from orchestrator import errors


@pytest.mark.parametrize(
    "kind", [errors.BadInput, errors.Refused, errors.StateDamaged, errors.Busy, errors.WriteFailed]
)
def test_error_message_is_one_printable_line(kind):
    message = str(kind("cannot read a\nb\r\x1b[2J\u202etxt\ud800: no"))
    assert message == "cannot read a b \ufffd[2J\ufffdtxt\ufffd: no"
    assert issubclass(kind, errors.TuneSkillError)
