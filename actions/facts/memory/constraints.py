"""The constraints that SKILL.md sets for all that follows, and whether a prompt or a phase file carries them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.skill.memo import once
from actions.skill.rules import Force, Rule, force_of, rules
from actions.skill.skill import Skill, SkillFile
from actions.skill.tables import is_row
from actions.skill.text import plain

_RULES_TITLE = re.compile(
    r"\b(?:rules?|constraints?|principles?|guardrails?|invariants?|guidelines?|conventions?|important|critical"
    r"|must|never|hard limits?|boundaries|red lines?)\b"
    r"|规则|约束|原则|注意|准则|限制|红线|规范|禁止",
    re.IGNORECASE,
)
_OF_THE_CONDUCTOR = re.compile(
    r"orchestrat|coordinat|\b(?:phases?|stages?|steps?|sub-?agents?|agents?|workers?|teammates?|spawn\w*"
    r"|dispatch\w*|todo\w*|users?|ask|confirm\w*|approv\w*"
    r"|sessions?|skill|loads?|compact\w*|contexts?|parallel|workflow|wait\w*|close_agent|stop|proceed|continue"
    r"|progress|resume|menu|invo\w+|mode)\b"
    r"|SKILL\.md|AskUserQuestion|阶段|步骤|代理|用户|确认|编排|协调|会话|加载|并行|角色|询问",
    re.IGNORECASE,
)
_POINTS_TO_RULES = re.compile(
    r"SKILL\.md|\bSkill\(|\$?\{\s*(?:\w+\.)*\w*(?:constraint|rule|guideline|principle|requirement"
    r"|convention)\w*[\s}(.]",
    re.IGNORECASE,
)
_POINTS_IN_PHASE = re.compile(
    r"SKILL\.md.{0,120}(?:rule|constraint|principle|guideline|convention|规则|约束|准则|原则|规范)"
    r"|(?:rule|constraint|principle|guideline|convention|规则|约束|准则|原则|规范).{0,120}SKILL\.md",
    re.IGNORECASE,
)
_INSTRUCTION_FILE = re.compile(r"[\w$@{}~./-]{1,200}\.md\b")
_EDITS = re.compile(
    r"\b(?:modif(?:y|ies|ied)|chang(?:e|es|ed|ing)|edit(?:s|ed|ing)?|rewrit\w+|refactor\w*|fix(?:es|ed)?"
    r"|updat\w+|creat(?:e|es|ed|ing)|add(?:s|ed|ing)?|remov\w+"
    r"|delet\w+|implement\w*|patch\w*|replac\w+|renam\w+|overwrit\w+|touch(?:es|ed)?|alter\w*|migrat\w+)\b|修改|改动"
    r"|更改|变更|改写|编辑|删除|更新|创建|重构|修复|实现|替换|迁移",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\b(?:writ(?:e|es|ten|ing)|output\w*|report\w*|summar\w+|draft\w*|translat\w+|document(?:s|ed|ation)?"
    r"|answers?|texts?|prose|wording|descri(?:be|ption)\w*|comments?"
    r"|generat\w+|produc\w+|compos\w+)\b|输出|撰写|报告|总结|翻译|文档|生成|编写|回答|描述|注释|文本",
    re.IGNORECASE,
)
_UNIVERSAL = re.compile(
    r"\b(?:all|every|any|each|always|never|whole|entire)\b|所有|任何|每个|每一|全部|始终|一律",
    re.IGNORECASE,
)
_ASCII = re.compile(r"[a-z][a-z0-9_.-]*[a-z0-9]|(?<![a-z0-9_-])[a-z0-9_-]++/")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_HAN_FILLER = re.compile(
    r"必须|务必|禁止|不得|不要|不能|不可|严禁|切勿|绝不|请勿|只能|仅限|始终|应当|所有|任何|每个|全部|使用|进行"
    r"|以及|或者|如果|文件|内容|一律|的|了|和|与|或|在|对|把|将|是|为|中|里|等|其"
)
_FILLER = frozenset(
    "the and for not any all each every always never must mustn only shall should may can cannot don dont doesn"
    " does with without from into onto this that these"
    " those their there then than them they you your its his her are was were been being has have had will"
    " would when where which while what who how why"
    " use used using make made keep kept such also very own same other more most least exactly before after"
    " during under over between about against out off"
    " critical important required mandatory forbidden prohibited note strictly file files code thing things way"
    " one two per via task tasks work content item"
    " items everything anything nothing etc instead except unless until even if but or nor as at by in of on to"
    " is it be do no so up an we us our"
    " read reads reading directly access operation operations data ensure check follow following run runs take"
    " give list name names key keys new first last final"
    " single full complete related valid result results value values current based including include provide"
    " start end number type types set sets step steps"
    " project code document documents need needs see add get put go come comes look best good well right"
    " correct proper properly clear clearly specific given line lines"
    " issue issues problem problems change changes test tests source user path paths folder directory".split()
)
SPARES = re.compile(
    r"\b(?:leave|left|avoid|without|untouched|keep|kept|only|no|not|never|none|stay|exclud\w+|except|skip|ignor\w+|read-only"
    r"|spare|closed|instead|refuse|as (?:it|they) (?:is|are|stand))\b"
    r"|不|勿|保留|避免|仅|只|跳过|排除|保持|打码|隐去|照抄",
    re.IGNORECASE,
)
"""What binds by leaving something as it is."""
_READ_ONLY = re.compile(
    r"\bread[- ]only\b|\b(?:change|modify|edit|touch|write) (?:no|nothing)\b|只读|不(?:得|要)?(?:修改|改动)任何",
    re.IGNORECASE,
)
"""What tells a sub-agent to change nothing carries each rule that forbids a change."""
_CLAUSES = re.compile(r"[;；]\s*")
_USES = re.compile(r"\b(?:use|using|via|through)\b|使用|通过", re.IGNORECASE)
_PATHLIKE = re.compile(r"`([^`\n]{2,80})`")
_SHARED_TERMS = 2
_CARRIED = 0.7
_SHORTEST_PROMPT = 20
_MOST, _LONGEST_WORD = 100, 60
_MANY_PHASES = 3


@dataclass(frozen=True)
class Constraint:
    """A rule of SKILL.md that holds for the work itself, with the words that say what it is about."""

    rule: Rule
    objects: frozenset[str]
    literals: frozenset[str]


@once
def constraints(skill: Skill) -> tuple[Constraint, ...]:
    """Give the constraints of SKILL.md: binding sentences in the introduction or in a section of rules.

    Rules about how to run the skill itself (phases, agents, talks with the user) are left out. At most 100.
    """
    return tuple(islice(_constraints(skill), _MOST))


def _constraints(skill: Skill) -> Iterator[Constraint]:
    doc = skill.main.doc
    for rule in rules(skill.main):
        heads = [s for s in doc.headings_over(rule.line) if s.level > 1]
        if heads and not any(_RULES_TITLE.search(s.title) for s in heads):
            continue
        text = plain(rule.text)
        table = is_row(doc.line(rule.line))
        if table or is_for_the_conductor(rule.text) or doc.is_counterexample(rule.line):
            continue
        objects = terms(_binding(text))
        if objects and not text.endswith((":", "：")):
            yield Constraint(rule, objects, frozenset(m.lower() for m in _PATHLIKE.findall(rule.text)))


_ANNOUNCES = re.compile(
    r"^\W*(?:[\w'’]+ ){0,4}?(?:holds?|appl(?:y|ies)|rules?|constraints?|limits?)\b[^:：]{0,12}[:：]\s*(?=\S)",
    re.IGNORECASE,
)


def _binding(text: str) -> str:
    """Give the clauses of a sentence that bind, without what announces them; all of it where none does alone."""
    text = _ANNOUNCES.sub("", text)
    return "; ".join(filter(force_of, _CLAUSES.split(text))) or text


def is_for_the_conductor(rule: str) -> bool:
    """Tell whether a rule is about how to run the skill itself: phases, agents, talks with the user."""
    return bool(_OF_THE_CONDUCTOR.search(plain(rule)))


@lru_cache(maxsize=1024)
def terms(text: str) -> frozenset[str]:
    """Give what a text is about: stems of its words without filler and verbs of work, and pairs of Han"
    " characters."""
    lower = plain(text)
    found = {_stem(word) for word in _ASCII.findall(lower) if _tells(word) and not _is_work(word)}
    if _HAN.search(lower):
        lower = _WRITES.sub(" ", _EDITS.sub(" ", _HAN_FILLER.sub(" ", lower)))
    for run in _HAN.findall(lower):
        found.update(run[i : i + 2] for i in range(len(run) - 1))
    return frozenset(found)


