"""Moves sections of SKILL.md into files of their own: heading and one line stay, links go on to resolve."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from actions.facts.context.deferral import Deferrable, Kind, anchor_of
from actions.facts.context.leaning import leanings
from actions.skill.document import Section
from actions.skill.links import links, spans
from actions.skill.skill import MAIN, Skill
from actions.skill.text import sentences, strip_list_mark

_SUBSTITUTED = re.compile(r"\$ARGUMENTS|\$\d|\$\{CLAUDE_|(?:^|\s)!`")
_LEANS = re.compile(
    r"\b(?:blocks?|commands?|rules?|sections?|tables?|lists?|steps?|templates?|described|listed|shown|defined"
    r"|included|given|see|from|as)\s+(?:above|below)\b"
    r"|\b(?:above|below)[- ](?:blocks?|commands?|rules?|sections?|tables?|lists?|steps?|templates?)\b"
    r"|见(?:上|下)|上述|如下所示",
    re.IGNORECASE,
)
_TIED = re.compile(r"^\s*@(?:\.{1,2}/|[\w-]+/)|\]\[[^\]]|\[\^")
_EVERYWHERE = re.compile(
    r"\b(?:at all times|throughout|in (?:every|all|any) (?:phases?|steps?)|every (?:phase|step)"
    r"|whole (?:session|skill))\b"
    r"|始终|全程|任何阶段|所有阶段|每个阶段",
    re.IGNORECASE,
)
_MODES = re.compile(r"\b(?:in (?:every|all|any) (?:modes?|cases?)|every mode)\b|所有模式|任何模式", re.IGNORECASE)
_SCOPED = re.compile(r"^\W*(?:when|if|for|in|while)\b|^\W*(?:当|如果|若)", re.IGNORECASE)
_TARGET = re.compile(r"(\]\(\s*<?)([^)<>\s]{1,500})")
_HEADING = re.compile(r"^( {0,3})(#{1,6})(?=\s)")
_NOT_SLUG = re.compile(r"[^\w\u3400-\u9fff]+")
_NUMBER = re.compile(
    r"^(?:[A-Za-z]+\s+\d+(?:\.\d+)*[a-z]?\s*[.:：)—–-]|\d+(?:\.\d+)*[a-z]?[.:：)、]?)\s+|^(?:步骤|阶段)\s*\d+\s*[:：]?\s*"
)
_REMARK = re.compile(r"\s*[(（][^()（）]*[)）]")
_MOST_PARTS = 8
_FOLDERS = ("references", "reference")
_POINTERS = {
    Kind.BRANCH: ("Read {} when this applies, and follow it.", "仅在此情况适用时阅读 {}，并按其执行。"),
    Kind.PHASE: ("Read {} when you reach this {}, and follow it.", "执行到这里时再阅读 {}，并按其执行。"),
    Kind.PROMPT: ("Read {} when you dispatch this agent, and follow it.", "派发该代理时阅读 {}，并按其执行。"),
    Kind.BULK: ("Read {} when you need it.", "需要时阅读 {}。"),
}


Renaming = Mapping[str, str]
"""Words that lean on their place -> the file in which that will stand."""


@dataclass(frozen=True)
class Move:
    """The new lines of SKILL.md, and the lines that each file takes, at its end where it is there already.

    `reworded` are the sentences that said "below" of a heading, or pointed to it, and now name the file.
    """

    main: tuple[str, ...]
    files: dict[str, tuple[str, ...]]
    reworded: tuple[str, ...]


def is_movable(skill: Skill, item: Deferrable) -> bool:
    """Tell whether a section reads the same elsewhere: nothing ties it to its place, no rule of it binds everywhere."""
    doc, section = skill.main.doc, item.section
    if any(not fence.closed for fence in doc.fences if section.start <= fence.start <= section.end):
        return False
    if any(_SUBSTITUTED.search(line) for line in doc.lines[section.start : section.end]):
        return False
    prose = [line for number, line in doc.prose if section.start < number <= section.end]
    if any(_TIED.search(line) or _binds_everywhere(line, item.kind) for line in prose):
        return False
    return _leans_only_inside(skill, section)


def _binds_everywhere(line: str, kind: Kind) -> bool:
    """Tell whether a sentence binds beyond its section; what a phase says of every mode binds in that phase."""
    if not _EVERYWHERE.search(line) and not _MODES.search(line):
        return False
    open_ended = [part for part in sentences(strip_list_mark(line)) if not _SCOPED.match(part)]
    return any(_EVERYWHERE.search(part) or (kind is not Kind.PHASE and _MODES.search(part)) for part in open_ended)


def _leans_only_inside(skill: Skill, section: Section) -> bool:
    """Tell whether what leans on its place is known: here it may move along, elsewhere it can be named."""
    inside = range(section.start + 1, section.end + 1)
    told = [found for found in leanings(skill.main) if _LEANS.search(found.text)]
    if any(
        found.is_within(inside) and not found.is_surely_within(inside) for found in told if found.line not in inside
    ):
        return False
    known = {found.line for found in told if found.line in inside and found.on}
    return not any(_LEANS.search(skill.main.doc.line(n)) for n in inside if n not in known and not _is_code(skill, n))


def _is_code(skill: Skill, number: int) -> bool:
    return skill.main.doc.fence_at(number) is not None


def moved(skill: Skill, items: Sequence[Deferrable]) -> Move:
    """Give what the skill's files become when the sections move. Sections must not overlap."""
    lines = list(skill.main.doc.lines)
    paths = _paths(skill, items)
    files: dict[str, tuple[str, ...]] = {}
    anchors: dict[str, str] = {}
    outward = {number: found for number in range(1, len(lines) + 1) if (found := _outward(skill, paths, number))}
    for item, path in paths.items():
        lines_there = _content(skill, item.section, posixpath.dirname(path), outward)
        files[path] = tuple(_appended(lines_there) if path in skill.by_path else lines_there)
        inner = (s for s in skill.main.doc.sections if item.section.start < s.start <= item.section.end)
        anchors.update({anchor_of(s.title): f"{path}#{anchor_of(s.title)}" for s in inner})
    for number, found in outward.items():
        lines[number - 1] = _named(lines[number - 1], found)
    for item, path in sorted(paths.items(), key=lambda pair: -pair[0].section.start):
        last = _last_line(skill, item.section)
        lines[item.section.start : last] = ["", pointer(skill, item, path)]
    reworded = tuple(sentence for number, found in outward.items() for sentence in _reworded(skill, number, found))
    main = tuple(_repointed(line, anchors) for line in lines)
    repointed = tuple(old for old, new in zip(lines, main, strict=True) if old != new)
    return Move(main, files, (*reworded, *repointed))


