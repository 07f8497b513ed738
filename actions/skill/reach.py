"""Find the texts of a skill that no run reads, because no other file references them."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from actions.memo import memoize, memoize_all
from actions.regex import regex
from actions.skill.mentions import NameIndex, TextSearch, list_names, list_own_names
from actions.skill.paths import Role
from actions.skill.skill import Skill, SkillFile

_DISCOVERED_FOLDERS = frozenset({"commands", "agents", "hooks", "skills", "rules", "output-styles"})
"""Folders whose files Claude Code finds without a mention."""
_SOURCE_FOLDERS = frozenset({"research", "sources", "notes"})
"""Folders of source texts that the skill was written from."""
_TEST_WORDS = regex(r"\b(?:acceptance[- ]criteria|tests?|testing|evals?|evaluation)\b|验收标准|测试", re.IGNORECASE)
_REPORT_PATH = regex(r"(?i)(?:^|/)docs?/[^/]*(?:report|review)[^/]*\Z")
_FIRST_LINES = 8
_MAX_SEARCHED_FILES = 50
"""Maximum number of files to search for by name. For more files, an index is faster."""
_ROLES = frozenset({Role.PHASE, Role.REFERENCE, Role.SPEC})
_ANY_NAME = regex(r"(?<![/\w.-])[\w.-]{0,60}[*}>\]][\w.-]{0,60}\.md\b")
"""A name with a placeholder, which any file beside SKILL.md may match."""
_PREFIX = regex(r"[a-z][a-z0-9]*[-_]\*?")
"""The first part of several names, such as `data-` or `data-*`."""
_OWN_FOLDER = regex(
    r"\$\{?claude_skill_dir\}?(?:[\"']?(?![/\w\"'])|/(?![\w.-])|/[\w-]{0,60}[*{<$\[…])"
    r"|\b(?:all|every|each|any)\b[^.\n]{1,60}\b(?:this|the skill(?:['’]s)?|same|current) (?:folder|directory)"
    r"|(?:本|此|当前|技能)(?:文件夹|目录)"
)
"""A reference, in lower case, to the skill's folder as a whole."""


def find_unread(skill: Skill) -> frozenset[str]:
    """Return the paths of the texts of a skill that no run reads.

    These are the references that no other file mentions, and the texts beside SKILL.md that cannot be reached from
    SKILL.md. Phases count as read, because an orchestrator may find them.
    """
    below = (file.path for file in find_unmentioned(skill) if file.role is not Role.PHASE)
    return frozenset(below).union(_find_unread_beside(skill))


@memoize_all
def find_unmentioned(skill: Skill) -> Iterator[SkillFile]:
    """Yield the instruction files in subfolders that no other file of the skill mentions, by name or by folder.

    Files in the folders of Claude Code, reports, sources and files for tests need no mention.
    """
    files, names = _list_files_below(skill), _list_all_names(skill)
    text = _build_index(skill) if len(files) > _MAX_SEARCHED_FILES else TextSearch(skill)
    is_folder_mentioned: dict[str, bool] = {}
    for file in files:
        if not text.is_any_mentioned(names[file.path], file) and not _needs_no_mention(file):
            parents = file.path.lower().split("/")[:-1]
            unknown = (folder for folder in parents if folder not in is_folder_mentioned)
            is_folder_mentioned |= {folder: text.mentions_folder(folder) for folder in unknown}
            if not any(is_folder_mentioned[folder] for folder in parents) and not _has_named_prefix(skill, file):
                yield file


def is_named_elsewhere(skill: Skill, file: SkillFile) -> bool:
    """Return whether another file of the skill has the name of a file, not only its title, or refers to its folder."""
    search, folder = TextSearch(skill), posixpath.basename(posixpath.dirname(file.path)).lower()
    return search.is_any_mentioned(list_own_names(file), file) or (folder != "" and search.mentions_folder(folder))


def _list_files_below(skill: Skill) -> list[SkillFile]:
    return [file for file in skill.instructions if "/" in file.path and file.role in _ROLES]


