"""Compare the script calls in the text of a skill with what the scripts' own parsers accept."""

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

import msgspec
from tree_sitter import Node

from actions.code.calls import find_commands
from actions.code.languages import BASH, LANGUAGES, find_language
from actions.code.options import Interface, Option, find_interface
from actions.code.tree import Code
from actions.grouping import group_by_key
from actions.memo import memoize, memoize_all
from actions.regex import regex
from actions.skill.paths import is_script_path
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Fence, Section
from actions.skill.text import number_of

_WRAPPERS = ("sudo", "time", "timeout", "exec")
_RUNNERS = frozenset({*_WRAPPERS, *(runner for language in LANGUAGES for runner in language.runners)})
_SHELL_LANGUAGES = frozenset({"", "console", "text", "txt", "shell-session"})
_OWN_FOLDER = (
    r"\$\{{?CLAUDE_SKILL_DIR(?::-[^}}]*)?\}}?|\$\{{?\w*SKILL\w*\}}?|\{{baseDir\}}|<[\w -]*skill[\w -]*>"
    r"|[\w./~${{}}-]*\bskills/(?:{})"
)
"""A pattern for the beginning of a path into the skill, to be formatted with the skill's names."""
_OPTION = regex(r"\[?(--[A-Za-z][\w-]*|-[A-Za-z])(?:=(.*)|\])?")
_VALUE = regex(r"[a-z][a-z0-9_-]*")
_ANY_SUBCOMMAND = frozenset({"command", "subcommand", "cmd", "action", "mode", "args", "options"})
"""Placeholders for a subcommand."""
_STANDARD_OPTIONS = frozenset({"-h", "--help", "--version", "-V"})
_PASSES_ARGUMENTS_ON = regex(
    r"(?m)^(?![^\S\n]*(?:for|while|set|eval|main|parse\w*|usage|getopts|local)\b)(?![^\S\n]*#).*\$[@*]"
)
_NEGATION = regex(
    r"(?i)\b(?:no|not|never|without|removed|deprecated|planned|future|upcoming|old|former|instead)\b|n['’]t\b|没有|不|未|已"
    r"|\b(?:for|from|in|until|before) v(?:ersion )?\d"
)
_LONG_OPTION = regex(r"--[a-z][\w-]*")
_NAME = regex(r"[A-Za-z0-9_.-]+")
_STATED_DEFAULT = regex(
    r"(?i)[(（](?:default|defaults to|default value|默认|默认值)[:：=]?\s*(`?)([\w.+/-]*[\w+/])\1[)）,;，；]"
)
_WORD = regex(r"[a-z][\w.-]*")
_VAGUE_DEFAULTS = frozenset({"none", "null", "auto", "off", "on"})
_DEFAULT_HEADERS = frozenset({"default", "defaults", "default value", "默认", "默认值"})


class ScriptUse(msgspec.Struct, frozen=True):
    """An option or a subcommand that a command in the text passes to a script.

    An empty `option` means the subcommand itself. `value` and `subcommand` are "" unless they are plain words. `start`
    is the first line of the command, `command_options` are all its options.
    """

    file: str
    line: int
    script: str
    option: str
    value: str = ""
    subcommand: str = ""
    start: int = 0
    command_options: frozenset[str] = frozenset()


class StatedDefault(msgspec.Struct, frozen=True):
    """A default that the text states for a script's option, which `option` defines."""

    file: str
    line: int
    script: str
    name: str
    stated: str
    option: Option


@memoize
def find_unknown_options(skill: Skill) -> tuple[tuple[ScriptUse, Interface], ...]:
    """Return the options in the text that the parser of the called script does not define."""
    refused_uses = find_refused_script_uses(skill)
    return tuple(
        (use, interface) for use, interface in refused_uses if use.option and use.option not in interface.names
    )


@memoize_all
def find_refused_script_uses(skill: Skill) -> Iterator[tuple[ScriptUse, Interface]]:
    """Yield the subcommands, options and values in the text that the parser of a script rejects."""
    interfaces = _map_interfaces(skill)
    for file in skill.instructions if interfaces else ():
        for use in _list_uses(skill, file):
            interface = interfaces.get(use.script)
            if interface and is_refused(skill.by_path[use.script], interface, use):
                yield use, interface


@memoize
def map_unknown_options(skill: Skill) -> Mapping[tuple[str, int], Sequence[tuple[ScriptUse, Interface]]]:
    """Map (file, line) to the unknown options in that line."""
    return group_by_key(((use.file, use.line), (use, interface)) for use, interface in find_unknown_options(skill))


@memoize
def map_false_defaults(skill: Skill) -> Mapping[tuple[str, int], Sequence[StatedDefault]]:
    """Map (file, line) to the wrong defaults in that line."""
    return group_by_key(((claim.file, claim.line), claim) for claim in find_false_defaults(skill))


