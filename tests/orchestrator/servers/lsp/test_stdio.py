"""Test the end of the server, by a disconnect or Ctrl-C, and what it writes until then."""

import json
import signal
import subprocess

from tests.fakes import a_skill
from tests.orchestrator.servers.lsp.conftest import COMMAND


def framed(*messages):
    bodies = (json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages)
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


def messages(data):
    """Return the messages of a stream, which must contain nothing else."""
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
    main = a_skill(tmp_path / "plover", "See [a](missing.md).\n" * 300) / "SKILL.md"
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
