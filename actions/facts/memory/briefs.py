"""What a skill tells its sub-agents, in code and in prose, and which of its standing rules they are not told."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from actions.facts.agents import words as w
from actions.facts.agents.calls import AgentStep, agent_steps
from actions.facts.agents.quoted import quoted_prompts
from actions.facts.agents.wrappers import is_in_wrapper
from actions.facts.docs.passages import is_for_agents
from actions.facts.docs.senses import senses
from actions.facts.memory.constraints import is_for_the_conductor, points_to_rules, sets_limits
from actions.skill.memo import once
from actions.skill.rules import force_of
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import Statement, statements
from actions.skill.text import is_item, sentences, strip_list_mark

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
_ONLY_LOOKS = re.compile(
    r"\bread[- ]only\b|\b(?:change|modify|edit|touch|write|save) nothing\b|只读|只看|不(?:得|要|许|能)?(?:修?改|动)"
    r"(?:任何|文件)"
    r"|^\W*(?:You are [^.\n]{1,80}\.\s*)?(?:Find|Look|Search|List|Read|Check|Review|Explore|Judge|Rate|Compare|Verify"
    r"|Analy[sz]e|Locate|Identify|Count|Assess|Test|Why|What|Which|How|Is|Are|Does)\b|^\W*(?:查|找|读|看|列|检查|审查|评|核对|分析|统计|比较)",
    re.IGNORECASE,
)
_LOOKS = frozenset({"explore", "plan"})
_NAMES_RULES = re.compile(
    r"\b(?:constraints?|restrictions?|guidelines?|limits?|house style|standing orders?|(?:house|ground|hard|the"
    r"|these|all) rules)\b|\{\s*(?:[\w\[\]'\"]+\.)*\w*(?:rule|constraint|guid|spec|brief|style|term|limit)\w*"
    r"(?:\.(?:join|map|filter|trim|text)\b[^{}]*|[\[(][^{}]*)?\s*\}|约束|限制|准则|规范|原则|规则",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"`(?P<span>(?:\w+\.)*(?:constraints?|limits?|restrictions?|house_rules|guidelines))`"
    r"|\{[^{}\n]*?\b(?P<put>(?:\w+\.)*(?:constraints?|limits?|restrictions?|house_rules|guidelines))\b",
)
_LABEL = re.compile(
    r"^\W*(?:[\w'’]+ ){0,2}?(?:constraints?|rules|limits|restrictions|conditions|ground rules"
    r"|requirements)\W*[:：]\W*(?P<rest>.*)$"
    r"|^\W*.{0,4}(?:限制|约束|规定|要求|规则|准则|守则|规矩|底线|纪律)(?:条件)?\W*[:：]\W*(?P<chinese>.*)$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"^\W*(?:\w+ ){0,2}?(?:constraints?|rules|limits|restrictions|ground rules)\W*$|^\W*.{0,4}(?:限制|约束|规则"
    r"|准则|红线|守则|规矩|底线|纪律)\W*$",
    re.IGNORECASE,
)
_OF_TOOLS = re.compile(r"[A-Za-z]\w*\(|`[\w.]+(?:\s[^`]*)?`\s*(?:CLI|tool)|→|->|\bfunctions\.")
_PARTS = re.compile(r"[;；]")
_COMMAS = re.compile(r",\s|，|、")
_BINDS = re.compile(
    r"^\W*(?:(?:and )?(?:no|only|never|not|nothing|none|at most|at least|without|up to)\b)"
    r"|\b(?:only|at most|at least|never|must|not|no)\b|[只仅不勿]|最多|至少",
    re.IGNORECASE,
)
_SHORT_HEAD = 60
_OWN_RULES = re.compile(
    r"(?:^|[\n.。;；\"'`])\s*(?:(?:ground |house |hard )?rules|constraints|limits|约束|限制|规则|守则|规矩"
    r"|红线)\s*[:：]\s*(?P<held>[^\n]{4,200})",
    re.IGNORECASE,
)
"""A line of rules in a prompt."""
_SLOT = re.compile(r"\$?\{[^{}\n]*\}|^\W*(?:Reply|Answer|Return|Report|回话|回复|只回)\b[^\n]*", re.MULTILINE)
"""What a prompt does not say itself: a value put in; and what it asks for, which binds nothing else."""
_HALF = 0.5
_MOST = 40
"""Rules and briefs that are compared, each with each."""
_FEWEST = 2
_SHORTEST, _LONGEST = 12, 600
"""Letters of a brief: a longer one has rules of its own."""
_MOST_LINES = 40
"""Lines of a quoted prompt: the same."""


@dataclass(frozen=True)
class Brief:
    """What one sub-agent is told, from `line` to `line_end`; `text` is all of it that can be seen."""

    file: SkillFile
    line: int
    line_end: int
    text: str
    is_prose: bool = False


@dataclass(frozen=True)
class Bare:
    """A brief that lacks what binds the work: `rules` are examples of it."""

    brief: Brief
    rules: tuple[str, ...]


@once
def briefs(skill: Skill) -> tuple[Brief, ...]:
    """Give the briefs of all sub-agents but those that explore."""
    told = (b for file in skill.instructions for b in (*_in_blocks(file), *_in_prose(file)))
    return tuple(brief for brief in (*_in_code(skill), *told) if len(brief.text) >= _SHORTEST)


def writing_briefs(skill: Skill) -> Iterator[Brief]:
    """Give the briefs by which sub-agents write something."""
    return (brief for brief in briefs(skill) if _PRODUCES.search(brief.text))


def acting_briefs(skill: Skill) -> Iterator[Brief]:
    """Give the other briefs by which sub-agents do something; those that only look at things are left out."""
    rest = (brief for brief in briefs(skill) if not (brief.is_prose or _PRODUCES.search(brief.text)))
    return (brief for brief in rest if not _ONLY_LOOKS.search(brief.text))


def _in_code(skill: Skill) -> Iterator[Brief]:
    for step in agent_steps(skill):
        if step.call and step.fence and step.type.lower() not in _LOOKS and not _hands_on(step, skill):
            yield Brief(step.file, step.line, step.line_end, step.prompt or _built(step))


def _hands_on(step: AgentStep, skill: Skill) -> bool:
    """Tell whether a call stands in a function of the skill's own that is given the prompt."""
    return not step.prompt and is_in_wrapper(skill, step.file.path, step.line)


