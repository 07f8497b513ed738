"""What is open in the editor, and what was seen of it last."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from pygls.workspace import Workspace

from orchestrator.project.skill_finder import find_skill_above
from orchestrator.servers.lsp.look import Look, Subject


def path_of(uri: str) -> Path | None:
    """Return the file that an address names; None for what is none: a new buffer, an old version out of git."""
    parts = urlsplit(uri)
    path = os.fsdecode(unquote_to_bytes(parts.path)) if parts.scheme == "file" else ""
    return Path(path) if path.startswith("/") and "\0" not in path else None


class Desk:
    """The skills of which a file is or was open: what was seen of each last, where that is shown, what was told."""

    def __init__(self) -> None:
        self.known: set[Path] = set()
        self.looks: dict[Path, Look] = {}
        self.shown: dict[Path, set[str]] = {}
        self.told: dict[Path, tuple[str, ...]] = {}
        self._turns: dict[Path, int] = {}

    def next_turn(self, root: Path) -> int:
        """Return the number of a new look at a skill."""
        self._turns[root] = self._turns.get(root, 0) + 1
        return self._turns[root]

    def is_turn(self, root: Path, turn: int) -> bool:
        """Return whether no later look at a skill was asked for."""
        return self._turns.get(root) == turn

    def news(self, root: Path, told: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sentences about a skill that were not told last time."""
        before, self.told[root] = self.told.get(root, ()), told
        return tuple(sentence for sentence in told if sentence not in before)

    def has_told(self, sentence: str) -> bool:
        """Return whether a sentence was told of any skill last time: what many share is told once."""
        return any(sentence in told for told in self.told.values())


def root_of(uri: str) -> Path | None:
    """Return the real folder of the skill that holds a file; None outside of any. Raises BadInput for a link out."""
    path = path_of(uri)
    if path is None:
        return None
    found = find_skill_above(path)
    return Path(os.path.realpath(found)) if found else None


def subject_of(workspace: Workspace, root: Path) -> Subject:
    """Return a skill with what is open of it."""
    texts, uris = {}, {}
    for document in workspace.text_documents.values():
        name = name_in(root, document.uri)
        if name:
            texts[name], uris[name] = document.source.lstrip("\ufeff"), document.uri
    return Subject(root, project_of(workspace, root), texts, uris)


def name_in(root: Path, uri: str) -> str:
    """Return the path of a file in a skill; "" for one that is not in it."""
    path = path_of(uri)
    real = Path(os.path.realpath(path)) if path else None
    return real.relative_to(root).as_posix() if real and real.is_relative_to(root) else ""


def project_of(workspace: Workspace, root: Path) -> Path:
    """Return where a command would run for a skill: the folder of the workspace around it, else its project's."""
    around = [folder for folder in _folders(workspace) if root.is_relative_to(folder)]
    if around:
        return max(around, key=lambda folder: len(folder.parts))
    return next((folder for folder in root.parents if (folder / ".git").exists()), root.parent)


def _folders(workspace: Workspace) -> Iterator[Path]:
    for uri in (*(folder.uri for folder in workspace.folders.values()), workspace.root_uri):
        path = path_of(uri) if uri else None
        if path:
            yield Path(os.path.realpath(path))
