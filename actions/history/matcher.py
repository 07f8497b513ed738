"""Find the facts of a text that a step of a session carries out, by names of commands, files, skills and tools."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from actions.agent_types import normalize_agent_type
from actions.grouping import group_by_key
from actions.history.commands import Words, find_part, follows, has_words, is_alone, list_options, matches, parse_words
from actions.history.facts import Fact, FactKind, Identity
from actions.regex import regex
from actions.session.shell import split_commands
from actions.session.transcript import Step

_MAX_FACTS = 50
"""Maximum number of facts with the same name to compare with a step."""
_MAX_CHARS = 20_000
"""Number of characters at the beginning of an input to search for file names."""
AGENT_TOOLS = frozenset({"Task", "Agent"})
_SAME_TOOL = {"TaskCreate": "TodoWrite"}
"""Maps new tools of Claude Code to the tools that they replaced. TaskUpdate is not included, as it creates no list."""
_FILE_INPUTS = ("file_path", "notebook_path", "path", "pattern", "command")
"""The inputs of tools that may contain names of files."""
_FILE_NAME = regex(r"[\w.-]+")
_FIRST_WORDS = 5
"""Number of leading words that identify a prompt."""


class Commands:
    """The commands of a text, indexed by their first words."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts = group_by_key((_strip_folders(fact.key), fact) for fact in facts)
        self._longest = max(map(len, self._facts), default=0)

    def find(self, part: Words) -> Iterator[Fact]:
        """Yield the facts whose key is the beginning of a command."""
        names = _strip_folders(part[: self._longest])
        for length in range(1, len(names) + 1):
            candidates = self._facts.get(names[:length], ())[:_MAX_FACTS]
            yield from (fact for fact in candidates if matches(fact.key, part))


class MatchedFact(NamedTuple):
    """A fact that a step carries out. `fails_with_step` means that the fact fails if the step fails."""

    fact: Fact
    fails_with_step: bool


