"""Check drafted descriptions before paid runs test them, and write a description into a SKILL.md."""

import json
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from actions.project.listing import ListedSkill, read_listed_skill
from actions.project.model_listings import ListingSettings, compute_listings
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.harmful import find_harmful_text
from actions.trigger.prompts import Prompt, find_quoted_skills, list_phrases
from actions.yaml_reader import YamlError, read_yaml
from templates.filters import visible

_KEY, _MAX_CHARS = "description", 1_024
_VISIBLE_STATES = ("shown", "cut")
_TAG_START = regex(r"<[A-Za-z/!?]")
_VALUE_START = regex(
    r"\s*(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[|>][-+0-9]{0,2}|[^\"'|>#\s](?:[^#]|(?<=\S)#)*?)(?<=\S)(?=\s*$|\s+#)"
)
"""The first line of a value, without a trailing comment."""


def clean_description(text: str) -> str:
    """Join a drafted description to one line with single spaces."""
    return " ".join(text.split())


def replace_description(text: str, description: str) -> str | None:
    """Return the text of a SKILL.md with a new description and no other change.

    Returns None if the frontmatter is invalid or has no description.
    """
    lines = text.split("\n")
    frontmatter = parse_frontmatter(tuple(line.removesuffix("\r") for line in lines))
    start = frontmatter.lines.get(_KEY)
    if frontmatter.error or start is None:
        return None
    later_lines = [line for line in frontmatter.lines.values() if line > start]
    stop = min([*later_lines, frontmatter.end])
    first = lines[start - 1]
    while stop - 1 > start and _is_blank_or_comment(lines[stop - 2], first):
        stop -= 1
    ending = "\r" if first.endswith("\r") else ""
    new = f"{_KEY}: {_write_value(description)}{_find_comment(first)}{ending}"
    new_text = "\n".join((*lines[: start - 1], new, *lines[stop - 1 :]))
    after = parse_frontmatter(tuple(line.removesuffix("\r") for line in new_text.split("\n")))
    is_valid = not after.error and dict(after.values) == {**frontmatter.values, _KEY: description}
    return new_text if is_valid else None


def _is_blank_or_comment(line: str, first: str) -> bool:
    """Return whether a line after a value is blank or a comment. `first` is the first line of the value."""
    is_block = first.partition(":")[2].lstrip().startswith(("|", ">"))
    return not line.strip() or (line if is_block else line.lstrip()).startswith("#")


def _find_comment(first: str) -> str:
    """Return the comment after the first line of a value, with the space before it, or ""."""
    value = first.partition(":")[2].removesuffix("\r")
    match = _VALUE_START.match(value)
    return value[match.end() :].rstrip() if match else ""


def _write_value(text: str) -> str:
    try:
        is_plain = read_yaml(f"{_KEY}: {text}").value == {_KEY: text}
    except YamlError:
        is_plain = False
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def replace_listed(skill: ListedSkill, description: str) -> ListedSkill | None:
    """Return a listed skill with another description, or None if it cannot be written."""
    text = replace_description(skill.text, description)
    if text is None:
        return None
    unit = Unit(UnitKind.SKILL, skill.path, skill.name)
    return replace(skill, text=text, description=read_listed_skill(unit, text).description)


def find_candidate_faults(description: str, known: Sequence[str], train: Sequence[Prompt]) -> Iterator[str]:
    """Yield the reasons to reject a drafted description.

    `known` are the current descriptions of the skill and the earlier drafts.
    """
    if not description:
        yield "the description is empty"
    if len(description) > _MAX_CHARS:
        yield f"the description has {len(description):,} characters; at most {_MAX_CHARS:,} are allowed"
    if description in known:
        yield "the description is the current one, or was tried before"
    yield from (f"the description adds {harm}" for harm in find_harmful_text("\n".join(known), description))
    if any(visible(char) != char for char in set(description) - set("".join(known))):
        yield "the description adds an invisible character"
    if _TAG_START.search(description):
        yield "the description contains a tag, which is not allowed"
    phrases = {prompt.name: list_phrases(prompt.text) for prompt in train}
    if quoted_prompts := find_quoted_skills(description, phrases):
        yield f"the description quotes {len(quoted_prompts)} of the prompts, so its result would prove nothing"


def find_displaced_skills(
    skills: Sequence[ListedSkill], changed_skill: ListedSkill, settings: ListingSettings, model: str
) -> Iterator[str]:
    """Yield the names of skills whose descriptions a model no longer sees after one description has changed.

    The changed skill is included if its own description is now cut or dropped. `model` is a name in `WINDOWS`.
    """
    after = [
        changed_skill if (skill.name, skill.path) == (changed_skill.name, changed_skill.path) else skill
        for skill in skills
    ]
    before, now = (compute_listings("", each, settings, [model]).models[0].entries for each in (skills, after))
    for old, new in zip(before, now, strict=True):
        is_lost = new.state == "dropped" and old.state in _VISIBLE_STATES
        if is_lost or (new.state == "cut" and old.name == changed_skill.name):
            yield new.name
