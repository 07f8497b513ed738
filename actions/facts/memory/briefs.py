"""What a skill tells its sub-agents, in code and in prose, and which of its standing rules they are not told."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.facts.docs.passages import is_for_agents
from actions.facts.docs.senses import senses
from actions.facts.memory.constraints import is_for_the_conductor, points_to_rules
from actions.model import regex as re
from actions.model.memo import once
from actions.model.rules import force_of
from actions.model.skill import Role, Skill, SkillFile
from actions.model.statements import Statement, statements
from actions.model.stems import Gated, Stems
from actions.model.text import sentences, strip_list_mark

_AGENTS = Stems("agent", "worker", "teammate", "代理", "智能体")
_AGENT = re.compile(r"\b(?:sub-?)?agents?\b|\bworkers?\b|\bteammates?\b|代理|智能体", re.IGNORECASE)
_TOLD = re.compile(
    r"[\"“「][^\"”」]{8,}[\"”」]|\b(?:tells?|hands?|gives?|briefs?|names?|lists?) (?:it|them|the agent|each)\b"
    r"|\b(?:its|the|their|this) (?:task|prompt|brief)\b|\btask (?:says|is|names)\b"
    r"|任务(?:说明|内容|描述|书)?(?:里|中|为|是|：)|写明|附上|告诉它|交代",
    re.IGNORECASE,
)
_PRODUCES = re.compile(
    r"\b(?:writ(?:e|es|ing)|drafts?|compos\w+|translat\w+|design\w*|prepar\w+|produc\w+|rewrit\w+|creat\w+|build"
    r"|generat\w+|summari[sz]\w+"
    r"|describe|list the|make (?:a|an|the)|answer (?:each|every|the)|letters?|reply to)\b|写|成文|撰|拟|翻[成译]"
    r"|译|起草|编[写制]|设计|生成|制作",
    re.IGNORECASE,
)
_LOOKS = frozenset({"explore", "plan"})
_NAMES_RULES = re.compile(
    r"\b(?:constraints?|restrictions?|guidelines?|limits?|house style|standing orders?|(?:house|ground|hard|the"
    r"|these|all) rules)\b|\$?\{[^{}]*(?:rule|constraint"
    r"|guid|spec|brief|style|term|limit)\w*[^{}]*\}|约束|限制|准则|规范|原则|规则",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"`(?P<span>(?:\w+\.)*(?:constraints?|limits?|restrictions?|house_rules|guidelines))`"
    r"|\{[^{}\n]*?\b(?P<put>(?:\w+\.)*(?:constraints?|limits?|restrictions?|house_rules|guidelines))\b",
)
_LABEL = re.compile(
    r"^\W*(?:\w+ ){0,2}?(?:constraints?|rules|limits|restrictions|conditions|ground rules"
    r"|requirements)\W*[:：]\W*(?P<rest>.*)$"
    r"|^\W*.{0,4}(?:限制|约束|规定|要求|规则|准则)(?:条件)?\W*[:：]\W*(?P<chinese>.*)$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"^\W*(?:\w+ ){0,2}?(?:constraints?|rules|limits|restrictions|ground rules)\W*$|^\W*.{0,4}(?:限制|约束|规则"
    r"|准则|红线)\W*$",
    re.IGNORECASE,
)
_OF_TOOLS = re.compile(r"[A-Za-z]\w*\(|`[\w.]+(?:\s[^`]*)?`\s*(?:CLI|tool)|→|->|\bfunctions\.")
_PARTS = re.compile(r"[;；]")
_HALF = 0.5
_MOST = 40
"""Rules and briefs that are compared, each with each."""
_FEWEST = 2
_SHORTEST, _LONGEST = 12, 600
"""Letters of a brief: a longer one has rules of its own."""


@dataclass(frozen=True)
class Brief:
    """What one sub-agent is told, from `line` to `line_end`; `text` is all of it that can be seen."""

    file: SkillFile
    line: int
    line_end: int
    text: str


@dataclass(frozen=True)
class Bare:
    """A brief that lacks what binds the work: `rules` are examples of it."""

    brief: Brief
    rules: tuple[str, ...]


@once
def briefs(skill: Skill) -> tuple[Brief, ...]:
    """Give the briefs by which sub-agents produce something; those that only look for things are left out."""
    found = [*_in_code(skill), *(b for file in skill.instructions for b in _in_prose(file))]
    return tuple(brief for brief in found if _PRODUCES.search(brief.text) and len(brief.text) >= _SHORTEST)


def _in_code(skill: Skill) -> Iterator[Brief]:
    for step in agent_steps(skill):
        if step.call and step.fence and step.type.lower() not in _LOOKS:
            yield Brief(step.file, step.line, step.line_end, step.prompt or _built(step))


def _built(step: AgentStep) -> str:
    """Give the text before a call from which its prompt is put together."""
    if not (step.fence and step.call):
        return ""
    before = step.fence.text.split("\n")[: step.line_end - step.fence.start + 1]
    return "\n".join(before)


@once
def _in_prose(file: SkillFile) -> tuple[Brief, ...]:
    return tuple(_told_in_prose(file))


def _told_in_prose(file: SkillFile) -> Iterator[Brief]:
    told: dict[int, list[Statement]] = {}
    for said in statements(file, _AGENTS):
        told.setdefault(said.unit, []).append(said)
    for unit in told.values():
        text = " ".join(said.text for said in unit)
        first = next((said for said in unit if _AGENT.search(said.text)), None)
        if first and _TOLD.search(text) and not file.doc.is_counterexample(first.line) and "|" not in text[:2]:
            yield Brief(file, first.line, unit[-1].line, text)


def carries(text: str, rule: str) -> bool:
    """Tell whether a text says half of what a rule speaks of, in whatever words."""
    about = senses(rule)
    return not about or len(about & senses(text)) >= _HALF * len(about)


def names_rules(text: str, skill: Skill) -> bool:
    """Tell whether a brief hands the rules over by their name or file."""
    return bool(_NAMES_RULES.search(text)) or points_to_rules(text, skill)


@once
def labelled_rules(skill: Skill) -> tuple[str, ...]:
    """Give the rules that SKILL.md lists as its constraints: behind a label, or in a section of that title."""
    found = [r for r in _labelled(skill.main) if senses(r) and not is_for_the_conductor(r) and not _OF_TOOLS.search(r)]
    return tuple(dict.fromkeys(found))


def _labelled(file: SkillFile) -> Iterator[str]:
    listed = False
    for said in statements(file):
        line = file.doc.line(said.line).lstrip()
        item = strip_list_mark(line) != line
        titled = any(_lists_rules(s.title) for s in file.doc.headings_over(said.line) if s.level > 1)
        label = None if item else _LABEL.match(said.text)
        if label and not (label["rest"] or label["chinese"]):
            listed = True
        elif label:
            listed = False
            yield from _PARTS.split(label["rest"] or label["chinese"])
            yield from _rest_of(file, said)
        elif item and (listed or titled):
            yield said.text
        elif not item:
            listed = False


@lru_cache(maxsize=8192)
def _lists_rules(title: str) -> bool:
    return bool(_TITLE.match(title))


def _rest_of(file: SkillFile, label: Statement) -> Iterator[str]:
    """Give the further rules of a labelled line that sentence ends part."""
    whole = sentences(strip_list_mark(file.doc.line(label.line)))
    yield from (part for part in whole if part != label.text and force_of(part))


def bare_briefs(skill: Skill) -> Iterator[Bare]:
    """Give the briefs without any of the listed constraints, and those without the ones that another brief is given."""
    held = labelled_rules(skill)[:_MOST]
    channels = {channel for brief in _all_told(skill) for channel in _channels(brief)}
    for brief in briefs(skill):
        own = set(_channels(brief.text))
        if is_for_agents(brief.file.path):
            continue
        if channels and not own & channels and not _NAMES_RULES.search(_without_names(brief.text)):
            yield Bare(
                brief, tuple(f"`{channel}`, which another sub-agent is given" for channel in sorted(channels)[:1])
            )
        elif (
            len(held) >= _FEWEST
            and len(brief.text) <= _LONGEST
            and not names_rules(brief.text, skill)
            and not any(carries(brief.text, r) for r in held)
        ):
            yield Bare(brief, held[:3])


def _without_names(text: str) -> str:
    return re.sub(r"[\w/.-]+\.\w{1,4}\b|\b(?:the|these) rules\b", " ", text)


def _all_told(skill: Skill) -> Iterator[str]:
    yield from (brief.text for file in skill.instructions for brief in _in_prose(file))
    yield from (step.call.args for step in agent_steps(skill) if step.call)


def _channels(text: str) -> Iterator[str]:
    for match in _CHANNEL.finditer(text):
        yield (match["span"] or match["put"]).rsplit(".", 1)[-1]


_LASTING = Gated(
    r"\b(?:whole (?:job|run|work|project)|entire (?:job|run)|until the (?:very )?end|to the (?:very )?end"
    r"|throughout|at all times|from here on|for the rest"
    r"|everything that follows|(?:all|every|each|later|following|further) (?:later |further |following"
    r" )?(?:phases?|steps?|stages?)|bind(?:s|ing)?|ground rule|standing order"
    r"|hard (?:rule|limit|constraint)|bear (?:it|this|that) in mind|in (?:what|everything|all) (?:we|you)"
    r" (?:publish|write|send)"
    r"|(?:this|it) (?:also )?(?:holds|goes|applies|counts) (?:for|to))\b"
    r"|全程|自始至终|贯穿|后续(?:各|所有|的)?(?:步骤|阶段)|直到最后|硬性|所有(?:步骤|阶段)|牢记|切记|整个(?:流程"
    r"|过程|任务)|始终|一律",
    re.IGNORECASE,
    Stems(
        *"whole entire end throughout times here rest everything phase step stage bind ground standing".split(),
        *"rule limit constraint bear publish write send hold goes applies counts 全程 自始".split(),
        *"贯穿 后续 直到 硬性 所有 牢记 切记 整个 始终 一律".split(),
    ),
)
_RULE_WORDS = senses(
    "write publish draft report rule order mind bear hold bind whole job run work project step phase stage"
    " everything follow"
    " standing ground hard 必须遵守 全程 硬性 要求 贯穿 始终"
)
_WRITES = re.compile(
    r"^\W*(?:Write|Draft|Compose|Prepare|Produce|Publish|Draw|Design|Translate|Print|Build|Make)\b|^\W*(?:撰写"
    r"|起草|编写|写|拟|绘制|翻译|设计)"
)


@dataclass(frozen=True)
class Lasting:
    """A rule at a place that is said to hold for all that follows."""

    file: SkillFile
    line: int
    text: str
    stage: int


@once
def lasting_rules(skill: Skill) -> tuple[Lasting, ...]:
    """Give the rules that an early phase or the text before the steps lays down for the rest of the run."""
    places = [(k, file) for k, file in enumerate(skill.phases)] if len(skill.phases) > 1 else [(-1, skill.main)]
    return tuple(islice((rule for k, file in places for rule in _lasting(file, k)), _MOST))


def _lasting(file: SkillFile, stage: int) -> Iterator[Lasting]:
    told = list(statements(file))
    counts = [len(list(_LASTING.finditer(said.text))) for said in told]
    if not any(counts):
        return
    for k, said in enumerate(told):
        if file.doc.is_counterexample(said.line) or said.text.rstrip().endswith((":", "：")):
            continue
        unit = [after for after in told[k : k + 3] if after.unit == said.unit]
        lasting = counts[k : k + len(unit)]
        if (force_of(said.text) and any(lasting[:2])) or (lasting[0] and sum(lasting) > 1):
            rule = [after.text for after, count in zip(unit, lasting, strict=True) if after is said or not count]
            yield Lasting(file, said.line, " ".join(rule), stage)


def _core(rule: str) -> str:
    return _LASTING.regex.sub(" ", rule)


def _carried(text: str, rule: str) -> bool:
    about = senses(_core(rule)) - _RULE_WORDS
    return not about or len(about & senses(text)) >= min(2, _HALF * len(about))


def forgotten(skill: Skill) -> Iterator[tuple[Brief, Lasting]]:
    """Give the later briefs that a lasting rule binds and that do not carry it."""
    told = [brief for brief in briefs(skill) if not names_rules(brief.text, skill)][:_MOST]
    for rule in lasting_rules(skill) if told else ():
        for brief in told:
            later = rule.stage < 0 or (brief.file in skill.phases[rule.stage + 1 :])
            behind = brief.file is not rule.file or brief.line > rule.line
            if later and behind and not _carried(brief.text, rule.text):
                yield brief, rule


def left_behind(skill: Skill) -> Iterator[tuple[Brief, Lasting]]:
    """Give later phases that write something, where nothing from there on mentions a lasting rule of an early one."""
    for rule in lasting_rules(skill) if len(skill.phases) > 1 else ():
        later = skill.phases[rule.stage + 1 :] if rule.stage >= 0 else ()
        texts = [file.text for file in (*later, skill.main, *(f for f in skill.instructions if f.role is Role.SPEC))]
        if any(_carried(text, rule.text) for text in texts):
            continue
        for file in later:
            place = next((said for said in statements(file) if _WRITES.search(said.text)), None)
            if place and not _NAMES_RULES.search(file.text) and "{" not in file.text:
                yield Brief(file, place.line, place.line, place.text), rule
                break
