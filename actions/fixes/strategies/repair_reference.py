"""Correct a dead reference to the only file or heading with a similar name, or to the same path one folder higher.

All references with the same mistake are corrected together. There is no fix unless there is exactly one candidate.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.grouping import group_by_key
from actions.memo import compute_once, memoize
from actions.regex import regex
from actions.skill import Skill, SkillFile
from actions.skill.example import Example
from actions.skill.paths import Role, get_role
from actions.skill.references import (
    build_anchor,
    find_broken_anchors,
    find_miscased_references,
    find_missing_targets,
    group_links_by_line,
    is_missing,
    mentions_creation,
)
from actions.skill.similar_names import SimilarNames, find_similar_file
from schemas.issues import Issue, Place
from schemas.vocabulary import Risk

STRATEGY = Strategy("repair_reference", ("DF-009", "SPEC-005"), Risk.LOW)
_PATH = regex(r"(?<![\w./{}$-])[\w-][\w.-]*(?:/[\w.-]+)+\.\w+(?![\w/-])")
_MAX_DESCRIBED = 3
_MAX_TARGETS = 1000
"""Maximum number of links or code spans on the lines of one issue. Only generated text has more."""
_MAX_LIST_LINES = 100
"""Maximum number of lines of a list whose references are corrected together."""
_PARENTHESES = regex(r"(?<!\s)\s*[(（][^()（）]*[)）]\s*$")
"""Text in parentheses at the end of a heading."""
_TARGET_MARK = "\0"
_TARGET = regex(
    r"(?P<lead>(?P<link>\]\(\s*<?|^\s*\[[^\]\n]+\]:\s*<?)|\$\{CLAUDE_SKILL_DIR\}/|(?<![\w./\0\uD800-\uDBFF-]))(?P<dot>\./)?"
    r"\0(?P<which>.)(?![\w/\0-]|\.[\w\0])"
)
"""A target in a line in which marks have replaced all targets, so that one compiled expression fits every target."""
_MARKED, _FIRST = regex(r"\0(.)"), 0xD800
"""A mark: `_TARGET_MARK` and a surrogate for the number of the target. No decoded text contains a surrogate."""
Corrections = dict[str, str]
"""Maps targets as written to the intended files."""
Changed = dict[tuple[str, int], str]
"""Maps (path, line number) to the corrected line."""


def propose(issue: Issue, case: Case) -> Draft | None:
    """Correct all dead references on the issue's lines, and references with the same mistake elsewhere."""
    skill = case.skill
    candidates = [(skill.by_path.get(place.file), _list_lines(place)) for place in issue.places]
    places = [(file, lines) for file, lines in candidates if file is not None and lines]
    if len(places) < len(candidates) or any(_has_too_many_targets(file, lines) for file, lines in places):
        return None
    # all issues on a line have the same draft
    key = f"{__name__} draft for {[(file.path, lines) for file, lines in places]}"
    return compute_once(skill, key, lambda: _draft_correction(skill, places))


def _draft_correction(skill: Skill, places: Sequence[tuple[SkillFile, range]]) -> Draft | None:
    intended = {
        target: _find_intended_path(skill, target, file)
        for file, lines in places
        for target in _list_dead_targets(skill, file, lines)
    }
    corrections = {target: path for target, path in intended.items() if path and not _may_be_created(skill, target)}
    if len(corrections) < len(intended):
        return None
    file, lines = places[0]
    corrections |= _find_same_moves(skill, corrections) | (
        _find_list_corrections(skill, file, lines[0]) if corrections else {}
    )
    key = f"{__name__} lines of {sorted(corrections.items())}"  # issues of one list have the same corrections
    changed = dict(compute_once(skill, key, lambda: _correct_lines(skill, corrections)))
    for file, lines in places:
        changed |= _correct_anchors(skill, file, lines, changed)
    if not all(any((file.path, number) in changed for number in lines) for file, lines in places):
        return None
    return draft_line_changes(
        skill,
        changed,
        description=f"Correct the reference: {_describe_corrections(corrections)}.",
        rationale="The reference is broken, and exactly one existing file or heading has a similar name.",
        impact="The model finds the file that the text refers to.",
    )


def _list_lines(place: Place) -> range:
    first = place.line_start
    return range(first, max(first, place.line_end or 0) + 1) if first else range(0)


def _has_too_many_targets(file: SkillFile, lines: range) -> bool:
    return any(
        sum(len(at.get(number, ())) for number in lines) > _MAX_TARGETS
        for at in (group_links_by_line(file), _map_spans(file))
    )


