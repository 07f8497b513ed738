"""A Messages API on loopback with a scripted model, for the real SDK and the real CLI.

    with ScriptedApi(lambda request: tool_call("StructuredOutput", issues=[])) as api:
        ...  # run the CLI with ANTHROPIC_BASE_URL=api.url

A script takes the request's body and returns a text, a block, a list of blocks, or a `Reply`. Every request is added
to `api.requests`. If a script raises, the answer has status 400, so that the test fails at once.
"""

import itertools
import json
import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Block = Mapping[str, Any]
_ids = itertools.count(1)


@dataclass(frozen=True)
class Reply:
    """A reply of the model: blocks with usage, or the status of an error. `drop_after` ends the stream after this many events.

    A `body` is sent instead of blocks. A tool block may have `raw`, a text that is sent as the input.
    """

    content: tuple[Block, ...] = ()
    stop_reason: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)
    delay: float = 0.0
    status: int = 200
    error: Mapping[str, str] = field(default_factory=lambda: {"type": "api_error", "message": "scripted"})
    headers: Mapping[str, str] = field(default_factory=dict)
    drop_after: int | None = None
    body: bytes | None = None


@dataclass(frozen=True)
class Request:
    """A request that the server received."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


Script = Callable[[Any], "str | Block | list[Block] | Reply"]


def text_block(words: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": words}


def tool_call(name: str, **arguments: Any) -> Block:
    """Return a tool call."""
    return {
        "type": "tool_use",
        "id": f"toolu_{next(_ids):06d}{uuid.uuid4().hex[:10]}",
        "name": name,
        "input": arguments,
    }


def join_text(content: Any) -> str:
    """Return all text of a message's content, tool results included."""
    if isinstance(content, str):
        return content
    parts = [b["text"] if b.get("type") == "text" else join_text(b.get("content")) for b in content or []
             if b.get("type") in ("text", "tool_result")]  # fmt: skip
    return "\n".join(parts)


def join_user_text(request: Any) -> str:
    """Return all text on the user's side of a request: prompts, reminders, tool results."""
    return "\n".join(join_text(m["content"]) for m in request["messages"] if m["role"] == "user")


def get_last_user_text(request: Any) -> str:
    """Return the text of the last message on the user's side. The CLI may append reminders to it."""
    return next((join_text(m["content"]) for m in reversed(request["messages"]) if m["role"] == "user"), "")


def list_tool_names(request: Any) -> list[str]:
    """Return the names of the tools that a request offers."""
    return [str(offered.get("name")) for offered in request.get("tools") or []]


def get_answer_schema(request: Any) -> Any:
    """Return the schema that an answer must match; {} if a request asks for none."""
    return next((t["input_schema"] for t in request.get("tools") or [] if t["name"] == "StructuredOutput"), {})


def build_smallest_value(schema: Any) -> Any:
    """Return the smallest value that matches the schema of a question: empty lists and first choices."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: build_smallest_value(schema["properties"][name]) for name in schema.get("required", ())}
    if kind == "array":
        return [build_smallest_value(schema["items"]) for _ in range(schema.get("minItems", 0))]
    if kind == "string":
        return "x" * schema.get("minLength", 0)
    return {"integer": schema.get("minimum", 0), "number": schema.get("minimum", 0), "boolean": False}.get(kind)


def build_smallest_answer(prompt: str, schema: Any) -> Any:
    """Return the smallest answer to a question: no finding, and a declined draft for each fault in the prompt."""
    value = build_smallest_value(schema)
    for draft in value.get("drafts", [])[:1]:
        ids = re.findall(r"^### (ISS-\d+)$", prompt, re.MULTILINE)
        value["drafts"] = [{**draft, "faults": [id], "declined": "It is meant so."} for id in ids]
    return value


def answer_minimally(request: Any) -> Block:
    """Answer any question with the smallest valid answer."""
    return tool_call("StructuredOutput", **build_smallest_answer(join_user_text(request), get_answer_schema(request)))


class ScriptedApi:
    """An HTTP server. `requests` has every request; `model_requests` has the bodies of the requests for a model's turn."""

    def __init__(self, script: Script = lambda request: "ok") -> None:
        self.script = script
        self.requests: list[Request] = []
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _make_handler(self))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def model_requests(self) -> list[Any]:
        """Return the bodies of the requests for a model's turn."""
        with self.lock:
            return [
                r.body for r in self.requests if r.method == "POST" and _strip_query(r.path).endswith("/v1/messages")
            ]

    def answer(self, body: Any) -> Any:
        """Return the input of the tool call that the script answers with; record the request as if it were sent."""
        with self.lock:
            self.requests.append(Request("POST", "/v1/messages", {}, body))
        return _run_script(self.script, body).content[0]["input"]

    def __enter__(self) -> "ScriptedApi":
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.server.shutdown()
        self.server.server_close()