@memoize_all
def find_false_defaults(skill: Skill) -> Iterator[StatedDefault]:
    """Yield the defaults in the text that differ from those of the script.

    Only options that exactly one script defines are compared.
    """
    for file in skill.instructions if _map_interfaces(skill) else ():
        for line, name, stated, quoted in _list_stated_defaults(file):
            script = _find_only_script(skill, file, line, name)
            options = _map_interfaces(skill)[script].by_name.get(name, ()) if script else ()
            if script and options and all(_differs(stated, option.default, quoted) for option in options):
                yield StatedDefault(file.path, line, script, name, stated, options[0])


@memoize
def _map_interfaces(skill: Skill) -> dict[str, Interface]:
    """Map the paths of scripts to the options that they accept, if these are known."""
    interfaces = ((file.path, read_interface(file)) for file in skill.scripts)
    return {path: interface for path, interface in interfaces if interface}


@memoize
def read_interface(script: SkillFile) -> Interface | None:
    """Return the options that a script accepts, or None if they are unknown or arbitrary."""
    return find_interface(script.codes[0]) if script.codes else None


def is_refused(script: SkillFile, interface: Interface, use: ScriptUse) -> bool:
    """Return whether a script rejects the subcommand, the option or the value of a use.

    An option that the script may pass on to another program is not rejected.
    """
    lacks_subcommand = interface.lacks_subcommand(use.subcommand)
    if not use.option:
        return lacks_subcommand
    if lacks_subcommand:  # reported once, for the subcommand
        return False
    if use.option not in _STANDARD_OPTIONS and interface.find_owners(use.subcommand, use.option):
        return True
    if use.option in interface.names or use.option in _STANDARD_OPTIONS:
        return bool(interface.find_refusal(use.option, use.value))
    if interface.accepts_prefixes:
        return not (use.option.startswith("--") and interface.has_prefix(use.option))
    return use.option not in script.text and not (interface.may_pass_on and _PASSES_ARGUMENTS_ON.search(script.text))


def is_negated(line: str) -> bool:
    """Return whether a line has a word such as "no", "removed" or "planned"."""
    return _NEGATION.search(line) is not None


def list_similar_options(use: ScriptUse, interface: Interface) -> list[str]:
    """Return the options of the script that the author may have meant by an unknown option.

    Options that are already in the command or that belong to another subcommand are left out.
    """
    if interface.has_too_many_names or (interface.subcommands and use.subcommand not in interface.subcommands):
        return []
    own_names = interface.subcommands.get(use.subcommand, ())
    other_names = {name for names in interface.subcommands.values() for name in names} - {*own_names}
    return [name for name in interface.names if name not in use.command_options and name not in other_names]


def _list_uses(skill: Skill, file: SkillFile) -> Iterator[ScriptUse]:
    return find_uses(
        file, {posixpath.basename(path) for path in _map_interfaces(skill)}, partial(_find_script, skill, file)
    )


def find_uses(file: SkillFile, names: Collection[str], find_script: Callable[[str], str]) -> Iterator[ScriptUse]:
    """Yield the subcommands and options that commands in a file pass to scripts with these names.

    `find_script` returns the path of the script that a word of a command refers to, or "".
    """
    text = read_shell_text(file) if names else ""
    present_names = [name for name in names if name in text]
    for code in _list_shell_code(file, present_names) if present_names else ():
        for command in find_commands(code):
            words = (command.name, *command.words) if command.name in _RUNNERS or "/" in command.name else ()
            index = next((index for index, word in enumerate(words) if is_script_path(word.strip("\"'"))), None)
            script = "" if index is None or "-m" in words[:index] else find_script(words[index])
            if index is not None and script:
                yield from _list_option_uses(code, command.node, index, file, script)


def _list_option_uses(code: Code, command: Node, index: int, file: SkillFile, script: str) -> Iterator[ScriptUse]:
    """Yield the use of the subcommand, if any, then of the options before `--`. Quoted words are values.

    `index` is the position of the script among the words of the command.
    """
    nodes = command.children_by_field_name("argument")[index:]
    texts = [code.text_of(node) if node.type in ("word", "concatenation") else "" for node in nodes]
    options = frozenset(match[1] for text in texts if (match := _OPTION.fullmatch(text)))
    first = texts[0] if texts and _VALUE.fullmatch(texts[0]) and texts[0] not in _ANY_SUBCOMMAND else ""
    if first:
        yield ScriptUse(file.path, code.line(nodes[0]), script, "", subcommand=first)
    for node, text, next_text in zip(nodes, texts, [*texts[1:], ""], strict=False):
        if text == "--":
            return
        if match := _OPTION.fullmatch(text):
            value = next_text if match[2] is None else match[2]
            value = value if _VALUE.fullmatch(value) and value not in match[1] else ""
            yield ScriptUse(file.path, code.line(node), script, match[1], value, first, code.line(command), options)


@memoize
def read_shell_text(file: SkillFile) -> str:
    """Return the text that may call a script with options: shell fences, and code spans with an option."""
    doc = file.doc
    fences = ("\n".join(doc.lines_inside(fence)) for fence in doc.fences if _is_shell(fence))
    return "\n".join((*fences, *(span.text for span in doc.spans if " -" in span.text)))


