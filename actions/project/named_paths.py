"""Find paths below `${CLAUDE_PLUGIN_ROOT}` or `${CLAUDE_SKILL_DIR}` in the text of a unit that do not exist."""

from collections.abc import Iterator

import msgspec

from actions.code.languages import BASH, find_language
from actions.memo import compute_once
from actions.project.plugins import find_plugin
from actions.project.project import Project
from actions.project.resolve_path import resolve_path
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import is_script_path
from actions.skill.references import is_placeholder, mentions_creation
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Fence

_PATH = regex(r"\$\{CLAUDE_(?:PLUGIN_ROOT|SKILL_DIR)\}/[\w./-]*\w(?![\w/-]|\.\w|[*<{$\[(%…])")
"""A path below one of the variables. A path cut off by a placeholder or a glob does not match."""
_SHELL_LANGUAGES = frozenset({"", "console", "text", "shell-session"})
_TESTS_OR_CREATES = regex(
    r"(?:\[|\btest) +-[a-z] |\bif exist|\b(?:mkdir|touch|rm|mv|cp) |>> ?[\"']?\$|> ?[\"']?\$|\|\| "
)
"""A command that creates the file, tests whether it exists, or handles its absence."""
_PLUGIN_WORDS = regex(r"plugin\.json|hooks\.json|mcpServers|\.mcp\.json|MCP Servers")
"""Words that show that a text is about plugins, so that its paths are examples."""
_SAMPLE_NAME = regex(r"/(?:hook|script|script-name|file|filename)\.\w+\Z|/__+\Z")
_COMPARISON_MARK = regex(r"[✅❌✓✗]")
"""Marks in a fence that shows right and wrong forms."""
_MAX_ALWAYS_REPORTED = 2
"""Maximum number of missing paths that are reported even if no path of the text exists."""


class NamedPath(msgspec.Struct, frozen=True):
    """A path on a line of a file. `word` is the path as written, and `path` is the path in the project."""

    file: str
    line: int
    word: str
    path: str
    exists: bool

    @property
    def is_script(self) -> bool:
        """Whether the path is that of a script."""
        return is_script_path(self.path)


def find_missing_paths(project: Project, unit: Unit, skill: Skill) -> Iterator[NamedPath]:
    """Yield the paths in shell code and code spans of a unit that do not exist and that its text does not create.

    Samples are left out: paths with the name of a sample, and all paths of a text that is about plugins or in which
    most paths do not exist.
    """
    if any(_PLUGIN_WORDS.search(file.text) for file in skill.instructions if "${CLAUDE_" in file.text):
        return
    mentions = [path for file in skill.instructions for path in _find_paths(project, unit, file)]
    paths = {path.path: path.exists for path in mentions}
    missing = len(paths) - sum(paths.values())
    if missing <= max(_MAX_ALWAYS_REPORTED, sum(paths.values())):
        created = {path.path for path in mentions if _may_be_missing(skill.by_path[path.file], path)}
        yield from (path for path in mentions if not path.exists and path.path not in created)


def _find_paths(project: Project, unit: Unit, file: SkillFile) -> Iterator[NamedPath]:
    plugin, folder = find_plugin(project, unit.loading_path), unit.folder if unit.kind is UnitKind.SKILL else ""
    for number, text in list_code(file) if "${CLAUDE_" in file.text else ():
        if (fence := file.doc.fence_at(number)) and _shows_comparison(file, fence):
            continue
        for match in _PATH.finditer(text):
            if is_placeholder(match[0].partition("}")[2]) or _SAMPLE_NAME.search(match[0]):
                continue
            resolved = resolve_path(project, match[0], plugin, folder)
            if resolved:
                yield NamedPath(file.path, number, match[0], resolved.path, resolved.exists)


def list_code(file: SkillFile) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of shell code and the code spans of a file, outside counterexamples."""
    doc = file.doc
    for fence in doc.fences:
        if (find_language(fence.lang) is BASH or fence.lang in _SHELL_LANGUAGES) and not doc.is_counterexample(
            fence.end
        ):
            yield from doc.code(fence)
    yield from ((span.line, span.text) for span in doc.spans if not doc.is_counterexample(span.line))


def _shows_comparison(file: SkillFile, fence: Fence) -> bool:
    """Return whether a fence shows right and wrong forms."""
    lines = file.doc.lines_inside(fence)
    return compute_once(file, f"named_paths: compares {fence.start}", lambda: any(map(_COMPARISON_MARK.search, lines)))


def _may_be_missing(file: SkillFile, path: NamedPath) -> bool:
    """Return whether a text creates a path on its line, tests whether it exists, or plans it."""
    line = path.line
    tests = compute_once(
        file, f"named_paths: tests {line}", lambda: bool(_TESTS_OR_CREATES.search(file.doc.line(line)))
    )
    return (
        tests or file.doc.is_planned(line) or (not file.doc.fence_at(line) and mentions_creation(file, line, path.word))
    )
