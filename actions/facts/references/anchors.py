"""Links to headings: `#anchor` in the same file, `file.md#anchor` in another."""

import re
from collections.abc import Iterator

from actions.skill.links import is_placeholder, links
from actions.skill.skill import Skill, SkillFile

_IN_PAGE = re.compile(r"(?<!`)\]\(#([^)\s]{1,200})\)")
_OWN_ID = re.compile(r"\{#([\w-]{1,100})\}|\b(?:id|name)=[\"']([\w-]{1,100})[\"']")
_NUMBER = re.compile(r"-\d+\Z")


def broken_anchors(skill: Skill, file: SkillFile) -> Iterator[tuple[int, str]]:
    """Give line and anchor of each link of a file to a heading that the linked file does not have.

    Renderers make anchors in different ways, so only letters and digits are compared.
    """
    if "#" not in file.text or "](" not in file.text:
        return
    wanted = [(number, anchor, file.path) for number, anchor in _in_page(file)]
    for link in links(file):
        target = skill.resolve(link.target, file.path) if link.anchor else None
        if target:
            wanted.append((link.line, link.anchor, target))
    known: dict[str, set[str]] = {}
    for line, anchor, path in wanted:
        there = skill.by_path.get(path)
        if there is None or not there.is_markdown or is_placeholder(anchor):
            continue
        if path not in known:
            known[path] = _anchors(there)
        if not {_bare(anchor), _bare(_NUMBER.sub("", anchor))} & known[path]:
            yield line, anchor


def _in_page(file: SkillFile) -> Iterator[tuple[int, str]]:
    for number, line in file.doc.prose:
        if "](#" in line:
            yield from ((number, anchor) for anchor in _IN_PAGE.findall(line))


def _anchors(file: SkillFile) -> set[str]:
    titles = {_bare(section.title) for section in file.doc.sections if section.level}
    return titles | {_bare(one or other) for one, other in _own_ids(file.text)}


def _own_ids(text: str) -> list[tuple[str, str]]:
    return _OWN_ID.findall(text) if any(mark in text for mark in ("{#", "id=", "name=")) else []


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
