"""Find text that several skills share, by the hashes of whole skills, files and passages."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Records = Callable[[], Iterable[Mapping[str, Any]]]
"""Reads the records of a fleet (`fleet_record.schema.json`), at each call, so that they need not fit in memory."""

KINDS = ("skills", "files", "passages")
_MIN_BYTES = 200
"""Minimum size in bytes of a reported file. Smaller files are often equal by chance."""
_MAX_PLACES = 20
"""Maximum number of locations to list per duplicate. `count` also includes the others."""


class _Text(NamedTuple):
    """The text of a skill, a file or a passage. `size` is in words for a passage, otherwise in bytes."""

    kind: str
    hash: int
    size: int
    place: dict[str, Any]


def find_duplicates(records: Records, limit: int) -> dict[str, list[dict[str, Any]]]:
    """Return the texts that several skills share, by kind, with the most repeated bytes or words first.

    At most `limit` texts of each kind are returned. Of equal skills, the files of only one are counted, and of equal
    files, the passages of only one.
    """
    counts: dict[str, dict[int, tuple[int, int]]] = {kind: {} for kind in KINDS}
    for text in _list_texts(records):
        count, _ = counts[text.kind].get(text.hash, (0, 0))
        counts[text.kind][text.hash] = count + 1, text.size
    duplicates = {kind: _select_most_repeated_texts(counts[kind], limit) for kind in KINDS}
    for text in _list_texts(records):
        duplicate = duplicates[text.kind].get(text.hash)
        if duplicate and len(duplicate["places"]) < _MAX_PLACES:
            duplicate["places"].append(text.place)
    return {kind: list(duplicates[kind].values()) for kind in KINDS}


def _select_most_repeated_texts(counts: Mapping[int, tuple[int, int]], limit: int) -> dict[int, dict[str, Any]]:
    """Return at most `limit` repeated texts by hash, with the most repeated bytes or words first.

    `counts` maps hashes to the number of occurrences and the size of each text. The locations are still empty.
    """

    def sort_key(hash: int) -> tuple[int, int]:
        count, size = counts[hash]
        return -(count - 1) * size, hash

    repeated_hashes = sorted((hash for hash, (count, _) in counts.items() if count > 1), key=sort_key)
    return {hash: {"count": counts[hash][0], "size": counts[hash][1], "places": []} for hash in repeated_hashes[:limit]}


def _list_texts(records: Records) -> Iterator[_Text]:
    """Yield the skills, files and passages of a fleet, except the parts of repeated skills and files."""
    skills: set[int] = set()
    files: set[int] = set()
    for record in records():
        if not record["files"]:
            continue
        digest, path = _hash_skill(record), record["path"]
        yield _Text("skills", digest, sum(file["bytes"] for file in record["files"]), {"skill": path})
        if digest not in skills:
            skills.add(digest)
            yield from _skip_repeats(_list_parts(record, files))


def _list_parts(record: Mapping[str, Any], seen_files: set[int]) -> Iterator[_Text]:
    """Yield the files of a skill, and the passages of those files that are not in `seen_files`.

    The hashes of the skill's files are added to `seen_files`.
    """
    path, new_files = record["path"], set()
    for file in record["files"]:
        hash = int(file["hash"], 16)
        if hash not in seen_files:
            new_files.add(file["path"])
            seen_files.add(hash)
        if file["bytes"] >= _MIN_BYTES:
            yield _Text("files", hash, file["bytes"], {"skill": path, "file": file["path"]})
    for passage in record["passages"]:
        if passage["file"] in new_files:
            place = {"skill": path, "file": passage["file"], "line": passage["line"], "begins": passage["begins"]}
            yield _Text("passages", int(passage["hash"], 16), passage["words"], place)


def _skip_repeats(found: Iterable[_Text]) -> Iterator[_Text]:
    """Yield each text of a skill only once, because a duplicate is a text that several skills share."""
    seen: set[tuple[str, int]] = set()
    for text in found:
        if (text.kind, text.hash) not in seen:
            seen.add((text.kind, text.hash))
            yield text


def _hash_skill(record: Mapping[str, Any]) -> int:
    lines = "\n".join(f"{file['hash']} {file['path']}" for file in record["files"])
    return int.from_bytes(hashlib.sha256(lines.encode("utf-8", "replace")).digest()[:16])