def _is_shell(fence: Fence) -> bool:
    return fence.lang in _SHELL_LANGUAGES or find_language(fence.lang) is BASH


def _list_shell_code(file: SkillFile, names: Collection[str]) -> Iterator[Code]:
    """Yield the fences and code spans that may call one of these scripts, as shell code.

    Counterexamples are left out, and code spans in lines with words such as "no" or "removed".
    """
    doc = file.doc
    for fence in doc.fences:
        if _is_shell(fence):
            text = "\n".join(doc.lines_inside(fence))
            if any(name in text for name in names) and not doc.is_counterexample(fence.end):
                yield Code(BASH, text, fence.start + 1)
    spans = [span for span in doc.spans if " -" in span.text and any(name in span.text for name in names)]
    lines = {span.line for span in spans}
    valid_lines = {line for line in lines if not (doc.is_counterexample(line) or is_negated(doc.line(line)))}
    yield from (Code(BASH, span.text, span.line) for span in spans if span.line in valid_lines)


def _find_script(skill: Skill, file: SkillFile, word: str) -> str:
    """Return the path of the bundled script that a word refers to, or "" if none has known options."""
    own_folder = _OWN_FOLDER.format("|".join(map(re.escape, {skill.folder, skill.name})))
    target = re.sub(rf"^(?:[\"']?(?:{own_folder})[\"']?/|\./)", "", word).strip("\"'")
    path = skill.resolve(target, file.path) if "." in target and not target.startswith(("/", "~", "$", "..")) else None
    return path if path in _map_interfaces(skill) else ""


def _list_stated_defaults(file: SkillFile) -> Iterator[tuple[int, str, str, bool]]:
    """Yield (line, option, default, whether it is in a code span) from tables and from `--x` … (default: y)."""
    for number, first, cell in file.doc.column(_DEFAULT_HEADERS):
        if len(names := set(_LONG_OPTION.findall(first))) == 1:
            yield number, names.pop(), cell, f"`{cell}`" in file.doc.line(number)
    for number, line in file.doc.prose:
        names, stated = set(_LONG_OPTION.findall(line)), _STATED_DEFAULT.findall(line) if "--" in line else ()
        if len(names) == len(stated) == 1:
            yield number, names.pop(), stated[0][1], bool(stated[0][0])


def _find_only_script(skill: Skill, file: SkillFile, line: int, name: str) -> str:
    """Return the path of the only script with an option, or "".

    The outer section of the line must name the script, and the line must not be in a counterexample.
    """
    owners = _group_scripts_by_option(skill).get(name, ())
    if len(owners) != 1 or any(path != owners[0] for path in _group_scripts_by_text(skill).get(name, ())):
        return ""
    section, lines = _find_outer_section(file, line), _group_lines_by_name(file).get(posixpath.basename(owners[0]), ())
    is_named = bisect_right(lines, section.end) > bisect_left(lines, section.start)
    return owners[0] if is_named and not file.doc.is_counterexample(line) else ""


@memoize
def _group_scripts_by_option(skill: Skill) -> Mapping[str, Sequence[str]]:
    return group_by_key((name, path) for path, interface in _map_interfaces(skill).items() for name in interface.names)


@memoize
def _group_scripts_by_text(skill: Skill) -> Mapping[str, Sequence[str]]:
    """Map each long option to the paths of the scripts that contain it anywhere."""
    return group_by_key(
        (name, script.path) for script in skill.scripts for name in set(_LONG_OPTION.findall(script.text))
    )


@memoize
def _group_lines_by_name(file: SkillFile) -> Mapping[str, Sequence[int]]:
    """Map each word with a dot, such as a file name, to the numbers of its lines."""
    lines = enumerate(file.doc.lines, 1)
    return group_by_key(
        (word.strip(".-"), number) for number, line in lines for word in _NAME.findall(line) if "." in word
    )


def _find_outer_section(file: SkillFile, line: int) -> Section:
    """Return the outermost section of level 2 or deeper that contains a line.

    Without one, return the innermost section that contains the line.
    """
    outer = _list_outer_sections(file)
    index = bisect_right(outer, line, key=lambda section: section.start) - 1
    return outer[index] if index >= 0 and line <= outer[index].end else file.doc.section_at(line)


@memoize
def _list_outer_sections(file: SkillFile) -> Sequence[Section]:
    """Return the outermost sections of level 2 or deeper, in order."""
    outer_sections: list[Section] = []
    for section in file.doc.sections:
        if section.level > 1 and (not outer_sections or section.start > outer_sections[-1].end):
            outer_sections.append(section)
    return outer_sections


def _differs(stated: str, default: str | None, quoted: bool) -> bool:
    """Return whether a stated default clearly differs from the default in the script."""
    if default is None or not stated.strip("-—` "):
        return False
    first, second = number_of(stated), number_of(default)
    if first is not None and second is not None:
        return first != second
    words = {stated.lower(), default.lower()}
    return quoted and len(words) == 2 and all(map(_WORD.fullmatch, words)) and _VAGUE_DEFAULTS.isdisjoint(words)
