"""Test that the server ends at a disconnect or Ctrl-C, and its output until then."""

import json
import signal
import subprocess

import pytest

from tests.fakes import write_skill
from tests.orchestrator.servers.lsp.conftest import COMMAND


def framed(*messages):
    bodies = (json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages)
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


def messages(data):
    """Return the messages in a stream; fail if it contains anything else."""
    found = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        size = int(head.split(b"\r\n")[0].removeprefix(b"Content-Length: "))
        found.append(json.loads(rest[:size]))
        data = rest[size:]
    return found


HELLO = {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}}


def started(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(COMMAND, cwd=tmp_path, **pipes)


def test_server_ends_with_editor_and_stdout_is_protocol_only(tmp_path):
    main = write_skill(tmp_path / "plover", "See [a](missing.md).\n" * 300) / "SKILL.md"
    document = {"uri": main.as_uri(), "languageId": "markdown", "version": 1, "text": main.read_text()}
    opened = {"method": "textDocument/didOpen", "params": {"textDocument": document}}
    with started(tmp_path) as server:
        said, errors = server.communicate(framed(HELLO, {"method": "initialized", "params": {}}, opened))
    found = messages(said)
    assert found[0]["result"]["capabilities"]["hoverProvider"] is True
    assert server.returncode == 1
    assert errors == b""


def test_ctrl_c_ends_a_waiting_server(tmp_path):
    with started(tmp_path) as server:
        server.stdin.write(framed(HELLO))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length")
        server.send_signal(signal.SIGINT)
        assert server.wait() == 130


def body(data):
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


MALFORMED = [
    body(b"{not json"),
    body(b"\xff\xfe"),
    body(b"[" * 200_000),
    body(b"[1, 2]"),
    body(b"null"),
    body(b'{"id": 2, "method": "x"}'),
    framed({"id": 2, "method": 7}),
    framed({"id": 3, "method": "textDocument/hover", "params": {}}),
    framed({"id": "four", "method": "textDocument/hover", "params": {"textDocument": {"uri": 7}, "position": None}}),
    framed({"id": [5], "method": "textDocument/hover", "params": {}}),
    framed({"method": "textDocument/didOpen", "params": {"textDocument": 7}}),
    framed({"id": 2, "method": "workspace/executeCommand", "params": {"command": "nope", "arguments": []}}),
]


def test_malformed_messages_are_one_line_each_and_the_server_continues(tmp_path):
    end = framed({"id": 9, "method": "shutdown"}, {"method": "exit"})
    with started(tmp_path) as server:
        said, errors = server.communicate(framed(HELLO) + b"".join(MALFORMED) + end)
    answers = {str(answer["id"]): answer for answer in messages(said)}
    assert [answers[id]["error"]["code"] for id in ("3", "four")] == [-32602, -32602]
    assert messages(said)[-1]["id"] == 9
    assert server.returncode == 0
    lines = errors.splitlines()
    assert len(lines) == len(MALFORMED), lines
    assert all(line.startswith(b"tune-skill: ") for line in lines)


@pytest.mark.parametrize("size", ["9" * 16, "9" * 20, "9" * 5000])
def test_absurd_length_ends_the_server_in_one_line(tmp_path, size):
    with started(tmp_path) as server:
        _, errors = server.communicate(framed(HELLO) + f"Content-Length: {size}\r\n\r\n".encode())
    assert server.returncode == 1
    assert (errors.count(b"\n"), errors[:12]) == (1, b"tune-skill: ")
