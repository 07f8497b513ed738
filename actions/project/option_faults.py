"""Find options and subcommands that a text uses but the script's parser rejects."""

from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from actions.code.options import Interface
from actions.grouping import group_by_key
from actions.project.project import Project
from actions.project.readers import is_for_people
from actions.project.script_calls import find_refused_uses
from actions.project.units import Unit
from actions.skill.lone_options import find_lone_options
from actions.skill.script_usage import ScriptUse, find_refused_script_uses, list_similar_options
from actions.skill.skill import Skill

_MAX_NAMED = 8
"""Maximum number of subcommands that a message names."""
_Refused = tuple[ScriptUse, Interface]


class OptionFault(msgspec.Struct, frozen=True):
    """A use that a script rejects: its location, the message, the script, and the `rejected` part.

    `also` are further lines of evidence. `is_for_people` means that no file that a model reads refers to `file`.
    """

    file: str
    line: int
    message: str
    script: str
    rejected: str
    subcommand: str = ""
    also: tuple[str, ...] = ()
    is_for_people: bool = False

    @property
    def cause(self) -> str:
        """The key of the cause: the script and the part that it rejects."""
        return " ".join(filter(None, (self.script, self.subcommand, self.rejected)))


def find_option_faults(project: Project, unit: Unit, skill: Skill) -> Iterator[OptionFault]:
    """Yield rejected values, subcommands and options. Unknown options of one command are one fault."""
    refused = (
        *find_refused_script_uses(skill),
        *find_lone_options(skill),
        *find_refused_uses(project, unit, skill),
    )
    paths = {use.file for use, _ in refused}
    unread = {path for path in paths if is_for_people(project, unit, skill, skill.by_path[path])}
    for fault in chain(map(_find_fault, refused), _find_unknown_options(refused)):
        if fault is not None:
            yield replace(fault, is_for_people=fault.file in unread)


def _find_fault(refused: _Refused) -> OptionFault | None:
    """Return the fault of a rejected value, an unknown subcommand or an option of another subcommand.

    Returns None for an option that no subcommand has.
    """
    use, accepted = refused
    if reason := accepted.find_refusal(use.option, use.value):
        rejected = f"{use.option} {use.value}"
        return OptionFault(use.file, use.line, f"{use.script} rejects `{rejected}`: {reason}.", use.script, rejected)
    if not use.option:
        known = ", ".join(f"`{name}`" for name in sorted(accepted.subcommands)[:_MAX_NAMED])
        message = f"{use.script} has no subcommand `{use.subcommand}`; it has {known}."
        return OptionFault(use.file, use.line, message, use.script, use.subcommand)
    if owners := accepted.find_owners(use.subcommand, use.option):
        subcommands = ", ".join(f"`{name}`" for name in owners[:_MAX_NAMED])
        accept = "accepts" if len(owners) == 1 else "accept"
        message = f"`{use.script} {use.subcommand}` has no option `{use.option}`; only {subcommands} {accept} it."
        return OptionFault(use.file, use.line, message, use.script, use.option, use.subcommand)
    return None


def _find_unknown_options(refused: Sequence[_Refused]) -> Iterator[OptionFault]:
    commands = group_by_key(
        ((use.script, use.file, use.start), (use, accepted))
        for use, accepted in refused
        if use.option and use.option not in accepted.names
    )
    for (script, file, _), uses in commands.items():
        first, accepted = uses[0]
        names = [*dict.fromkeys(use.option for use, _ in uses)]
        near = _suggest_option(first, accepted) if len(names) == 1 else ""
        hint = f" Did you mean `{near}`?" if near else ""
        message = f"{script} has no option {' or '.join(f'`{name}`' for name in names)}.{hint}"
        also = (f"{script}:{accepted.options[0].line}: the options of the script begin here",)
        yield OptionFault(file, first.line, message, script, " ".join(sorted(names)), also=also)


def _suggest_option(use: ScriptUse, accepted: Interface) -> str:
    """Return the accepted option that an unknown option probably misspells, or "".

    Only options with the same first letter are compared.
    """
    from difflib import get_close_matches  # slow to load, and few options are misspelled

    first = use.option.strip("-")[:1]
    pool = [name for name in list_similar_options(use, accepted) if name.strip("-").startswith(first)]
    return next(iter(get_close_matches(use.option, pool, n=1, cutoff=0.6)), "")