def _paths(skill: Skill, items: Iterable[Deferrable]) -> dict[Deferrable, str]:
    paths: dict[Deferrable, str] = {}
    for item in items:
        paths[item] = _path(skill, item.section.title, paths.values())
    return paths


def pointer(skill: Skill, item: Deferrable, path: str) -> str:
    """Give the line that says when to read the file and what it holds, in the language and manner of the skill."""
    english, chinese = _POINTERS[item.kind]
    told = f"[{path}]({path})" if _uses_links(skill) else f"`{path}`"
    word = re.match(r"[A-Za-z]+", item.section.title)
    unit = word[0].lower().removesuffix("s") if word else "point"
    parts = _parts_of(skill, item.section)
    if skill.is_chinese:
        return chinese.format(told) + (f"内容：{'、'.join(parts)}。" if parts else "")
    return english.format(told, unit) + (f" It holds: {'; '.join(parts)}." if parts else "")


def _parts_of(skill: Skill, section: Section) -> list[str]:
    """Give the titles one level below a section, without numbers and remarks; none where they are too many to name."""
    inner = [s for s in skill.main.doc.sections if section.start < s.start <= section.end]
    level = min((s.level for s in inner), default=0)
    found = [_REMARK.sub("", _NUMBER.sub("", s.title)).strip(" *_`.:：") for s in inner if s.level == level]
    return found if 2 <= len(found) <= _MOST_PARTS and all(found) else []


