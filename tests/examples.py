"""Examples as what the product looks at: the case of a skill, the messages and the transcript of a session."""

from collections.abc import Iterator
from itertools import count

from actions.case import Case
from actions.session.example import Part
from actions.session.transcript import Transcript
from actions.session.transcript_parse import parse_transcript
from actions.skill import parse_skill
from actions.skill.example import Example, example_files


def example_case(example: Example) -> Case:
    """Return the case of an example."""
    return Case(parse_skill("example", {path: text.encode() for path, text in example_files(example).items()}))


def messages(*parts: Part) -> list[Part]:
    """Return the messages of a session made of these parts."""
    ids = count(1)
    return [message for part in parts for message in _messages(part, f"toolu_{next(ids)}")]


def transcript(*parts: Part) -> Transcript:
    """Return the transcript of a session made of these parts."""
    return parse_transcript(messages(*parts), "example")


def _messages(part: Part, id: str) -> Iterator[Part]:
    if "tool" not in part:
        yield part
        return
    block = {"type": "tool_use", "id": id, "name": part["tool"], "input": part["input"]}
    yield {"role": "assistant", "content": [block]}
    if part["result"] is not None:
        back = {"type": "tool_result", "tool_use_id": id, "content": part["result"], "is_error": part["error"]}
        yield {"role": "user", "content": [back]}
