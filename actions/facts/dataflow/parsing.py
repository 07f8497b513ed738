"""Where a skill takes apart what came from outside, and whether anything provides for a bad document."""

import re
from collections.abc import Iterator
from itertools import islice

from actions.facts.dataflow.artifacts import Mode, artifact_uses
from actions.facts.dataflow.file_names import names_in, normal, overlap
from actions.facts.own import is_own, is_workflow
from actions.skill.code import PARSERS, Call, CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.stems import Gated

_MARKS = tuple(name + "(" for name in sorted(PARSERS))
_CHECKED = Gated(
    r"\bvalidat|\bnot valid\b|\bmissing\b|\botherwise\b|\bverif|\bnot (?:valid )?json|\binvalid|\bmalformed"
    r"|\bschema\b|\bfail\w* to parse|\bparse error"
    r"|校验|验证|解析失败|不是(?:合法|有效)"
    r"|\bisinstance\(|\bassert\b|\.get\(|\bnot in\b|\w(?:Schema|Model)\b|\btypeof\b"
    r"|Array\.isArray|\bcheck|检查|格式不对|不合法|缺",
    re.IGNORECASE,
    "validat valid missing otherwise verif json malformed schema pars isinstance assert get not model"
    " typeof isarray check 校验 验证 解析 不是 检查 格式 不合法 缺",
)
_OWN = re.compile(r"state|config|settings|manifest|CLAUDE_SKILL_DIR", re.IGNORECASE)
_MOST = 40


def unchecked_parses(skill: Skill) -> Iterator[tuple[str, int]]:
    """Give file and line of each parse whose result is used at once."""
    for file in skill.instructions:
        worked = file.role in (Role.MAIN, Role.PHASE) or is_workflow(skill)
        for fence in filter(is_own, code_fences(file, *_MARKS) if worked else ()):
            for call in islice((call for call in fence.calls if call.name in PARSERS), _MOST):
                if _is_careless(skill, file, fence, call):
                    yield file.path, call.line


def is_guarded(file: SkillFile, fence: CodeFence, call: Call) -> bool:
    """Tell whether a parse stands in a `try`, or a check stands near it: a test of anything else is none."""
    line = call.line
    if any(block.kind == "try" for block in fence.blocks_over(line)):
        return True
    name = re.escape(call.assigned) if call.assigned else r"[A-Za-z_]\w*"
    tested = re.compile(rf"\bif\b[^\n]{{0,80}}?(?:!\s?|\bnot ){name}(?![\w$])")
    near = [file.doc.line(n) for n in range(max(1, line - 8), line + 12)]
    return any(_CHECKED.search(text) or tested.search(text) for text in near)


def _is_careless(skill: Skill, file: SkillFile, fence: CodeFence, call: Call) -> bool:
    if file.doc.is_counterexample(call.line) or is_guarded(file, fence, call):
        return False
    rest = file.doc.line(call.line)
    stored = bool(re.match(r"\s*(?:\w*state|record|session|ctx)(?:\.\w+|\[[^\]]+\])\s*=", rest))
    if not stored and not _is_used(fence, call):
        return False
    return not _OWN.search(rest) and not _is_our_own(skill, fence, call)


def _is_used(fence: CodeFence, call: Call) -> bool:
    """Tell whether a field of the result is taken."""
    if re.match(r"\s*(?:\.(?!get\b)[A-Za-z_]\w*(?!\w*\()|\[)", call.tail):
        return True
    name = call.assigned
    if name is None:
        return False
    return bool(re.search(rf"(?<![\w.'\"`/-]){re.escape(name)}(?:\.(?!get\()[A-Za-z_]|\[)", fence.text))


def _is_our_own(skill: Skill, fence: CodeFence, call: Call) -> bool:
    """Tell whether the document is a file that the skill holds or writes itself."""
    source = call.args
    for variable in re.findall(r"(?<![\w.\"'])([A-Za-z_]\w*)(?![\w(\"'])", call.args)[:5]:
        bound = re.search(rf"(?<![\w.]){variable}\s*=(?!=)([^\n]*)", fence.text)
        source += bound[1] if bound else ""
    names = [normal(text) for _, _, text in names_in(source[:2000])]
    return any(name in skill.paths or any(overlap(name, other) for other in _written(skill)) for name in names)


@once
def _written(skill: Skill) -> frozenset[str]:
    """Give the names of the files that the skill writes."""
    return frozenset(use.name for use in artifact_uses(skill) if use.mode is Mode.WRITE)
