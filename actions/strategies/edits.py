"""Line edits that leave every other byte of a file as it is: line ends, marks, a missing last newline."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from actions.skill import SkillFile


@dataclass(frozen=True)
class Edit:
    """Replace lines `start` to `end` (from 1, both included) by `lines`; `end = start - 1` inserts before `start`."""

    start: int
    end: int
    lines: Sequence[str]


def edit(file: SkillFile, edits: Iterable[Edit]) -> bytes:
    """Give the file's bytes with the edits carried out. Edits must not overlap; line numbers are the old file's."""
    kept = _split(file.text)
    newline = "\r\n" if sum(line.endswith("\r\n") for line in kept) * 2 > len(kept) else "\n"
    for change in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        new = [line + newline for line in change.lines]
        at_end = change.end >= len(kept) or change.start > len(kept)
        if at_end and kept and not kept[-1].endswith("\n"):
            if change.start > len(kept) and new:
                kept[-1] += newline
            if new:
                new[-1] = new[-1].removesuffix(newline)
        kept[change.start - 1 : change.end] = new
    return "".join(kept).encode("utf-8")


def rewritten(file: SkillFile, edits: Iterable[Edit]) -> tuple[str, ...]:
    """Give the old lines that the edits write otherwise or take out: what a draft drops on purpose."""
    return tuple(line for change in edits for line in _gone(file, change))


def reworded(file: SkillFile, edits: Iterable[Edit]) -> tuple[str, ...]:
    """Give the old lines that the edits write otherwise."""
    return rewritten(file, [change for change in edits if change.lines])


def _gone(file: SkillFile, change: Edit) -> Iterator[str]:
    stays = {_item(line) for line in change.lines}
    old = (file.doc.line(number) for number in range(change.start, change.end + 1))
    return (line for line in old if line.strip() and _item(line) not in stays)


def _item(line: str) -> str:
    """Give a line without the comma that only tells whether another item follows."""
    return line.strip().removesuffix(",")


def _split(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def new_file(text: str) -> bytes:
    """Give the bytes of a file that a strategy creates: one newline at its end."""
    return (text.rstrip("\n") + "\n").encode("utf-8")


def indent_of(line: str) -> str:
    """Give the white space that a line begins with."""
    return line[: len(line) - len(line.lstrip())]
