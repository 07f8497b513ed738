"""Check drafted descriptions before a run is paid for them, and put one into a SKILL.md."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from actions.project.listing import ListedSkill, read_listed_skill
from actions.project.model_listings import ListingSettings, compute_listings
from actions.project.units import Unit, UnitKind
from actions.skill.frontmatter import parse_frontmatter
from actions.trigger.prompts import Prompt, find_quoted, list_phrases
from actions.yaml_reader import YamlError, read_yaml

_KEY, _LONGEST = "description", 1_024
_BEFORE = ("shown", "cut")


def clean_description(text: str) -> str:
    """Return a drafted description as one line."""
    return " ".join(text.split())


def replace_description(text: str, description: str) -> str | None:
    """Return a SKILL.md with another description, all else byte for byte; None if that cannot be done.

    It cannot be done without a valid frontmatter that has a description of its own.
    """
    lines = text.split("\n")
    head = parse_frontmatter(tuple(line.removesuffix("\r") for line in lines))
    start = head.lines.get(_KEY)
    if head.error or start is None:
        return None
    following = [line for line in head.lines.values() if line > start]
    stop = min([*following, head.end])
    ending = "\r" if lines[start - 1].endswith("\r") else ""
    changed = "\n".join((*lines[: start - 1], f"{_KEY}: {_write_value(description)}{ending}", *lines[stop - 1 :]))
    after = parse_frontmatter(tuple(line.removesuffix("\r") for line in changed.split("\n")))
    is_sound = not after.error and dict(after.values) == {**head.values, _KEY: description}
    return changed if is_sound else None


def _write_value(text: str) -> str:
    try:
        is_plain = read_yaml(f"{_KEY}: {text}").value == {_KEY: text}
    except YamlError:
        is_plain = False
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def replace_listed(skill: ListedSkill, description: str) -> ListedSkill | None:
    """Return a listed skill with another description; None if that cannot be done."""
    text = replace_description(skill.text, description)
    if text is None:
        return None
    unit = Unit(UnitKind.SKILL, skill.path, skill.name)
    return replace(skill, text=text, description=read_listed_skill(unit, text).description)


def find_candidate_faults(description: str, known: Sequence[str], train: Sequence[Prompt]) -> Iterator[str]:
    """Yield why a drafted description is not tried. known: those of the skill and of earlier drafts."""
    if not description:
        yield "it is empty"
    if len(description) > _LONGEST:
        yield f"it has {len(description):,} characters, more than {_LONGEST:,}"
    if description in known:
        yield "it is the description of the skill, or was tried before"
    phrases = {prompt.name: list_phrases(prompt.text) for prompt in train}
    if quoted := find_quoted(description, phrases):
        yield f"it quotes {len(quoted)} of the prompts, which every description could"


def find_pushed_out(
    skills: Sequence[ListedSkill], changed: ListedSkill, settings: ListingSettings, model: str
) -> Iterator[str]:
    """Yield the names of skills that a model no longer sees whole because of a changed description.

    model: the name of its window; the changed skill itself counts if it is cut or dropped now.
    """
    after = [changed if (skill.name, skill.path) == (changed.name, changed.path) else skill for skill in skills]
    before, now = (compute_listings("", each, settings, [model]).models[0].entries for each in (skills, after))
    for old, new in zip(before, now, strict=True):
        is_lost = new.state == "dropped" and old.state in _BEFORE
        if is_lost or (new.state == "cut" and old.name == changed.name):
            yield new.name
