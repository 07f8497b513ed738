"""Prompts that stand outside of a call: a quotation or a plain fence below a line that announces one."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.model import regex as re
from actions.model.memo import once
from actions.model.skill import SkillFile
from actions.model.stems import Stems
from actions.model.text import sentences

_ANNOUNCES = re.compile(
    r"\b(?:prompts?|briefs?|instructions?|sub-?agents?|agents?|helpers?|workers?|teammates?|reviewers?|assistants?)\b"
    r"|提示|指令|任务|子代理|代理|智能体|帮手|助手",
    re.IGNORECASE,
)
_WORDS = Stems(
    *"prompt brief instruction agent helper worker teammate reviewer assistant".split(),
    *"提示 指令 任务 代理 智能体 帮手 助手".split(),
)
_COLON = (":", "：")
_PLAIN = frozenset({"", "text", "txt", "markdown", "md", "prompt", "plaintext"})
_CALLS = re.compile(r"\b(?:Task|Agent|spawn_agent|Skill|SendMessage)\(")
_NEAR = 2


@dataclass(frozen=True)
class Quoted:
    """A prompt in the lines `line` to `line_end` of a file; `text` is what it says, without marks of a quotation."""

    line: int
    line_end: int
    text: str

    @property
    def sentences(self) -> Iterator[tuple[int, str]]:
        """Each sentence with the line in which it begins."""
        joined, at = self.text.replace("\n", " "), 0
        for sentence in sentences(joined):
            at = max(joined.find(sentence, at), at)
            yield self.line + self.text.count("\n", 0, at), sentence
            at += len(sentence)

    def line_of(self, part: str) -> int:
        """Give the line in which a part of the text begins."""
        return self.line + self.text.count("\n", 0, max(self.text.find(part), 0))


@once
def quoted_prompts(file: SkillFile) -> tuple[Quoted, ...]:
    """Give the prompts of a file that stand in quotations and plain fences, without what shows how not to do it."""
    return tuple(prompt for prompt in _quoted(file) if not file.doc.is_counterexample(prompt.line))


def _quoted(file: SkillFile) -> Iterator[Quoted]:
    doc = file.doc
    for number, line in _WORDS.prose(file):
        if (
            not line.rstrip().endswith(_COLON)
            or line.lstrip().startswith(("#", ">", "|"))
            or not _ANNOUNCES.search(line)
        ):
            continue
        below = next((n for n in range(number + 1, number + 1 + _NEAR) if doc.line(n).strip()), 0)
        if doc.line(below).lstrip().startswith(">"):
            last = below
            while doc.line(last + 1).lstrip().startswith(">"):
                last += 1
            text = "\n".join(doc.line(n).lstrip().lstrip(">").strip() for n in range(below, last + 1))
            yield Quoted(below, last, text)
        elif (fence := doc.fence_at(below)) is not None and fence.lang in _PLAIN:
            text = "\n".join(doc.inside(fence))
            if not _CALLS.search(text):
                yield Quoted(fence.start + 1, fence.end, text)