def _uses_links(skill: Skill) -> bool:
    return any(link.anchor == "" for link in links(skill.main)) or not any(True for _ in spans(skill.main))


def _path(skill: Skill, title: str, taken: Iterable[str]) -> str:
    """Give the file for a section: one of the same name that is there already, else a new one."""
    folder = next((name for name in _FOLDERS if name in skill.paths), _FOLDERS[0])
    slug = "-".join(_NOT_SLUG.sub(" ", title.lower()).split())[:60].strip("-") or "section"
    same = f"{folder}/{slug}.md"
    if same in skill.by_path and same not in taken:
        return same
    names = (f"{folder}/{slug}{mark}.md" for mark in ("", *(f"-{n}" for n in range(2, 1000))))
    used = {*taken, *skill.paths}
    return next(name for name in names if name not in used)


def _appended(lines: list[str]) -> list[str]:
    """Give the lines of a section as they follow in a file that has its own title."""
    body = lines[1:]
    first = next((line for line in body if line.strip()), "")
    return body if _HEADING.match(first) else ["", f"#{lines[0]}", *body]


def _last_line(skill: Skill, section: Section) -> int:
    """Give the last line of a section's own text: blank lines and a rule before the next heading stay."""
    last = section.end
    while last > section.start and skill.main.doc.line(last).strip() in ("", "---", "***", "___"):
        last -= 1
    return last


def _content(skill: Skill, section: Section, folder: str, outward: Mapping[int, Renaming]) -> list[str]:
    doc = skill.main.doc
    last = _last_line(skill, section)
    inside = {anchor_of(s.title) for s in doc.sections if section.start <= s.start <= section.end}
    prose = {number for number, _ in doc.prose}
    out = [f"# {section.title}"]
    for number in range(section.start + 1, last + 1):
        line = doc.line(number)
        if number in prose:
            line = _HEADING.sub(lambda m: m[1] + m[2][section.level - 1 :], line)
            line = _TARGET.sub(lambda m: m[1] + _from(folder, m[2], inside, skill), line)
            line = _named(line, outward.get(number, {}))
        out.append(line)
    return out


def _named(line: str, outward: Renaming) -> str:
    """Give a line with the name of the file in place of "above" or "below"."""
    for text, path in outward.items():
        line = line.replace(text, f"{text.rpartition(' ')[0]} in {path}")
    return line


def _reworded(skill: Skill, number: int, outward: Renaming) -> Iterator[str]:
    for text in outward:
        yield from (part for part in sentences(strip_list_mark(skill.main.doc.line(number))) if text in part)


def _outward(skill: Skill, paths: Mapping[Deferrable, str], number: int) -> Renaming:
    """Give the words of a line that lean on what will stand in another file, and that file."""
    renamed: dict[str, str] = {}
    for found in leanings(skill.main):
        if found.line == number and found.on and _LEANS.search(found.text):
            here, there = (_home(paths, n) for n in (number, found.on[0]))
            if here != there:
                renamed[found.text] = there
    return renamed


def _home(paths: Mapping[Deferrable, str], number: int) -> str:
    return next((path for item, path in paths.items() if item.section.start < number <= item.section.end), MAIN)


def _from(folder: str, target: str, inside: set[str], skill: Skill) -> str:
    """Give a link target of SKILL.md as it must be written in a file of `folder`."""
    if target.startswith("#"):
        return target if target[1:] in inside else f"../{MAIN}{target}"
    path, mark, anchor = target.partition("#")
    found = skill.resolve(path, MAIN)
    if found is None:
        return target
    return (found.removeprefix(folder + "/") if found.startswith(folder + "/") else f"../{found}") + mark + anchor


def _repointed(line: str, anchors: dict[str, str]) -> str:
    if "](#" not in line:
        return line
    return _TARGET.sub(lambda m: m[1] + (anchors.get(m[2][1:], m[2]) if m[2].startswith("#") else m[2]), line)
