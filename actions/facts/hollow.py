"""Functions of a skill's own pseudo-code that do nothing but put their work off: a constant, or a raised promise."""

import re
from collections.abc import Iterator

from actions.facts.own import is_own
from actions.skill.code import CodeFence, code_fences
from actions.skill.skill import SkillFile
from actions.skill.stems import Stems

_HEAD = re.compile(
    r"^(?P<indent>\s*)(?:(?:export|async|public|static|private)\s+)*(?:def\s+\w+\s*\(.*:\s*|(?:function\b"
    r"|(?:const|let|var)\s+\w+\s*=).*\{\s*)$"
)
_ARROW = re.compile(
    r"^\s*(?:const|let"
    r"|var)\s+\w+\s*=\s*(?:async\s*)?\(?[\w\s,:]*\)?\s*=>\s*(?P<value>[^\s/;]{1,12});?\s*//(?P<note>.+)$"
    r"|^\s*\w+\s*=\s*lambda\s[^:]*:\s*(?P<python>[^\s#]{1,12})\s*#(?P<remark>.+)$"
)
_NOTE = re.compile(r"^\s*(?://|#|/?\*)\s*(?P<text>.+)$")
_RETURN = re.compile(r"^\s*return\b\s*(?P<value>[^#/;]{0,12}?)\s*;?\s*(?:(?://|#)(?P<note>.*))?$")
_RAISE = re.compile(r"^\s*(?:throw new \w+|raise \w+)\(\s*f?([\"'`])(?P<text>.+?)\1")
_CONSTANT = re.compile(r"(?:[Tt]rue|[Ff]alse|null|None|undefined|-?\d+(?:\.\d+)?|\[\]|\{\}|\"\"|'')?$")
_LATER = re.compile(
    r"\b(?:for (?:now|the moment|the time being)|so far|yet|until (?:we|the|there|it)|later(?! than)(?! rows)"
    r"|soon|some day|to be"
    r" (?:replaced|written|agreed|decided|defined|done|added|filled|settled|supplied)|placeholder|stand-?in"
    r"|pending|meanwhile|temporary"
    r"|temporarily|provisional(?:ly)?)\b"
    r"|回头|以后|稍后|后续|今后|将来|日后|暂时|暂且|先都?(?:当|一律|按|返回|算|不)|尚未|还没|等[^，。]{1,12}(?:再|下来|出来|定)|待(?:定|补|写|实现)",
    re.IGNORECASE,
)
_STEMS = Stems(
    *"now moment time far yet until later soon day replaced written agreed decided defined done added filled".split(),
    *"settled supplied placeholder stand pending meanwhile temporar provisional".split(),
    *"回头 以后 稍后 后续 今后 将来 日后 暂时 暂且 先 尚未 还没 等 待".split(),
)
_LONGEST = 8
_FENCED = ("def ", "function", "=>", "lambda", "{")


def hollow_functions(file: SkillFile) -> Iterator[int]:
    """Give the line of each function's promise: a note above a constant, or the message of what it raises."""
    promised = {number for number, line in _STEMS.lines(file) if _LATER.search(line[:400])}
    if promised:
        for fence in filter(is_own, code_fences(file, *_FENCED)):
            if any(fence.start <= number < fence.end for number in promised) and "class " not in fence.text:
                yield from _hollow(fence, promised)


def _hollow(fence: CodeFence, promised: set[int]) -> Iterator[int]:
    lines = fence.text.split("\n")
    for at, line in enumerate(lines):
        arrow = _ARROW.match(line[:400])
        if arrow and _CONSTANT.match(arrow["value"] or arrow["python"]) and fence.start + at in promised:
            yield fence.start + at
        head = _HEAD.match(line[:400])
        if head:
            body = [fence.start + at + 1 + n for n in range(len(_body(lines, at, len(head["indent"]))))]
            told = [number for number in body if number in promised]
            if told and _does_nothing([lines[number - fence.start] for number in body], told[0] - body[0]):
                yield told[0]


def _body(lines: list[str], at: int, indent: int) -> list[str]:
    """Give the lines of a body, as far as it is indented deeper than its head."""
    body: list[str] = []
    for line in lines[at + 1 : at + 1 + _LONGEST]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        body.append(line)
    return body


def _does_nothing(body: list[str], promise: int) -> bool:
    """Tell whether a body is one return of a constant or one raise, and whether the promise speaks of it."""
    work = [line for line in body if line.strip() and not _NOTE.match(line)]
    if len(work) != 1:
        return False
    raised, given = _RAISE.match(work[0]), _RETURN.match(work[0])
    if raised:
        return True
    noted = _NOTE.match(body[promise]) or (given and given["note"])
    return bool(given and noted and _CONSTANT.match(given["value"]))