def _tells(word: str) -> bool:
    return 2 < len(word) <= _LONGEST_WORD and word not in _FILLER


def _is_work(word: str) -> bool:
    return bool(_EDITS.fullmatch(word) or _WRITES.fullmatch(word))


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "/"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def concerns(constraint: Constraint, text: str) -> bool:
    """Tell whether a constraint is about the work that a prompt or a phase orders.

    What forbids a change concerns whoever changes things; any other rule whoever deals with what it names, and a rule
    about all texts whoever writes.
    """
    rule, lower = constraint.rule, text.lower()
    if rule.force is Force.NEVER and _EDITS.search(rule.text):
        return bool(_EDITS.search(text))
    if any(_stands_in(literal, lower) for literal in constraint.literals):
        return True
    shared = len(constraint.objects & terms(text))
    if shared >= _SHARED_TERMS and shared * 3 >= len(constraint.objects):
        return True
    universal = _UNIVERSAL.search(rule.text) and _WRITES.search(rule.text)
    return bool(universal and (_WRITES.search(text) or _EDITS.search(text)))


def _stands_in(literal: str, text: str) -> bool:
    """Tell whether a text names a thing that a rule names; two letters name none."""
    return len(literal) > 2 and literal in text


def carries(text: str, constraint: Constraint) -> bool:
    """Tell whether a text says what a constraint says.

    A text that uses what is to be used carries it. A prohibition is carried by a line that forbids or spares something
    it names, any other rule by a text that names most of its objects.
    """
    objects, lower = constraint.objects, text.lower()
    if _USES.search(constraint.rule.text) and any(literal in lower for literal in constraint.literals):
        return True
    if _EDITS.search(constraint.rule.text) and constraint.rule.force is Force.NEVER and _READ_ONLY.search(text):
        return True
    if constraint.rule.force is not Force.NEVER:
        return len(objects & terms(text)) >= _CARRIED * len(objects)
    return any(len(objects & named) * 3 >= len(objects) for named in _spared(text))


