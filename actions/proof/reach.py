"""Which files of a skill somebody is led to: what stands anywhere else is not said."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from actions.memo import once, once_among
from actions.proof.statements import Standing, statements
from actions.skill import Skill, SkillFile
from actions.skill.paths import MAIN

_NAME = re.compile(r"[\w.\-/*{}<>$]*\.\w+|[\w.\-/]+/[\w.\-*{}<>$]*")


@dataclass(frozen=True)
class Reached:
    """The text files to which SKILL.md leads, over as many others as it takes; those without a warning of them."""

    files: frozenset[str]
    in_force: frozenset[str]

    def at(self, standing: Standing) -> frozenset[str]:
        """Return the files in which a statement can stand so."""
        return self.files if standing is Standing.SHUNNED else self.in_force


@once
def reached(skill: Skill) -> Reached:
    """Follow the names of files from SKILL.md on."""
    return Reached(_closure(skill, named_in), _closure(skill, vouched_in))


def _closure(skill: Skill, named: Callable[[SkillFile, Skill], frozenset[str]]) -> frozenset[str]:
    found, waiting = {MAIN}, [MAIN]
    while waiting:
        new = named(skill.by_path[waiting.pop()], skill) - found
        found |= new
        waiting += new
    return frozenset(found)


@once_among
def named_in(file: SkillFile, skill: Skill) -> frozenset[str]:
    """Return the text files that a file names: by name, or all of a folder together."""
    return _named((s.text for s in statements(file, skill)), skill) - {file.path}


@once_among
def vouched_in(file: SkillFile, skill: Skill) -> frozenset[str]:
    """Return the text files that a file names where it does not warn of them."""
    if all(s.standing is not Standing.SHUNNED for s in statements(file, skill)):
        return named_in(file, skill)
    return _named((s.text for s in statements(file, skill) if s.standing is not Standing.SHUNNED), skill) - {file.path}


def _named(said: Iterable[str], skill: Skill) -> frozenset[str]:
    texts = list(said)
    tokens = {token for text in texts for token in _tokens(text)}
    names = {name for _, _, name in tokens}
    folders = {folder.removeprefix("./") for folder, mark, name in tokens if mark and _is_open(name)}
    return frozenset(
        path
        for path in skill.by_path
        for folder, _, name in [path.rpartition("/")]
        if name in names or folder in folders or (not _NAME.fullmatch(name) and any(name in text for text in texts))
    )


@lru_cache(maxsize=16384)
def _tokens(text: str) -> frozenset[tuple[str, str, str]]:
    return frozenset(token.rpartition("/") for token in _NAME.findall(text))


def _is_open(name: str) -> bool:
    """Return whether the last part of a path means any file: `phases/`, `phases/*.md`, `phases/{name}.md`."""
    return not name or any(char in name for char in "*{<$")
