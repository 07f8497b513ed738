"""Scan a skill as the editor shows it: the files on disk, with unsaved text in their place."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, chdir
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pygls.workspace import PositionCodec

from actions.case import Case
from orchestrator.engine.cache import open_cache
from orchestrator.engine.rows import Row
from orchestrator.engine.scan import scan_unit
from orchestrator.engine.units import ScanOptions, read_unit
from orchestrator.run.workspace.pending import add_note
from orchestrator.servers.lsp.positions import Text
from schemas.issues import Issue


@dataclass(frozen=True)
class OpenSkill:
    """A skill with open files: its real folder, and the folder in which a command would run.

    `texts` and `uris` hold the text and the URI of each open file, by path in the skill.
    """

    root: Path
    project: Path
    texts: Mapping[str, str]
    uris: Mapping[str, str]

    def uri(self, path: str) -> str:
        """Return the URI of a file: the editor's own if the file is open."""
        return self.uris.get(path) or (self.root / path).as_uri()


@dataclass(frozen=True)
class Snapshot:
    """A scanned skill. `unsaved` are the paths of files whose text in the editor differs from disk."""

    skill: OpenSkill
    case: Case
    row: Row
    unsaved: tuple[str, ...]
    codec: PositionCodec

    @cached_property
    def issues(self) -> list[Issue]:
        """The findings to show, the worst first."""
        return [issue for issue in self.row.opened if not issue.is_from_session]

    @cached_property
    def _texts(self) -> dict[str, Text]:
        return {}

    def text(self, path: str) -> Text:
        """Return the text of a file of the skill."""
        if path not in self._texts:
            file = self.case.skill.by_path.get(path)
            self._texts[path] = Text(file.text if file else "", self.codec)
        return self._texts[path]


def take_snapshot(
    skill: OpenSkill, codec: PositionCodec, time_limit: Callable[[], AbstractContextManager[None]]
) -> Snapshot:
    """Scan a skill as `diagnose` does in its project. Raises TuneSkillError and OSError."""
    with chdir(skill.project):
        options = ScanOptions(cache=open_cache(), time_limit=time_limit)
        unit = read_unit(skill.root, options, skill.texts)
        return Snapshot(skill, unit.case, add_note(scan_unit(unit, options)), unit.unsaved, codec)
