"""Test reading the lines of a file from its end."""

import os

import pytest

from orchestrator.fs import tail


@pytest.mark.parametrize("chunk", [1, 7, 64, 500])
def test_newest_first_gives_the_same_lines_for_any_chunk_size(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(tail, "CHUNK", chunk)
    lines = [b"needle one", b"two", b"the needle, the needle and more needle", b"x" * 300, b"end needle"]
    path = tmp_path / "file"
    for text in (b"\n".join(lines), b"\n".join(lines) + b"\n"):
        path.write_bytes(text)
        with path.open("rb") as file:
            assert list(tail.read_newest_first(file)) == lines[::-1]
            assert list(tail.read_newest_first(file, [b"needle"])) == [lines[4], lines[2], lines[0]]
            assert list(tail.read_newest_first(file, [b"needle", b"more"])) == [lines[2]]


@pytest.mark.parametrize("chunk", [1, 7, 64, 500])
@pytest.mark.parametrize("long_line", [b"x" * 5000, b"\0" * 5000])
def test_newest_first_skips_lines_above_the_limit(tmp_path, monkeypatch, chunk, long_line):
    monkeypatch.setattr(tail, "CHUNK", chunk)
    monkeypatch.setattr(tail, "MAX_LINE", 1000)
    path = tmp_path / "file"
    for lines in ([b"one", long_line, b"two"], [long_line, b"one", b"two"], [b"one", b"two", long_line], [long_line]):
        path.write_bytes(b"\n".join(lines))
        with path.open("rb") as file:
            assert list(tail.read_newest_first(file)) == [line for line in lines if line != long_line][::-1]


def test_newest_first_reads_a_bounded_part_of_a_huge_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tail, "MAX_BYTES", 3_000_000)
    read_sizes = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, size, start: read_sizes.append(size) or pread(fd, size, start))
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(10_000_000_000)
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast")
    with path.open("rb") as file:
        assert list(tail.read_newest_first(file)) == [b"last"]
    assert sum(read_sizes) <= 3_000_000
