"""Sections that a sentence looks for in a file of the skill by name, and that the file does not have."""

import re
from collections.abc import Iterator

from actions.facts.references.missing import Kind, Missing
from actions.skill.links import is_placeholder
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Stems
from actions.skill.text import plain

_FILE = r"(?:\[[^\]\n]{0,80}\]\((?P<link%d>[\w./-]{1,120}\.md)\)|`(?P<span%d>[\w./-]{1,120}\.md)`)"
_OPEN, _CLOSE = r"[\"“「『]", r"[\"”」』]"
_TITLE = rf"{_OPEN}(?P<title%d>[^\"“”「」『』\n]{{2,60}}){_CLOSE}"
_PART = r"(?:section|chapter|heading|part|passage|paragraph)"
_SENT = (
    r"(?:see|follow|apply|use|consult|per|by|under|(?:as |is |are )?(?:told|said|described|defined|explained|listed"
    r"|given|laid down|set out|settled) (?:in|under|by))"
)
_NAMED = re.compile(
    rf"\b{_SENT}\s+(?:the\s+)?{_TITLE % 1}\s*(?:{_PART}\s*)?(?:in|of)\s+(?:the\s+file\s+)?{_FILE % (1, 1)}"
    rf"|{_TITLE % 2}\s+{_PART}\s+(?:in|of)\s+(?:the\s+file\s+)?{_FILE % (2, 2)}"
    rf"|{_FILE % (3, 3)}(?:['’]s)?,?\s*(?:under|at|in|§|(?:the\s+|its\s+)?{_PART})\s*(?:called |named "
    rf"|on )?{_TITLE % 3}"
    rf"|{_FILE % (4, 4)},?\s*§\s*(?P<title4>[A-Z][\w-]{{2,30}}(?: [a-z][\w-]{{1,30}}){{0,4}})"
    rf"|\b{_PART}\s+{_TITLE % 7}\s*(?:in|of|from)\s+(?:the\s+file\s+)?{_FILE % (7, 7)}"
    rf"|{_FILE % (8, 8)},\s*{_TITLE % 8}(?=\s*(?:[).;]|$))"
    r"|(?:见|按照?|照|参[见照考]|依据|根据|遵循|办法|读)[^。；，]{0,12}?"
    rf"{_FILE % (5, 5)}\s*[里中内]?的?\s*{_TITLE % 5}"
    rf"|{_FILE % (6, 6)}\s*[里中内]?的?\s*{_TITLE % 6}\s*(?:一?[节章段]|小节|部分)",
    re.IGNORECASE,
)
_MAKES = re.compile(
    r"\b(?:add|write|create|include|insert|append|put|record|new)\b[^.;]{0,60}$|(?:添加|新增|写|记|生成|插入|加)[^，。]{0,20}$",
    re.IGNORECASE,
)
_MARKDOWN = Stems("md")
_MARKS = re.compile(r"[\"“「『§]")
_LONGEST = 2000


def sections_of_files(skill: Skill) -> Iterator[Missing]:
    """Give each section that is sought in a file whose text does not even hold the words of its title."""
    if len(skill.instructions) < 2:
        return
    for file in skill.instructions:
        for said in statements(file, _MARKDOWN):
            for match in _NAMED.finditer(said.text[:_LONGEST]) if _MARKS.search(said.text) else ():
                named = {key.rstrip("12345678"): value for key, value in match.groupdict().items() if value}
                there = skill.resolve(named.get("link") or named["span"], file.path)
                held = skill.by_path.get(there) if there else None
                lacking = held is not None and held.is_markdown and _lacks(held, named["title"])
                if (
                    lacking
                    and not _MAKES.search(said.text[: match.start()])
                    and not file.doc.is_counterexample(said.line)
                ):
                    yield Missing(Kind.SECTION, named["title"], file.path, said.line, False)


def _lacks(file: SkillFile, title: str) -> bool:
    return not is_placeholder(title) and bool(plain(title)) and plain(title) not in file.lower
