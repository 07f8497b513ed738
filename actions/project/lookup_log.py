"""Record a model's lookups for one question: what was shown, what was refused, and how much work that took."""

from collections.abc import Mapping
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from actions.project.allowance import MIN_LOOKUP_BYTES, Allowance
from templates.filters import counted

MAX_FILES, MAX_BYTES = 40, 200_000
"""Maximum number of files, and of bytes of text, shown for one question. The question's allowance is usually lower."""


class Lookup(msgspec.Struct, frozen=True):
    """A request of a model: paths (`a/b.py`, `a/b.py:10-80`, `a/`, `a/*.md`), and a text to find in them.

    `batch` identifies the lookups that a model requested at once. It is "" for a lookup that was requested alone.
    """

    paths: tuple[str, ...] = ()
    pattern: str = ""
    batch: str = ""


class SentText(msgspec.Struct, frozen=True):
    """Text that was sent from a file: the path, the sha256 of the whole file at that time, and the size of the text."""

    path: str
    sha256: str
    size: int


class RefusedPath(msgspec.Struct, frozen=True):
    """A path that was not shown, and why."""

    path: str
    reason: str


class Batch(msgspec.Struct, frozen=True):
    """The lookups of one request: the id of the batch, and the number of bytes that they add to the next request."""

    name: str
    size: int


class AnsweredLookup(msgspec.Struct, frozen=True):
    """A lookup, and the sha256 of the text that answered it."""

    lookup: Lookup
    sha256: str


class LookupLog(msgspec.Struct, frozen=True):
    """The texts sent and the paths refused for one question, in order, and the work done.

    `searches` is the number of searches. `searched` is the number of bytes of the searched files. `screened` is the
    number of bytes of the files in which secrets were looked for. `answered` has every lookup, even without a result.
    """

    sent: tuple[SentText, ...] = ()
    refused: tuple[RefusedPath, ...] = ()
    searches: int = 0
    searched: int = 0
    screened: int = 0
    batches: tuple[Batch, ...] = ()
    answered: tuple[AnsweredLookup, ...] = ()

    @property
    def hashes(self) -> Mapping[str, str]:
        """The sha256 of each file that was shown, as it was last shown."""
        return {text.path: text.sha256 for text in self.sent}

    @property
    def bytes_left(self) -> int:
        """The bytes of files that may still be shown, regardless of the allowance."""
        return max(0, MAX_BYTES - sum(text.size for text in self.sent))

    def may_show(self, path: str) -> bool:
        """Return whether a file may be shown: it was shown before, or the limit allows another file."""
        return path in self.hashes or len(self.hashes) < MAX_FILES

    def get_room(self, allowance: Allowance, batch: str = "") -> int:
        """Return the number of bytes that a lookup of a batch may add to the requests. "" means a new batch."""
        earlier, current = self._split_batches(batch)
        return min(allowance.get_room([batch_before.size for batch_before in earlier]) - current, self.bytes_left)

    def has_room(self, allowance: Allowance, batch: str = "") -> bool:
        """Return whether a lookup of a batch may show anything. "" means a new batch."""
        return self.get_room(allowance, batch) >= MIN_LOOKUP_BYTES

    def add_to_batch(self, name: str, size: int) -> "LookupLog":
        """Return the log with a lookup that adds `size` bytes to the next request."""
        earlier, current = self._split_batches(name)
        return replace(self, batches=(*earlier, Batch(name, current + size)))

    def add_answer(self, lookup: Lookup, text: str) -> "LookupLog":
        """Return the log with a lookup and the text that answered it."""
        return replace(self, answered=(*self.answered, AnsweredLookup(lookup, sha256(text.encode()).hexdigest())))

    def _split_batches(self, name: str) -> tuple[tuple[Batch, ...], int]:
        """Return the batches before the batch with this name, and the bytes of that batch."""
        is_open = bool(name and self.batches) and self.batches[-1].name == name
        return (self.batches[:-1], self.batches[-1].size) if is_open else (self.batches, 0)

    def describe(self) -> str:
        """Describe in one sentence what was sent and refused. Returns "" if nothing was looked up."""
        size = sum(entry.size for entry in self.sent)
        sent = f"{counted(len(self.hashes), 'file')} ({size / 1000:.0f} KB): {', '.join(self.hashes)}"
        refused = dict.fromkeys(f"{entry.path} ({entry.reason})" for entry in self.refused)
        parts = ([sent] if self.sent else []) + ([f"refused: {', '.join([*refused][:20])}"] if refused else [])
        return "; ".join(parts)


NOTHING_SHOWN = LookupLog()
