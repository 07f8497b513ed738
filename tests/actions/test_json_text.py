"""Test that JSON of others gives strings that UTF-8 can encode, and otherwise the values of `json.loads`."""

import json

import pytest

from actions.json_text import load_json, replace_surrogates


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"fo\ud800o"', "fo\ufffdo"),
        (r'["\uDFFF", {"\udcff": "\ud800\ud800"}]', ["\ufffd", {"\ufffd": "\ufffd\ufffd"}]),
        (r'"\ud83d\ude00 \\ud800"', "\U0001f600 \\ud800"),
        (r'{"n": 1e400, "a": "\ud800", "a": "b"}', {"n": float("inf"), "a": "b"}),
        ('"\udcff"', "\ufffd"),
    ],
)
def test_load_json_replaces_only_unpaired_surrogates(text, value):
    assert load_json(text) == value


def test_load_json_passes_hooks_and_errors_on():
    assert load_json(r'["\ud800", NaN, 1.5]', parse_constant=lambda _: None, parse_float=str) == ["\ufffd", None, "1.5"]
    with pytest.raises(json.JSONDecodeError):
        load_json(r'"\ud800')


def test_replace_surrogates_keeps_other_characters():
    assert replace_surrogates("a\udcff\u2028\U0001f600") == "a\ufffd\u2028\U0001f600"
