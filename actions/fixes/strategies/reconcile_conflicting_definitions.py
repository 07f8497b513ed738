"""Correct a documented option, or its default, to the definition in the script's argument parser.

An option is corrected if the script accepts exactly one with a similar name. A default is corrected only in a list item
or table row that begins with the option and contains the value once, because other text may be about another version.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from actions.case import Case
from actions.code.options import Interface
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.skill import Skill
from actions.skill.example import Example
from actions.skill.script_usage import ScriptUse, list_similar_options, map_false_defaults, map_unknown_options
from actions.skill.similar_names import is_similar
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("reconcile_conflicting_definitions", ("DOC-CON-002",), Risk.LOW)
Place = tuple[str, int]
Lines = Mapping[Place, str]


def propose(issue: Issue, case: Case) -> Draft | None:
    """Correct the option throughout the skill, or the default on the issue's lines."""
    skill, places = case.skill, [(place.file, place.line_start or 0) for place in issue.places]
    uses = map_unknown_options(skill).get(places[0], ())
    unknown = {use.option: _find_intended_option(skill, use, interface) for use, interface in uses}
    return _draft_rename(skill, places, unknown) if unknown else _draft_defaults(skill, places)


def _draft_rename(skill: Skill, places: Sequence[Place], unknown: Mapping[str, str | None]) -> Draft | None:
    """Draft the correction of the unknown option at `places`, or return None unless there is one with one candidate.

    `unknown` maps the unknown options to the intended options, or to None without exactly one candidate.
    """
    if len(unknown) != 1:
        return None
    ((old, new),) = unknown.items()
    changed = _rename_option(skill, old, new) if new else {}
    if any(place not in changed for place in places):
        return None
    return draft_line_changes(
        skill,
        changed,
        description=f"Replace the option `{old}` with `{new}`, which the script accepts.",
        rationale=f"The script does not know `{old}`; `{new}` is its only option with a similar name.",
        impact="The documented call works.",
    )


def _draft_defaults(skill: Skill, places: Sequence[Place]) -> Draft | None:
    lines = [_correct_default(skill, place) for place in places]
    if None in lines:
        return None
    changed = {place: line for place, line in zip(places, lines, strict=True) if line is not None}
    return draft_line_changes(
        skill,
        changed,
        description="Correct the default to that of the script.",
        rationale="The script's own parser sets this default.",
        impact="The documented default is the real one.",
    )


def _find_intended_option(skill: Skill, use: ScriptUse, interface: Interface) -> str | None:
    """Return the only option of the script that is similar to the unknown option.

    Returns None if there is not exactly one, or if a script mentions the unknown option.
    """
    names = list_similar_options(use, interface)
    candidates = [name for name in names if name.startswith("--") and is_similar(name, use.option)]
    is_in_script = any(not file.is_markdown for file, _ in skill.mentions(use.option))
    return candidates[0] if len(candidates) == 1 and not is_in_script else None


def _rename_option(skill: Skill, old: str, new: str) -> Lines:
    """Return the lines in which the option `old` is replaced with `new`.

    Lines that contain the option outside calls of the script and code spans are left out.
    """
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    counts = Counter(at for at, uses in map_unknown_options(skill).items() for use, _ in uses if use.option == old)
    lines = {(file.path, n): file.doc.line(n) for file, n in skill.mentions(old) if file.is_instruction}
    clear = {at: line for at, line in lines.items() if len(word.findall(line)) <= counts[at] + line.count(f"`{old}")}
    return {at: changed for at, line in clear.items() if (changed := word.sub(new, line)) != line}


def _correct_default(skill: Skill, place: Place) -> str | None:
    """Return the line with the parser's default, or None if it is unclear which value to replace."""
    claims = map_false_defaults(skill).get(place, ())
    if len(claims) != 1 or not claims[0].option.default:
        return None
    claim = claims[0]
    stated = re.compile(rf"(?<![\w.-]){re.escape(claim.stated)}(?!\w|[.-]\w)")
    line = skill.by_path[claim.file].doc.line(claim.line)
    if len(stated.findall(line)) != 1 or not re.match(r"\W*-\w", line):
        return None
    return stated.sub(lambda _: claim.option.default or "", line)


_SCRIPT = {
    "scripts/count.py": """import argparse

p = argparse.ArgumentParser()
p.add_argument('--max-words', type=int, default=800)
args = p.parse_args()
"""
}
_CALL = "Run `python3 ${{CLAUDE_SKILL_DIR}}/scripts/count.py {}=300`, then stop.\n"
_OPTIONS = "## scripts/count.py\n\n- `--max-words N` stops after N words (default: {})\n"
BEFORE: tuple[Example, ...] = (
    {"SKILL.md": _CALL.format("--maxwords"), **_SCRIPT},
    {"SKILL.md": _OPTIONS.format(500), **_SCRIPT},
)
AFTER: tuple[Example, ...] = (
    {"SKILL.md": _CALL.format("--max-words"), **_SCRIPT},
    {"SKILL.md": _OPTIONS.format(800), **_SCRIPT},
)
