"""Whole contents on their way into a prompt through variables: read, joined, added up, and put in somewhere below.

`payload` knows the forms that can be mended in place; this follows the text of a fence more freely, line by line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from actions.facts.agents.payload import payloads
from actions.skill.code import AGENT_CALLS, Call, CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile

_NAME = r"[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){0,3}"
_ASSIGNED = re.compile(
    rf"^\s*(?:for\s*\([^()\n]{{1,80}}\)\s*"
    rf"|for\s+[\w, ]{{1,40}}\s+in\s+[^:\n]{{1,60}}:\s*)?(?:(?:export\s+)?(?:const|let"
    rf"|var)\s+)?(?P<name>{_NAME})(?:\s*:\s*[\w\[\]<>. |]{{1,40}})?\s*"
    r"(?P<op>\+?=(?![=>])|\.push\(|\.append\(|\.extend\(|\.add\()\s*(?P<value>\S.*)$",
    re.DOTALL,
)
_OPENED = re.compile(
    r"^\s*with\s+(?:open\(|Path\([^()]*\)\.open\()\s*(?P<path>[^,()\n]{1,120})[^\n]*\bas\s+(?P<name>\w+)\s*:"
)
_READ = re.compile(
    r"(?<![\w.])(?:fs\.(?:promises\.)?|self\.)?(?:Read|readFile|readFileSync|read_file|load_file|read_text"
    r"|read|slurp|readText|load_text|text_of|contents?_of|contentsOf|file_get_contents)\("
    r"|\bopen\([^()\n]{0,120}\)\.read\(|\.read_text\("
    r"|\bBash\(\s*[`\"']cat\s"
)
_CUT = re.compile(
    r"\.(?:slice|substring|substr|split(?:lines)?|match(?:All)?|filter|length|indexOf|includes|search|findall"
    r"|title|count|group|get)\b|\[[^\]\n'\"]{0,20}:[^\]\n]{0,20}\]"
    r"|\blen\(|\bparse\w*\(|\bloads?\(|\byaml\.|\bcsv\.\w+\(|\bre\.\w+\(|\bsummar\w+\(|\bhead\b|\bextract\w*\(|\bgrep\b"
    r"|\bhash\w*\(|\btotal\w*\(|\bcount\w*\(|\bfirst\w*\("
)
_MANY = re.compile(r"\.map\(|\bfor\s+[\w, ()]{1,40}\s+in\b|\bmap\(|\*\*?/|\.join\(|\breduce\(")
_SERIALISED = re.compile(
    rf"(?:JSON\.stringify|json\.dumps|yaml\.(?:safe_)?dump|str|repr|pprint\.pformat"
    rf"|pformat)\(\s*(?P<name>{_NAME})\s*(?:,[^()]{{0,60}})?\)"
)
_BARE = re.compile(r"\$?\{\s*(?P<name>(?:\w{0,40}_)?[sS]tate|\w{0,40}State)\s*(?:!r|:[^{}]{0,10})?\s*\}")
_STATE = re.compile(r"(?:^|[_.a-z])(?:state|State)$")
_RUN = re.compile(r"(?:record|run|session|progress|job|context|ctx|memory|status|journal|case)$", re.IGNORECASE)
_GIVEN = (
    r"(?:prompt|context|input|inputs|content|contents|message|data|document|documents|text|payload|body|background"
    r"|instructions|task)[\"']?\s*[:=]\s*"
)
_WHOLE_USE = r"\s*(?:\.join\([^()]*\)|\.trim\(\)|\.strip\(\)|!r)?\s*"
_ASKS = re.compile(
    r"^(?:ask|run|call|spawn|launch|start|dispatch|invoke|delegate|query|send)\w*agent\w*$"
    r"|^(?:sub)?agent(?:\.\w+)?$|subagent|^delegate$",
    re.IGNORECASE,
)
_TYPED = re.compile(r"general-purpose|subagent_type|subagentType|[\"'](?:Explore|Plan)[\"']")
_MAY_CALL = re.compile(r"(?:Task|[Aa]gent|delegate)\w*\(|general-purpose|subagent")
_CALLED = ("Task", "gent", "delegate", "general-purpose")
"""Part of every word above."""
_SOURCES = (
    *("Read(", "readFile(", "readFileSync(", "read_file(", "load_file(", "read_text(", "read(", "Bash(", "slurp("),
    *("readText(", "load_text(", "text_of(", "_of(", "contentsOf(", "file_get_contents("),
    *("stringify(", "dumps(", "dump(", "str(", "repr(", "pformat("),
)
"""One of these stands in whatever reads a file or makes a text of an object."""
_LOOP = frozenset({"for", "while", "loop"})
_LONGEST, _CALLBACK = 4000, 4


@dataclass(frozen=True)
class Contents:
    """At `line` a prompt takes the whole of what `name` holds since line `since`; `many` files, or a `state`.

    The prompt names it in line `line_end`. `parts` tells that the call stands in a loop over parts of what it takes
    whole: each call gets all of them.
    """

    line: int
    name: str
    since: int
    line_end: int = 0
    many: bool = False
    state: bool = False
    parts: bool = False


@dataclass(frozen=True)
class _Line:
    number: int
    text: str


def contents(skill: Skill, file: SkillFile) -> tuple[Contents, ...]:
    """Give where prompts of a file's pseudo-code take whole files or the whole state, each variable once per call.

    What `payload` finds is left out.
    """
    told = {(payload.call_line, payload.name) for payload in payloads(file)}
    lines = {payload.line for payload in payloads(file)}
    found = {(c.line, c.name): c for c in _contents(file)}
    found = {place: c for place, c in found.items() if not c.state or c.parts or _is_kept(skill, c.name)}
    return tuple(
        c
        for (line, name), c in sorted(found.items())
        if line not in lines and (line, name) not in told and not file.doc.is_counterexample(line)
    )


def _is_kept(skill: Skill, name: str) -> bool:
    """Tell whether an object is the state by its name, or is kept in a file that is called as it is."""
    name = name.removesuffix(".__dict__")
    leaf = name.rsplit(".", 1)[-1]
    if _STATE.search(name):
        return True
    kept = re.compile(rf"(?<![a-z]){re.escape(leaf)}\.(?:json|ya?ml)\b", re.IGNORECASE)
    called_so = (file for file in skill.instructions if f"{leaf.lower()}." in file.lower)
    return bool(_RUN.search(leaf)) and any(kept.search(file.text) for file in called_so)


def is_agent_call(call: Call) -> bool:
    """Tell whether a call sets a sub-agent to work: by its name, or by the type of agent that it names."""
    return call.base in AGENT_CALLS or bool(_ASKS.search(call.base)) or bool(_TYPED.search(call.args[:300]))


@once
def _may_call(file: SkillFile) -> bool:
    return any(word in file.text for word in _CALLED) and bool(_MAY_CALL.search(file.text))


def agent_call_lines(file: SkillFile) -> Iterator[tuple[int, str]]:
    """Give the numbered lines of the sub-agent calls of a file's pseudo-code."""
    if not _may_call(file):
        return
    for fence in code_fences(file):
        for call in filter(is_agent_call, fence.calls):
            yield from ((number, file.doc.line(number)) for number in range(call.line, call.line_end + 1))


