"""The constraints that SKILL.md sets for all that follows, and whether a prompt or a phase file carries them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from actions.model.rules import Force, Rule, rules
from actions.model.skill import Skill, SkillFile
from actions.model.text import plain

_RULES_TITLE = re.compile(
    r"\b(?:rules?|constraints?|principles?|guardrails?|invariants?|guidelines?|conventions?|important|critical|must|never|hard limits?|boundaries|red lines?)\b"
    r"|规则|约束|原则|注意|准则|限制|红线|规范|禁止",
    re.IGNORECASE,
)
_OF_THE_CONDUCTOR = re.compile(
    r"orchestrat|coordinat|\b(?:phases?|stages?|steps?|sub-?agents?|agents?|workers?|teammates?|spawn\w*|dispatch\w*|todo\w*|users?|ask|confirm\w*|approv\w*"
    r"|sessions?|skill|loads?|compact\w*|contexts?|parallel|workflow|wait\w*|close_agent|stop|proceed|continue|progress|resume|menu|invo\w+|mode)\b"
    r"|SKILL\.md|AskUserQuestion|阶段|步骤|代理|用户|确认|编排|协调|会话|加载|并行|角色|询问",
    re.IGNORECASE,
)
_POINTS_TO_RULES = re.compile(
    r"SKILL\.md|\bSkill\(|\$?\{\s*(?:\w+\.)*\w*(?:constraint|rule|guideline|principle|requirement|convention)\w*[\s}(.]", re.IGNORECASE
)
_POINTS_IN_PHASE = re.compile(
    r"SKILL\.md.{0,120}(?:rule|constraint|principle|guideline|convention|规则|约束|准则|原则|规范)"
    r"|(?:rule|constraint|principle|guideline|convention|规则|约束|准则|原则|规范).{0,120}SKILL\.md",
    re.IGNORECASE,
)
_INSTRUCTION_FILE = re.compile(r"[\w$@{}~./-]{1,200}\.md\b")
_EDITS = re.compile(
    r"\b(?:modif(?:y|ies|ied)|chang(?:e|es|ed|ing)|edit(?:s|ed|ing)?|rewrit\w+|refactor\w*|fix(?:es|ed)?|updat\w+|creat(?:e|es|ed|ing)|add(?:s|ed|ing)?|remov\w+"
    r"|delet\w+|implement\w*|patch\w*|replac\w+|renam\w+|overwrit\w+|touch(?:es|ed)?|migrat\w+)\b|修改|改写|编辑|删除|更新|创建|重构|修复|实现|替换|迁移",
    re.IGNORECASE,
)
_WRITES = re.compile(
    r"\b(?:writ(?:e|es|ten|ing)|output\w*|report\w*|summar\w+|draft\w*|translat\w+|document(?:s|ed|ation)?|answers?|texts?|prose|wording|descri(?:be|ption)\w*|comments?"
    r"|generat\w+|produc\w+|compos\w+)\b|输出|撰写|报告|总结|翻译|文档|生成|编写|回答|描述|注释|文本",
    re.IGNORECASE,
)
_UNIVERSAL = re.compile(r"\b(?:all|every|any|each|always|never|whole|entire)\b|所有|任何|每个|每一|全部|始终|一律", re.IGNORECASE)
_ASCII = re.compile(r"[a-z][a-z0-9_.-]*[a-z0-9]|[a-z0-9_-]+/")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_HAN_FILLER = re.compile(r"必须|务必|禁止|不得|不要|不能|不可|严禁|切勿|绝不|请勿|只能|仅限|始终|应当|所有|任何|每个|全部|使用|进行|以及|或者|如果|文件|内容|一律|的|了|和|与|或|在|对|把|将|是|为|中|里|等|其")
_FILLER = frozenset(
    "the and for not any all each every always never must mustn only shall should may can cannot don dont doesn does with without from into onto this that these"
    " those their there then than them they you your its his her are was were been being has have had will would when where which while what who how why"
    " use used using make made keep kept such also very own same other more most least exactly before after during under over between about against out off"
    " critical important required mandatory forbidden prohibited note strictly file files code thing things way one two per via task tasks work content item"
    " items everything anything nothing etc instead except unless until even if but or nor as at by in of on to is it be do no so up an we us our".split()
)
_PATHLIKE = re.compile(r"`([^`\n]{2,80})`")
_SHARED_TERMS = 2
_SHARED_HAN = 3
_CARRIED = 0.5


@dataclass(frozen=True)
class Constraint:
    """A rule of SKILL.md that holds for the work itself, with the words that say what it is about."""

    rule: Rule
    objects: frozenset[str]
    literals: frozenset[str]


def constraints(skill: Skill) -> tuple[Constraint, ...]:
    """Give the constraints of SKILL.md: binding sentences in the introduction or in a section of rules.

    Rules about how to run the skill itself (phases, agents, talks with the user) are left out.
    """
    known = skill.memo.get("constraints")
    if not isinstance(known, tuple):
        known = tuple(_constraints(skill))
        skill.memo["constraints"] = known
    return known


def _constraints(skill: Skill) -> Iterator[Constraint]:
    doc = skill.main.doc
    for rule in rules(skill.main):
        heads = [s for s in doc.headings_over(rule.line) if s.level > 1]
        if heads and not any(_RULES_TITLE.search(s.title) for s in heads):
            continue
        text = plain(rule.text)
        if _OF_THE_CONDUCTOR.search(text) or doc.line(rule.line).lstrip().startswith("|") or doc.is_counterexample(rule.line):
            continue
        objects = frozenset(t for t in terms(text) if not _EDITS.fullmatch(t) and not _WRITES.fullmatch(t))
        if objects and not text.endswith((":", "：")):
            yield Constraint(rule, objects, frozenset(m.lower() for m in _PATHLIKE.findall(rule.text)))


def terms(text: str) -> frozenset[str]:
    """Give what a text is about: stems of its words without filler, and pairs of Han characters."""
    lower = plain(text)
    found = {_stem(word) for word in _ASCII.findall(lower) if len(word) > 2 and word not in _FILLER}
    for run in _HAN.findall(_HAN_FILLER.sub(" ", lower)):
        found.update(run[i : i + 2] for i in range(len(run) - 1))
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s", "/"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def concerns(constraint: Constraint, text: str) -> bool:
    """Tell whether a constraint is about the work that a prompt or a phase orders."""
    lower = text.lower()
    if any(literal in lower for literal in constraint.literals):
        return True
    shared = constraint.objects & terms(text)
    if len(shared) >= (_SHARED_HAN if any(map(_HAN.match, shared)) else _SHARED_TERMS):
        return True
    rule = constraint.rule
    if rule.force is Force.NEVER and _EDITS.search(rule.text) and _EDITS.search(text):
        return True
    return bool(_UNIVERSAL.search(rule.text) and _WRITES.search(rule.text) and (_WRITES.search(text) or _EDITS.search(text)))


def carries(text: str, constraint: Constraint) -> bool:
    """Tell whether a text says what a constraint says: half of its objects or all of its literals are there."""
    shared = constraint.objects & terms(text)
    lower = text.lower()
    whole = bool(constraint.literals) and all(literal in lower for literal in constraint.literals)
    return len(shared) > _CARRIED * len(constraint.objects) or (whole and len(shared) * 3 >= len(constraint.objects))


def points_to_rules(prompt: str, skill: Skill) -> bool:
    """Tell whether a prompt hands the rules over: it loads the skill, interpolates them, or reads a file outside."""
    if _POINTS_TO_RULES.search(prompt):
        return True
    return any(skill.resolve(path.lstrip("./"), "SKILL.md") is None and "{" not in path for path in _named(prompt))


def read_with(prompt: str, skill: Skill) -> str:
    """Give a prompt with the text of the skill's files that it tells the sub-agent to read."""
    paths = (skill.resolve(path.lstrip("./"), "SKILL.md") for path in _named(prompt))
    files = {path for path in paths if path in skill.by_path}
    return "\n".join([prompt, *(skill.by_path[path].text for path in sorted(files) if path)])


def _named(prompt: str) -> Iterable[str]:
    return _INSTRUCTION_FILE.findall(prompt) if ".md" in prompt else ()


def phase_points_to_rules(file: SkillFile) -> bool:
    """Tell whether a phase file sends its reader to the rules of SKILL.md."""
    return "SKILL.md" in file.text and bool(_POINTS_IN_PHASE.search(file.text))
