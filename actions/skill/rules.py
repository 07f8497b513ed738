"""The instructions of a skill: sentences that tell a model what it must, may or must never do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from actions.skill.memo import once
from actions.skill.skill import SkillFile
from actions.skill.stems import Stems
from actions.skill.text import plain, sentences, strip_list_mark

_NEVER = re.compile(
    r"\b(?:never|must\s+not|mustn['’]t|do\s+not|don['’]t|shall\s+not|may\s+not|cannot|forbidden|prohibited)\b"
    r"|禁止|不得|不要|不能|不可|严禁|切勿|绝不|请勿"
)
_MUST = re.compile(r"\b(?:must|always|mandatory|required|shall|critical|important)\b|必须|务必|一定要|始终|应当|强制")
_ONLY = re.compile(r"\bonly\b|\bat (?:most|least)\b|\bexactly\b|只能|仅限|仅能|至多|至少|最多|最少")
_MAY_BIND = re.compile(
    "never|must|not|don|shall|forbid|prohibit|always|mandatory|required|critical|important|only|at most|at least"
    "|exactly|[禁不严切绝请必务一始应强只仅至最]"
)
"""Part of every word above, in lower case without word borders: six times as fast, so it is asked first."""
_BINDING = Stems(
    *"never must not don shall forbid prohibit always mandatory required critical important only most least".split(),
    *"exactly 禁止 不得 不要 不能 不可 严禁 切勿 绝不 请勿 必须 务必 一定要 始终 应当 强制 只能 仅限 仅能".split(),
    *"至多 至少 最多 最少".split(),
)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")


class Force(StrEnum):
    """How a rule binds."""

    NEVER = "never"
    MUST = "must"
    ONLY = "only"


@dataclass(frozen=True)
class Rule:
    """One binding sentence in prose."""

    file: str
    line: int
    text: str
    force: Force

    @cached_property
    def key(self) -> str:
        """The sentence for comparing: no markup, lower case."""
        return plain(self.text)


@lru_cache(maxsize=8192)
def force_of(sentence: str) -> Force | None:
    """Tell how a sentence binds; None for one that only informs."""
    lower = sentence.lower()
    if not _MAY_BIND.search(lower):
        return None
    if _NEVER.search(lower):
        return Force.NEVER
    if _MUST.search(lower):
        return Force.MUST
    return Force.ONLY if _ONLY.search(lower) else None


@once
def rules(file: SkillFile) -> tuple[Rule, ...]:
    """Give the binding sentences of a file's prose in order. Headings, tables' rulers and fences are left out."""
    return tuple(_rules(file))


def _rules(file: SkillFile) -> Iterator[Rule]:
    for number, line in _BINDING.prose(file):
        if _HEADING.match(line):
            continue
        for sentence in sentences(strip_list_mark(line)):
            force = force_of(sentence)
            if force:
                yield Rule(file.path, number, sentence, force)
