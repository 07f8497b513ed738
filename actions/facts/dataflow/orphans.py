"""Fields that are read and never set, fields that are set and never read, and such a pair for one value."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from actions.facts.dataflow.objects import objects
from actions.facts.state.fields import Act, FieldUse, field_uses
from actions.facts.state.records import records
from actions.skill.code import code_fences
from actions.skill.memo import once
from actions.skill.places import is_named_only_at
from actions.skill.skill import Skill

_FOR_PEOPLE = frozenset(
    "status phase stage step progress done complete completed finish finished error fail failed failure result report"
    " summary final output log history version updated created started ended at date id last note message"
    " decision approved path file url title request goal constraint original".split()
)
"""A state is also read by people and after a break: such fields are kept for them."""
_SHOWN = re.compile(
    r"\b(?:return|(?:show|print|render|report|display|present|console\.log)\w*\()\s*\(?\s*state\b(?![.\[\w])"
    r"|\b(?:in|of) state\b(?![.\[\w])"
    r"|state\.items\(|Object\.(?:keys|values|entries)\(state\b"
)
_SAME = (
    frozenset("count total num number n amount sum size quantity qty cnt nr".split()),
    frozenset("due deadline limit expiry expires until end ends".split()),
    frozenset("depart departure start begin from leave".split()),
    frozenset("arrive arrival check checkin".split()),
    frozenset("level grade rank rating tier severity score".split()),
    frozenset("name title label".split()),
    frozenset("price cost fee rate".split()),
    frozenset("user owner author client customer guest".split()),
    frozenset("list items rows entries records".split()),
    frozenset("date day at on time when".split()),
    frozenset("mail email e-mail address".split()),
    frozenset("text body content message".split()),
    frozenset("id key code no number nr".split()),
    frozenset("state status stage phase".split()),
    frozenset("error errors failure failures fault faults".split()),
)
_SINGULAR = re.compile(r"(?<=\w{3}[^sui])s$")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class Misnamed:
    """`use` reads a field that nothing sets, and `kept` is the field that nothing reads."""

    use: FieldUse
    kept: str


@dataclass(frozen=True)
class Orphans:
    """What is wrong with the fields of a skill's state and objects."""

    unset: tuple[FieldUse, ...]
    unread: tuple[FieldUse, ...]
    misnamed: tuple[Misnamed, ...]


@once
def orphans(skill: Skill) -> Orphans:
    """Give the first use of each field without its other half; those that make a pair are only among `misnamed`."""
    unset: list[FieldUse] = []
    unread: list[FieldUse] = []
    misnamed: list[Misnamed] = []
    for lost, idle in (_of_state(skill), *_of_objects(skill)):
        pairs = [Misnamed(use, kin.name) for use in lost for kin in idle[:_MOST] if alike(use.name, kin.name)]
        if pairs and len(idle) == 1:
            pairs = [Misnamed(use, idle[0].name) for use in lost]
        paired = {name for pair in pairs for name in (pair.use.name, pair.kept)}
        unset += [use for use in lost if use.name not in paired]
        unread += [use for use in idle if use.name not in paired]
        misnamed += {pair.use.name: pair for pair in reversed(pairs)}.values()
    return Orphans(tuple(unset), tuple(unread), tuple(misnamed))


_MOST = 40
_PLAIN = frozenset({"[]", "{}", "0", "1", "null", "None", "true", "True", "false", "False", "''", '""'})
_Halves = tuple[list[FieldUse], list[FieldUse]]


def _of_objects(skill: Skill) -> Iterator[_Halves]:
    for item in objects(skill):
        lost, idle = _halves(item.uses)
        lost = [] if item.filled else [use for use in lost if not _named_elsewhere(skill, use.name, item.name)]
        values = [use.value for use in item.uses if use.act is Act.DECLARE]
        idle = [use for use in idle if not use.value or values.count(use.value) < 2 or use.value in _PLAIN]
        looked_at = any(use.act in (Act.READ, Act.TEST) for use in item.uses)
        idle = [use for use in idle if looked_at and not item.shown and _only_there(skill, use, item.uses)]
        yield lost, idle


def _of_state(skill: Skill) -> _Halves:
    """Give both for the state, which many hands fill: only where some of its fields are set by name."""
    uses = field_uses(skill)
    given = {use.name for use in uses if use.act in (Act.SET, Act.DECLARE)}
    if not any(use.act is Act.SET for use in uses):
        return [], []
    lost, idle = _halves(uses)
    lost = [use for use in lost if len(given) > 1 or (given and use.act is Act.TEST)]
    roots = "|".join(("state", *records(skill)))
    lost = [use for use in lost if not _named_elsewhere(skill, use.name, roots)]
    shown = idle and any(
        _SHOWN.search(fence.text) for file in skill.instructions for fence in code_fences(file, "tate")
    )
    kept = [] if shown else [use for use in idle if use.act is Act.SET and not _words(use.name) & _FOR_PEOPLE]
    return lost, [use for use in kept if _only_there(skill, use, uses)]


def _halves(uses: Iterable[FieldUse]) -> tuple[list[FieldUse], list[FieldUse]]:
    given: dict[str, FieldUse] = {}
    taken: dict[str, FieldUse] = {}
    for use in uses:
        half = given if use.act in (Act.SET, Act.DECLARE) else taken
        if use.name not in half or (use.act is Act.TEST and half[use.name].act is Act.READ):
            half[use.name] = use
    lost = [use for name, use in taken.items() if name not in given]
    return lost, [use for name, use in given.items() if name not in taken]


def _named_elsewhere(skill: Skill, name: str, roots: str) -> bool:
    """Tell whether the name stands somewhere as a key, in quotes or a code span: someone else may set it."""
    marks = (f'"{name}"', f"'{name}'", f"`{name}`", f" {name}:", f"{name}=", f"**{name}**")
    access = re.compile(rf"(?:{roots})\[([\"']){re.escape(name)}\1\]")
    return any(mark in access.sub("", file.text) for file in skill.files if name in file.text for mark in marks)


def _only_there(skill: Skill, use: FieldUse, uses: Iterable[FieldUse]) -> bool:
    """Tell whether no line names the field but those that set it."""
    places = {(other.file, other.line) for other in uses if other.name == use.name}
    return is_named_only_at(skill, use.name, places)


def alike(one: str, other: str) -> bool:
    """Tell whether two names may mean one value: they share a word, or words for one thing."""
    first, second = (_words(name) for name in (one, other))
    shared = {word for word in first & second if len(word) > 2}
    return bool(shared) or any(first & group and second & group for group in _SAME)


def means_the_same(one: str, other: str) -> bool:
    """Tell whether two names say the same in other words: `page_count` and `total_pages`."""
    first, second = (_words(name) for name in (one, other))
    return all(
        any(word == kin or any({word, kin} <= group for group in _SAME) for kin in second) for word in first
    ) and len(first) == len(second)


def says_more(one: str, other: str) -> bool:
    """Tell whether one name has all words of another and one more: `borrower` and `borrower_name`."""
    first, second = (_words(name) for name in (one, other))
    return first < second or second < first


def _words(name: str) -> set[str]:
    return {_SINGULAR.sub("", part.lower()) for part in _PARTS.findall(name)}
