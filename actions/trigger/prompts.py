"""Define the prompts of a trigger test, and find prompts that do not test a description."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from actions.project.listing import ListedSkill
from actions.regex import regex
from templates.filters import did_you_mean

MIN_PROMPTS = 4
"""Minimum number of prompts that expect a skill, and of prompts that do not. Fewer would prove nothing."""
_QUOTE_WORDS = 8
"""Number of consecutive words that count as a quotation."""
_WORD = regex(r"\w+")


class Prompt(msgspec.Struct, frozen=True):
    """A prompt, and the full names of the skills that may be called for it.

    `accepted` begins with the expected skill; None in it means that no skill may be called. A prompt with `refused`
    skills accepts any other skill or none. `where` is the file and line of its definition. `files` (name, bytes) are
    put into the project of the run.
    """

    name: str
    text: str
    accepted: tuple[str | None, ...]
    where: str
    files: tuple[tuple[str, bytes], ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def expected(self) -> str | None:
        """The expected skill, which is the first accepted one."""
        return self.accepted[0]

    @property
    def expectation(self) -> str:
        """The expectation in words, for messages."""
        if self.refused:
            return f"any but {' or '.join(self.refused)}"
        return " or ".join(name or "no skill" for name in self.accepted)

    def allows(self, called: str | None) -> bool:
        """Return whether a skill may be called for the prompt. None means that no skill is called."""
        return called not in self.refused if self.refused else called in self.accepted


def find_prompt_faults(
    prompts: Sequence[Prompt], skills: Sequence[ListedSkill], targets: Sequence[str]
) -> Iterator[str]:
    """Yield a message for each fault of the prompts, with its location, the problem and the remedy.

    `targets` are the full names of the skills that are measured.
    """
    seen: dict[str, Prompt] = {}
    quotable = {skill.name: list_phrases(skill.description) for skill in skills}
    names = {skill.name for skill in skills}
    for prompt in prompts:
        first = seen.setdefault(" ".join(_split_words(prompt.text)), prompt)
        if first is not prompt:
            yield _describe_duplicate(first, prompt)
        for name in (*prompt.accepted, *prompt.refused):
            if name is not None and name not in names:
                yield f"{prompt.where}: unknown skill {name}{did_you_mean(name, names, 'give the full name')}"
        for skill_name in (skill.name for skill in skills if is_named(prompt.text, skill.name)):
            yield f"{prompt.where}: the prompt names the skill {skill_name}, so it tests no description; reword it"
        for quoted_skill in find_quoted_skills(prompt.text, quotable):
            yield f"{prompt.where}: the prompt quotes the description of {quoted_skill}; write what a user would say"
    yield from _find_too_few_prompts(prompts, targets)


def is_named(text: str, skill: str) -> bool:
    """Return whether a text names a skill: by `/name`, or by its name next to the word "skill"."""
    name = re.escape(skill.rpartition(":")[2])
    full = rf"(?:{re.escape(skill)}|{name})"
    quoted = rf"[`'\"]?/?{full}[`'\"]?"
    pattern = rf"(?<![\w/.:-])/{full}(?![\w/.-])|\bskill\s+{quoted}(?![\w-])|(?<![\w-]){quoted}\s+skill\b"
    return re.search(pattern, text, re.IGNORECASE) is not None


def find_quoted_skills(text: str, phrases: Mapping[str, frozenset[tuple[str, ...]]]) -> list[str]:
    """Return the skills whose phrases (see `list_phrases`) a text repeats."""
    text_phrases = list_phrases(text)
    return [name for name, described in phrases.items() if text_phrases & described]


def list_phrases(text: str) -> frozenset[tuple[str, ...]]:
    """Return all sequences of eight consecutive words in a text."""
    words = _split_words(text)
    return frozenset(tuple(words[n : n + _QUOTE_WORDS]) for n in range(len(words) - _QUOTE_WORDS + 1))


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _describe_duplicate(first: Prompt, second: Prompt) -> str:
    if {*first.accepted} == {*second.accepted} and {*first.refused} == {*second.refused}:
        return f"{second.where}: the same prompt as {first.where}; remove one"
    return (
        f"{second.where}: the same prompt as {first.where}, but it expects {second.expectation} instead of "
        f"{first.expectation}; choose one, or list both in `accept`"
    )


def _find_too_few_prompts(prompts: Sequence[Prompt], targets: Sequence[str]) -> Iterator[str]:
    expected = Counter(prompt.expected for prompt in prompts)
    for name in targets:
        count, others = expected[name], len(prompts) - expected[name]
        if len(targets) > 1 and not count:
            continue
        if count < MIN_PROMPTS:
            yield f"{count} of {len(prompts)} prompts expect {name}; write at least {MIN_PROMPTS}"
        if others < MIN_PROMPTS:
            yield f"{others} of {len(prompts)} prompts do not expect {name}; write at least {MIN_PROMPTS}"
    if len(targets) > 1 and not any(expected[name] for name in targets):
        yield f"no prompt expects any of the {len(targets)} skills; write at least {MIN_PROMPTS} for each"
