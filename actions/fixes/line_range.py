"""Define a range of lines in a file."""

from typing import NamedTuple


class LineRange(NamedTuple):
    """The lines of a file from `first` to `last`, numbered from 1."""

    file: str
    first: int
    last: int
