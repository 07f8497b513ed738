"""Claude Code refuses JSON with comments or spare commas, and ignores the version of a marketplace's entry."""

import pytest

from tests.e2e.facts.claude_cli import list_warnings, validate, write_tree

MANIFEST = {"name": "probe", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}


@pytest.mark.parametrize("text", ['{"hooks": {},}', '{"hooks": {} // none\n}', "", "{'hooks': {}}"])
def test_hooks_file_that_is_not_json_is_an_error(tmp_path, text):
    files = {".claude-plugin/plugin.json": MANIFEST, "hooks/hooks.json": text}
    report = validate(write_tree(tmp_path / "probe", files), tmp_path)
    assert [message.split(":")[0] for message in list_warnings(report)] == ["Invalid JSON syntax"]


def test_byte_order_mark_is_no_error(tmp_path):
    text = '\ufeff{"name": "probe", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}'
    report = validate(write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": text}), tmp_path)
    assert report["manifest"]["errors"] == []


def test_version_of_an_entry_is_ignored(tmp_path):
    entry = {"name": "probe", "source": "./plugins/probe", "description": "A probe.", "version": "0.9.0"}
    market = {"name": "m", "description": "A market.", "owner": {"name": "a"}, "plugins": [entry]}
    files = {".claude-plugin/marketplace.json": market, "plugins/probe/.claude-plugin/plugin.json": MANIFEST}
    report = validate(write_tree(tmp_path / "market", files), tmp_path)
    (warning,) = report["manifest"]["warnings"]
    assert "the entry version is silently ignored" in warning["message"]
