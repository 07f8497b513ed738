"""What a skill itself says of its run: that nothing is kept, that a break loses all, that nobody looks back."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import zip_longest

from actions.facts.memory import words as w
from actions.facts.memory.plan import Plan, count_of_steps, plan_of
from actions.skill.code import code_fences
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Gated, Stems

_COMMENT = re.compile(r"(?://|#)\s*(.{12,300})$")
_CODE = re.compile(r"`[^`]*`")
_BETWEEN = re.compile(
    r"\b(?:steps?|phases?|stages?|parts?|between|until|before|along the way|meanwhile|intermediate|interim"
    r"|check-?points?)\b"
    r"|步|阶段|中间|过程|途中|之间|断点|检查点",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\s{0,3}1[.)、]\s|\s*\|\s*1\b")
_GOAL_KEY = re.compile(
    r"[\s{,\"'](?P<key>(?:user_?)?(?:request|goals?|targets?|success\w*|criteria|wish(?:es)?|requirements?"
    r"|objectives?|aims?))[\"']?\s*[:=]"
    r"|\bkeys?\b[^.\n]{0,60}\b(?P<named>request|goals?|targets?|success|criteria|wish(?:es)?|requirements?)\b",
    re.IGNORECASE,
)
_GOAL_SPAN = re.compile(
    r"`[\w./\[\]]*(?:request|goal|target|success|criteri|wish|requirement|objective|brief|aim"
    r"|intake)\w*[^`\n]{0,40}`",
    re.IGNORECASE,
)
_GOAL = re.compile(
    r"\b(?:goals?|brief|wish(?:es)?|targets?|(?:original|user['’]?s?) request|requirements?|criteria|asked for"
    r"|wanted|aims?)\b|目标|需求|要求|原话",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\bclose (?:the|this) \w+|\b(?:message|report|summary|word) (?:to|for) the \w+|\btell the user\b"
    r"|结束(?:流程|任务)|总结",
    re.IGNORECASE,
)
_WANTED = re.compile(r"\baims?\b|\b(?:once more|again)\b|用户(?:要|想|提|说|给)|回头|那[一二三几两]", re.IGNORECASE)
_CHECKS_PHASE = re.compile(r"verif|review|check|valid|test|audit|accept|qa|evaluat|quality|验|查|审|核", re.IGNORECASE)
_NEAR = 2
_LONG_CHAIN = 4
_LONGEST = 500


@dataclass(frozen=True)
class Said:
    """A sentence of a skill about its run."""

    file: SkillFile
    line: int
    text: str


@once
def _told(skill: Skill) -> tuple[Said, ...]:
    """Give the sentences of SKILL.md, the phases and the specs, and the comments in their pseudo-code."""
    return tuple(said for file in _of_the_run(skill) for said in (*_in_prose(file, w.KEEPING), *_in_comments(file)))


def _of_the_run(skill: Skill) -> list[SkillFile]:
    return [file for file in skill.instructions if file.role is not Role.REFERENCE]


def _in_prose(file: SkillFile, stems: Stems) -> Iterator[Said]:
    for said in statements(file, stems):
        if len(said.text) <= _LONGEST and not file.doc.is_counterexample(said.line):
            yield Said(file, said.line, said.text)


def _in_comments(file: SkillFile) -> Iterator[Said]:
    for fence in code_fences(file, "//", "#"):
        for number, line in enumerate(fence.text.split("\n"), fence.start):
            found = _COMMENT.search(line) if "//" in line or "#" in line else None
            if found and not file.doc.is_counterexample(number):
                yield Said(file, number, found[1])


@lru_cache(maxsize=8192)
def _meant(pattern: re.Pattern[str] | Gated, text: str) -> bool:
    """Tell whether a sentence says it, and does not warn of it."""
    return any(not w.NOT_SO.search(text[: found.start()]) for found in pattern.finditer(text))


def nothing_kept(skill: Skill) -> Said | None:
    """Give the sentence by which a run of four steps or much of a kind keeps nothing until it ends."""
    told = _told(skill)
    if not (count_of_steps(skill) >= _LONG_CHAIN or any(w.MANY.search(said.text) for said in told)):
        return None
    return next((said for k, said in enumerate(told) if _keeps_nothing(said.text, partial(_around, told, k))), None)


def _keeps_nothing(text: str, around: Callable[[], str]) -> bool:
    in_head = _meant(w.IN_HEAD, text)
    if in_head and w.UNTIL.search(text):
        return True
    none = _meant(w.NO_SAVE, text) and not w.FILES.search(text)
    late = _meant(w.LATE_SAVE, text)
    return (none and (late or bool(w.THROUGH.search(around())) or bool(_BETWEEN.search(text)))) or (
        late and bool(w.THROUGH.search(around()) or w.IN_HEAD.search(around()))
    )


def _around(told: tuple[Said, ...], k: int) -> str:
    near = (said for said in told[max(0, k - _NEAR) : k + _NEAR + 1] if said.file is told[k].file)
    return " ".join(said.text for said in near if abs(said.line - told[k].line) <= _NEAR)


def no_way_back(skill: Skill) -> Said | None:
    """Give the sentence by which a run that is broken off is lost."""
    told = _told(skill)
    long = any(w.LONG.search(said.text) for said in told)
    return next((said for k, said in enumerate(told) if _is_lost(said.text, partial(_around, told, k), long)), None)


def _is_lost(text: str, around: Callable[[], str], long: bool) -> bool:
    broken = bool(w.BROKEN.search(text))
    if broken and (_meant(w.NO_RETURN, text) or (_meant(w.ANEW, text) and not w.FILES.search(text))):
        return True
    if _meant(w.ONE_TALK, text) and (long or w.ANEW.search(around()) or w.NO_RETURN.search(around())):
        return True
    return long and (_meant(w.IN_HEAD, text) or (_meant(w.NO_SAVE, text) and "`" not in text))


def unchecked_ending(skill: Skill) -> Said | None:
    """Give the sentence of the last step by which the outcome leaves the run without a look at what was asked for."""
    plan = plan_of(skill)
    if plan is None:
        return None
    told = [said for file in _of_the_run(skill) for said in _in_prose(file, w.OUTCOME)]
    first = _first_step(plan)
    last = [said for said in told if said.file is plan.file and plan.start <= said.line <= plan.end]
    rest = [said for said in told if not _of_a_step(plan, first, said)]
    named = " ".join([skill.name, *(s.title for s in skill.main.doc.sections if s.level == 1)]).lower()
    if any(_looks(said.text, named) for said in last) or any(_looks_back(said.text, named) for said in (*last, *rest)):
        return None
    ending = next((said for said, then in zip_longest(last, last[1:]) if said and _ends(said, then)), None)
    if ending is None:
        return _forgets_the_goals(skill, plan, named)
    begin = _step_before(plan)
    before = (said.text for said in told if said.file is plan.file and begin <= said.line < plan.start)
    looked = any(_looks(text, named) and (w.ASKED.search(text) or _WANTED.search(text)) for text in before)
    return None if looked else ending


def _forgets_the_goals(skill: Skill, plan: Plan, named: str) -> Said | None:
    """Give the first line of a last phase that closes the run, where an early phase writes down what the user wants and
    neither this phase nor any other reads that again to check it.
    """
    phases = skill.phases
    if plan.file.role is not Role.PHASE or len(phases) < _LONG_CHAIN or plan.file is not phases[-1]:
        return None
    if any(_CHECKS_PHASE.search(file.path) for file in phases) or mentions_the_goal(phases[-1]):
        return None
    if not any(True for file in phases[:2] for _ in _goals_written(file)):
        return None
    looked = (said for file in phases[-2:] for said in _in_prose(file, w.OUTCOME))
    if any(_looks(said.text, named) and _GOAL.search(said.text) for said in looked):
        return None
    told = _in_prose(phases[-1], w.OUTCOME)
    return next((said for said in told if any(r.search(said.text) for r in (w.DELIVERS, w.CLOSED, _CLOSES))), None)


def _goals_written(file: SkillFile) -> Iterator[str]:
    """Give the keys under which a phase writes down what the user wants, in code or in a sentence."""
    for line in file.doc.lines:
        yield from (match["key"] or match["named"] for match in _GOAL_KEY.finditer(line[:_LONGEST]))


def mentions_the_goal(file: SkillFile) -> bool:
    """Tell whether a file speaks of what the user asked for, or of a field that keeps it."""
    return any(w.ASKED.search(line) or _GOAL_KEY.search(line) or _GOAL_SPAN.search(line) for line in file.doc.lines)


def hands_over(skill: Skill) -> bool:
    """Tell whether the last step gives the outcome away."""
    plan = plan_of(skill)
    lines = plan.file.doc.lines[plan.start - 1 : plan.end] if plan else ()
    return any(map(w.DELIVERS.search, lines))


def _looks(text: str, named: str) -> bool:
    """Tell whether a sentence speaks of a check; the word by which the skill's own trade is `named` is none."""
    plain = w.NO_LOOK.sub(" ", _CODE.sub(" ", text))
    return any(found[0].lower() not in named for found in w.CHECKS.finditer(plain))


