"""Hash the files and passages of a skill, to find duplicates in other skills."""

import hashlib
from typing import Any

from actions.skill import Skill
from actions.skill.duplicates import MIN_PROSE_WORDS, count_words, list_passages
from actions.skill.structure import Block

_MAX_QUOTE = 80
"""Maximum length of the quote of a passage in a report, in characters."""
_DIGITS = 32
"""Number of hex digits of a hash. With 128 bits, a collision in a million texts is practically impossible."""


def hash_files(skill: Skill) -> list[dict[str, Any]]:
    """Return the path, hash and size in bytes of each text file."""
    return [{"path": file.path, "hash": file.sha256[:_DIGITS], "bytes": len(file.raw)} for file in skill.files]


def hash_passages(skill: Skill) -> list[dict[str, Any]]:
    """Return the hash, location and size of each passage in the skill's instructions.

    Passages that are too short to be reported are skipped.
    """
    passages = [_hash_passage(file.path, block) for file in skill.instructions for block in list_passages(file)]
    return [passage for passage in passages if passage["words"] >= MIN_PROSE_WORDS]


def _hash_passage(path: str, block: Block) -> dict[str, Any]:
    digest = hashlib.sha256(block.text.casefold().encode()).hexdigest()[:_DIGITS]
    words, begins = int(count_words(block.text)), block.text[:_MAX_QUOTE]
    return {"file": path, "line": block.start, "hash": digest, "words": words, "begins": begins}
