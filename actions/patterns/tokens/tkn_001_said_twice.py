"""A file repeats itself.

It is:
- passages whose copies in SKILL.md, a command or an agent have at least 300 tokens in all, word for word (proven)
- a statement that one file repeats in other words without adding anything
It is not:
- a definition that is repeated in other words (DOC-RED-001)
- the same words under two entries of a reference, of which a run needs one
- a short reminder at the step where a rule applies, or one rule that is set in bold at both places
- a repetition in a file that is generated, or that an installer or a notice marks as a copy: its source must be corrected
- a checklist at the end that names the steps, or a section with a title such as "Reminders" or "Example"
- a passage of fewer than 60 words, or copies of fewer than 300 tokens in all
Low when:
- the repeated text summarizes the rules at the end, or the file is not SKILL.md
Why it is bad: Every load pays for the second copy, which adds nothing, and sooner or later only one of the two is changed.
Instead: Say it once, where it is needed first, and refer to that place.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.regex import regex
from actions.skill.duplicates import PassagePlace, find_repetitions

PATTERN = Pattern(
    id="TKN-001",
    impact=("every_run", "easy"),
    strategies=("prompt_compression", "consolidate_to_ssot"),
    cause="duplicate",
    kinds=(UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
    in_source=True,
)
_MIN_TOKENS = 300
"""Minimum number of tokens of all copies. Maintainers kept smaller ones."""
_BOLD = regex(r"[\s>*+-]*\*\*[^*]+\*\*\s*")
_REMINDER = regex(r"(?i)\bremind|\brecap|\bremember\b|\bexample|提醒|リマインド|示例|例")
_MIN_WORDS = 60
"""Minimum number of words of a passage. For shorter ones, a reference to the first place saves too little."""
_TONE = """Write in the second person and in the present tense. Name the button by the words that are on it. Give one action
in each sentence, and say what the reader sees afterwards. Leave out what the program does unasked, and never say "simply".
If an action cannot be undone, say so before it, not after it, and name what is lost.
"""
_SECTIONS = ("Captions", "Menus", "Buttons", "Messages")
BAD = (
    f"# Manual\n\n## Text\n\n{_TONE}" + "".join(f"\n## {name}\n\n{_TONE}" for name in _SECTIONS),
    f"# Tone\n\n{_TONE}" + "".join(f"\n## {name}\n\nFor {name.lower()}:\n\n{_TONE}" for name in _SECTIONS),
)
GOOD = (
    f"# Manual\n\n## Text\n\n{_TONE}\n## Pictures\n\nOne per page.\n\n## Captions\n\n{_TONE}",
    f"# Manual\n\n{_TONE}" + "".join(f"\n## Example: {name}\n\n{_TONE}" for name in _SECTIONS),
    f"# Manual\n\n{_TONE}" + "".join(f"\n## Reminder: {name}\n\n{_TONE}" for name in _SECTIONS),
    "# Manual\n" + "".join(f"\n## {name}\n\nFor {name}:\n\n**{_TONE.strip()}**\n" for name in ("Text", *_SECTIONS)),
    {
        "SKILL.md": "# Manual\n\nWrite by the entry of the text in `references/tone.md`.\n",
        "references/tone.md": "# Tone\n"
        + "".join(f"\n## {name}\n\nFor {name}:\n\n{_TONE}" for name in ("Text", *_SECTIONS)),
    },
    f"""# Manual

## Text

{_TONE}
## Captions

As in [Text](#text), in one sentence.
""",
    f"""# Manual

{_TONE}
## Example

```markdown
Click **Save**. The window closes.
```

Click **Save**. The window closes.
""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find the second and later copies of a passage in the file that every use loads whole."""
    for passage in find_repetitions(case.skill, case.unread):
        first, *rest = passage.places
        others = [place for place in rest if place.file is first.file and not _is_reminder(place)]
        is_main = first.file is case.skill.main
        is_costly = passage.tokens * len(others) >= _MIN_TOKENS and passage.words >= _MIN_WORDS
        if is_costly and is_main and not all(map(_is_bold, passage.places)):
            message = f"{others[0]} repeats {passage.words} words of {first}."
            also = (f"{first}: the same passage",)
            for other in others:
                yield Finding(
                    other.file.path, other.start, message, other.end, also, PATTERN.severity, cause=f"{first}"
                )


def _is_reminder(place: PassagePlace) -> bool:
    """Return whether a passage is in a section of reminders or of an example, which repeats text on purpose."""
    return _REMINDER.search(place.file.doc.section_at(place.start).title) is not None


def _is_bold(place: PassagePlace) -> bool:
    """Return whether a passage is one bold sentence or item. Such a rule is repeated for emphasis."""
    lines = (place.file.doc.line(number) for number in range(place.start, place.end + 1))
    return _BOLD.fullmatch(" ".join(lines)) is not None
