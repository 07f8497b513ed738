"""The state of a skill: which fields its own pseudo-code and prose set, test, read and declare.

A state is a variable whose name ends in `state` (`state`, `loopState`, `session_state`), a file or type called so, or a
record under another name that tells where the run stands and is written down.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from actions.facts.dataflow.file_names import JSON
from actions.facts.dataflow.words import STATE
from actions.facts.own import is_own, is_workflow, teaches
from actions.facts.state.json_schemas import properties_of
from actions.facts.state.records import records
from actions.facts.state.tables import state_tables
from actions.skill.code import CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile


class Act(StrEnum):
    """What a place does with a field."""

    SET = "set"
    TEST = "test"
    READ = "read"
    DECLARE = "declare"


@dataclass(frozen=True)
class FieldUse:
    """One place that names the field `name` of a state; `value` is what a SET gives it, as written on the line."""

    name: str
    act: Act
    file: str
    line: int
    value: str = ""


@dataclass(frozen=True)
class StateBlock:
    """A declaration of the state, as a literal, a type, JSON or a table: `fields` are (name, line) of its top level.

    `record` is the name of a record that serves as the state, empty otherwise.
    """

    file: str
    start: int
    end: int
    fields: tuple[tuple[str, int], ...]
    lang: str
    record: str = ""


_FIELD = r"(?:\??\.|\[[\"'])(?P<field>[A-Za-z_]\w*)[\"']?\]?"
_SETS = re.compile(
    r"^(?:\.\w+|\[[^\]\n]{0,60}\])*\s*(?:(?:=(?![=>])|[+\-|&?]{1,2}=|\+\+)\s*(?P<value>[^\n]*)|\.(?:push|append"
    r"|add|extend|update|set)\()"
)
_TESTS = re.compile(r"^(?:\??\.\w+)*\s*(?:={2,3}|!={1,2}|[<>]=?|\?(?![.:?])|&&|\|\||\)\s*\{|(?:not )?in\b|is\b)")
_TESTING = re.compile(
    r"\b(?:if|elif|while|until|unless|assert|case|switch|when|and|or|not)\b[^;{]{0,120}$|[!&|]\s*\(?$", re.IGNORECASE
)
_UPDATERS = frozenset(
    "updatestate update_state setstate set_state patchstate patch_state savestate save_state writestate write_state"
    " initstate init_state initialize_state initializestate createstate create_state".split()
)
_DECLARES = re.compile(
    r"\b(?:interface|type|class)\s+\w*State\b[^\n{]{0,60}\{"
    r"|(?<![\w.])(?:\w*+(?<=[sS]tate)|STATE)\s*(?::\s*[\w\[\]<>, ]{0,40})?=\s*(?:(?:Object\.freeze\()?\{|dict\()"
    r"|\bstate[\"']?\s*:\s*\{"
    r"|(?i:\b(?:init|initial|new|create|make|fresh|empty|start|default)_?\w{0,12}state\s*(?:=\s*)?\([^()\n]{0,80}\))[^\n]{0,20}[{:]\s*"
    r"(?P<made>return\s*(?:\{|dict\())"
)
_PYTHON_CLASS = re.compile(r"^class\s+\w*State\b[^\n]*:\s*$", re.MULTILINE)
_KEY = re.compile(r"^\s*(?:readonly\s+)?[\"']?([A-Za-z_]\w*)[\"']?\??\s*[:,]")
_MEMBER = re.compile(r"(?:^|[{,;])\s*(?:readonly\s+)?[\"']?([A-Za-z_]\w*)[\"']?\??\s*:")
_KEYWORD = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)\s*=(?!=)")
_STANDS = re.compile(
    r"`[\w${}./-]{1,120}\.json`(?:[^.`]{0,30}\b(?:holds?|keeps?|tells?|says?|records?|knows?)\b[^.`]{0,20}\bwhere\b"
    r"|.{0,160}\b(?:every|each|new|next|later) session)|每次会话[^。]{0,12}`[\w${}./-]{1,120}\.json`"
    r"|`[\w${}./-]{1,120}\.json`[^。]{0,20}(?:进度|到哪|走到|做到)"
)
"""A file that says where the run stands, or that each session takes up."""
_BRACE = re.compile(r"(?:\s*(?://|#)[^\n]*\n)?\s*\{")
_SPAN = re.compile(r"`(?:[A-Za-z_]*[sS]tate)\.([A-Za-z_]\w*)[^`\n]{0,80}`")
_SETTING = re.compile(
    r"\b(?:set|sets|update|updates|write|store|record|mark|increment|append|add|initiali[sz]e|save|keep|put"
    r"|clear|reset)\b"
    r"|fill|fills|put|puts|note|notes|assign|assigns|collect|collects|ask .{0,40}\binto|ask for"
    r"|设置|设为|更新|写入|记录|保存|初始化|追加|递增|清空|置为|存入|存到|记入|记到|填入|放入|问清",
    re.IGNORECASE,
)
_SET_AFTER = re.compile(
    r"\s*(?:is|are|gets?|becomes|will be)\s+(?:set|filled|recorded|stored|updated|incremented|initiali[sz]ed)\b"
    r"|\s*(?:设置?为|更新为|置为|记为|改为|写为|初始化|加一|递增|清空)"
)
_ASKING = re.compile(r"\b(?:if|when|while|until|unless|whether|check|once)\b|如果|若|当|直到|检查|是否", re.IGNORECASE)


_LONGEST, _NEAR, _MOST_LINES = 2000, 200, 400
_YAML = frozenset({"yaml", "yml", "toml"})
_YAML_HOME = re.compile(r"\.(?:ya?ml|toml)\b", re.IGNORECASE)
_YAML_KEY = re.compile(r"[\"']?([A-Za-z_]\w*)[\"']?\s*[:=](?=\s|$)")
NO_FIELD = frozenset({"json", "jsonl", "yaml", "yml", "md", "schema", "py", "js", "length"})


def field_uses(skill: Skill) -> tuple[FieldUse, ...]:
    """Give every use of a state field, by file and line. Empty for a skill without a workflow of its own."""
    return _known(skill)[0]


def state_blocks(skill: Skill) -> tuple[StateBlock, ...]:
    """Give the declarations of the state."""
    return _known(skill)[1]


@once
def _known(skill: Skill) -> tuple[tuple[FieldUse, ...], tuple[StateBlock, ...]]:
    uses: list[FieldUse] = []
    blocks: list[StateBlock] = []
    names = ("tate", *records(skill))
    if teaches(skill) and not is_workflow(skill) and len(names) == 1:
        return (), ()
    for file in skill.instructions:
        if not any(name in file.text for name in (*names, "状态", ".json`")):
            continue
        coded = (fence for fence in code_fences(file, *names) if fence.lang not in JSON | _YAML)
        for fence in (*coded, *_json_examples(file)):
            if file.doc.is_counterexample(fence.start):
                continue
            found = [block for block in _blocks(file, fence, names[1:]) if len(block.fields) > 1]
            blocks += found
            uses += [FieldUse(name, Act.DECLARE, file.path, line) for block in found for name, line in block.fields]
            if fence.lang not in JSON | _YAML and is_own(fence):
                uses += _in_code(file, fence, names)
        tables = [StateBlock(file.path, t.start, t.end, t.fields, "table") for t in state_tables(file)]
        blocks += tables
        uses += [FieldUse(name, Act.DECLARE, file.path, line) for block in tables for name, line in block.fields]
        uses += _in_prose(file)
    return tuple(uses), tuple(blocks)


def _in_code(file: SkillFile, fence: CodeFence, names: tuple[str, ...]) -> Iterator[FieldUse]:
    for number, line in enumerate(fence.text.split("\n"), fence.start):
        if not any(name in line for name in names):
            continue
        for match in _access(names[1:]).finditer(line[:_LONGEST]):
            before, after = line[max(0, match.start() - _NEAR) : match.start()], line[match.end() : match.end() + _NEAR]
            if after.startswith("(") or match["field"] in NO_FIELD:
                continue
            act, value = act_of(before, after)
            yield FieldUse(match["field"], act, file.path, number, value)
    for call in fence.calls:
        if call.base.lower() in _UPDATERS and "{" in call.args:
            for name in _members(call.args[call.args.index("{") :]):
                yield FieldUse(name, Act.SET, file.path, call.line)


@lru_cache(maxsize=64)
def _access(names: tuple[str, ...]) -> re.Pattern[str]:
    """Give the regex that finds the use of a field of a state, or of a record of one of the names."""
    roots = "|".join((r"[A-Za-z_]*[sS]tate", *names))
    return re.compile(rf"(?<![\w$.])(?:this\.)?(?P<root>{roots}){_FIELD}")


def act_of(before: str, after: str) -> tuple[Act, str]:
    """Tell by the text around a field what the code does with it, and the value that it sets."""
    sets = _SETS.match(after)
    if sets:
        return Act.SET, (sets["value"] or "").strip().rstrip(";,")
    if _TESTS.match(after) or _TESTING.search(before[-160:]):
        return Act.TEST, ""
    return Act.READ, ""


def _members(text: str) -> Iterator[str]:
    """Give the keys of the outermost object literal of a text."""
    depth, flat = 0, []
    for char in text:
        depth += (char in "{[(") - (char in "}])")
        if depth <= 0:
            break
        flat.append(char if depth == 1 else " ")
    inner = "".join(flat)[1:]
    for part in inner.split(","):
        name = part.split(":")[0].strip(" \n\t\"'")
        if name.isidentifier():
            yield name


def _json_examples(file: SkillFile) -> Iterator[CodeFence]:
    """Give the JSON fences that the heading or the lines above call a state, and YAML of a file of the state."""
    for fence in code_fences(file):
        if (fence.lang in JSON and _BRACE.match(fence.text)) or fence.lang in _YAML:
            above = " ".join(file.doc.line(n) for n in range(max(1, fence.start - 4), fence.start))
            if fence.lang in _YAML:
                if _YAML_HOME.search(above) and STATE.search(above):
                    yield fence
                continue
            if _STANDS.search(above):
                yield fence
                continue
            above += fence.text.lstrip().split("\n", 1)[0]
            if STATE.search(above) or STATE.search(file.doc.section_at(fence.start).title):
                yield fence


def _blocks(file: SkillFile, fence: CodeFence, names: tuple[str, ...]) -> Iterator[StateBlock]:
    if fence.lang in _YAML:
        yield _lines_block(file, fence, enumerate(fence.text.split("\n"), fence.start))
        return
    if fence.lang in JSON:
        properties = properties_of(fence.text) if '"properties"' in fence.text else []
        yield _named_block(file, fence, properties) if properties else _block(file, fence, fence.start)
        return
    here, at, end = fence.start, 0, 0
    for match in _DECLARES.finditer(fence.text):
        start = match.end() - len(match["made"] or match[0])
        here, at = here + fence.text.count("\n", at, start), start
        if here > end:
            block = _block(file, fence, here)
            end = block.end
            yield block
    for name in names:
        for match in re.finditer(rf"(?<![\w.]){name}\s*=\s*\{{", fence.text):
            first = fence.start + fence.text.count("\n", 0, match.start())
            yield replace(_block(file, fence, first), record=name)
    for match in _PYTHON_CLASS.finditer(fence.text):
        first = fence.start + fence.text.count("\n", 0, match.start())
        yield _python_block(file, fence, first)


def _named_block(file: SkillFile, fence: CodeFence, names: list[str]) -> StateBlock:
    """Give the properties of a JSON schema, each where it is declared."""
    lines = list(enumerate(fence.text.split("\n"), fence.start))
    fields = ((name, next((n for n, line in lines if f'"{name}"' in line and ":" in line), 0)) for name in names)
    return StateBlock(file.path, fence.start, fence.end - 1, tuple(f for f in fields if f[1]), fence.lang)


def _lines_block(file: SkillFile, fence: CodeFence, lines: Iterable[tuple[int, str]]) -> StateBlock:
    """Give the outermost keys of YAML or TOML."""
    found = ((match[1], n) for n, line in lines if (match := _YAML_KEY.match(line)))
    return StateBlock(file.path, fence.start, fence.end - 1, tuple(dict(found).items()), fence.lang)


def _block(file: SkillFile, fence: CodeFence, first: int) -> StateBlock:
    """Follow the braces of a literal from its first line on, at most `_MOST_LINES` of them."""
    depth, opened, called, fields, number = 0, False, False, [], first
    for number in range(first, min(fence.end, first + _MOST_LINES)):
        line = _plain_code(file.doc.line(number)[:_LONGEST])
        mark = "(" if "dict(" in line and not opened else "{"
        inside = line[line.find(mark) + 1 :] if not opened else line
        member = _KEYWORD if called or mark == "(" else _MEMBER
        if (depth == 1 or not opened) and (names := [m[1] for m in member.finditer(_outer(inside))]):
            fields += [(name, number) for name in names]
        depth += sum(line.count(mark) for mark in "{[(") - sum(line.count(mark) for mark in "}])")
        called = called or mark == "("
        opened = opened or mark in line
        if opened and depth <= 0:
            break
    return StateBlock(file.path, first, number, tuple(dict.fromkeys(fields)), fence.lang)


def _python_block(file: SkillFile, fence: CodeFence, first: int) -> StateBlock:
    fields, number = [], first
    for number in range(first + 1, fence.end):
        line = file.doc.line(number)
        if line.strip() and not line.startswith((" ", "\t")):
            break
        match = _KEY.match(line)
        if match and ":" in line:
            fields.append((match[1], number))
    return StateBlock(file.path, first, number, tuple(fields), fence.lang)


_STRINGS = re.compile(
    r"(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`[^`\n]*`)(?P<key>\s*:)?|//[^\n]*|(?<=\s)#[^\n]*"
)


def _plain_code(line: str) -> str:
    """Give a line without comments and with empty strings, keys left as they are."""
    return _STRINGS.sub(lambda m: m[0] if m["key"] else '""' if m["text"] else "", line)


def _outer(line: str) -> str:
    """Give a line without what stands in its own brackets."""
    depth, out = 0, []
    for char in line:
        depth += char in "{[("
        out.append(char if depth == 0 else " ")
        depth -= char in "}])" and depth > 0
    return "".join(out)


def _in_prose(file: SkillFile) -> Iterator[FieldUse]:
    for number, line in file.doc.prose:
        if "tate." not in line:
            continue
        for match in _SPAN.finditer(line[:_LONGEST]):
            if match[1] in NO_FIELD:
                continue
            clause = re.split(r"[.;,]\s|[。；，]", line[max(0, match.start() - _NEAR) : match.start()])[-1]
            assigned = re.search(r"[^=!<>]=(?!=)", match[0]) or _SET_AFTER.match(
                line[match.end() : match.end() + _NEAR]
            )
            asked = Act.TEST if _ASKING.search(clause) else Act.READ
            act = Act.SET if assigned or _SETTING.search(clause) else asked
            yield FieldUse(match[1], act, file.path, number)
