"""Breaks a very long paragraph where a new rule, case or topic begins, so that each can be found. No word changes.

It breaks only before sentences that mark such a beginning (a bold lead, a list of three bold terms, "Otherwise", "If …",
"Exception:"), never inside brackets or quotes, and only if every part becomes short enough.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from actions.facts.docs.repetition import LONG, weight
from actions.model import Case, SkillFile
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("split_paragraph", mends=("TKN-001",), risk=Risk.LOW)
_MARK = re.compile(r"^\s*(?:(?:[-*+•]|\d+[.)、]|[a-z][.)])\s+(?:\[[ xX]\]\s+)?|>\s?)")
_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!cf\.)\s+(?=\S)|(?<=[。！？])(?=\S)")
_BOLD = re.compile(r"\*\*\S")
_LIST = re.compile(r"(?:[^.!?。！？*]*\*\*[^*]+\*\*){3}")
_CASE = re.compile(
    r"(?:If|When|Unless|In|On|For|To|Exception|However|Instead|Note|After|Before|Once)\b"
    r"|[A-Z][\w-]+ rule:|(?:如果|若|当|仅当|例外|注意|此外|对于)"
)
_ELSE = re.compile(r"Otherwise\b|否则")
_LABEL = re.compile(r"^\s*\*\*")
_PAIRS = ("()", "[]", "“”", "（）", "「」", "『』")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the breaks for the issue's line; None where no sentence marks them."""
    file = case.skill.by_path[issue.location.file]
    number = issue.location.line_start or 0
    line = file.doc.line(number)
    if len(issue.evidence) > 1 or weight(line) <= LONG or _runs_on(file, number):
        return None  # evidence of a second place: a repeated statement on this line, not its length
    parts = _parts(line)
    if not parts:
        return None
    hanging = " " * _hang(line)
    lead = indent_of(line) + "> " if line.lstrip().startswith(">") else hanging
    lines = [parts[0], *(new for part in parts[1:] for new in (lead.rstrip(), lead + part))]
    return Draft(
        writes={file.path: edit(file, [Edit(number, number, lines)])},
        description=f"Breaks the paragraph in {file.path}, line {number}, in {len(parts)} where a new point begins.",
        rationale="A rule in the middle of a paragraph of that length is easily missed.",
        impact="Each point begins its own paragraph; no word changes.",
        token_limit=2 * len(parts) + len(parts) * len(lead) // 2,
    )


def _runs_on(file: SkillFile, number: int) -> bool:
    """Tell whether the next line belongs to the paragraph, so that its end is not known here."""
    below = file.doc.line(number + 1)
    return bool(below.strip()) and not _MARK.match(below) and not below.lstrip().startswith(("#", "|", "```", "~~~"))


def _hang(line: str) -> int:
    match = _MARK.match(line)
    return len(re.sub(r"\[[ xX]\]\s+$", "", match[0])) if match else len(indent_of(line))


def _parts(line: str) -> Sequence[str]:
    """Give the parts of a line: broken at the strongest marks that keep each short; none if no marks do.

    A paragraph that begins with a bold label breaks only before another: what follows would lose its label.
    """
    tiers = ((_BOLD,),) if _LABEL.match(line) else ((_BOLD,), (_BOLD, _LIST), (_BOLD, _CASE), (_BOLD, _CASE, _ELSE))
    for marks in tiers:
        places = [place for place in _breaks(line) if any(mark.match(line, place) for mark in marks)]
        parts = [line[a:b].rstrip() for a, b in pairwise((0, *_chosen(line, places), len(line)))]
        if all(weight(part) <= LONG for part in parts):
            return parts
    return ()


def _chosen(line: str, places: Sequence[int]) -> list[int]:
    """Give the places to break at: always the one that halves the longest part best, until each is short enough."""
    cuts = [0, len(line)]
    while True:
        start, end = max(pairwise(cuts), key=lambda part: part[1] - part[0])
        within = [place for place in places if start < place < end]
        if weight(line[start:end].rstrip()) <= LONG or not within:
            return cuts[1:-1]
        cuts = sorted([*cuts, min(within, key=lambda place: abs(2 * place - start - end))])


def _breaks(line: str) -> Iterator[int]:
    for match in _END.finditer(line):
        before = line[: match.start()]
        closed = all(before.count(pair[0]) == before.count(pair[1]) for pair in _PAIRS)
        if closed and before.count('"') % 2 == before.count("`") % 2 == before.count("**") % 2 == 0:
            yield match.end()


_GATE = " ".join(
    f"The clerk of gate {n} looks at the {what} and tells the one at gate {n + 1}."
    for n, what in enumerate("seal lock label weight colour list stamp cord crate scale lid rope".split())
)
_LAW = " ".join(f"It is paid to {who} on the day of the sale." for who in ("the town", "the guild", "the port"))
_TERMS = (
    "Write down three things: the **hour** of the change, the **clerk** who made it, and the **seal** that was broken."
)
_TORE = "".join(
    f"第 {n} 号门的值班员查看{what}的颜色和编号，并告知下一道门的值班员。"
    for n, what in enumerate("封条 门锁 标签 货物 木箱 清单 印章 绳索 箱盖".split())
)
BEFORE = (
    f"# Gates\n\nAt night too: {_GATE} **When a seal is broken**, all clerks come together. {_LAW}\n\nThen close.\n",
    f"# Gates\n\n1. Look. {_GATE} Otherwise (at night, e.g. In winter) the lamp is lit first. {_LAW}\n2. Close.\n",
    f"# Gates\n\n1. Look.\n2. {_GATE} {_TERMS} {_LAW}\n3. Close.\n",
    f"# 城门\n\n- {_TORE}如果封条破损，所有值班员都到场。由书记员写下到场者的名字、时间和缘由，然后才重新封门。\n- 关门。\n",
)
AFTER = (
    f"# Gates\n\nAt night too: {_GATE}\n\n**When a seal is broken**, all clerks come together. {_LAW}\n\nThen close.\n",
    f"# Gates\n\n1. Look. {_GATE}\n\n   Otherwise (at night, e.g. In winter) the lamp is lit first. {_LAW}\n2. Close.\n",
    f"# Gates\n\n1. Look.\n2. {_GATE}\n\n   {_TERMS} {_LAW}\n3. Close.\n",
    f"# 城门\n\n- {_TORE}\n\n  如果封条破损，所有值班员都到场。由书记员写下到场者的名字、时间和缘由，然后才重新封门。\n- 关门。\n",
)
