"""Find options that a text gives without a command, beside a command with another option that the script rejects."""

import posixpath
from collections.abc import Iterator

from actions.code.options import Interface
from actions.grouping import group_by_key
from actions.regex import regex
from actions.skill.document import Document
from actions.skill.script_usage import ScriptUse, find_unknown_options, is_negated, is_refused
from actions.skill.skill import Skill
from actions.skill.structure import Section

_LONE_OPTION = regex(r"--[a-z][\w-]*")


def find_lone_options(skill: Skill) -> Iterator[tuple[ScriptUse, Interface]]:
    """Yield the code spans with only an unknown option, in a section with an unknown option of the same script.

    The section must have commands of no other program, so that the option can belong to nothing else.
    """
    found = {}
    for use, interface in find_unknown_options(skill):
        doc = skill.by_path[use.file].doc
        section = doc.section_at(use.line)
        for line, name in _list_lone_options(doc, section) if _is_about(skill, doc, section, use.script) else ():
            lone = ScriptUse(use.file, line, use.script, name, start=line)
            script = skill.by_path[use.script]
            if name not in use.command_options and name not in script.text and is_refused(script, interface, lone):
                found[use.file, line, name] = (lone, interface)
    yield from found.values()


def _list_lone_options(doc: Document, section: Section) -> Iterator[tuple[int, str]]:
    """Yield (line, option) in the lines of a section whose code spans are all options."""
    for line, spans in group_by_key((span.line, span.text) for span in doc.spans).items():
        is_valid = doc.section_at(line) == section and all(map(_LONE_OPTION.fullmatch, spans))
        if is_valid and not (doc.is_counterexample(line) or is_negated(doc.line(line))):
            yield from ((line, span) for span in spans)


def _is_about(skill: Skill, doc: Document, section: Section, script: str) -> bool:
    """Return whether a section names only this script of the skill, and each line of its code has the script's name."""
    text = "\n".join(doc.lines[section.start - 1 : section.end])
    named = {name for file in skill.scripts if (name := posixpath.basename(file.path)) in text}
    fences = (fence for fence in doc.fences if section.start <= fence.start <= section.end)
    lines = (text.strip() for fence in fences for text in doc.lines_inside(fence))
    name = posixpath.basename(script)
    return named == {name} and all(name in line for line in lines if line and not line.startswith("#"))