class Matcher:
    """The facts of a text, indexed by names that occur in steps."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        by_kind = group_by_key((fact.kind, fact) for fact in facts)
        files = (*by_kind.get(FactKind.FILE, ()), *by_kind.get(FactKind.IMPORT, ()))
        templates = by_kind.get(FactKind.PROMPT, ())
        self._commands = Commands(by_kind.get(FactKind.COMMAND, ()))
        self._files = group_by_key((_get_name(fact.key[0]), fact) for fact in files)
        self._skills = group_by_key((_strip_plugin(f.key[0]), f) for f in by_kind.get(FactKind.SKILL, ()))
        self._agents = group_by_key((normalize_agent_type(f.key[0]), f) for f in by_kind.get(FactKind.AGENT, ()))
        self._tools = group_by_key((f.key[0], f) for f in by_kind.get(FactKind.TOOL, ()))
        self._templates = group_by_key(
            (signature, fact) for fact in templates for signature in _list_signatures(_map_arguments(fact))
        )

    def find(self, step: Step) -> Iterator[MatchedFact]:
        """Yield the facts that a step carries out."""
        call = step.call
        if call.name == "Bash":
            yield from self._find_commands(call.get("command"))
        elif call.name == "Skill":
            skill = _strip_plugin(call.get("skill") or call.get("command"))
            yield from (MatchedFact(fact, True) for fact in self._skills.get(skill, ()))
        elif call.name in AGENT_TOOLS:
            type = normalize_agent_type(call.get("subagent_type"))
            yield from (MatchedFact(fact, True) for fact in self._agents.get(type, ()))
            yield from self._find_template(step)
        yield from (MatchedFact(fact, True) for fact in self._tools.get(_SAME_TOOL.get(call.name, call.name), ()))
        if self._files:
            yield from self._find_files(step)

    def _find_template(self, step: Step) -> Iterator[MatchedFact]:
        """Yield the first template that the prompt of a sub-agent may follow, if there is one."""
        arguments = {name: step.call.get(name) for name in ("description", "prompt")}
        signatures = _list_signatures(arguments)
        candidates = (f for signature in signatures for f in self._templates.get(signature, ())[:_MAX_FACTS])
        fitting = [fact for fact in candidates if _may_follow(fact, step)]
        yield from (MatchedFact(fact, False) for fact in sorted(fitting, key=lambda fact: fact.line)[:1])

    def _find_commands(self, text: str) -> Iterator[MatchedFact]:
        """Yield the facts that shell code carries out: for each command, all forbidden facts and the best other one."""
        seen: set[Identity] = set()
        for index, part in enumerate(split_commands(text)):
            candidates = list(self._commands.find(part))
            for fact in (f for f in candidates if f.is_forbidden and has_words(_list_literal_words(f), part)):
                yield MatchedFact(fact, False)
            allowed = [
                fact
                for fact in candidates
                if not fact.is_forbidden and follows(fact.key, _list_literal_words(fact), part)
            ]
            if allowed:
                best = max(allowed, key=lambda f: (len(f.key), _compare_options(f, part), f.is_order, -f.line))
                if best.identity not in seen:
                    seen.add(best.identity)
                    yield MatchedFact(best, is_alone(text, index))

    def _find_files(self, step: Step) -> Iterator[MatchedFact]:
        """Yield the files that a step reads, or that the input of another tool contains."""
        if step.call.name == "Read":
            path = f"/{step.call.get('file_path')}"
            candidates = self._files.get(_get_name(path), ())[:_MAX_FACTS]
            yield from (
                MatchedFact(fact, True) for fact in candidates if path.endswith(f"/{_drop_dot_folders(fact.key[0])}")
            )
            return
        texts = (step.call.get(key)[:_MAX_CHARS] for key in _FILE_INPUTS)
        for text in (text for text in texts if any(map(text.__contains__, self._files))):
            for name in dict.fromkeys(word.rstrip(".") for word in _FILE_NAME.findall(text)):
                candidates = [fact for fact in self._files.get(name, ())[:_MAX_FACTS] if fact.kind is FactKind.FILE]
                exact = (
                    [fact for fact in candidates if _drop_dot_folders(fact.key[0]) in text]
                    if len(candidates) > 1
                    else ()
                )
                yield from (MatchedFact(fact, False) for fact in exact or candidates)


def _may_follow(template: Fact, step: Step) -> bool:
    """Return whether a sub-agent call may follow a template, which must name the same type or none."""
    type = step.call.get("subagent_type")
    return normalize_agent_type(_map_arguments(template).get("subagent_type", type)) == normalize_agent_type(type)


def _map_arguments(template: Fact) -> Mapping[str, str]:
    return dict(zip(template.key[::2], template.key[1::2], strict=True))


def _list_signatures(arguments: Mapping[str, str]) -> Iterator[Words]:
    """Yield the words that identify a call: its description, and the first words of its prompt."""
    if description := arguments.get("description"):
        yield ("description", description)
    first_words = arguments.get("prompt", "").split(None, _FIRST_WORDS)[:_FIRST_WORDS]
    if len(first_words) == _FIRST_WORDS:
        yield tuple(first_words)


def _strip_folders(words: Words) -> Words:
    """Return the words of a command without folders and quotes."""
    return tuple(word.strip("\"'").rpartition("/")[2] for word in words)


def _get_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _strip_plugin(name: str) -> str:
    return name.rpartition(":")[2]


def _drop_dot_folders(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in (".", ".."))


def _list_literal_words(fact: Fact) -> Words:
    index = find_part(fact.key, fact.text)
    return parse_words(split_commands(fact.text)[index]) if index is not None else fact.key


def _compare_options(fact: Fact, part: Words) -> int:
    """Return the similarity of the options of a fact's command to those of a command that ran.

    It is the number of shared options minus the number of options that only one of them has.
    """
    index = find_part(fact.key, fact.text)
    expected = list_options(split_commands(fact.text)[index]) if index is not None else frozenset()
    actual = list_options(part)
    return len(expected & actual) - len(expected ^ actual)
