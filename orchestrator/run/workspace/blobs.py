"""Store file contents by their sha256, in one folder of the work dir."""

import hashlib
from pathlib import Path

from orchestrator.errors import StateDamaged
from orchestrator.fs.disk import read_regular
from orchestrator.fs.durable import ensure_private_dir, remove_temp_files, write_bytes

_TEMP_KEY = "blobs"


def sha256(data: bytes) -> str:
    """Return the hexadecimal sha256 of `data`."""
    return hashlib.sha256(data).hexdigest()


class Blobs:
    """A content-addressed store that verifies each read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def store(self, data: bytes) -> str:
        """Write `data` durably and return its sha256."""
        name = sha256(data)
        path = self.folder / name
        if self._read(name) != data:
            ensure_private_dir(self.folder)
            write_bytes(path, data, temp_key=_TEMP_KEY)
        return name

    def remove_temp_files(self) -> None:
        """Remove the temporary files of killed writers. The caller must hold the lock of the skill."""
        remove_temp_files(self.folder, _TEMP_KEY)

    def get(self, name: str) -> bytes:
        """Return the contents with the sha256 `name`. Raises StateDamaged if they are missing or damaged."""
        data = self._read(name)
        if data is None or sha256(data) != name:
            raise StateDamaged(
                f"{self.folder / name}: missing or damaged; compare the skill with the copy in "
                f"{self.folder.parent / 'backup'} by hand"
            )
        return data

    def _read(self, name: str) -> bytes | None:
        try:
            return read_regular(self.folder / name)
        except OSError:
            return None
