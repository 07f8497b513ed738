"""What an agent wrote for its later self: checkpoints, reflections, roadmaps; found by the time of their change."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.fs import nofollow
from orchestrator.guard.sessions.config import ConsciousnessConfig


@dataclass(frozen=True)
class ConsciousnessArtifacts:
    """The artifacts of an agent, the newest of each kind first. False when there is none."""

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
        """Yield all of them."""
        yield from self.checkpoints
        yield from self.reflections
        yield from self.roadmaps

    def __bool__(self) -> bool:
        return any(True for _ in self.all_paths())


def get_latest_consciousness_artifacts(
    config: ConsciousnessConfig | None = None, limit: int = 5
) -> ConsciousnessArtifacts:
    """Give the newest artifacts, at most `limit` of each kind. Never raises: what cannot be read is not there."""
    config = config or ConsciousnessConfig()
    return ConsciousnessArtifacts(
        *(_newest(path, limit) for path in (config.checkpoints_path, config.reflections_path, config.roadmaps_path))
    )


def _newest(folder: Path, limit: int) -> tuple[Path, ...]:
    found = []
    if nofollow.find_link(str(folder)):
        return ()
    try:
        for path in folder.glob("**/*.md"):
            if path.is_file():
                found.append((path.stat().st_mtime, path))
    except OSError:
        pass
    return tuple(path for _, path in sorted(found, reverse=True)[:limit])
