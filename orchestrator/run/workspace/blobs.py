"""Contents of files under their sha256, in one folder of the work dir."""

import hashlib
from pathlib import Path

from orchestrator.errors import StateDamaged
from orchestrator.fs.durable import ensure_private_dir, write_bytes
from orchestrator.run.workspace.disk import read_regular


def sha256(data: bytes) -> str:
    """The hexadecimal sha256 of `data`."""
    return hashlib.sha256(data).hexdigest()


class Blobs:
    """A store of contents: put once, verified on each read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes) -> str:
        """Keep `data` durably and give its sha256."""
        name = sha256(data)
        path = self.folder / name
        if self._kept(name) != data:
            ensure_private_dir(self.folder)
            write_bytes(path, data)
        return name

    def get(self, name: str) -> bytes:
        """Give the contents kept as `name`; raises StateDamaged when they are missing or not what they were."""
        data = self._kept(name)
        if data is None or sha256(data) != name:
            raise StateDamaged(
                f"{self.folder / name}: missing or damaged; compare the skill with the copy in "
                f"{self.folder.parent / 'backup'} by hand"
            )
        return data

    def _kept(self, name: str) -> bytes | None:
        try:
            return read_regular(self.folder / name)
        except OSError:
            return None
