"""Correct a dead path to the only file with the same name, or with a similar name in its folder.

The path may be in a Markdown link, in a manifest, or in a command after a variable such as `${CLAUDE_PLUGIN_ROOT}`. It
is corrected throughout the unit, but only if there is exactly one candidate. If the file is in another folder, the risk
is medium.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.grouping import group_by_key
from actions.memo import compute_once, memoize_all
from actions.project.dead_links import find_dead_links, find_intended_path, find_shifted_path
from actions.project.manifest_paths import find_missing_paths as find_missing_entries
from actions.project.named_paths import find_missing_paths
from actions.project.near_path import find_near_path, is_same_place
from actions.project.plugins import find_entries
from actions.project.started_files import find_started_files
from actions.regex import regex
from actions.skill.example import Example
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("correct_path", fixes=("PRJ-003", "PRJ-012", "PRJ-022"), risk=Risk.LOW, max_risk=Risk.MEDIUM)
_VARIABLE = regex(r"\$\{?CLAUDE_(\w+)\}?/?")
_BEFORE_WORD = r"\$\{?CLAUDE_\w+\}?(?:\\?[\"'])?/(?:\./)?"
_BEFORE_LINK = r"\]\(\s*<?(?:\./)?|^\s*\[[^\]\n]+\]:\s*<?(?:\./)?"
_BEFORE_ENTRY = r"\"(?:\./)?"
_AFTER_PATH = r"(?:(?![\w./%-])|(?=/\"))"
_MAX_DESCRIBED = 3
_MAX_DEAD_PATHS_IN_LINE = 50
"""Maximum number of dead paths in a line that is corrected. Only generated text has more."""


class _DeadPath(msgspec.Struct, frozen=True):
    """A path to a missing file.

    `written` is the path as written, relative to the folder `base`. `path` is the path relative to the project.
    `before` is a regular expression for the text that precedes the path. `shifted` is the existing path that a link
    reaches with one `../` more or less, or "".
    """

    file: str
    line: int
    written: str
    path: str
    base: str
    before: str
    shifted: str = ""


class _DeadPaths(msgspec.Struct, frozen=True):
    by_place: Mapping[tuple[str, int], Sequence[_DeadPath]]
    by_path: Mapping[str, Sequence[_DeadPath]]


def propose(issue: Issue, case: Case) -> Draft | None:
    """Correct each dead path at the issue's places, and the same paths elsewhere in the unit."""
    dead = compute_once(case, f"dead paths of {issue.pattern}", lambda: _index_dead_paths(issue.pattern, case))
    at_places = [dead.by_place.get((place.file, place.line_start or 0), ()) for place in issue.places]
    if any(len(words) > _MAX_DEAD_PATHS_IN_LINE for words in at_places):
        return None
    paths = dict.fromkeys(word.path for words in at_places for word in words)
    wrong = {(word.file, word.line, word.written): word for path in paths for word in dead.by_path[path]}.values()
    shifted = {word.path: word.shifted for word in wrong if word.shifted}
    top = case.unit.plugin_root or ""
    intended = {path: shifted.get(path) or find_near_path(case.project, path, top) for path in paths}
    lines: dict[tuple[str, int], str] = {}
    for word in wrong:
        new, at = _write_path(word, intended[word.path]), (word.file, word.line)
        old = lines.get(at, case.skill.by_path[word.file].doc.line(word.line))
        lines[at] = _replace_path(old, word, new) if new else old
        if lines[at] == old:
            return None
    pairs = [(old, new) for old, new in intended.items() if new]
    if not pairs or _is_source_taken(issue.pattern, case, intended):
        return None
    draft = draft_line_changes(
        case.skill,
        lines,
        description=f"Replace {_describe_pairs(pairs)}.",
        rationale=" ".join(_explain_correction(old, new, shifted) for old, new in pairs[:_MAX_DESCRIBED]),
        impact="The path leads to an existing file.",
    )
    return draft if all(is_same_place(*pair) for pair in pairs) else replace(draft, risk=Risk.MEDIUM)


def _describe_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    named = [f"the path `{old}` with `{new}`" for old, new in pairs[:_MAX_DESCRIBED]]
    return ", ".join([*named, *([f"and {len(pairs) - len(named)} more"] if len(pairs) > len(named) else [])])


def _explain_correction(old: str, new: str, shifted: Collection[str]) -> str:
    if old in shifted:
        return f"`{old}` does not exist; with another number of `../`, the link leads to `{new}`."
    name = posixpath.basename(old).lower()
    if posixpath.basename(new).lower() == name:
        return f"`{old}` does not exist; `{new}` is the only file with that name."
    return f"`{old}` does not exist; `{new}` is the only file or folder with a similar name in that folder."


def _index_dead_paths(pattern: str, case: Case) -> _DeadPaths:
    known = _LISTING_FUNCTIONS.get(pattern, _list_dead_words)(case)
    by_place = group_by_key(((word.file, word.line), word) for word in known)
    return _DeadPaths(by_place, group_by_key((word.path, word) for word in known))


