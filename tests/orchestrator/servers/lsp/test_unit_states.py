"""Test the paths of the URIs that an editor sends."""

from pathlib import Path

import pytest

from orchestrator.servers.lsp.unit_states import parse_real_uri, parse_uri


@pytest.mark.parametrize("uri", ["file:///tmp/\udcff", "file://[x/a.md", "file:///a%00b", "untitled:x", "", ":::"])
def test_parse_uri_gives_nothing_without_a_path(uri):
    assert parse_uri(uri) is None
    assert parse_real_uri(uri) is None


def test_parse_uri_decodes_bytes():
    assert parse_uri("file:///tmp/%C3%A9%FF.md") == Path("/tmp/é\udcff.md")