@lru_cache(maxsize=64)
def _spared(text: str) -> tuple[frozenset[str], ...]:
    """Give what each line names that forbids or spares something."""
    return tuple(terms(line) for line in text.splitlines() if force_of(line) or SPARES.search(line))


def points_to_rules(prompt: str, skill: Skill) -> bool:
    """Tell whether a prompt hands the rules over: it loads the skill, interpolates them, or reads a file"
    " outside."""
    if _POINTS_TO_RULES.search(prompt):
        return True
    return any(skill.resolve(path.lstrip("./"), "SKILL.md") is None and "{" not in path for path in _named(prompt))


def read_with(prompt: str, skill: Skill) -> str:
    """Give a prompt with the text of the skill's files that it tells the sub-agent to read."""
    named = {skill.resolve(path.lstrip("./"), "SKILL.md") or "" for path in _named(prompt)}
    return "\n".join([prompt, *(skill.by_path[path].text for path in sorted(named) if path in skill.by_path)])


def _named(prompt: str) -> Iterable[str]:
    return _INSTRUCTION_FILE.findall(prompt) if ".md" in prompt else ()


def phase_points_to_rules(file: SkillFile) -> bool:
    """Tell whether a phase file sends its reader to the rules of SKILL.md."""
    return "SKILL.md" in file.text and bool(_POINTS_IN_PHASE.search(file.text))


@once
def lost_in_prompts(skill: Skill) -> tuple[tuple[AgentStep, tuple[Constraint, ...]], ...]:
    """Give each sub-agent prompt with the constraints that concern it and that it neither carries nor points to."""
    return tuple(_lost_in_prompts(skill))


def _lost_in_prompts(skill: Skill) -> Iterator[tuple[AgentStep, tuple[Constraint, ...]]]:
    held = constraints(skill)
    if not held:
        return
    for step in agent_steps(skill):
        if len(step.prompt) < _SHORTEST_PROMPT or points_to_rules(step.prompt, skill):
            continue
        text = read_with(step.prompt, skill)
        lost = tuple(c for c in held if concerns(c, step.prompt) and not carries(text, c))
        if lost:
            yield step, lost


def lost_in_phases(skill: Skill) -> Iterator[tuple[SkillFile, tuple[Constraint, ...]]]:
    """Give each phase file of a skill of many that deals with what a constraint names and does not mention it."""
    held = [c for c in constraints(skill) if c.literals]
    phases = skill.phases
    if not held or len(phases) < _MANY_PHASES:
        return
    for file in phases:
        if phase_points_to_rules(file):
            continue
        lost = tuple(c for c in held if _deals_with(file, c) and not carries(file.text, c))
        if lost:
            yield file, lost


def _deals_with(file: SkillFile, constraint: Constraint) -> bool:
    """Tell whether a line names all that a constraint names literally, and does the same or more of the kind."""
    about, literals = _stems(constraint.rule.text), constraint.literals
    lines = (line for line in file.doc.lines if all(literal in line.lower() for literal in literals))
    return any(len(_stems(line) & about) > len(literals) for line in lines)


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _ASCII.findall(plain(text)) if _tells(word))


def sets_limits(prompt: str) -> bool:
    """Tell whether a prompt binds or spares anything at all."""
    return bool(force_of(prompt) or SPARES.search(prompt))
