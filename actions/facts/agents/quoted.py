"""Prompts that stand outside of a call: a quotation, an indented block or a plain fence below what announces one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents import words as w
from actions.skill.document import Document
from actions.skill.memo import once
from actions.skill.skill import SkillFile
from actions.skill.statements import paragraphs
from actions.skill.stems import Stems
from actions.skill.text import sentences

_ANNOUNCES = re.compile(
    r"\b(?:prompts?|briefs?|instructions?|sub-?agents?|agents?|helpers?|workers?|teammates?|reviewers?|assistants?)\b"
    r"|提示|指令|任务|子代理|代理|智能体|帮手|助手",
    re.IGNORECASE,
)
_ANNOUNCERS = Stems(
    *"prompt brief instruction agent helper worker teammate reviewer assistant".split(),
    *"提示 指令 任务 代理 智能体 帮手 助手".split(),
)
_TO_A_WORKER = re.compile(
    r"\b(?:prompt|task|brief|instructions?|message|words|text|(?:tell|ask|instruct) (?:it|them|each))\b"
    r"[^:：]{0,24}[:：]$"
    r"|(?:任务|提示词?|话|指令|交代|说明|(?:告诉|吩咐|嘱咐)(?:它|他)们?)[^:：。]{0,12}[:：]$",
    re.IGNORECASE,
)
_COLON = (":", "：")
_MARKS = (">", "|")
_PLAIN = frozenset({"", "text", "txt", "markdown", "md", "prompt", "plaintext"})
_CALLS = re.compile(r"\b(?:Task|Agent|spawn_agent|Skill|SendMessage)\(")
_SET_OFF = re.compile(r"\s{0,3}>|\s{4,}\S|\t")


@dataclass(frozen=True)
class Quoted:
    """A prompt in the lines `line` to `line_end` of a file; `text` is what it says, without marks of a quotation.

    `below`: the last line of the paragraph that announces it. `to_worker`: it says outright that a sub-agent is given
    these words.
    """

    line: int
    line_end: int
    text: str
    below: int
    to_worker: bool

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
    """Give the prompts of a file that stand as text, without what shows how not to do it."""
    return tuple(prompt for prompt in _quoted(file) if not file.doc.is_counterexample(prompt.line))


def _quoted(file: SkillFile) -> Iterator[Quoted]:
    for _, last, text in paragraphs(file, _ANNOUNCERS):
        if not text.endswith(_COLON) or text.startswith(_MARKS):
            continue
        to_worker = bool(_TO_A_WORKER.search(text)) and w.WORKERS.stand_in(text)
        if to_worker or _ANNOUNCES.search(sentences(text)[-1]):
            yield from _below(file.doc, last, to_worker)


def _below(doc: Document, number: int, to_worker: bool) -> Iterator[Quoted]:
    """Give the text that is set off below a line."""
    line = next((n for n in range(number + 1, len(doc.lines) + 1) if doc.line(n).strip()), 0)
    fence = doc.fence_at(line)
    if fence:
        text = "\n".join(doc.inside(fence))
        if fence.lang in _PLAIN and not _CALLS.search(text):
            yield Quoted(fence.start + 1, fence.end, text, number, to_worker)
    elif _SET_OFF.match(doc.line(line)):
        last = line
        while _SET_OFF.match(doc.line(last + 1)):
            last += 1
        text = "\n".join(doc.line(n).strip("> \t") for n in range(line, last + 1))
        yield Quoted(line, last, text, number, to_worker)
