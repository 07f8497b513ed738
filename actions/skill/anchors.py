"""Links to headings: `#anchor` in the same file, `file.md#anchor` in another."""

import re
from collections.abc import Iterator

from actions.memo import once
from actions.skill.references import Reference, is_placeholder, links, links_by_line
from actions.skill.skill import Skill, SkillFile
from actions.skill.text import letters

_OWN_ID = re.compile(r"\{#([\w-]{1,100})\}|\b(?:id|name)=[\"']([\w-]{1,100})[\"']")
_DROPPED = re.compile(r"[^\w\- ]")
_COUNT = re.compile(r"-\d+\Z")


def broken_anchors(skill: Skill, file: SkillFile, lines: range | None = None) -> Iterator[Reference]:
    """Return the links of a file, or of some lines of it, to a heading that the linked file does not have.

    Renderers make anchors in different ways, so only letters and digits are compared.
    """
    every = links(file) if lines is None else (link for n in lines for link in links_by_line(file).get(n, ()))
    for link in every:
        if not link.anchor or is_placeholder(link.anchor):
            continue
        path = skill.resolve(link.target, file.path) if link.target else file.path
        there = skill.by_path.get(path or "")
        meant = {letters(link.anchor), letters(_COUNT.sub("", link.anchor))}
        if there is not None and there.is_markdown and meant.isdisjoint(_anchors(there)):
            yield link


def anchor_of(title: str) -> str:
    """Return the anchor that GitHub makes of a heading."""
    return _DROPPED.sub("", title.lower()).replace(" ", "-")


@once
def _anchors(file: SkillFile) -> frozenset[str]:
    titles = {letters(section.title) for section in file.doc.sections if section.level}
    return frozenset(titles | {letters(one or other) for one, other in _OWN_ID.findall(file.text)})
