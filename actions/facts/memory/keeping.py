"""What a skill keeps of its run: its stages, its state, checkpoints, and how it goes on after a break."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from actions.facts.context.budget import last_surviving_line
from actions.facts.dataflow.file_names import JSON
from actions.facts.dataflow.stages import numbered_phases, numbered_sections
from actions.facts.memory.loop_files import loop_files, parsed
from actions.facts.own import is_workflow
from actions.facts.state.idle import is_passing
from actions.facts.state.schemas import state_schemas
from actions.facts.state.tables import state_tables
from actions.skill.document import Section
from actions.skill.links import links, spans
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.stems import Stems

_KEEPS = re.compile(
    r"\b(?:Write|Edit|TodoWrite|TaskCreate|TaskUpdate|update_plan|writeFile|json\.dump)\(|\bcheckpoint"
    r"|\bprogress\b|\bstate\.json\b|\bpersist|\bcommit\b"
    r"|\b(?:save|write|record|append|log|note|store|output|export)s?\b[^.\n]{0,60}(?:\b(?:to|in|into|as|file"
    r"|disk)\b|`[^`\n]+\.\w+`)"
    r"|TodoWrite|\btodo(?: list)?\b|保存|写入|记录|进度|检查点|断点|落盘|提交",
    re.IGNORECASE,
)
_KEEP_WORDS = Stems(
    *"write edit todo task plan dump checkpoint progress state persist commit save record append log note".split(),
    *"store output export 保存 写入 记录 进度 检查点 断点 落盘 提交".split(),
)
_RESUMES = re.compile(
    r"\bresum(?:e|es|ing|ed)\b|\bpick(?:s|ing)? up (?:where|again)|\bcontinue from\b|\bwhere (?:it|you"
    r"|we) left off\b|\brestor(?:e|es|ing)\b|\brecover"
    r"|\bif\b[^.\n]{0,80}\b(?:already )?exists?\b|\b(?:interrupted|compaction|compacted|new session"
    r"|existing session|left off|go on with|restart)"
    r"|恢复|继续上次|断点|中断|续跑|已存在|重新进入|接着",
    re.IGNORECASE,
)
_RESUME_WORDS = Stems(
    *"resum pick continue left restor recover exist interrupted compact session go restart".split(),
    *"恢复 继续上次 断点 中断 续跑 已存在 重新进入 接着".split(),
)
_STATE_FILE = re.compile(r"[`\"'(\s]((?:[\w${}.-]+/){0,6}(?:[\w-]*state|progress|session)\.(?:json|md|yaml))\b")
_STATE_WORDS = Stems("state", "progress", "session")
_VERIFIES = re.compile(
    r"verif|validat|\bcheck(?:s|ed|list)?\b|\breview|accept(?:ance)?\b|success criteria|quality gate|\btests?\b"
    r"|compare|confirm|assert|double-check|satisf"
    r"|\bagainst\b|go through|see that|point by point|line by line"
    r"|验证|校验|验收|对照|对(?:一遍|一下|着)|过一遍|检查|核对|测试|审查|确认|比对|逐项|逐条",
    re.IGNORECASE,
)
_VERIFY_WORDS = Stems(
    *"verif validat check review accept success quality test compare confirm assert satisf".split(),
    *"against through see point line".split(),
    *"验证 校验 验收 对照 一遍 一下 对着 检查 核对 测试 审查 确认 比对 逐项 逐条".split(),
)
_LATER = re.compile(
    r"\bwhen (?:reaching|you reach|you get to|this phase)\b|\bdo not (?:load|read"
    r"|open)\b[^.\n]{0,40}\b(?:earlier|before|sooner|until)\b|\bonly (?:load|read) (?:it|this|them) (?:when|then)"
    r"|到(?:达)?(?:此|该)?阶段时|不要提前(?:读取|加载|阅读)",
    re.IGNORECASE,
)
_MANDATORY = re.compile(
    r"\b(?:mandatory|required|must|do not skip|never skip|always)\b|必须|不得跳过|强制|不可省略", re.IGNORECASE
)
_MOST_LINES = 4
_GOAL_FIELDS = re.compile(
    r"request|requirement|goal|objective|task|intent|query|topic|description|prompt|issue|brief|question|input"
    r"|user_|instruction|mission|spec|target|purpose|title|subject|\bwish|\basked\b|_ask|mandate|commission"
    r"|assignment|aim\b|\bwant(?:s|ed)?\b"
    r"|目标|需求|要求|原话|诉求|任务|委托|题目|意图|愿望|主题|问题",
    re.IGNORECASE,
)
_FEWEST_PROPERTIES = 4
_INTERFACE = re.compile(r"^(\s*)(?:export\s+)?(?:interface|type|class)\s+\w*State\w*\b.*[{:]\s*$")
_TS_FIELD = re.compile(r"^(\s+)(?:readonly\s+)?([A-Za-z_]\w*)\??\s*:\s*\S")


@dataclass(frozen=True)
class StateShape:
    """A definition of the skill's state: the line that opens it, its outermost fields, and their indentation."""

    file: SkillFile
    line: int
    fields: tuple[str, ...]
    indent: str
    kept: bool = False