@memoize_all
def _list_dead_entries(case: Case) -> Iterator[_DeadPath]:
    for entry in find_missing_entries(case.project, case.unit):
        written = posixpath.normpath(entry.word)
        base = entry.path.removesuffix(written).rstrip("/")
        yield _DeadPath(case.skill.main_path, entry.line, written, entry.path, base, _BEFORE_ENTRY)


@memoize_all
def _list_dead_links(case: Case) -> Iterator[_DeadPath]:
    project, unit, main = case.project, case.unit, case.skill.main_path
    for link in find_dead_links(project, unit, case.skill.main):
        path = find_intended_path(project, unit, link)
        shifted = find_shifted_path(project, unit, link.target)
        yield _DeadPath(main, link.line, link.target.removeprefix("./"), path, unit.folder, _BEFORE_LINK, shifted)


@memoize_all
def _list_dead_words(case: Case) -> Iterator[_DeadPath]:
    project, unit = case.project, case.unit
    bases = {"PLUGIN_ROOT": unit.plugin_root or "", "SKILL_DIR": unit.folder}
    started = (file for file in find_started_files(project, unit) if not file.exists)
    words = [(case.skill.main_path, file.line, file.word, file.path) for file in started]
    words += [(path.file, path.line, path.word, path.path) for path in find_missing_paths(project, unit, case.skill)]
    for file, line, word, path in words:
        variable = _VARIABLE.match(word)
        written = _VARIABLE.sub("", word, count=1).removeprefix("./")
        yield _DeadPath(file, line, written, path, bases.get(variable[1], "") if variable else "", _BEFORE_WORD)


_LISTING_FUNCTIONS = {"PRJ-022": _list_dead_entries, "PRJ-012": _list_dead_links}
"""Maps patterns to functions that list dead paths. For PRJ-003, this is `_list_dead_words`."""


def _write_path(dead: _DeadPath, intended: str | None) -> str:
    """Return the intended path in the form of the dead path, or "" if it is None or outside the base folder."""
    new = posixpath.relpath(intended, dead.base or ".") if intended else ""
    return "" if new.startswith("..") and dead.before != _BEFORE_LINK else new


def _replace_path(line: str, dead: _DeadPath, new: str) -> str:
    return re.sub(f"({dead.before}){re.escape(dead.written)}{_AFTER_PATH}", lambda match: match[1] + new, line)


def _is_source_taken(pattern: str, case: Case, intended: Mapping[str, str | None]) -> bool:
    """Return whether another entry of the marketplace already has an intended path as its source."""
    return pattern == "PRJ-022" and any(entry.root in intended.values() for entry in find_entries(case.project))


_PLUGIN = {".claude-plugin/plugin.json": '{"name": "birds"}\n'}
_HOOKS = '{"hooks": {"Stop": [{"hooks": [\n  {"type": "command", "command": "bash %s"}]}]}}\n'
_AGENT = "---\nname: counter\ndescription: Counts.\n---\n\nCount by the [list](%s).\n"
_SCRIPT = {"scripts/check.sh": "exit 0\n"}
_ENTRY = '{"name": "m", "plugins": [\n  {"name": "birds",\n   "source": "%s"}]}\n'
_BIRDS = '{"name": "birds"}\n'
_LIST = {"docs/bird-list.md": "# List\n"}
BEFORE: tuple[Example, ...] = (
    {**_PLUGIN, **_SCRIPT, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/scripts/chek.sh"},
    {**_PLUGIN, **_LIST, "agents/counter.md": _AGENT % "../docs/bird_list.md"},
    {".claude-plugin/marketplace.json": _ENTRY % "./plugins/brids", "plugins/birds/.claude-plugin/plugin.json": _BIRDS},
    {**_PLUGIN, **_SCRIPT, "commands/count.md": "Run `bash ${CLAUDE_PLUGIN_ROOT}/check.sh --all`.\n"},
    {**_LIST, ".claude/agents/counter.md": _AGENT % "../docs/bird-list.md"},
)
AFTER: tuple[Example, ...] = (
    {**_PLUGIN, **_SCRIPT, "hooks/hooks.json": _HOOKS % "${CLAUDE_PLUGIN_ROOT}/scripts/check.sh"},
    {**_PLUGIN, **_LIST, "agents/counter.md": _AGENT % "../docs/bird-list.md"},
    {".claude-plugin/marketplace.json": _ENTRY % "./plugins/birds", "plugins/birds/.claude-plugin/plugin.json": _BIRDS},
    {**_PLUGIN, **_SCRIPT, "commands/count.md": "Run `bash ${CLAUDE_PLUGIN_ROOT}/scripts/check.sh --all`.\n"},
    {**_LIST, ".claude/agents/counter.md": _AGENT % "../../docs/bird-list.md"},
)