def _list_dead_targets(skill: Skill, file: SkillFile, lines: range) -> Iterator[str]:
    """Yield the dead targets on lines: miscased names, targets of links, and paths into the skill's folders in code."""
    yield from (name for number in lines for name in _group_miscased(skill).get((file.path, number), ()))
    on_lines = (link for number in lines for link in group_links_by_line(file).get(number, ()))
    yield from (link.target for link in on_lines if is_missing(skill, link))
    texts = [text for number in lines for text in _map_spans(file).get(number, ())]
    texts += [file.doc.line(number) for number in lines if file.doc.fence_at(number)]
    for path in (path for text in texts for path in _PATH.findall(text)):
        is_own = _index_folders(skill).find("", path.partition("/")[0])
        if is_own and path not in skill.outside and skill.resolve(path, file.path) is None:
            yield path


def _may_be_created(skill: Skill, target: str) -> bool:
    """Return whether a run may create the file, according to the text."""
    places = skill.mentions(target) if "/" in target and not target.startswith("../") else ()
    return any(mentions_creation(file, number, target) for file, number in places if not file.doc.fence_at(number))


@memoize
def _group_miscased(skill: Skill) -> Mapping[tuple[str, int], Sequence[str]]:
    found = (reference for file in skill.instructions for reference in find_miscased_references(skill, file))
    return group_by_key(((reference.file, reference.line), reference.target) for reference in found)


@memoize
def _map_spans(file: SkillFile) -> Mapping[int, Sequence[str]]:
    return group_by_key((span.line, span.text) for span in file.doc.spans)


@memoize
def _index_folders(skill: Skill) -> SimilarNames:
    return SimilarNames(
        ("", folder, folder) for folder in {path.partition("/")[0] for path in skill.by_path if "/" in path}
    )


@memoize
def _index_headings(file: SkillFile) -> SimilarNames:
    named = ((form, s) for s in file.doc.sections if s.level for form in (s.title, _PARENTHESES.sub("", s.title)))
    return SimilarNames(("", build_anchor(form), str(section.start)) for form, section in named)


def _find_intended_path(skill: Skill, target: str, file: SkillFile) -> str | None:
    """Return the file that a target should name, or None if there is none or `file` already refers to it."""
    return compute_once(
        skill, f"{__name__} meaning of {target!r} in {file.path!r}", lambda: _compute_intended_path(skill, target, file)
    )


def _compute_intended_path(skill: Skill, target: str, file: SkillFile) -> str | None:
    path = find_similar_file(skill, target, file.path)
    same = path and posixpath.basename(path).lower() == posixpath.basename(target).lower()
    return path if same or path not in _map_linked_files(skill)[file.path] else None


@memoize
def _map_linked_files(skill: Skill) -> Mapping[str, frozenset[str | None]]:
    named = {
        file.path: {link.target for links in group_links_by_line(file).values() for link in links}
        for file in skill.files
    }
    return {path: frozenset(skill.resolve(target, path) for target in found - {""}) for path, found in named.items()}


def _find_list_corrections(skill: Skill, file: SkillFile, line: int) -> Corrections:
    """Return the corrections of the other dead references in the same list or paragraph."""
    lines = file.doc.passage_at(line)
    if len(lines) > _MAX_LIST_LINES:
        return {}
    return compute_once(
        skill, f"{__name__} beside {lines.start} of {file.path!r}", lambda: _find_corrections(skill, file, lines)
    )


def _find_corrections(skill: Skill, file: SkillFile, lines: range) -> Corrections:
    return {
        target: path
        for target in _list_dead_targets(skill, file, lines)
        if (path := _find_intended_path(skill, target, file))
    }


def _find_same_moves(skill: Skill, corrections: Corrections) -> Corrections:
    """Return the corrections of other dead references whose files have moved between the same folders."""
    moves = {(posixpath.dirname(old), posixpath.dirname(new)) for old, new in corrections.items() if _is_move(old, new)}
    known = _map_moves(skill) if moves else {}
    return {old: new for move in sorted(moves) for old, new in known.get(move, ())}


@memoize
def _map_moves(skill: Skill) -> Mapping[tuple[str, str], Sequence[tuple[str, str]]]:
    dead = ((file, reference.target) for file in skill.instructions for reference in find_missing_targets(skill, file))
    pairs = ((target, _find_intended_path(skill, target, file)) for file, target in dead)
    moved = ((old, new) for old, new in pairs if new and _is_move(old, new))
    return group_by_key(((posixpath.dirname(old), posixpath.dirname(new)), (old, new)) for old, new in moved)


def _is_move(old: str, new: str) -> bool:
    return posixpath.basename(old) == posixpath.basename(new)