@once
def _contents(file: SkillFile) -> tuple[Contents, ...]:
    if not _may_call(file):
        return ()
    held: dict[str, Contents] = {}
    found: list[Contents] = []
    for fence in code_fences(file):
        if held or _may_hold(fence.text):
            found += _in_fence(fence, held)
    return tuple(found)


def _may_hold(code: str) -> bool:
    """Tell whether anything is read or made a text in a piece of code."""
    return any(mark in code for mark in _SOURCES) or ("tate" in code and bool(_BARE.search(code)))


def _in_fence(fence: CodeFence, held: dict[str, Contents]) -> Iterator[Contents]:
    handles: set[str] = set()
    calls = list(filter(is_agent_call, fence.calls))
    at = 0
    for line in _logical(fence):
        end = line.number + line.text.count("\n")
        while at < len(calls) and calls[at].line <= end:
            for given in _given(calls[at].line, calls[at].args[:_LONGEST], held):
                yield replace(given, parts=True) if given.state and _loops_over(fence, given) else given
            at += 1
        if any(call.line <= end and line.number <= call.line_end for call in calls):
            continue
        opened = _OPENED.match(line.text)
        if opened:
            handles.add(opened["name"])
        match = _ASSIGNED.match(line.text)
        if match is None:
            continue
        taken = _taken(match["value"], line.number, handles, held)
        name = match["name"]
        if taken:
            in_loop = any(b.kind in _LOOP and b.start < line.number for b in fence.blocks_over(line.number))
            adds = match["op"] != "=" and (in_loop or line.text.lstrip().startswith("for"))
            held[name] = replace(
                taken, line=line.number, name=name if not taken.state else taken.name, many=taken.many or adds
            )
        elif match["op"] == "=" and name in held and name not in match["value"]:
            del held[name]


