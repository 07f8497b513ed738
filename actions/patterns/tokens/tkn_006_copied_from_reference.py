"""SKILL.md repeats a passage of another file of the skill.

It is:
- a passage of at least 300 tokens of SKILL.md that another file of the skill repeats word for word (proven)
It is not:
- a short rule that must hold even if the other file is not read
- a passage of a template, or of a file in `assets/` or `templates/`, which a run copies and which must be complete there
- the SKILL.md of another skill that lies beside it, such as `outlook__SKILL.md`, or an edition for other tools (`AGENTS.md`)
- a copy that was left beside the original, such as `SKILL - Copy.md`
- a summary in SKILL.md of what the file says in full, or a list of its headings
- a passage of a SKILL.md that is generated, or that an installer or a notice marks as a copy: its source must be corrected
- a passage in two files neither of which is SKILL.md (DOC-RED-004)
Low when:
- the repeated text has fewer than 600 tokens
- no file of the skill names the other file or its folder, although one has its title: a run may not read it
Why it is bad: Every use loads SKILL.md and pays for the copy, and sooner or later only one of the two is changed.
Instead: Keep the text in the other file, and say in SKILL.md when to read that file.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.upkeep import is_leftover_part
from actions.regex import regex
from actions.skill.duplicates import PassagePlace, find_repetitions
from actions.skill.reach import is_named_elsewhere

PATTERN = Pattern(
    id="TKN-006",
    impact=("every_run", "easy"),
    strategies=("split_to_references",),
    cause="duplicate",
    asks_model=False,
    in_source=True,
)
_MIN_TOKENS, _MIN_MEDIUM_TOKENS = 300, 600
"""Minimum numbers of tokens of a passage. Maintainers keep shorter ones: half of these findings were debatable."""
_OTHER_TEXT = regex(r"(?i)\w[ _.-]+SKILL\.md\Z|(?:\A|/)(?:AGENTS|CLAUDE|GEMINI)\.md\Z|[-_.]original\.md\Z")
"""The SKILL.md of another skill, kept under a longer name, editions for other tools, and the original of the skill."""
_NUMBER = regex(r"\A[\d.)\s]+")
_PARTS = ("schema", "public interface", "build", "configuration", "network", "store", "clock", "queue", "licence")
_RISK = "".join(
    f"- A change to the {part} needs a note, a way back, and the name of the person who watches it on the night"
    f" of release {n}, from the first bell until the last boat is in.\n"
    for n, part in enumerate(_PARTS, 1)
)
BAD = (
    {
        "SKILL.md": f"""# Review

{_RISK}
Read [the risks](references/risks.md) for more.
""",
        "references/risks.md": f"""# Risks

What to look at:

{_RISK.replace("- A", "* A")}
* All others are free.
""",
    },
    {
        "SKILL.md": f"""# Plan

See [the risks](specs/risks.md).

## Risks

{_RISK}""",
        "specs/risks.md": f"# All risks\n\n{_RISK}",
    },
)
GOOD = (
    {
        "SKILL.md": "# Review\n\nSchema, public interface and build have risks of their own: [the risks](references/risks.md).\n",
        "references/risks.md": f"# Risks\n\n{_RISK}",
    },
    {"SKILL.md": f"# Review\n\n{_RISK}", "SKILL - Copy.md": f"# Review\n\n{_RISK}"},
    {
        "SKILL.md": f"# Review\n\n{_RISK}",
        "references/risks.md": f"# Risks\n\n{_RISK.replace('night', 'day').replace('bell', 'ring').replace('note', 'page')}",
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Find passages of SKILL.md that another file repeats."""
    for passage in find_repetitions(case.skill, case.unread):
        first, *rest = passage.places
        others = [place for place in rest if place.file is not first.file and not _is_other_text(case, place)]
        if (
            passage.tokens >= _MIN_TOKENS
            and first.file is case.skill.main
            and others
            and not _is_table_of_contents(others[0])
        ):
            message = f"{first} and {others[0]} repeat the same {passage.tokens} tokens."
            also = tuple(f"{place}: the same passage" for place in others[:20])
            is_named = any(is_named_elsewhere(case.skill, place.file) for place in others)
            is_low = passage.tokens < _MIN_MEDIUM_TOKENS or not is_named
            severity = Severity.LOW if is_low else PATTERN.severity
            yield Finding(first.file.path, first.start, message, first.end, also, severity)


def _is_other_text(case: Case, place: PassagePlace) -> bool:
    """Return whether a file is an edition for another reader, or a leftover copy that no run reads."""
    path = place.file.path
    return _OTHER_TEXT.search(path) is not None or is_leftover_part(case.project, case.unit, path)


def _is_table_of_contents(place: PassagePlace) -> bool:
    """Return whether a passage is a table of contents: each of its blocks repeats a heading of its file."""
    doc = place.file.doc
    titles = [_NUMBER.sub("", heading.title, count=1) for heading in doc.headings]
    texts = [block.text for block in doc.blocks if place.start <= block.start <= place.end]
    return all(any(title.startswith(_NUMBER.sub("", text, count=1)) for title in titles) for text in texts)