def _describe_corrections(corrections: Corrections) -> str:
    pairs = sorted(corrections.items())
    more = f" and {len(pairs) - _MAX_DESCRIBED} more" if len(pairs) > _MAX_DESCRIBED else ""
    parts = (
        f"`{old}` " + (f"should be `{new}`" if old != new else "is one folder higher")
        for old, new in pairs[:_MAX_DESCRIBED]
    )
    return ", ".join(parts) + more or "it now names an existing heading"


def _correct_lines(skill: Skill, corrections: Corrections) -> Changed:
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    instructions = {file.path for file in skill.instructions}
    for old, new in corrections.items():
        has_same_mistake: dict[str, bool] = {}
        for file, number in skill.mentions(old):
            if file.path not in has_same_mistake:
                is_dead = file.path in instructions and skill.resolve(old, file.path) is None
                has_same_mistake[file.path] = is_dead and find_similar_file(skill, old, file.path) == new
            is_text = get_role(new) is Role.SCRIPT or not file.doc.fence_at(number)
            if has_same_mistake[file.path] and is_text and not file.doc.is_counterexample(number):
                found[file.path, number].append(old)
    lines = {(path, number): skill.by_path[path].doc.line(number) for path, number in found}
    renamed = {
        at: _replace_targets(lines[at], {old: corrections[old] for old in found[at][:_MAX_TARGETS]}, at[0])
        for at in found
    }
    return {at: line for at, line in renamed.items() if line != lines[at]}


def _replace_targets(line: str, corrections: Corrections, source: str) -> str:
    """Return a line with the corrected targets.

    In a link, the new target is relative to the file. Elsewhere, it has the form that is most similar to the old one.
    """
    if _TARGET_MARK in line:
        return line
    olds, folder, marked = sorted(corrections, key=len, reverse=True), posixpath.dirname(source) or ".", line
    for n, old in enumerate(olds):
        marked = marked.replace(old, _TARGET_MARK + chr(_FIRST + n))

    def replace_match(match: re.Match[str]) -> str:
        old = olds[ord(match["which"]) - _FIRST]
        path, relative = corrections[old], posixpath.relpath(corrections[old], folder)
        forms = (relative,) if path.startswith("../") else (path, relative)
        plain = max(forms, key=lambda form: len(posixpath.commonprefix((form, old))))
        new = relative if match["link"] else path if match["lead"] else plain
        return match["lead"] + ("" if new.startswith(".") else match["dot"] or "") + new

    return _MARKED.sub(lambda match: olds[ord(match[1]) - _FIRST], _TARGET.sub(replace_match, marked))


def _correct_anchors(skill: Skill, file: SkillFile, lines: range, changed: Changed) -> Changed:
    """Return the lines with corrected anchors, in addition to the corrections in `changed`."""
    corrected: Changed = {}
    for link in find_broken_anchors(skill, file, lines):
        path = skill.resolve(link.target, file.path) if link.target else file.path
        target = skill.by_path[path or file.path]
        headings = _index_headings(target).find("", link.anchor)
        if len(headings) == 1:
            at, prefix = (file.path, link.line), f"{link.target or '('}#"
            line = corrected.get(at) or changed.get(at) or file.doc.line(link.line)
            anchor = build_anchor(target.doc.section_at(int(headings[0])).title)
            corrected[at] = line.replace(f"{prefix}{link.anchor})", f"{prefix}{anchor})")
    return {(path, n): line for (path, n), line in corrected.items() if line != skill.by_path[path].doc.line(n)}


_GRADE = """Read [the scale]({scale}), and see [the ties](references/ties.md#{ties}). Keep the [scale]({scale}) open.
"""
_FILES = {
    "references/grading/severity_scale.md": "# Severity\n\nFour grades.\n",
    "references/ties.md": "# Ties\n\n## How ties are settled\n\nThe older one wins.\n",
}
_ROLLOUT = """# 部署

1. 询问区域。
2. 阅读[发布步骤]({phase})，按其步骤执行。
"""
_PHASE = {"phases/02-rollout.md": "# 发布\n\n逐台进行。\n"}
BEFORE: tuple[Example, ...] = (
    {"SKILL.md": _GRADE.format(scale="reference/severity-scale.md", ties="how-ties-are-setled"), **_FILES},
    {"SKILL.md": _ROLLOUT.format(phase="phases/2-Rollout.md"), **_PHASE},
)
AFTER: tuple[Example, ...] = (
    {"SKILL.md": _GRADE.format(scale="references/grading/severity_scale.md", ties="how-ties-are-settled"), **_FILES},
    {"SKILL.md": _ROLLOUT.format(phase="phases/02-rollout.md"), **_PHASE},
)
