"""Pseudo-code in fences, JavaScript-like or Python-like: calls with their arguments, blocks by indentation.

One linear pass each; half-written code is normal here, so nothing is ever an error.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from actions.skill.memo import once
from actions.skill.skill import SkillFile

AGENT_CALLS = frozenset({"Task", "Agent", "spawn_agent"})
"""The calls by which the model's own tools start a sub-agent."""
PARSERS = frozenset(
    "JSON.parse json.loads json.load yaml.safe_load yaml.load YAML.parse toml.loads tomllib.loads parse_json parseJson"
    " parseJSON".split()
)
"""The calls that parse a text."""
LOOPS = frozenset({"while", "until", "for", "do", "loop"})
"""The kinds of blocks that run again and again."""
AGENT_MARKS = (
    *("Task(", "task(", "gent(", "gents(", "orker(", "orkers(", "mate(", "mates("),
    *("spawn(", "dispatch(", "launch(", "delegate("),
)
"""One of these stands in each code that starts a sub-agent, under whatever name."""
_WORKER_CALL = re.compile(
    r"(?:(?:spawn|dispatch|launch|run|start|invoke|call|delegate|create|ask|fork|kick_?off|use)(?:_?to)?_?"
    r"(?:sub|child|background|parallel)?_?(?:agents?|workers?|teammates?)"
    r"|(?:spawn|dispatch|launch|delegate)_?(?:sub)?_?tasks?|(?:sub_?)?agents?|(?:run|invoke|start)_?(?:sub)_?tasks?)",
    re.IGNORECASE,
)
_BARE_CALL = re.compile(r"(?:spawn|dispatch|launch|delegate)(?:_?to)?", re.IGNORECASE)
_WORK_KEY = re.compile(
    r"(?:^|[\s{(,])[\"']?(?:prompt|tasks?|instructions?|brief|goal|message|(?:sub_?)?agent(?:_?(?:type|name))?|role|subagentType)"
    r"[\"']?\s*[:=](?!=)",
    re.IGNORECASE,
)
_TWO_TEXTS = re.compile(r"^\s*([\"'`])[\w:.-]{2,60}\1\s*,\s*f?[\"'`](?=[^\"'`\n]*\s)")
_CODE_TOKEN = re.compile(
    r"(?<![A-Za-z_$])(?P<call>[A-Za-z_$][\w$.]*+)\s*+(?P<open>\()|[()\[\]{}`]|\"\"\"|'''"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|//[^\n]*|/\*|(?:^|(?<=\s))#[^\n]*",
    re.MULTILINE,
)
_DEEPEST = 12
"""Calls inside of so many calls are not listed: no one writes them, and a copy of the arguments per depth costs."""
_TEMPLATE_TOKEN = re.compile(r"\\.|`|\$\{", re.DOTALL)
_CLOSES = {")": "(", "]": "[", "}": "{"}
_ASSIGNED = re.compile(r"([A-Za-z_$][\w$.]*)\s*(?::\s*[\w<>\[\]|. ]+)?=\s*(?:await\s+)?$")
_BLOCK = re.compile(
    r"^\s*(?:\}\s*)?(?P<kind>try|catch|except|finally|while|for|if|elif|else|do|loop|repeat|until|function|async|def)\b(?P<head>.*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Call:
    """`name(args)` in a fence. Lines are the file's; `assigned` is the variable that takes the result."""

    name: str
    args: str
    line: int
    line_end: int
    assigned: str | None
    depth: int
    tail: str

    @property
    def base(self) -> str:
        """The last part of a dotted name."""
        return self.name.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Block:
    """A control block: the keyword, the rest of its line, and the lines it covers."""

    kind: str
    head: str
    start: int
    end: int


@dataclass(frozen=True)
class CodeFence:
    """The code of one fence with its calls and blocks."""

    start: int
    end: int
    lang: str
    text: str

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Its calls, outer ones first."""
        return tuple(calls(self.text, self.start))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Its control blocks, in order."""
        return tuple(blocks(self.text, self.start))

    def blocks_over(self, line: int) -> Iterator[Block]:
        """Give every block that holds a line, outermost first."""
        return (b for b in self.blocks if b.start <= line <= b.end)


def code_fences(file: SkillFile, *words: str) -> Iterator[CodeFence]:
    """Give the fences of a file that contain one of `words` (all fences without words), parsed."""
    if not words:
        yield from _all_fences(file)
    elif any(word in file.text for word in words):
        yield from (fence for fence in _all_fences(file) if any(word in fence.text for word in words))


@once
def _all_fences(file: SkillFile) -> tuple[CodeFence, ...]:
    doc = file.doc
    return tuple(CodeFence(f.start + 1, f.end, f.lang, "\n".join(doc.inside(f))) for f in doc.fences)


def agent_calls(file: SkillFile) -> Iterator[tuple[CodeFence, Call]]:
    """Give the sub-agent calls of a file with the fence that holds them."""
    for fence in code_fences(file, *AGENT_MARKS):
        for call in fence.calls:
            if starts_agent(call) and not _is_definition(file.doc.line(call.line), call.name):
                yield fence, call


def starts_agent(call: Call) -> bool:
    """Tell whether a call sets a sub-agent to work: by a tool, or by a function that is called so and gets work.

    A method of an object (`client.create_agent(…)`) belongs to a library.
    """
    if call.base in AGENT_CALLS:
        return True
    if call.name != call.base:
        return False
    if _WORKER_CALL.fullmatch(call.name):
        return bool(_WORK_KEY.search(call.args) or call.args.lstrip()[:1] in ("'", '"', "`"))
    return bool(_BARE_CALL.fullmatch(call.name) and (_WORK_KEY.search(call.args) or _TWO_TEXTS.match(call.args)))


def _is_definition(line: str, name: str) -> bool:
    return f"function {name}" in line or f"def {name}" in line


_Open = tuple[str, int, int, str, int, int]
"""An open bracket: its mark; of a call also where the name and the arguments begin, name, index and depth."""
_NO_CALL = (0, 0, "", -1, 0)


def calls(text: str, first_line: int = 1) -> list[Call]:
    """Find all calls of a code text, outer ones first. Strings and comments are passed over."""
    if "(" not in text:
        return []
    found: list[Call | None] = []
    stack: list[_Open] = []
    position, depth, starts = 0, 0, _line_starts(text)
    while position < len(text):
        if stack and stack[-1][0] == "`":
            position = _template_step(text, position, stack)
            continue
        match = _CODE_TOKEN.search(text, position)
        if match is None:
            break
        token, position = match[0], match.end()
        if match.lastgroup:
            if depth < _DEEPEST:
                stack.append(("(", match.start(), position, match["call"], len(found), depth))
                found.append(None)
                depth += 1
            else:
                stack.append(("(", *_NO_CALL))
        elif token in ("(", "[", "{", "`"):
            stack.append((token, *_NO_CALL))
        elif token in _CLOSES:
            depth -= _close(text, match.start(), stack, found, starts, first_line, _CLOSES[token])
        elif token in ('"""', "'''", "/*"):
            end = text.find("*/" if token == "/*" else token, position)
            position = len(text) if end < 0 else end + len(token)
    while stack:
        _close(text, len(text), stack, found, starts, first_line, stack[-1][0])
    return [call for call in found if call]


def _template_step(text: str, position: int, stack: list[_Open]) -> int:
    match = _TEMPLATE_TOKEN.search(text, position)
    if match is None:
        return len(text)
    if match[0] == "`":
        stack.pop()
    elif match[0] == "${":
        stack.append(("{", *_NO_CALL))
    return match.end()


def _close(
    text: str, end: int, stack: list[_Open], found: list[Call | None], starts: list[int], first_line: int, mark: str
) -> int:  # fmt: skip
    if not stack or stack[-1][0] != mark:
        return 0
    _, begin, args, name, index, depth = stack.pop()
    if index < 0:
        return 0
    near = max(0, begin - 200)
    before = text[max(near, text.rfind("\n", near, begin) + 1) : begin]
    given = before.rstrip().removesuffix("await").rstrip().endswith("=")
    assigned = _ASSIGNED.search(before) if given else None
    first, last = (first_line + _line_of(starts, offset) for offset in (begin, max(min(end, len(text) - 1), begin)))
    variable = assigned[1] if assigned else None
    found[index] = Call(name, text[args:end], first, last, variable, depth, text[end + 1 : end + 40])
    return 1


def _line_starts(text: str) -> list[int]:
    return [0, *(m.end() for m in re.finditer("\n", text))]


def _line_of(starts: list[int], offset: int) -> int:
    return bisect_right(starts, offset) - 1


def named_arguments(args: str) -> dict[str, str]:
    """Give the `key: value` and `key=value` pairs of a call's arguments, also of object literals among them."""
    inner = args.strip()
    pairs: dict[str, str] = {}
    parts = list(_split_top(inner))
    if inner.startswith("{") and inner.endswith("}") and len(parts) == 1:
        parts = list(_split_top(inner[1:-1]))
    for part in parts:
        if part.lstrip().startswith("{") and part.rstrip().endswith("}"):
            pairs |= named_arguments(part.strip())
            continue
        key, mark, value = _partition(part)
        if mark and key.strip(" \n\t'\"").isidentifier():
            pairs[key.strip(" \n\t'\"")] = value.strip()
    return pairs


def positional_arguments(args: str) -> list[str]:
    """Give the arguments of a call that stand by their place alone."""
    return [part for part in _split_top(args) if not part.lstrip().startswith("{") and not _NAMED.match(part)]


_NAMED = re.compile(r"\s*\w+\s*[:=](?!=)")


def _partition(part: str) -> tuple[str, str, str]:
    places = [(part.find(mark), mark) for mark in (":", "=") if mark in part]
    if not places:
        return part, "", ""
    at, mark = min(places)
    return part[:at], mark, part[at + 1 :]


def _split_top(text: str) -> Iterator[str]:
    stack: list[str] = []
    last = position = 0
    while position < len(text):
        if stack and stack[-1] == "`":
            match = _TEMPLATE_TOKEN.search(text, position)
            if match is None:
                break
            if match[0] == "`":
                stack.pop()
            elif match[0] == "${":
                stack.append("{")
            position = match.end()
            continue
        match = _SPLIT_TOKEN.search(text, position)
        if match is None:
            break
        token, position = match[0], match.end()
        if token == "," and not stack:
            yield text[last : match.start()]
            last = position
        elif token in "([{`":
            stack.append(token)
        elif token in _CLOSES and stack and stack[-1] == _CLOSES[token]:
            stack.pop()
        elif token in ('"""', "'''"):
            end = text.find(token, position)
            position = len(text) if end < 0 else end + 3
    yield text[last:]


_SPLIT_TOKEN = re.compile(r"[,()\[\]{}`]|\"\"\"|'''|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?|//[^\n]*")


def _lines_in_texts(text: str) -> set[int]:
    """Give the indices of the lines that begin inside a template or triple quotes: their indentation is no code."""
    inside: set[int] = set()
    if not any(mark in text for mark in ("`", '"""', "'''")):
        return inside
    opened: list[tuple[str, int]] = []
    position, starts = 0, _line_starts(text)
    while match := (_TEMPLATE_TOKEN if opened and opened[-1][0] == "`" else _CODE_TOKEN).search(text, position):
        token, begin, position = match[0], match.start(), match.end()
        if opened and token == _ENDS[opened[-1][0]]:
            mark, begin = opened.pop()
            end = position if mark == "`" else begin
        elif token in ("`", "{", "${"):
            opened.append((token[-1], begin))
            continue
        else:
            end = text.find(token, position) if token in ('"""', "'''") else begin
            position = max(position, end + 3 if end > begin else position)
        inside.update(range(_line_of(starts, begin) + 1, _line_of(starts, end) + 1))
    return inside


_ENDS = {"`": "`", "{": "}"}


def blocks(text: str, first_line: int = 1) -> list[Block]:
    """Find control blocks by their keyword and the deeper indentation of the lines that follow."""
    quoted = _lines_in_texts(text)
    opened: list[tuple[int, str, str, int]] = []  # indent, kind, head, line
    found: list[Block] = []
    last = first_line - 1
    for number, line in enumerate(text.split("\n"), first_line):
        if number - first_line in quoted:
            last = number
            continue
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while opened and opened[-1][0] >= indent:
            _, kind, head, start = opened.pop()
            found.append(Block(kind, head, start, number if line.strip()[0] in "})" else last))
        match = _BLOCK.match(line)
        if match:
            opened.append((indent, match["kind"].lower(), match["head"].strip(), number))
        last = number
    found.extend(Block(kind, head, start, last) for _, kind, head, start in opened)
    return sorted(found, key=lambda block: (block.start, -block.end))
