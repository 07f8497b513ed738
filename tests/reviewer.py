"""Provide a scripted reviewer, which reads the prompts and confirms, rejects, adds, lies and drafts.

Its answers go through a Messages API, so that the real SDK and the real Claude Code transmit them.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.scripted_api import Reply, join_user_text, tool_call

_BLOCK = re.compile(r"^<<<DATA (\w{20})\n(.*?)\nDATA \1>>>$", re.DOTALL | re.MULTILINE)
_CANDIDATE = re.compile(r"^(ISS-\d+) (\S+) (\w+) (.+?):(\d+) ", re.MULTILINE)
_CHARACTERS_PER_TOKEN = 4
OWN_FAULT, REFUTED_FAULT = "No one says for whom.", "It is said twice."


@dataclass
class Reviewer:
    """The script of a `ScriptedApi`. It counts questions by kind in `counts`, and calls `after` after each answer.

    In each reading it confirms the first finding, rejects the second with a true quote, adds a fault with a false one,
    and returns a verdict on an unknown finding. In the first reading it also adds two faults with true quotes, and
    refutes the second of them in the second reading. Its draft for its own finding loses a sentence; it repairs the
    draft when the verification says so, and declines the other drafts.
    """

    after: Callable[["Reviewer"], None] = lambda self: None
    counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Any) -> Reply:
        prompt = join_user_text(request)
        (schema,) = [t["input_schema"] for t in request["tools"] if t["name"] == "StructuredOutput"]
        kind = _find_kind(schema["properties"], prompt)
        with self._lock:
            self.counts[kind] += 1
        answer = getattr(self, f"_{kind}")(prompt, [block for _, block in _BLOCK.findall(prompt)])
        self.after(self)
        usage = {"input_tokens": len(prompt) // _CHARACTERS_PER_TOKEN, "output_tokens": 300}
        return Reply((tool_call("StructuredOutput", **answer),), usage=usage)

    def _reading(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        candidates = _CANDIDATE.findall(blocks[1]) if len(blocks) > 1 else []
        file, first_line, second_line = _find_two_lines(blocks[0])
        verdicts = [
            _make_verdict(id, "reject" if n == 1 else "confirm", file, first_line)
            for n, (id, *_) in enumerate(candidates[:2])
        ]
        verdicts.append(_make_verdict("ISS-999", "confirm", file, first_line))
        own_findings = [(first_line, OWN_FAULT), (second_line, REFUTED_FAULT)] if self.counts["reading"] == 1 else []
        finding = {"pattern": "custom", "file": file, "harm": "Each run guesses.", "severity": "high", "looked_up": [],
                "from_knowledge": False, "explains_complaint": False}  # fmt: skip
        added = [
            {**finding, "quote": quote, "problem": why}
            for quote, why in (*own_findings, ("No such words here.", OWN_FAULT))
        ]
        return {"notes": [], "unchecked": [], "verdicts": verdicts, "added": added}

    def _draft(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        faults = prompt.partition("## The files to edit")[0]
        files = read_files_to_edit(prompt)
        name, texts = next(iter(files)), [*files.values()]
        parts = re.split(r"^### (ISS-\d+)$", faults, flags=re.MULTILINE)[1:]
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return {"drafts": [{"faults": [id], **self._draft_one(fault, name, texts)} for id, fault in pairs]}

    def _draft_one(self, fault: str, name: str, texts: list[str]) -> dict[str, Any]:
        if OWN_FAULT not in fault:
            return _make_draft([], "Only the author knows what is meant.")
        (line,) = [line for text in texts for line in text.split("\n") if line.strip() and line.strip() in fault][:1]
        words = line.split(" ")
        clearer = " ".join((*words[:-1], "(for every reader)", words[-1]))
        is_lossy = "What you drafted before" not in fault
        edit = {"file": name, "search": line, "replace": "It is so." if is_lossy else clearer}
        paragraphs = [part for text in texts for part in text.split("\n\n") if line in part]
        return _make_draft([edit], rewords=[] if is_lossy else paragraphs[:1])

    def _refute(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        file, first_line, _ = _find_two_lines(blocks[0])
        candidates = re.findall(r"^(ISS-\d+) (.+)", blocks[1], re.MULTILINE)
        word = {True: "reject", False: "confirm"}
        verdicts = [_make_verdict(id, word[REFUTED_FAULT in words], file, first_line) for id, words in candidates]
        return {"notes": [], "unchecked": [], "verdicts": verdicts, "added": []}

    def _review(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        fixes = re.split(r"^## Fix (\d+)$", prompt, flags=re.MULTILINE)[1:]
        pairs = zip(fixes[::2], fixes[1::2], strict=True)
        return {"reviews": [{"fix": int(number), **_approve_fix(fix)} for number, fix in pairs]}

    def _requirements(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        return {"concerns": [{"words": blocks[0], "category": "memory_loss", "confidence": 0.9, "others": []}]}

    def _deep(self, prompt: str, blocks: list[str]) -> dict[str, Any]:
        return {"notes": [], "unchecked": [], "verdicts": [], "added": []}


def read_files_to_edit(prompt: str) -> dict[str, str]:
    """Return {path: text} of the files to edit in a question for drafts; their text may be in the numbered skill above."""
    before, _, files = prompt.partition("## The files to edit")
    texts_by_name = {}
    for part in _BLOCK.findall(before)[0][1].split("\n\n=== ")[1:]:
        name, _, lines = part.partition("\n")
        texts_by_name[name] = "\n".join(line.partition("| ")[2] for line in lines.split("\n"))
    parts = re.split(r"^File `+ ?(.+?) ?`+[,:]", files, flags=re.MULTILINE)[1:]
    rest_by_name = dict(zip(parts[::2], parts[1::2], strict=True))
    return {
        name: texts_by_name[name] if rest.startswith(" its text is above") else _BLOCK.findall(rest)[0][1]
        for name, rest in rest_by_name.items()
    }


def _find_kind(properties: Any, prompt: str) -> str:
    if "Your task is to refute them" in prompt:
        return "refute"
    if "It has been read; the findings are below." in prompt:
        return "deep"
    kinds = {"drafts": "draft", "concerns": "requirements", "added": "reading"}
    return next((kind for key, kind in kinds.items() if key in properties), "review")


def _make_verdict(id: str, verdict_word: str, file: str, quote: str) -> dict[str, str]:
    verdict = {"id": id, "verdict": verdict_word, "severity": "critical", "reason": f"I {verdict_word} it."}
    return {**verdict, "file": file, "quote": quote}


def _approve_fix(fix: str) -> dict[str, Any]:
    ids = dict.fromkeys(re.findall(r"^(ISS-\d+) ", fix, re.MULTILINE))
    verdicts = [{"id": id, "gone": True, "reason": "Nothing of it is left."} for id in ids]
    return {"verdicts": verdicts, "holds": True, "merge": True, "sound": True, "changes": False, "objections": []}


def _make_draft(edits: list[dict[str, str]], declined: str = "", rewords: Sequence[str] = ()) -> dict[str, Any]:
    return {"edits": edits, "removes": [], "rewords": list(rewords), "description": "Says what happens on a failure.", "rationale": "It was left open.",
            "declined": declined}  # fmt: skip


def _find_two_lines(skill: str) -> tuple[str, str, str]:
    """Return the first file of the skill in a prompt, and two prose lines in it that occur only once."""
    name, _, rest = skill.partition("\n\n=== ")[2].partition("\n")
    lines = [line.partition("| ")[2] for line in rest.split("\n\n=== ")[0].split("\n")]
    body = lines[lines.index("---", 1) :]
    prose = [line for line in body if len(line.split()) > 5 and line[:1].isalpha() and lines.count(line) == 1]
    return name, prose[0], prose[1]