def _looks_back(text: str, named: str) -> bool:
    return bool(w.ASKED.search(text)) and _looks(text, named)


def _ends(said: Said, then: Said | None) -> bool:
    """Tell whether a sentence hands the outcome over and it, or the next one, ends the run."""
    told = f"{said.text} {then.text}" if then else said.text
    return bool(w.NO_LOOK.search(said.text) or (w.DELIVERS.search(said.text) and w.CLOSED.search(told)))


def _of_a_step(plan: Plan, first: int, said: Said) -> bool:
    """Tell whether a sentence is of a step: what is checked before the last one is not yet the outcome."""
    if plan.file.role is Role.PHASE:
        return said.file.role is Role.PHASE
    return said.file is plan.file and first <= said.line <= plan.end


def _step_before(plan: Plan) -> int:
    """Give the line where the last step but one of a list begins; where the plan is no list, that of the last."""
    lines = (line for line, _ in plan.file.doc.numbered if line < plan.start)
    return max(lines, default=plan.start) if plan.file.role is not Role.PHASE else plan.start


def _first_step(plan: Plan) -> int:
    """Give a line from which on the steps of a list are numbered."""
    numbers = (n for n, line in plan.file.doc.prose if n < plan.start and _FIRST.match(line))
    return max(numbers, default=plan.start)