def stages(skill: Skill) -> int:
    """Give how many numbered stages the skill has, in files or in sections of SKILL.md."""
    return max(len(numbered_phases(skill)), len(list(numbered_sections(skill.main))))


def keeps_nothing(skill: Skill) -> bool:
    """Tell whether a workflow never writes down where it stands or what it found."""
    return is_workflow(skill) and not _says(skill, _KEEP_WORDS, _KEEPS)


def never_resumes(skill: Skill) -> bool:
    """Tell whether no file speaks of going on after a break."""
    return not _says(skill, _RESUME_WORDS, _RESUMES)


def never_verifies(skill: Skill) -> bool:
    """Tell whether no file speaks of checking the outcome."""
    return not _says(skill, _VERIFY_WORDS, _VERIFIES)


def _says(skill: Skill, words: Stems, regex: re.Pattern[str]) -> bool:
    return any(regex.search(line) for file in skill.instructions for _, line in words.lines(file))


@once
def state_file(skill: Skill) -> tuple[SkillFile, int, str] | None:
    """Give the first mention of a file that keeps the state: file, line, path."""
    for file in skill.instructions:
        for number, line in _STATE_WORDS.lines(file):
            match = _STATE_FILE.search(" " + line) if number >= file.doc.body_start else None
            if match:
                return file, number, match[1]
    return None


def state_shapes(skill: Skill) -> Iterator[StateShape]:
    """Give the state interfaces (`interface …State {`) of the skill's files, and the tables that declare a state.

    A table with a row that speaks of the goal in any of its cells is left out.
    """
    for file in skill.instructions:
        for table in state_tables(file):
            if not any(_GOAL_FIELDS.search(file.doc.line(line)) for _, line in table.fields):
                yield StateShape(file, table.start, tuple(name for name, _ in table.fields), "", table.kept)
        if "State" not in file.text:
            continue
        for fence in file.doc.fences:
            code = file.doc.code(fence)
            for index, (number, line) in enumerate(code):
                match = _INTERFACE.match(line) if "State" in line else None
                if match:
                    shape = _shape(file, number, match[1], code[index + 1 :])
                    if shape:
                        yield shape


def _shape(file: SkillFile, line: int, outer: str, rest: list[tuple[int, str]]) -> StateShape | None:
    names: list[str] = []
    inner = ""
    for _, text in rest:
        if (
            text.strip()
            and len(text) - len(text.lstrip()) <= len(outer)
            and not text.lstrip().startswith(("//", "#", "*", "/"))
        ):
            break
        match = _TS_FIELD.match(text)
        if match and (not inner or match[1] == inner):
            inner = match[1]
            names.append(match[2])
    return StateShape(file, line, tuple(names), inner) if names else None


