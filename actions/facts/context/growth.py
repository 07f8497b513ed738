"""Where a skill's own pseudo-code or prose makes a list or a text longer, and whether anything keeps it short."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from actions.facts.dataflow.words import STATE
from actions.facts.own import is_own
from actions.facts.state.tables import state_tables
from actions.skill.code import LOOPS, Block, CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Stems
from actions.skill.text import sentences

HISTORY = frozenset(
    "history histories conversation conversations transcript transcripts dialogue messages log logs journal timeline"
    " turns trace trail diary chronicle logbook events 历史".split()
)
ENDS = re.compile(
    r"complet|done|visited|seen|processed|skipped|tasks?|files?|issues?|errors?|steps?|actions?", re.IGNORECASE
)
"""Names of lists that are as long as the work, and no longer."""
_NAME = r"(?<![\w$.])(?P<name>[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60}|\[[\"'][\w-]{1,60}[\"']\]){0,5}?)"
_CALL = re.compile(_NAME + r"\??\.(?:push|append|unshift|extend)\(")
_AGAIN = re.compile(
    _NAME
    + r"\s*=\s*(?:\[\s*(?:\.\.\.|\*)\s*)?\(?\s*(?P=name)(?:\s*(?:\|\||\?\?|or)\s*\[\]\s*\)?)?\s*(?:[,+]|\.concat\()"
)
_ADD = re.compile(_NAME + r"\s*\+=")
_GOT = re.compile(
    r"(?<![\w.])(?P<name>\w{1,60}\[[\"'](?P<leaf>[\w-]{1,60})[\"']\])\s*=\s*\w{1,60}\.get\([\"'](?P=leaf"
    r")[\"'],\s*\[\]\)\s*\+"
)
_SPREAD = re.compile(
    r"(?<![\w$.])(?P<leaf>[A-Za-z_$][\w$]{0,60})[\"']?\s*:\s*\[\s*(?:\.\.\."
    r"|\*)\s*(?P<name>[\w$.?]{1,120}(?<=[.])(?P=leaf))\s*,"
)
_SPAN = re.compile(r"`(?P<name>[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}|\[[\"'][\w-]{1,60}[\"']\]){0,5})`")
_SAYS = re.compile(
    r"\b(?:append|add|push|record|accumulate|collect|concatenate)(?:e?s|ed|ing)?\b|\b(?:keep|store)s?\s+(?:every"
    r"|each|all)\b"
    r"|\b(?:store|put|keep|save|log)s?\b(?=[^.;]{0,80}`[\w.]+s`)|追加|累积|添加到|记录到|加[入到]",
    re.IGNORECASE,
)
_SAYING = Stems(
    *"append add push record accumulate collect concatenate keep store put save log 追加 累积 添加到".split(),
    *"记录到 加入 加到".split(),
)
_EVERY = Stems("each", "every", "每")
_AGAIN_AND_AGAIN = re.compile(
    r"\b(?:each|every)\s+(?:\w+\s+)?(?:round|turn|iteration|step|action|cycle|phase|message|reply|response|run"
    r"|pass|loop|agent|task|poll|tick|visit|request|call|event|reading|sample|question|answer|day|hour|interval"
    r"|attempt|try|time|check)s?\b"
    r"|每(?:一)?(?:轮|次|步|个阶段|个动作|回合|条|批|天)",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\.slice\(\s*-|\[\s*-\s*\w+\s*:\s*\]|\.splice\(|\.shift\(|\.pop\(0|maxlen|\.length\s*>|\blen\([^)\n]*\)\s*>"
    r"|\b(?:last|latest|recent)\s+(?:\d|n\b|few|two|three|five|ten|twenty)|\bmost recent\b|\bat most\b"
    r"|\bno more than\b"
    r"|\b(?:trim|truncat|prun|summari[sz]|compact)\w*|\b(?:capped|rolling|sliding|bounded|cap)\b|\bkeep only\b"
    r"|\bmax(?:imum)?\b|MAX_|最近|最多|截断|只保留|上限|裁剪|滚动|摘要|压缩",
    re.IGNORECASE,
)
_CUTS = re.compile(
    r"\.slice\(|\[\s*-|\.splice\(|\.shift\(|\.pop\(|maxlen|\.length\s*>|\blen\(|\b(?:keep|trim|truncat|prun|drop|empt"
    r"|clear|reset|summari[sz]e the)\w*|\b(?:cap|cut)(?:s|ped|ping|ting)?\b"
    r"|\bat most\b|\bno more than\b|\bmax(?:imum)?\b|MAX_|保留|最多|截断|上限|裁剪|滚动|清空|清理",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:never|nothing|none|not|no)\b[^.;,]{0,30}|(?:从不|从来不|永不|不会|不要|不)[^。；，]{0,6}", re.IGNORECASE
)
_GROWS = re.compile(
    r"\b(?:every|each|all|any)\b[^|]{0,80}\b(?:added|appended|pushed|collected|accumulat\w+|put in|never \w+"
    r"|kept)\b|\b(?:added|appended|collected|accumulat\w+)\s+(?:as|with|on|after|every|each|to)\b"
    r"|\bgrows?\b|\bnever (?:trimmed|pruned|shortened|cleared|cut|emptied)\b|\bone (?:entry )?(?:per"
    r"|for each) (?:round|turn|pass|iteration|message|call)\b|只增不减|从不清理|不断(?:追加|累积)|每[^"
    r"|，]{1,12}(?:追加|加入|累积)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])|[\u3400-\u9fff]+")
_FILE_KINDS = frozenset("json jsonl md txt yaml yml log csv html py js ts sh".split())
_LONGEST_LINE = 2000
_MARKS = ("push(", "append(", "unshift(", "extend(", "concat(", "+=", "[...", "[*", " + ")
_FORMS = (("assign", _GOT), ("spread", _SPREAD), ("assign", _AGAIN), ("add", _ADD), ("call", _CALL))


@dataclass(frozen=True)
class Growth:
    """A place where `name` gets longer: `form` is call, assign, add, spread or prose, `block` the loop around it."""

    file: str
    line: int
    name: str
    form: str
    block: Block | None = None

    @property
    def leaf(self) -> str:
        """The last part of the name."""
        return leaf_of(self.name)

    @property
    def in_state(self) -> bool:
        """Whether it is a field of a state, which outlives the loop that it grows in."""
        return bool(re.match(r"(?:\w*[._])?\w*state[.\[]", self.name, re.IGNORECASE))

    @property
    def is_history(self) -> bool:
        """Whether the name tells of a record of what happened."""
        parts = _PARTS.findall(self.leaf)
        return bool(parts) and parts[-1].lower() in HISTORY


def leaf_of(name: str) -> str:
    """Give `history` of `state.history` and of `state["history"]`."""
    return re.split(r"[.\[]", name.rstrip("]\"'"))[-1].strip("\"'?")


@once
def growths(file: SkillFile) -> tuple[Growth, ...]:
    """Give the places in a file where something gets longer with each pass: code first, then prose."""
    return (*_in_code(file), *_in_prose(file), *_in_tables(file))


def _in_code(file: SkillFile) -> Iterator[Growth]:
    for fence in filter(is_own, code_fences(file, *_MARKS)):
        for number, form, name in _sites(fence):
            loops = [b for b in fence.blocks_over(number) if b.kind in LOOPS]
            yield Growth(file.path, number, name, form, loops[-1] if loops else None)


def _in_prose(file: SkillFile) -> Iterator[Growth]:
    for number, line in _EVERY.prose(file, _SAYING):
        if "`" in line and len(line) <= _LONGEST_LINE and _AGAIN_AND_AGAIN.search(line):
            for sentence in filter(_SAYS.search, sentences(line)):
                names = (match["name"] for match in _SPAN.finditer(sentence))
                in_state = STATE.search(sentence)
                for name in names:
                    if leaf_of(name) not in _FILE_KINDS:
                        full = f"state.{name}" if in_state and "." not in name else name
                        yield Growth(file.path, number, full, "prose")


def _in_tables(file: SkillFile) -> Iterator[Growth]:
    """Give the fields of a declared state whose description says that entries are added and nothing of their number."""
    for table in state_tables(file):
        for name, number in table.fields:
            line = file.doc.line(number)[:_LONGEST_LINE]
            if _GROWS.search(line) and not _BOUND.search(line):
                yield Growth(file.path, number, f"state.{name}", "table")


def _sites(fence: CodeFence) -> Iterator[tuple[int, str, str]]:
    """Give line, form and name of what grows in a fence."""
    for number, line in enumerate(fence.text.split("\n"), fence.start):
        marked = len(line) <= _LONGEST_LINE and any(mark in line for mark in _MARKS)
        if marked and not line.lstrip().startswith(("//", "#")):
            found = ((form, pattern.search(line)) for form, pattern in _FORMS)
            yield from islice(((number, form, match["name"]) for form, match in found if match), 1)


def cuts(text: str) -> bool:
    """Tell whether a text speaks of taking entries out of a list, and not of leaving them in."""
    return bool(_CUTS.search(_NEVER.sub(" ", text[:_LONGEST_LINE])))


def is_bounded(leaf: str, skill: Skill, *, stored: bool = False) -> bool:
    """Tell whether any line of the instructions that names `leaf` says or does something against its growth.

    With `stored`, only what cuts the list itself counts, not a look at its last entries.
    """
    bound = _CUTS if stored else _BOUND
    word = re.compile(rf"(?<![\w$]){re.escape(leaf)}(?![\w$])")
    for file in skill.instructions:
        if leaf not in file.text:
            continue
        lines = (word.sub("_", line) for line in file.doc.lines if leaf in line and word.search(line))
        if any(bound.search(line[:_LONGEST_LINE]) for line in lines):
            return True
    return False
