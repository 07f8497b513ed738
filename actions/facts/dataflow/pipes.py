"""Files by which one command hands its output to the next: a pipe would do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile

_WRITES = re.compile(
    r"(?:^|`|[;&]\s*"
    r"|\s)(?P<command>[a-z][\w.-]{0,20}\s[^`>\n]{1,200}?)>\s*(?P<out>[\w./-]{1,80}\.\w{1,8})`?\s*(?=$|[`;&.,)。，])"
)
_NEAR, _TWICE, _MOST = 3, 2, 60
MANY = 3


@dataclass(frozen=True)
class Step:
    """A command at `line` that writes the file `out` and nothing else."""

    file: str
    line: int
    command: str
    out: str


@once
def piped(skill: Skill) -> tuple[Step, ...]:
    """Give the longest run of three or more commands each of which takes up the file of the one before."""
    runs = [run for file in skill.instructions for run in _runs(skill, file)]
    best = max(runs, key=len, default=[])
    return tuple(best) if len(best) >= MANY else ()


def _runs(skill: Skill, file: SkillFile) -> Iterator[list[Step]]:
    run: list[Step] = []
    for step in islice(_steps(file), _MOST):
        if _names(skill, step.out) != _TWICE:
            continue
        if run and (step.line - run[-1].line > _NEAR or run[-1].out not in step.command):
            yield run
            run = []
        run.append(step)
    yield run


def _steps(file: SkillFile) -> Iterator[Step]:
    if ">" not in file.text:
        return
    for number, line in enumerate(file.doc.lines, 1):
        if "> " in line and "." in line and number >= file.doc.body_start:
            for match in _WRITES.finditer(line[:1000]):
                if not file.doc.is_counterexample(number):
                    yield Step(file.path, number, match["command"], match["out"])


def _names(skill: Skill, name: str) -> int:
    """Count the places that name a file."""
    texts = [file.text for file in skill.files if name in file.text]
    if sum(text.count(name) for text in texts) > 2 * _TWICE:
        return 0
    word = re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w-])")
    return sum(len(word.findall(text)) for text in texts)
