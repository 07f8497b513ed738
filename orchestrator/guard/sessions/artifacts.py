"""Find the notes that an agent wrote for later sessions: checkpoints, reflections, roadmaps."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from orchestrator.fs import nofollow
from orchestrator.guard.sessions.config import ProjectConfig


class AgentArtifacts(msgspec.Struct, frozen=True):
    """The notes of an agent by kind, newest first. False as a condition if there are none."""

    checkpoints: tuple[Path, ...] = ()
    reflections: tuple[Path, ...] = ()
    roadmaps: tuple[Path, ...] = ()

    @property
    def latest_checkpoint(self) -> Path | None:
        """The newest checkpoint."""
        return next(iter(self.checkpoints), None)

    @property
    def latest_reflection(self) -> Path | None:
        """The newest reflection."""
        return next(iter(self.reflections), None)

    @property
    def latest_roadmap(self) -> Path | None:
        """The newest roadmap."""
        return next(iter(self.roadmaps), None)

    def all_paths(self) -> Iterator[Path]:
        """Yield the paths of all notes."""
        yield from self.checkpoints
        yield from self.reflections
        yield from self.roadmaps

    def __bool__(self) -> bool:
        return any(True for _ in self.all_paths())


def find_latest_artifacts(config: ProjectConfig | None = None, limit: int = 5) -> AgentArtifacts:
    """Return the newest notes, at most `limit` of each kind. Skips unreadable files. Never raises."""
    config = config or ProjectConfig()
    return AgentArtifacts(
        checkpoints=_find_newest(config.checkpoints_path, limit),
        reflections=_find_newest(config.reflections_path, limit),
        roadmaps=_find_newest(config.roadmaps_path, limit),
    )


def _find_newest(folder: Path, limit: int) -> tuple[Path, ...]:
    dated = []
    if nofollow.find_link(str(folder)):
        return ()
    try:
        for path in folder.glob("**/*.md"):
            if path.is_file():
                dated.append((path.stat().st_mtime, path))
    except OSError:
        pass
    return tuple(path for _, path in sorted(dated, reverse=True)[:limit])
