"""One look at a skill: as it stands on the disk, with what the editor holds unsaved."""

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
from orchestrator.project.settings import read_project_settings
from orchestrator.run.workspace.pending import add_note
from orchestrator.servers.lsp.positions import Text
from schemas.issues import Issue


@dataclass(frozen=True)
class Subject:
    """A skill that is open in an editor: its real folder, the project in which a command would run, the open files.

    `texts` and `uris` are by path in the skill: what the editor holds of a file, and what it calls it.
    """

    root: Path
    project: Path
    texts: Mapping[str, str]
    uris: Mapping[str, str]

    def uri(self, path: str) -> str:
        """Return the address of a file: the editor's own where it is open."""
        return self.uris.get(path) or (self.root / path).as_uri()


@dataclass(frozen=True)
class Look:
    """What a look saw. `unsaved` are the files whose text stands in the editor alone."""

    subject: Subject
    case: Case
    row: Row
    unsaved: tuple[str, ...]
    codec: PositionCodec

    @cached_property
    def issues(self) -> list[Issue]:
        """The findings that are shown, the worst first."""
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


def look(subject: Subject, codec: PositionCodec, time_limit: Callable[[], AbstractContextManager[None]]) -> Look:
    """Scan a skill as `diagnose` does in its project. Raises TuneSkillError and OSError."""
    with chdir(subject.project):
        options = ScanOptions(project=read_project_settings(), cache=open_cache(), time_limit=time_limit)
        unit = read_unit(subject.root, options, subject.texts)
        return Look(subject, unit.case, add_note(scan_unit(unit, options)), unit.unsaved, codec)
