"""Check drafted descriptions before paying for runs with them, and write a description into a SKILL.md."""

import json
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from actions.project.listing import ListedSkill, read_listed_skill
from actions.project.model_listings import ListingSettings, compute_listings
from actions.project.units import Unit, UnitKind
from actions.skill.frontmatter import parse_frontmatter
from actions.trigger.prompts import Prompt, find_quoted, list_phrases
from actions.yaml_reader import YamlError, read_yaml

_KEY, _MAX_CHARS = "description", 1_024
_VISIBLE = ("shown", "cut")


def clean_description(text: str) -> str:
    """Return a drafted description as one line."""
    return " ".join(text.split())


def replace_description(text: str, description: str) -> str | None:
    """Return a SKILL.md with another description and otherwise unchanged.

    None if the frontmatter is not valid or has no description.
    """
    lines = text.split("\n")
    frontmatter = parse_frontmatter(tuple(line.removesuffix("\r") for line in lines))
    start = frontmatter.lines.get(_KEY)
    if frontmatter.error or start is None:
        return None
    following = [line for line in frontmatter.lines.values() if line > start]
    stop = min([*following, frontmatter.end])
    ending = "\r" if lines[start - 1].endswith("\r") else ""
    changed = "\n".join((*lines[: start - 1], f"{_KEY}: {_write_value(description)}{ending}", *lines[stop - 1 :]))
    after = parse_frontmatter(tuple(line.removesuffix("\r") for line in changed.split("\n")))
    is_sound = not after.error and dict(after.values) == {**frontmatter.values, _KEY: description}
    return changed if is_sound else None


def _write_value(text: str) -> str:
    try:
        is_plain = read_yaml(f"{_KEY}: {text}").value == {_KEY: text}
    except YamlError:
        is_plain = False
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def replace_listed(skill: ListedSkill, description: str) -> ListedSkill | None:
    """Return a listed skill with another description; None if `replace_description` cannot write it."""
    text = replace_description(skill.text, description)
    if text is None:
        return None
    unit = Unit(UnitKind.SKILL, skill.path, skill.name)
    return replace(skill, text=text, description=read_listed_skill(unit, text).description)


def find_candidate_faults(description: str, known: Sequence[str], train: Sequence[Prompt]) -> Iterator[str]:
    """Yield the reasons not to try a drafted description. known: the descriptions of the skill and earlier drafts."""
    if not description:
        yield "it is empty"
    if len(description) > _MAX_CHARS:
        yield f"it has {len(description):,} characters, more than {_MAX_CHARS:,}"
    if description in known:
        yield "it is the description of the skill, or was tried before"
    phrases = {prompt.name: list_phrases(prompt.text) for prompt in train}
    if quoted := find_quoted(description, phrases):
        yield f"it quotes {len(quoted)} of the prompts, so its result would prove nothing"


def find_pushed_out(
    skills: Sequence[ListedSkill], changed: ListedSkill, settings: ListingSettings, model: str
) -> Iterator[str]:
    """Yield the names of skills whose descriptions a model no longer sees because of a changed description.

    The changed skill itself is included if its description is cut or dropped now. model: a name in `WINDOWS`.
    """
    after = [changed if (skill.name, skill.path) == (changed.name, changed.path) else skill for skill in skills]
    before, now = (compute_listings("", each, settings, [model]).models[0].entries for each in (skills, after))
    for old, new in zip(before, now, strict=True):
        is_lost = new.state == "dropped" and old.state in _VISIBLE
        if is_lost or (new.state == "cut" and old.name == changed.name):
            yield new.name
