"""Let a disk become full at a moment that a test chooses."""

import errno
import os
import stat


class FullDisk:
    """A disk of which only what is removed from `folder` is free, once `fill` was called."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.size = folder, None
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)

    def fill(self):
        self.size = self._measure()

    def write(self, fd, data):
        is_file = stat.S_ISREG(os.fstat(fd).st_mode)
        if is_file and self.size is not None and self._measure() + len(data) > self.size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._write(fd, data)

    def _measure(self):
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())
