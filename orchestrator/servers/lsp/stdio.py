"""The server on stdin and stdout, which carry the protocol and nothing else."""

import logging
import os
import sys
from threading import Thread
from typing import BinaryIO

from orchestrator.engine.cache import open_cache
from orchestrator.servers.lsp.features import add_features
from orchestrator.servers.lsp.server import Server
from orchestrator.servers.lsp.worker import MainThread

_INTERRUPTED = 130


def serve() -> bool:
    """Serve on stdin and stdout until the editor is gone; returns whether it said so before."""
    logging.basicConfig(format="tune-skill: %(message)s", level=logging.ERROR)  # stderr
    worker = MainThread()
    server = Server(worker)
    add_features(server)
    spoken = Thread(target=_speak, args=(server, worker, *_streams()), daemon=True)
    spoken.start()
    if cache := open_cache():
        cache.trim()
    try:
        worker.serve()
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)  # the thread that reads waits for the editor, and would be waited for
    spoken.join()
    return server.said_goodbye


def _speak(server: Server, worker: MainThread, reading: BinaryIO, writing: BinaryIO) -> None:
    try:
        server.start_io(reading, writing)
    finally:
        worker.end()


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Return streams of the protocol alone: what anything else prints goes to stderr, and nothing else reads stdin."""
    sys.stdout.flush()
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return reading, writing
