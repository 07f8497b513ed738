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
_FILE_NAME = regex(r"[\w-]+(?:\.[\w-]+)*")


def find_lone_options(skill: Skill) -> Iterator[tuple[ScriptUse, Interface]]:
    """Yield the code spans with only an unknown option, in a section with an unknown option of the same script.

    The section must have commands of no other program, so that the option can belong to nothing else.
    """
    found = {}
    uses = find_unknown_options(skill)
    for (path, section), group in group_by_key((_locate(skill, use), (use, known)) for use, known in uses).items():
        doc = skill.by_path[path].doc
        script = _find_only_script(skill, doc, section)
        lone_options = [*_list_lone_options(doc, section)] if script else []
        for use, interface in group if lone_options else ():
            for line, name in lone_options if posixpath.basename(use.script) == script else ():
                lone = ScriptUse(path, line, use.script, name, start=line)
                file = skill.by_path[use.script]
                if name not in use.command_options and name not in file.text and is_refused(file, interface, lone):
                    found[path, line, name] = (lone, interface)
    yield from found.values()


def _locate(skill: Skill, use: ScriptUse) -> tuple[str, Section]:
    return use.file, skill.by_path[use.file].doc.section_at(use.line)


def _list_lone_options(doc: Document, section: Section) -> Iterator[tuple[int, str]]:
    """Yield (line, option) in the lines of a section whose code spans are all options."""
    for line, spans in group_by_key((span.line, span.text) for span in doc.spans).items():
        is_valid = doc.section_at(line) == section and all(map(_LONE_OPTION.fullmatch, spans))
        if is_valid and not (doc.is_counterexample(line) or is_negated(doc.line(line))):
            yield from ((line, span) for span in spans)


def _find_only_script(skill: Skill, doc: Document, section: Section) -> str:
    """Return the name of the only script of the skill that a section names, if each line of its code has it, or ""."""
    text = "\n".join(doc.lines[section.start - 1 : section.end])
    named = {posixpath.basename(file.path) for file in skill.scripts}.intersection(_FILE_NAME.findall(text))
    name = named.pop() if len(named) == 1 else ""
    fences = (fence for fence in doc.fences if section.start <= fence.start <= section.end)
    lines = (text.strip() for fence in fences for text in doc.lines_inside(fence))
    return name if name and all(name in line for line in lines if line and not line.startswith("#")) else ""
