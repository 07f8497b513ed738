"""Find unknown subcommands of `claude plugin` and `claude mcp` in the code of a text."""

from collections.abc import Iterator

import msgspec

from actions.project.facts.subcommands import SUBCOMMANDS
from actions.project.named_paths import list_code
from actions.project.named_units import may_be_missing
from actions.regex import regex
from actions.skill.skill import Skill

_COMMAND = regex(r"\s*(?:[$!>] ?|sudo )?claude (plugin|mcp)s?( marketplace)? ([a-z][a-z-]*)(?![\w./@:-])")


class UnknownSubcommand(msgspec.Struct, frozen=True):
    """An unknown subcommand as written. `near` is a known subcommand with the same words in another order, or ""."""

    file: str
    line: int
    command: str
    near: str


def find_unknown_subcommands(skill: Skill) -> Iterator[UnknownSubcommand]:
    """Yield the unknown subcommands of `claude plugin` and `claude mcp` in shell code and code spans."""
    for file in skill.instructions:
        for line, text in list_code(file) if "claude " in file.text else ():
            match = _COMMAND.match(text)
            if match:
                parent, name = f"{match[1]}{match[2] or ''}", match[3]
                if name not in SUBCOMMANDS.get(parent, {name}) and not may_be_missing(file, line):
                    yield UnknownSubcommand(file.path, line, f"claude {parent} {name}", _find_near(parent, name))


def _find_near(parent: str, name: str) -> str:
    words = sorted((*parent.split(), *name.split("-")))
    known = [f"{command} {sub}" for command, subs in SUBCOMMANDS.items() for sub in sorted(subs)]
    return next((f"claude {path}" for path in known if sorted(path.replace("-", " ").split()) == words), "")
