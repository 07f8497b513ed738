"""Measure the seconds from a save in an editor until a running server has sent the findings.

    python benchmarks/editor.py [FOLDER]

FOLDER holds skills (default: the examples); they are copied. Prints the median and the maximum for an unchanged skill
and for a skill with a new line, and for comparison the time of `diagnose` in a new process.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).resolve().parents[1]
TUNE = [sys.executable, str(ROOT / "tune_skill.py")]
ROUNDS = 9


class Editor:
    """A client that waits for the diagnostics of one file."""

    def __init__(self) -> None:
        self.client = LanguageClient("benchmark", "1")
        self._shown = asyncio.Event()
        self._waits_for = ""
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self.make_handler())

    def make_handler(self):
        """Return the handler of published diagnostics."""

        def receive(params: types.PublishDiagnosticsParams) -> None:
            if params.uri == self._waits_for:
                self._shown.set()

        return receive

    async def time_change(self, path: Path, *messages) -> float:
        """Return the seconds from sending messages until the diagnostics of a file arrive."""
        self._waits_for = path.as_uri()
        self._shown.clear()
        began = time.perf_counter()
        for send, params in messages:
            send(params)
        await asyncio.wait_for(self._shown.wait(), 8)
        return time.perf_counter() - began

    async def time_skill(self, main: Path) -> tuple[float, float] | None:
        """Return the seconds for an unchanged skill, and for a skill with a new line; None if no diagnostics arrive."""
        text, uri, client = main.read_text(), main.as_uri(), self.client
        saved = (client.text_document_did_save, types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        opened = types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "markdown", 1, text))
        try:
            await self.time_change(main, (client.text_document_did_open, opened))
        except TimeoutError:
            return None
        unchanged = [await self.time_change(main, saved) for _ in range(ROUNDS)]
        changed = []
        for number in range(ROUNDS):
            whole = types.TextDocumentContentChangeWholeDocument(f"{text}\nLine {number}.\n")
            document = types.VersionedTextDocumentIdentifier(number + 2, uri)
            change = types.DidChangeTextDocumentParams(document, [whole])
            changed.append(await self.time_change(main, (client.text_document_did_change, change), saved))
        client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        return median(unchanged), median(changed)


async def measure(folder: Path, home: Path) -> list[tuple[float, float]]:
    """Return the figures of each skill below a folder."""
    editor = Editor()
    await editor.client.start_io(*TUNE, "lsp", env=build_environment(home), cwd=folder)
    await editor.client.initialize_async(types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri()))
    editor.client.initialized(types.InitializedParams())
    figures = [await editor.time_skill(main) for main in sorted(folder.rglob("SKILL.md"))]
    await editor.client.shutdown_async(None)
    editor.client.exit(None)
    await editor.client.stop()
    return list(filter(None, figures))


def build_environment(home: Path) -> dict[str, str]:
    """Return the environment with another HOME."""
    return {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "XDG_STATE_HOME": str(home)}


def time_diagnose(folder: Path, home: Path) -> float:
    """Return the seconds of `diagnose` for one skill, in a separate process."""
    began = time.perf_counter()
    subprocess.run(
        [*TUNE, "diagnose", "--no-cache", folder],
        env=build_environment(home),
        cwd=home,
        capture_output=True,
        check=False,
    )
    return time.perf_counter() - began


def main() -> None:
    """Print the times."""
    source = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "examples"
    with tempfile.TemporaryDirectory() as name:
        home, work = Path(name) / "home", Path(name) / "work"
        home.mkdir()
        for number, skill in enumerate(sorted(path.parent for path in source.rglob("SKILL.md"))):
            copy = shutil.copytree(skill, work / str(number) / skill.name, ignore_dangling_symlinks=True)
            with (copy / "SKILL.md").open("a") as file:
                file.write("\nSee [what is not there](benchmark-missing.md).\n")
        figures = asyncio.run(measure(work, home))
        process_seconds = median(
            time_diagnose(next(iter(sorted(work.rglob("SKILL.md")))).parent, home) for _ in range(5)
        )
    for label, values in zip(("unchanged", "with a new line"), zip(*figures, strict=True), strict=True):
        ms = sorted(value * 1000 for value in values)
        print(f"{label:16} {len(ms)} skills: median {median(ms):6.1f} ms, slowest {ms[-1]:6.1f} ms")
    print(f"{'diagnose':16} of the first skill, in a new process: {process_seconds * 1000:.0f} ms")


if __name__ == "__main__":
    main()