def _built(step: AgentStep) -> str:
    """Give the text before a call from which its prompt is put together."""
    if not (step.fence and step.call):
        return ""
    before = step.fence.text.split("\n")[: step.line_end - step.fence.start + 1]
    return "\n".join(before)


def _in_blocks(file: SkillFile) -> Iterator[Brief]:
    for prompt in quoted_prompts(file):
        if prompt.to_worker and prompt.line_end - prompt.line < _MOST_LINES:
            yield Brief(file, prompt.line, prompt.line_end, prompt.text)


@once
def _in_prose(file: SkillFile) -> tuple[Brief, ...]:
    return tuple(_told_in_prose(file))


def _told_in_prose(file: SkillFile) -> Iterator[Brief]:
    told: dict[int, list[Statement]] = {}
    for said in statements(file, w.WORKERS):
        told.setdefault(said.unit, []).append(said)
    for unit in told.values():
        text = " ".join(said.text for said in unit)
        first = next((said for said in unit if _AGENT.search(said.text)), None)
        if first and _TOLD.search(text) and not file.doc.is_counterexample(first.line) and "|" not in text[:2]:
            yield Brief(file, first.line, unit[-1].line, text, is_prose=True)


def carries(text: str, rule: str) -> bool:
    """Tell whether a text says half of what a rule speaks of, in whatever words."""
    about = senses(rule)
    return not about or len(about & senses(text)) >= _HALF * len(about)


def names_rules(text: str, skill: Skill) -> bool:
    """Tell whether a brief hands the rules over by their name or file."""
    return speaks_of_rules(text) or points_to_rules(text, skill)


def speaks_of_rules(text: str) -> bool:
    """Tell whether a text names rules, limits or a style as such."""
    return bool(_NAMES_RULES.search(text))


def without_label(text: str) -> str:
    """Give a brief without the label of its own line of rules, which hands no other rules over."""
    return _OWN_RULES.sub(lambda match: f" {match['held']}", text)


@once
def labelled_rules(skill: Skill) -> tuple[str, ...]:
    """Give the rules that SKILL.md lists as its constraints: behind a label, or in a section of that title."""
    found = [r for r in _labelled(skill.main) if senses(r) and not is_for_the_conductor(r) and not _OF_TOOLS.search(r)]
    return tuple(dict.fromkeys(found))


