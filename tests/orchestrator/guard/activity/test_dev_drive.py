"""Test reading the drives of a transcript."""

import json

import pytest

from orchestrator.errors import BadInput
from orchestrator.guard.activity.dev_drive import read_drives


def make_user_record(prompt, content, second):
    return {"type": "user", "promptId": prompt, "timestamp": f"2026-03-01T09:30:{second:02d}.000Z",
            "message": {"role": "user", "content": content}}  # fmt: skip


def make_assistant_record(second, *blocks):
    usage = {"input_tokens": 1, "output_tokens": 10}
    return {"type": "assistant", "timestamp": f"2026-03-01T09:30:{second:02d}.000Z",
            "message": {"role": "assistant", "id": f"m{second}", "content": list(blocks), "usage": usage}}  # fmt: skip


def make_tool_use(id, name, **tool_input):
    return {"type": "tool_use", "id": id, "name": name, "input": tool_input}


def make_tool_result(id, text, **fields):
    return [{"type": "tool_result", "tool_use_id": id, "content": text, **fields}]


@pytest.fixture
def path(tmp_path):
    records = [
        {"type": "queue-operation", "timestamp": "2026-03-01T09:30:00.000Z"},
        make_user_record("aaaa1111-1", "sort the rivers", 1),
        make_assistant_record(2, make_tool_use("t1", "Edit", file_path="/p/rivers.txt")),
        make_user_record("aaaa1111-1", make_tool_result("t1", "ok"), 3),
        make_assistant_record(4, make_tool_use("t2", "Bash", command="make check")),
        make_user_record("aaaa1111-1", make_tool_result("t2", "exit 2", is_error=True), 5),
        make_assistant_record(6, {"type": "text", "text": "The rivers are sorted, the check fails."}),
        make_user_record("bbbb2222-2", "fix it", 10),
        make_assistant_record(11, {"type": "text", "text": "Fixed."}),
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + "torn {")
    return path


def test_read_drives_shows_what_happened_in_a_drive(path):
    (drive,) = read_drives(path, "aaaa1111")
    assert (drive.prompt, drive.answer) == ("sort the rivers", "The rivers are sorted, the check fails.")
    assert (drive.started, drive.ended) == ("2026-03-01T09:30:01.000Z", "2026-03-01T09:30:06.000Z")
    assert drive.tools == {"Edit": 1, "Bash": 1}
    assert (drive.failures, drive.files, drive.usage.output) == (1, ("/p/rivers.txt",), 30)


def test_read_drives_keeps_the_order(path):
    assert [drive.prompt for drive in read_drives(path)] == ["sort the rivers", "fix it"]
    assert read_drives(path, "cccc") == []


def test_read_drives_names_an_unreadable_transcript(tmp_path):
    with pytest.raises(BadInput, match="session"):
        read_drives(tmp_path / "none.jsonl")


def test_read_drives_splits_at_prompts_without_ids(path):
    records = [json.loads(line) for line in path.read_text().splitlines()[:-1]]
    for number, record in enumerate(records):
        record.pop("promptId", None)
        record["uuid"] = f"{number:04d}ffff-1"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    drives = read_drives(path)
    assert [(drive.prompt_uuid, drive.prompt) for drive in drives] == [
        ("0001ffff-1", "sort the rivers"),
        ("0007ffff-1", "fix it"),
    ]
    assert drives[0].tools == {"Edit": 1, "Bash": 1}
    assert read_drives(path, "0007ffff") == drives[1:]
