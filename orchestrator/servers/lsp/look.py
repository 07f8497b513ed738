"""One look at a skill: as it stands on the disk, with what the editor holds unsaved."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, chdir, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from pygls.workspace import PositionCodec

from actions.case import Case
from orchestrator.engine.cache import Cache, cache_folder
from orchestrator.engine.diagnosis import Asked, case_of, proven, told
from orchestrator.engine.rows import Row
from orchestrator.errors import BadInput
from orchestrator.project.readers import read_skill, with_unsaved
from orchestrator.project.settings import project_table
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


def look(subject: Subject, codec: PositionCodec, limited: Callable[[], AbstractContextManager[None]]) -> Look:
    """Look at a skill as `diagnose` does in its project. Raises TuneSkillError and OSError."""
    with chdir(subject.project):
        disk = read_skill(subject.root)
        skill = with_unsaved(disk, subject.root, subject.texts)
        files = {path: disk.by_path[path] for path in sorted(subject.texts.keys() & disk.by_path.keys())}
        unsaved = tuple(path for path, file in files.items() if file.text.lstrip("\ufeff") != subject.texts[path])
        case = replace(case_of(subject.root, skill, Asked(project=project_table())), limited=limited)
        row = proven(subject.root, case, None if skill is not disk else kept_rows())
        return Look(subject, case, told(row, subject.root), unsaved, codec)


def kept_rows() -> Cache | None:
    """Return what `diagnose` remembers; None for a user without a home."""
    with suppress(BadInput):
        return Cache(cache_folder())
    return None