def _labelled(file: SkillFile) -> Iterator[str]:
    listed = False
    under: list[str] = []
    for said in statements(file):
        line = file.doc.line(said.line).lstrip()
        item = is_item(line)
        label = None if item else _LABEL.match(said.text)
        if not item:
            yield from _if_binding(under)
            under = []
        if label and not (label["rest"] or label["chinese"]):
            listed = True
        elif label:
            listed = False
            yield from _parts_of(label["rest"] or label["chinese"])
            yield from _rest_of(file, said)
        elif item and (listed or _stands_under_rules(file, said.line)):
            yield said.text
        elif item:
            under.append(said.text)
        else:
            listed = False
            yield from _listed_in(line if line.startswith(said.text) and "；" in line else said.text)
    yield from _if_binding(under)


def _stands_under_rules(file: SkillFile, number: int) -> bool:
    return any(_lists_rules(section.title) for section in file.doc.headings_over(number) if section.level > 1)


@lru_cache(maxsize=8192)
def _lists_rules(title: str) -> bool:
    return bool(_TITLE.match(title))


def _parts_of(told: str) -> list[str]:
    """Give the rules of one line: between semicolons, or between commas where there are none of these."""
    parts = _PARTS.split(told.rstrip(".。"))
    return [part.strip() for part in (parts if len(parts) > 1 else _COMMAS.split(told))]


def _listed_in(text: str) -> list[str]:
    """Give the rules that a sentence counts up behind a colon, whatever it calls them."""
    head, _, told = text.replace("：", ":").partition(":")
    return _if_binding(_parts_of(told)) if told and len(head) <= _SHORT_HEAD and not is_for_the_conductor(head) else []


def _if_binding(told: list[str]) -> list[str]:
    """Give the parts of a list of which most bind: they are rules by themselves."""
    bind = sum(bool(_BINDS.search(part)) for part in told)
    return told if bind >= max(_FEWEST, len(told) * 2 / 3) else []


def _rest_of(file: SkillFile, label: Statement) -> Iterator[str]:
    """Give the further rules of a labelled line that sentence ends part."""
    whole = sentences(strip_list_mark(file.doc.line(label.line)))
    for before, part in pairwise(("", *whole)):
        if part != label.text and (force_of(part) or before.endswith(("；", ";"))):
            yield part


def bare_briefs(skill: Skill) -> Iterator[Bare]:
    """Give the briefs without any of the listed constraints, and those without the ones that another brief is given."""
    held = labelled_rules(skill)[:_MOST]
    ruled = _usual_rules(skill)
    channels = {channel for brief in _all_told(skill) for channel in _channels(brief)}
    for brief in (*writing_briefs(skill), *_sole(skill, held)):
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
            and not any(carries(_SLOT.sub(" ", brief.text), r) for r in held)
        ):
            yield Bare(brief, held[:3])
        elif ruled and not _OWN_RULES.search(brief.text) and _is_unbound(brief, skill):
            yield Bare(brief, (f"“{ruled}”, as the other sub-agents are told",))


def _sole(skill: Skill, held: Sequence[str]) -> tuple[Brief, ...]:
    """Give the one brief of a skill that has no other, if it writes nothing but speaks of what a rule speaks of."""
    told = [brief for brief in briefs(skill) if not brief.is_prose]
    about = frozenset[str]().union(*map(senses, held)) - senses(skill.frontmatter.text("description"))
    touches = len(told) == 1 and about & senses(_SLOT.sub(" ", told[0].text))
    return tuple(told) if touches and not _PRODUCES.search(told[0].text) else ()


def _is_unbound(brief: Brief, skill: Skill) -> bool:
    return not (sets_limits(brief.text) or names_rules(brief.text, skill))


def _usual_rules(skill: Skill) -> str:
    """Give the line of rules of a prompt, where two of three prompts of a skill have such a line; else nothing."""
    told = [step.prompt for step in agent_steps(skill) if step.call and len(step.prompt) >= _SHORTEST]
    found = [match["held"] for prompt in told if (match := _OWN_RULES.search(prompt))]
    return found[0] if len(found) >= max(_FEWEST, len(told) * 2 / 3) else ""


def _without_names(text: str) -> str:
    return re.sub(r"[\w/.-]+\.\w{1,4}\b|\b(?:the|these) rules\b", " ", text)


def _all_told(skill: Skill) -> Iterator[str]:
    yield from (brief.text for file in skill.instructions for brief in _in_prose(file))
    yield from (step.call.args for step in agent_steps(skill) if step.call)


def _channels(text: str) -> Iterator[str]:
    for match in _CHANNEL.finditer(text):
        yield (match["span"] or match["put"]).rsplit(".", 1)[-1]