@memoize
def _list_all_names(skill: Skill) -> Mapping[str, Collection[str]]:
    """Map the path of each instruction file in a subfolder to its names."""
    return {file.path: list_names(file) for file in _list_files_below(skill)}


@memoize
def _build_index(skill: Skill) -> NameIndex:
    """Build the index of the names and folders. It is kept even if a time limit ends the search in it."""
    names = _list_all_names(skill)
    return NameIndex(skill, chain(*names.values(), *(path.lower().split("/")[:-1] for path in names)))


def _has_named_prefix(skill: Skill, file: SkillFile) -> bool:
    """Return whether a code span, such as `data-`, is the first part of the names of this and another file."""
    name, folder = posixpath.basename(file.path).lower(), posixpath.dirname(file.path)
    prefixes = [prefix for prefix in _list_prefixes(skill) if name.startswith(prefix)]
    names = (posixpath.basename(path).lower() for path in skill.paths if posixpath.dirname(path) == folder)
    return bool(prefixes) and sum(other.startswith(tuple(prefixes)) for other in names) > 1


@memoize
def _list_prefixes(skill: Skill) -> frozenset[str]:
    """Return the prefixes of names in the code spans of a skill, in lower case."""
    spans = (span.text.lower() for file in skill.instructions for span in file.doc.spans)
    return frozenset(text.rstrip("*") for text in spans if _PREFIX.fullmatch(text))


def _needs_no_mention(file: SkillFile) -> bool:
    """Return whether Claude Code finds a file without a mention, or the file is a report, a source or for tests."""
    start = "\n".join((file.path, *file.doc.lines[:_FIRST_LINES]))
    folders = file.path.split("/")[:-1]
    if not _SOURCE_FOLDERS.isdisjoint(map(str.lower, folders)):
        return True
    is_discovered = bool(_DISCOVERED_FOLDERS.intersection(file.path.split("/"))) or any(
        part.startswith("_") for part in file.path.split("/")
    )
    return is_discovered or _TEST_WORDS.search(start) is not None or _REPORT_PATH.search(file.path) is not None


def _find_unread_beside(skill: Skill) -> Iterator[str]:
    """Yield the paths of the texts beside SKILL.md that cannot be reached from a file that a run reads.

    A run does not read files for people, such as a README, but a file name in them counts as a reference.
    """
    pending = [file for file in skill.instructions if "/" not in file.path and file is not skill.main]
    if not pending:
        return
    pending_paths = {file.path for file in pending}
    others = [file for file in skill.files if file.path not in pending_paths]
    docs_text = "\n".join(file.lower for file in others if file.role is Role.DOC)
    reached = [file for file in others if file.role is not Role.DOC]
    while reached and pending:
        text, titles = "\n".join(file.lower for file in reached), {_get_title(file) for file in reached}
        if _refers_to_all(skill, text):
            return
        reached = [file for file in pending if file.path.lower() in docs_text or _is_named(file, text, titles)]
        pending = [file for file in pending if file not in reached]
    yield from (file.path for file in pending)


def _is_named(file: SkillFile, text: str, titles: set[str]) -> bool:
    """Return whether a text contains the name of a file or its title, unless the text's own files have that title."""
    title = _get_title(file)
    names = list_own_names(file) | ({title} if len(title) > 1 and title not in titles else set())
    return any(name in text for name in names)


def _refers_to_all(skill: Skill, text: str) -> bool:
    """Return whether a text, in lower case, refers to the skill's folder or to a pattern of names in it."""
    skill_folder = re.compile(rf"(?<![\w-]){re.escape(skill.folder.lower())}/(?:(?![\w.-])|[\w-]{{0,60}}[*{{<$\[…])")
    return any(pattern.search(text) for pattern in (_ANY_NAME, _OWN_FOLDER, skill_folder))


def _get_title(file: SkillFile) -> str:
    return next((section.title.lower() for section in file.doc.sections if section.level), "")
