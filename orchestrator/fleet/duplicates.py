"""What several skills hold alike: whole skills, files, passages, found by their hashes."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Records = Callable[[], Iterable[Mapping[str, Any]]]
"""The records of a fleet (`fleet_record.schema.json`), anew at each call: they need not fit in memory."""

KINDS = ("skills", "files", "passages")
_LEAST_BYTES = 200
"""Size from which a file is told as a duplicate: smaller ones are alike by nature."""
_PLACES = 20
"""Places that are named of one duplicate; `count` tells how many there are."""


class _Met(NamedTuple):
    """A text that was met in a skill. `size`: bytes, of a passage words."""

    kind: str
    hash: int
    size: int
    place: dict[str, Any]


def duplicates(records: Records, most: int) -> dict[str, list[dict[str, Any]]]:
    """Return the texts that stand in more than one skill: of each kind at most `most`, first what is repeated most.

    A kind leaves out what the kind before it tells: files of skills that are alike, passages of files that are alike.
    """
    counts: dict[str, dict[int, tuple[int, int]]] = {kind: {} for kind in KINDS}
    for met in _all_met(records):
        count, _ = counts[met.kind].get(met.hash, (0, 0))
        counts[met.kind][met.hash] = count + 1, met.size
    chosen = {kind: _most_repeated(counts[kind], most) for kind in KINDS}
    for met in _all_met(records):
        found = chosen[met.kind].get(met.hash)
        if found and len(found["places"]) < _PLACES:
            found["places"].append(met.place)
    return {kind: list(chosen[kind].values()) for kind in KINDS}


def _most_repeated(counts: Mapping[int, tuple[int, int]], most: int) -> dict[int, dict[str, Any]]:
    several = ((hash, count, size) for hash, (count, size) in counts.items() if count > 1)
    ordered = sorted(several, key=lambda item: (-(item[1] - 1) * item[2], item[0]))
    return {hash: {"count": count, "size": size, "places": []} for hash, count, size in ordered[:most]}


def _all_met(records: Records) -> Iterator[_Met]:
    skills: set[int] = set()
    files: set[int] = set()
    for record in records():
        if not record["files"]:
            continue
        whole, path = _whole(record), record["path"]
        yield _Met("skills", whole, sum(file["bytes"] for file in record["files"]), {"skill": path})
        if whole not in skills:
            skills.add(whole)
            yield from _once_each(_parts(record, files))


def _parts(record: Mapping[str, Any], known: set[int]) -> Iterator[_Met]:
    """Return the files of a skill, and the passages of those that are not known yet."""
    path, fresh = record["path"], set()
    for file in record["files"]:
        hash = int(file["hash"], 16)
        if hash not in known:
            fresh.add(file["path"])
            known.add(hash)
        if file["bytes"] >= _LEAST_BYTES:
            yield _Met("files", hash, file["bytes"], {"skill": path, "file": file["path"]})
    for one in record["passages"]:
        if one["file"] in fresh:
            place = {"skill": path, "file": one["file"], "line": one["line"], "begins": one["begins"]}
            yield _Met("passages", int(one["hash"], 16), one["words"], place)


def _once_each(found: Iterable[_Met]) -> Iterator[_Met]:
    """Return each text once: what a skill says twice is no duplicate across skills."""
    seen: set[tuple[str, int]] = set()
    for met in found:
        if (met.kind, met.hash) not in seen:
            seen.add((met.kind, met.hash))
            yield met


def _whole(record: Mapping[str, Any]) -> int:
    marks = "\n".join(f"{file['hash']} {file['path']}" for file in record["files"])
    return int.from_bytes(hashlib.sha256(marks.encode("utf-8", "replace")).digest()[:16])
