"""What is remembered of a skill's text to find it again in other skills: hashes of its files and passages."""

import hashlib
from collections.abc import Iterator
from typing import Any

from actions.facts.docs.blocks import blocks, said
from actions.facts.docs.passages import size
from actions.skill import Skill
from actions.skill.document import Document
from actions.skill.skill import SkillFile

LEAST_WORDS = 40
"""Words from which a passage is told as a duplicate: as in DOC-RED-004. Two Han characters are about a word."""
_BEGINS = 80
"""Characters of a passage by which a person knows it."""
_DIGITS = 32
"""Hex digits of a hash: 128 bits, so that two texts of a million do not meet by chance."""


def files_of(skill: Skill) -> list[dict[str, Any]]:
    """Give path, hash and size in bytes of each text file."""
    return [{"path": file.path, "hash": file.sha256[:_DIGITS], "bytes": len(file.raw)} for file in skill.files]


def passages_of(skill: Skill) -> list[dict[str, Any]]:
    """Give hash, place and size of each passage of the instructions: a block of 40 words or more, without markup."""
    return [found for file in skill.instructions for found in _passages(file)]


def _passages(file: SkillFile) -> Iterator[dict[str, Any]]:
    for first, last in blocks(file.doc):
        text = "\n".join(said(file.doc, first, last))
        words = size(text)
        if words >= LEAST_WORDS:
            mark = hashlib.sha256(text.casefold().encode()).hexdigest()[:_DIGITS]
            begins = _begins(file.doc, first, last)
            yield {"file": file.path, "line": first, "hash": mark, "words": words, "begins": begins}


def _begins(doc: Document, first: int, last: int) -> str:
    lines = (doc.line(number).strip() for number in range(first, last + 1))
    return next((line for line in lines if line and not line.startswith(("```", "~~~"))), "")[:_BEGINS]
