"""How one place refers to another that says it: a link, a path, "the block above"; and whether it does so already."""

import posixpath
import re
from collections.abc import Container, Sequence

from actions.facts.context.deferral import anchor_of
from actions.facts.docs.passages import Passage
from actions.skill.links import links, spans
from actions.skill.skill import Skill, SkillFile

_SENDS = re.compile(
    r"\b(?:see|read|follow|refer|per|as in|according to)\b|见|阅读|遵循|参考|按照",
    re.IGNORECASE,
)
_LATER = re.compile(r"\b(?:then|next|afterwards|finally|last|at the end)\b|然后|之后|最后|再", re.IGNORECASE)


def references_to(skill: Skill, file: SkillFile, copy: range, kept: Sequence[Passage]) -> list[str | None]:
    """Give how lines of a file refer to each place that is kept, once; None where there is no good name for one."""
    places = {(p.other, skill.by_path[p.other].doc.section_at(p.at).start): p for p in kept}
    titles = [_title(skill, p) for p in places.values()]
    return [_link(skill, file, copy, p, whole=titles.count(_title(skill, p)) > 1) for p in places.values()]


def sends_already(skill: Skill, file: SkillFile, numbers: Container[int], kept: Sequence[Passage]) -> bool:
    """Tell whether some of these lines send to every place that is kept, and not only later: one "see" is enough."""
    near = [found for found in (*links(file), *spans(file)) if found.line in numbers]
    told = [found for found in near if _SENDS.search(line := file.doc.line(found.line)) and not _LATER.search(line)]
    there = {(skill.resolve(found.target, file.path), found.anchor) for found in told}
    return all({(p.other, ""), (p.other, anchor_of(_title(skill, p)))} & there for p in kept)


def beside(file: SkillFile, lines: range) -> set[int]:
    """Give the other lines of the section that holds some lines, without those of its subsections."""
    section = file.doc.section_at(lines.start)
    own = {n for n in range(section.start + 1, section.end + 1) if file.doc.section_at(n) == section}
    return own - {*lines}


def _title(skill: Skill, twin: Passage) -> str:
    section = skill.by_path[twin.other].doc.section_at(twin.at)
    return section.title if section.level else posixpath.basename(twin.other)


def _link(skill: Skill, file: SkillFile, copy: range, twin: Passage, whole: bool) -> str | None:
    """Give the reference to the section that is kept, as a link, or as a path where the skill writes paths.

    `whole` names it by the title of its file, where another link has the same title.
    """
    kept = skill.by_path[twin.other]
    section = kept.doc.section_at(twin.at)
    titles = [anchor_of(s.title) for s in kept.doc.sections if s.level]
    anchor = anchor_of(section.title) if section.level else ""
    if titles.count(anchor) != 1 or (file != kept and titles[0] == anchor):
        anchor = ""
    if file == kept:
        return _link_inside(skill, file, copy, twin, f"[{section.title}](#{anchor})" if anchor else None)
    title = _title(skill, twin)
    if not any(links(file)) and any(spans(file)):
        named = f"「{title}」一节" if skill.is_chinese else f'"{title}"'
        return f"`{kept.path}`" + ((f" 的{named}" if skill.is_chinese else f", section {named}") if anchor else "")
    path = posixpath.relpath(kept.path, posixpath.dirname(file.path) or ".")
    name = next((s.title for s in kept.doc.sections if s.level), title) if whole else title
    return f"[{name}]({path}{'#' if anchor else ''}{anchor})"


def _link_inside(skill: Skill, file: SkillFile, copy: range, twin: Passage, link: str | None) -> str | None:
    """Refer to a section of the same file, or, within one section, to the block above."""
    doc = file.doc
    if doc.section_at(twin.at) != doc.section_at(twin.start):
        return link
    fence = doc.fence_at(twin.at)
    if fence is None or any(fence.end < other.start < copy.start for other in doc.fences):
        return None
    return "上面的代码块" if skill.is_chinese else "the block above"
