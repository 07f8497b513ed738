"""A file says the same thing twice.

It is:
- a passage of 40 words or more, a table of 25 or code of 100, that stands in one file twice, word for word
- a statement that one file repeats in other words without adding anything
It is not:
- a definition that stands twice in different words (DOC-RED-001)
- a short reminder at the step where a rule applies
- a check list at the end that names the steps
Low when:
- the repeated text has fewer than 300 tokens, or gathers the rules at the end, or the file is not SKILL.md
Why it is bad: The second copy is paid with every load and adds nothing, and one of the two gets changed alone one day.
Instead: Say it once, where it is needed first, and refer to that place.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.skill.duplicates import repetitions

PATTERN = Pattern(
    id="TKN-001",
    impact=("every_run", "easy"),
    strategies=("prompt_compression", "consolidate_to_ssot"),
    cause="duplicate",
)
_MUCH = 300
_TONE = """Write in the second person and in the present tense. Name the button by the words that stand on it. Give one action
in each sentence, and say what the reader sees afterwards. Leave out what the program does by itself, and never say "simply".
"""
BAD = (
    f"# Manual\n\n## Text\n\n{_TONE}\n## Pictures\n\nOne per page.\n\n## Captions\n\n{_TONE}",
    {"references/tone.md": f"# Tone\n\n{_TONE}\n## For beginners\n\n{_TONE}\nExplain each word.\n"},
)
GOOD = (
    f"# Manual\n\n## Text\n\n{_TONE}\n## Captions\n\nAs in [Text](#text), in one sentence.\n",
    f"# Manual\n\n{_TONE}\n## Example\n\n```markdown\nClick **Save**. The window closes.\n```\n\nClick **Save**. The window closes.\n",
)


def check(case: Case) -> Iterator[Finding]:
    """Yield each passage that its file holds again, at its second place."""
    for passage in repetitions(case.skill):
        first, *rest = passage.places
        others = [place for place in rest if place.file is first.file]
        if others:
            costly = first.file is case.skill.main and passage.tokens * len(others) >= _MUCH
            where = f"{passage.words} words of {others[0]} stand word for word at {first}, in the same file, as well."
            also = tuple(f"{place}: the same passage" for place in (first, *others[1:]))
            severity = PATTERN.severity if costly else Severity.LOW
            yield Finding(first.file.path, others[0].start, where, others[0].end, also[:20], severity)
