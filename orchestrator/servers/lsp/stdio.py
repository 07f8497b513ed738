"""Run the language server on stdin and stdout. No other output is written to stdout."""

import logging
import os
import sys
from threading import Thread
from typing import BinaryIO

from orchestrator.engine.cache import open_cache
from orchestrator.engine.main_thread import MainThread
from orchestrator.servers.lsp.features import add_features
from orchestrator.servers.lsp.language_server import Server

_INTERRUPTED = 130


def serve() -> bool:
    """Serve until the editor disconnects. Returns whether the editor asked the server to shut down before."""
    logging.basicConfig(format="tune-skill: %(message)s", level=logging.ERROR)  # stderr
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # no tracebacks; `Server` logs each error in one line
    worker = MainThread()
    server = Server(worker)
    add_features(server)
    reader = Thread(target=_run_protocol, args=(server, worker, *_open_streams()), daemon=True)
    reader.start()
    if cache := open_cache():
        cache.trim()
    try:
        worker.serve()
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)  # a normal exit would wait for the reader thread, which waits for the editor
    reader.join()
    return server.is_shut_down


def _run_protocol(server: Server, worker: MainThread, reading: BinaryIO, writing: BinaryIO) -> None:
    try:
        server.start_io(reading, writing)
    except (ValueError, MemoryError, OverflowError):
        server.report_server_error(ValueError("invalid Content-Length; the server ends"), None)
    finally:
        worker.end()


def _open_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the streams of the protocol.

    Redirects stdout to stderr and stdin to /dev/null, so that no other code uses the streams of the protocol.
    """
    sys.stdout.flush()
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return reading, writing