def _strip_query(path: str) -> str:
    return path.split("?")[0]


def _make_handler(api: ScriptedApi) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Log nothing."""

        def do_GET(self) -> None:
            self._record(None)
            self._json(404, _make_error({"type": "not_found_error", "message": "scripted"}))

        do_HEAD = do_PUT = do_DELETE = do_GET  # noqa: N815 - the names that http.server calls

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            body = json.loads(raw or b"null")
            self._record(body)
            if _strip_query(self.path).endswith("/count_tokens"):
                self._json(200, {"input_tokens": len(raw) // 4})
            elif _strip_query(self.path).endswith("/v1/messages"):
                self._answer(body, _run_script(api.script, body))
            else:
                self._json(200, {})

        def _record(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            with api.lock:
                api.requests.append(Request(self.command, self.path, headers, body))

        def _json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
            self._send(status, json.dumps(value).encode(), headers)

        def _send(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
            self.send_response(status)
            for name, text in {"content-type": "application/json", "content-length": str(len(content)),
                                "request-id": f"req_{uuid.uuid4().hex[:16]}", **(headers or {})}.items():  # fmt: skip
                self.send_header(name, text)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def _answer(self, body: Any, reply: Reply) -> None:
            time.sleep(reply.delay)
            if reply.status != 200:
                self._json(reply.status, _make_error(reply.error), reply.headers)
                return
            if reply.body is not None:
                self._send(200, reply.body, {"content-type": "text/event-stream"})
                return
            message = _make_message(body, reply)
            if not body.get("stream"):
                self._json(200, message)
                return
            self.close_connection = True
            try:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("request-id", f"req_{uuid.uuid4().hex[:16]}")
                self.send_header("connection", "close")
                self.end_headers()
                for event in itertools.islice(_list_events(message), reply.drop_after):
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                    self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                pass

    return Handler


def _make_error(error: Mapping[str, str]) -> Any:
    return {"type": "error", "error": error}


def _run_script(script: Script, body: Any) -> Reply:
    try:
        answer = script(body)
    except Exception as error:  # noqa: BLE001 - a broken script must fail the test and not cause retries
        return Reply(status=400, error={"type": "invalid_request_error", "message": f"script: {error!r}"})
    if isinstance(answer, Reply):
        return answer
    blocks = [text_block(answer)] if isinstance(answer, str) else answer if isinstance(answer, list) else [answer]
    return Reply(tuple(blocks))


def _make_message(body: Any, reply: Reply) -> dict[str, Any]:
    calls = any(block["type"] == "tool_use" for block in reply.content)
    usage = {"input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 20}
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}", "type": "message", "role": "assistant", "model": body.get("model"),
        "content": list(reply.content), "stop_reason": reply.stop_reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None, "usage": {**usage, **reply.usage},
    }  # fmt: skip


def _list_events(message: dict[str, Any]) -> "itertools.chain[dict[str, Any]]":
    usage = message["usage"]
    start = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return itertools.chain(
        [{"type": "message_start", "message": start}],
        *(_list_block_events(i, block) for i, block in enumerate(message["content"])),
        [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}],
    )


def _list_block_events(index: int, block: Block) -> list[dict[str, Any]]:
    if block["type"] == "text":
        start: Block = {"type": "text", "text": ""}
        delta: Block = {"type": "text_delta", "text": block["text"]}
    else:
        start = {name: value for name, value in block.items() if name != "raw"} | {"input": {}}
        delta = {"type": "input_json_delta", "partial_json": block.get("raw", json.dumps(block["input"]))}
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]
