"""Test that the answer is found in the reply of a client's model."""

import mcp.types as types
import pytest

from orchestrator.servers.mcp.sampling import _extract_answer
from tests.growth import grows_at_most, measure_seconds


def extract(text):
    content = types.TextContent(type="text", text=text)
    return _extract_answer(types.CreateMessageResult(role="assistant", content=content, model="m"))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('Here:\n```json\n{"a": 1}\n```\nDone {all}.', '{"a": 1}'),
        ('```\n{"a": "```"}\n```  ', '{"a": "```"}'),
        ('So {"a": 1}, I think.', '{"a": 1}'),
        ('```json\n{"a": 1}', '{"a": 1}'),
        ('```\n1\n```\n```\n2\n```\n{"a": 3}', '{"a": 3}'),
        ("{one} {two}", "{one} {two}"),
    ],
)
def test_extract_answer_finds_the_only_block_or_object(text, answer):
    assert extract(text) == answer


@pytest.mark.parametrize("piece", ["```a\n", '```\n{"a": 1}\n```\n', "```", "{"])
def test_extract_answer_takes_linear_time(piece):
    def measure(size):
        text = piece * (size // len(piece))
        return measure_seconds(lambda: extract(text))

    assert grows_at_most(measure, 200_000, 400_000, factor=2.5)