def _loops_over(fence: CodeFence, taken: Contents) -> bool:
    """Tell whether a loop around the call goes through a list that is part of what the call takes."""
    name = re.escape(taken.name)
    heads = [block.head for block in fence.blocks_over(taken.line) if block.kind == "for"]
    lines = fence.text.split("\n")[max(0, taken.line - fence.start - _CALLBACK) : taken.line - fence.start + 1]
    part = rf"(?<![\w$.]){name}(?:\.\w+|\[[\"']\w+[\"']\])"
    over = re.compile(rf"\b(?:of|in)\s+(?:enumerate\(|sorted\(|Object\.\w+\()?{part}")
    callback = re.compile(rf"{part}\.(?:map|forEach|flatMap)\(")
    return any(map(over.search, heads)) or any(map(callback.search, lines))


def _taken(value: str, number: int, handles: set[str], held: dict[str, Contents]) -> Contents | None:
    """Give what an expression takes whole: files, the state, or a variable that holds them."""
    state = _SERIALISED.search(value)
    if state:
        return Contents(number, state["name"], number, state=True)
    if _CUT.search(value):
        return None
    read = _READ.search(value) or any(re.search(rf"\b{name}\.read\(\)", value) for name in handles)
    if read:
        return Contents(number, "", number, many=bool(_MANY.search(value)))
    return next((c for name, c in held.items() if _uses(name).search(value)), None)


def _uses(name: str) -> re.Pattern[str]:
    """Give the regex for a variable whose whole value goes into a text."""
    word = rf"(?<![\w$.]){re.escape(name)}{_WHOLE_USE}"
    return re.compile(
        rf"\$?\{{\s*{word}\}}|(?:\+|%\s*\(?)\s*{word}(?=[+,;)\]\s]|$)|^\s*{word}(?:\+|$)|\b{_GIVEN}{word}(?=[,)}}\n]|$)"
        rf"|(?:^|[{{,])\s*{re.escape(name)}\s*(?=[,}}]|$)|\.(?:join|format)\([^()\n]{{0,60}}?{word}(?=[,)])"
    )


def _given(number: int, args: str, held: dict[str, Contents]) -> Iterator[Contents]:
    """Give what the arguments of a call take whole."""
    for name, taken in held.items():
        used = _uses(name).search(args) if name in args else None
        if used:
            yield replace(taken, line=number, line_end=number + args.count("\n", 0, used.end()))
    for match in (*_SERIALISED.finditer(args), *_BARE.finditer(args)):
        yield Contents(number, match["name"], number, number + args.count("\n", 0, match.end()), state=True)
    reads: list[tuple[int, bool]] = []
    for match in _READ.finditer(args):
        before = args[max(0, match.start() - 80) : match.start()]
        inside = re.search(
            r"(?:\{|\+|%\s*\(?"
            r"|[:=]\s*)\s*(?:await\s+)?(?:[\w.]+\.map\([\w() ]*=>\s*(?:await\s+)?)?[\w.()\[\]'\"/$\\-]{0,40}$",
            before,
        )
        after = args[match.end() : match.end() + 80].split("\n")[0]
        opened = before[max(before.rfind("{"), before.rfind("+"), before.rfind("\n"), 0) :]
        if inside and not _CUT.search(after) and not _CUT.search(opened):
            line = number + args.count("\n", 0, match.start())
            reads.append((line, bool(_MANY.search(before.split("\n")[-1] + after))))
    if reads:
        line = reads[0][0]
        yield Contents(line, "", line, line, many=len(reads) > 1 or any(many for _, many in reads))


def _logical(fence: CodeFence) -> Iterator[_Line]:
    """Give the statements of a fence, each with the lines that open brackets and leading dots join to it."""
    held: list[str] = []
    first, depth = fence.start, 0
    lines = fence.text.split("\n")
    for number, line in enumerate(lines, fence.start):
        if not held:
            first = number
        held.append(line)
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        ahead = lines[number - fence.start + 1].lstrip() if number - fence.start + 1 < len(lines) else ""
        opens = line.rstrip().endswith(("{", ":")) and not line.rstrip().endswith("({")
        if (depth <= 0 and not ahead.startswith((".", "+ ", "? "))) or opens or len(held) > 60:
            yield _Line(first, "\n".join(held)[:_LONGEST])
            held, depth = [], 0
    if held:
        yield _Line(first, "\n".join(held)[:_LONGEST])