def schema_shapes(skill: Skill) -> Iterator[StateShape]:
    """Give the states that a JSON schema of the skill declares, by their properties, in a file or a page of it."""
    for file in skill.instructions:
        if file.role is Role.SPEC and "state" in file.path.lower() and '"properties"' in file.text:
            for fence in file.doc.fences:
                yield from _schema(file, fence.start, parsed(file.doc, fence)) if fence.lang in JSON else ()
    for file in state_schemas(skill):
        with suppress(ValueError, RecursionError):
            yield from _schema(file, 1, json.loads(file.text))


def _schema(file: SkillFile, first: int, schema: object) -> Iterator[StateShape]:
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict) or len(fields) < _FEWEST_PROPERTIES:
        return
    if not any(_GOAL_FIELDS.search(_described(kind)) for kind in fields.values()):
        line = next((n for n, text in enumerate(file.doc.lines, 1) if n >= first and '"properties"' in text), 1)
        yield StateShape(file, line, tuple(fields), "", kept=True)


def _described(kind: object) -> str:
    return f"{kind.get('title', '')} {kind.get('description', '')}" if isinstance(kind, dict) else ""


def loop_shapes(skill: Skill) -> Iterator[StateShape]:
    """Give the files that a loop keeps between its rounds, without those of which some part speaks of the goal."""
    for found in loop_files(skill):
        if not any(map(is_goal, re.split(r"[\",:|\n]", found.text))):
            yield StateShape(found.file, found.start, found.fields, "", kept=True)


def forgets_the_goal(shape: StateShape) -> bool:
    """Tell whether no field of a state can hold what the user asked for."""
    return not any(map(is_goal, shape.fields))


def is_goal(field: str) -> bool:
    """Tell whether a field can hold what the user asked for."""
    return bool(_GOAL_FIELDS.search(field)) and not is_passing(field) and not field.strip().startswith("last")


@dataclass(frozen=True)
class Ending:
    """A mandatory last section of SKILL.md that is only a pointer; `cut` when a compaction drops it."""

    section: Section
    target: str
    cut: bool


def hidden_ending(skill: Skill) -> Ending | None:
    """Give the last section if it is mandatory and only a few lines that point to a reference, to be read late."""
    doc = skill.main.doc
    section = doc.sections[-1]
    if not section.level:
        return None
    lines = [(n, line) for n, line in doc.prose if section.start < n <= section.end]
    told = " ".join(line for _, line in lines)
    if len(lines) > _MOST_LINES or not (_LATER.search(told) and _MANDATORY.search(told)):
        return None
    targets = [link for link in (*links(skill.main), *spans(skill.main)) if section.start < link.line <= section.end]
    found = next((t.target for t in targets if _is_reference(skill, t.target)), None)
    return Ending(section, found, section.start > last_surviving_line(skill)) if found else None


def _is_reference(skill: Skill, target: str) -> bool:
    path = skill.resolve(target, "SKILL.md")
    return path is not None and path in skill.by_path and skill.by_path[path].role in (Role.REFERENCE, Role.PHASE)


def where_stages_are_listed(skill: Skill) -> tuple[SkillFile, int]:
    """Give the file and the line behind which a word on all stages belongs.

    That is the end of the list of phase files, or the line before the first numbered section.
    """
    phases = {file.path for file in numbered_phases(skill)}
    listed = [
        link.line
        for link in (*links(skill.main), *spans(skill.main))
        if skill.resolve(link.target, "SKILL.md") in phases
    ]
    if len(listed) >= 2:
        doc = skill.main.doc
        end = max(listed)
        while doc.line(end + 1).strip() and not doc.line(end + 1).startswith("#"):
            end += 1
        return skill.main, end
    first = next(iter(numbered_sections(skill.main)), None)
    return skill.main, first.start - 1 if first else len(skill.main.doc.lines)
