"""Prompts that stand as text: a quotation, an indented block or a fence below a line that hands it to a sub-agent."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.model import regex as re
from actions.model.document import Document
from actions.model.skill import SkillFile
from actions.model.statements import statements
from actions.model.stems import Stems

_WORKERS = Stems("agent", "worker", "teammate", "helper", "assistant", "代理", "智能体", "帮手", "助手")
_TOLD = Stems(*"prompt task brief instruct message word text 任务 提示 话 指令 交代 说明".split())
_ANNOUNCES = re.compile(
    r"\b(?:prompt|task|brief|instructions?|message|words|text)\b[^:：]{0,24}[:：]\s*$"
    r"|(?:任务|提示词?|话|指令|交代|说明)[^:：。]{0,12}[:：]\s*$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\s{0,3}>|\s{4,}\S|\t")
_TEXT = frozenset({"", "text", "txt", "md", "markdown", "prompt", "plaintext"})
_LONGEST = 40
"""Lines of a block: a longer one has rules of its own."""


@dataclass(frozen=True)
class PromptBlock:
    """The text from line `start` to `end` that a sub-agent is given word for word."""

    start: int
    end: int
    text: str


def prompt_blocks(file: SkillFile) -> Iterator[PromptBlock]:
    """Give the blocks that a line announces as the prompt, the task or the words for a sub-agent."""
    for said in statements(file, _WORKERS, _TOLD):
        if _ANNOUNCES.search(said.text) and not file.doc.is_counterexample(said.line):
            block = _below(file.doc, said.line)
            if block and block.end - block.start < _LONGEST:
                yield block


def _below(doc: Document, number: int) -> PromptBlock | None:
    """Give the fence or the quoted lines that follow the paragraph of a line."""
    while doc.line(number).strip() and not doc.fence_at(number):
        number += 1
    while number < len(doc.lines) and not doc.line(number).strip():
        number += 1
    fence = doc.fence_at(number)
    if fence:
        return PromptBlock(fence.start, fence.end, "\n".join(doc.inside(fence))) if fence.lang in _TEXT else None
    end = number
    while _QUOTED.match(doc.line(end)):
        end += 1
    lines = (doc.line(n).strip("> \t") for n in range(number, end))
    return PromptBlock(number, end - 1, "\n".join(lines)) if end > number else None
