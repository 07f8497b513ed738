"""Links to headings: `#anchor` in the same file, `file.md#anchor` in another."""

import re
from collections.abc import Iterator

from actions.memo import once
from actions.skill.references import Reference, is_placeholder, links
from actions.skill.skill import Skill, SkillFile

_OWN_ID = re.compile(r"\{#([\w-]{1,100})\}|\b(?:id|name)=[\"']([\w-]{1,100})[\"']")
_DROPPED = re.compile(r"[^\w\- ]")
_COUNT = re.compile(r"-\d+\Z")


def broken_anchors(skill: Skill, file: SkillFile) -> Iterator[Reference]:
    """Return the links of a file to a heading that the linked file does not have.

    Renderers make anchors in different ways, so only letters and digits are compared.
    """
    for link in links(file):
        if not link.anchor or is_placeholder(link.anchor):
            continue
        path = skill.resolve(link.target, file.path) if link.target else file.path
        there = skill.by_path.get(path or "")
        if (
            there is not None
            and there.is_markdown
            and not _anchors(there) & {_bare(link.anchor), _bare(_COUNT.sub("", link.anchor))}
        ):
            yield link


def anchor_of(title: str) -> str:
    """Return the anchor that GitHub makes of a heading."""
    return _DROPPED.sub("", title.lower()).replace(" ", "-")


@once
def _anchors(file: SkillFile) -> frozenset[str]:
    titles = {_bare(section.title) for section in file.doc.sections if section.level}
    return frozenset(titles | {_bare(one or other) for one, other in _OWN_ID.findall(file.text)})


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
