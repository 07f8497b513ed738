"""Test that the server ends at a disconnect or Ctrl-C, and its output until then."""

import json
import signal
import subprocess

import pytest

from tests.fakes import write_skill
from tests.orchestrator.servers.lsp.conftest import COMMAND


def frame_messages(*messages):
    bodies = (json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages)
    return b"".join(map(frame_body, bodies))


def parse_messages(data):
    """Return the messages in a stream; fail if it contains anything else."""
    messages = []
    while data:
        header, _, remaining = data.partition(b"\r\n\r\n")
        size = int(header.split(b"\r\n")[0].removeprefix(b"Content-Length: "))
        messages.append(json.loads(remaining[:size]))
        data = remaining[size:]
    return messages


INITIALIZE = {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}}


def start_server(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(COMMAND, cwd=tmp_path, **pipes)


def test_server_ends_with_editor_and_stdout_is_protocol_only(tmp_path):
    main = write_skill(tmp_path / "plover", "See [a](missing.md).\n" * 300) / "SKILL.md"
    document = {"uri": main.as_uri(), "languageId": "markdown", "version": 1, "text": main.read_text()}
    did_open = {"method": "textDocument/didOpen", "params": {"textDocument": document}}
    with start_server(tmp_path) as server:
        stdout, errors = server.communicate(
            frame_messages(INITIALIZE, {"method": "initialized", "params": {}}, did_open)
        )
    messages_of_server = parse_messages(stdout)
    assert messages_of_server[0]["result"]["capabilities"]["hoverProvider"] is True
    assert server.returncode == 1
    assert errors == b""


def test_ctrl_c_ends_a_waiting_server(tmp_path):
    with start_server(tmp_path) as server:
        server.stdin.write(frame_messages(INITIALIZE))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length")
        server.send_signal(signal.SIGINT)
        assert server.wait() == 130


def frame_body(data):
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


MALFORMED = [
    frame_body(b"{not json"),
    frame_body(b"\xff\xfe"),
    frame_body(b"[" * 200_000),
    frame_body(b"[1, 2]"),
    frame_body(b"null"),
    frame_body(b'{"id": 2, "method": "x"}'),
    frame_messages({"id": 2, "method": 7}),
    frame_messages({"id": 3, "method": "textDocument/hover", "params": {}}),
    frame_messages(
        {"id": "four", "method": "textDocument/hover", "params": {"textDocument": {"uri": 7}, "position": None}}
    ),
    frame_messages({"id": [5], "method": "textDocument/hover", "params": {}}),
    frame_messages({"method": "textDocument/didOpen", "params": {"textDocument": 7}}),
    frame_messages({"id": 2, "method": "workspace/executeCommand", "params": {"command": "nope", "arguments": []}}),
]


def test_malformed_messages_are_logged_as_one_line_each(tmp_path):
    end = frame_messages({"id": 9, "method": "shutdown"}, {"method": "exit"})
    with start_server(tmp_path) as server:
        stdout, errors = server.communicate(frame_messages(INITIALIZE) + b"".join(MALFORMED) + end)
    answers = {str(answer["id"]): answer for answer in parse_messages(stdout)}
    assert [answers[id]["error"]["code"] for id in ("3", "four")] == [-32602, -32602]
    assert parse_messages(stdout)[-1]["id"] == 9
    assert server.returncode == 0
    lines = errors.splitlines()
    assert len(lines) == len(MALFORMED), lines
    assert all(line.startswith(b"tune-skill: ") for line in lines)


@pytest.mark.parametrize("size", ["9" * 16, "9" * 20, "9" * 5000])
def test_absurd_length_ends_the_server_with_one_line(tmp_path, size):
    with start_server(tmp_path) as server:
        _, errors = server.communicate(frame_messages(INITIALIZE) + f"Content-Length: {size}\r\n\r\n".encode())
    assert server.returncode == 1
    assert (errors.count(b"\n"), errors[:12]) == (1, b"tune-skill: ")
