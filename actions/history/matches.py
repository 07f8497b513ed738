"""Find the steps of a use that carried out facts of the text, and which of them failed."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import msgspec

from actions.grouping import group_by_key
from actions.history.commands import Words, is_alone, is_check, is_common
from actions.history.facts import Fact, FactKind
from actions.history.matcher import AGENT_TOOLS, Commands, Matcher
from actions.history.phrases import find_phrases, parse_phrase
from actions.history.uses import Use
from actions.regex import regex
from actions.session.failures import Failure, find_failure, get_refusal, parse_output
from actions.session.outcomes import read_outcome
from actions.session.runs import runs_tests
from actions.session.shell import split_commands
from actions.session.transcript import Quote, Step
from actions.skill.skill import SkillFile

_MAX_DISTANCE = 40
"""Maximum number of lines between a command and a line about its output."""
_MAX_DEPTH, _MAX_SHOWN_KEYS, _MAX_ITEMS = 6, 12, 50
"""Maximum numbers of levels of a JSON output to search, of its keys in a message, and of items of its lists."""
_CLAUSE = regex(r"[.;\n]\s")
_IS_MISSING = regex(
    r"^[`'\"*)\s]*(?:skill\s+)?(?:(?:is|was) not (?:installed|available|found)|(?:does not|doesn['’]t) exist"
    r"|isn['’]t (?:installed|available)|not (?:installed|found))\b"
)
_MAX_GAP = 60
"""Maximum number of characters after a name to search for words that report it as missing."""
_IF_NOT = regex(r"(?i)\W*(?:\d+[.)]\W*)?(?:otherwise\b|if\b[^.`]{0,30}\b(?:no|not|none|missing|absent)\b)")
_MAX_LINES_BELOW = 2
"""Number of lines below a command to search for an alternative if the command fails."""
_ASKING_TOOL = "AskUserQuestion"
_CHOSEN = regex(r'(?i)"="(?!no\b|never\b|don.t\b|do not\b)([^"\n]{1,400})"')
"""The option that the user chose, in the result of a call of AskUserQuestion."""
_MAX_FIELDS = 20
"""Maximum number of fields to search for in one command's output."""


class Match(msgspec.Struct, frozen=True, eq=False):
    """A step of a session that carried out a fact of the text.

    If the step failed, `repaired` is the next step that carried out the same fact successfully.
    """

    use: Use
    fact: Fact
    step: Step
    failure: Failure | None = None
    repaired: Step | None = None

    @property
    def record(self) -> int:
        """The number of the call's record, from 0."""
        return self.step.call.record

    @property
    def quote(self) -> Quote:
        """The quote that proves the match, from the result if the step failed and from the call otherwise."""
        return self.use.quote(self.step, self.failure.words if self.failure else "")

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The quote that proves the match, and a quote from the later step that succeeded, if any."""
        if self.repaired is None:
            return (self.quote,)
        worked = self.use.quote(self.repaired)
        return self.quote, worked._replace(quote=f"worked afterwards: {worked.quote}")

    @property
    def refusal(self) -> Quote:
        """A quote of the user's words when refusing the step or, without any, of the refusal."""
        result = self.step.result
        return self.use.quote(self.step, (get_refusal(result) or result.text) if result else "")

    @property
    def is_refused(self) -> bool:
        """Whether the user or a permission rule refused the step. An unanswered question does not count."""
        result = self.step.result
        return result is not None and result.is_refused and self.step.call.name != _ASKING_TOOL


class _Attempt(NamedTuple):
    fact: Fact
    step: Step
    failure: Failure | None


def find_matches(use: Use) -> Iterator[Match]:
    """Yield the matches of a use: its steps in order, then skills missing for sub-agents, then fields of JSON outputs.

    A command that the user typed is not a match, and neither is a forbidden command that the user chose in answer to a
    question.
    """
    matcher, typed, chosen = Matcher(use.facts), _find_typed_commands(use), _find_chosen_commands(use)
    attempts: list[_Attempt] = []
    for step in use.steps:
        facts = list(matcher.find(step))
        failure = find_failure(step) if facts else None
        for fact, fails_with_step in facts:
            if _is_requested(fact, step, typed) or (fact.is_forbidden and _is_requested(fact, step, chosen)):
                continue
            has_failed = failure is not None and fails_with_step and not _is_valid_failure(fact, step)
            is_fault = has_failed and not _allows_failure(fact, use.file)
            attempts.append(_Attempt(fact, step, failure if is_fault else None))
    yield from reversed(list(_mark_repairs(use, attempts)))
    yield from _find_missing_skills(use)
    yield from _find_field_matches(use)


def _find_missing_skills(use: Use) -> Iterator[Match]:
    """Yield a failed match for each skill that a sub-agent should have loaded but reports as missing."""
    skills = [fact for fact in use.facts if fact.kind is FactKind.SKILL]
    for step in use.steps if skills else ():
        if step.call.name in AGENT_TOOLS and step.result is not None:
            for fact in (fact for fact in skills if fact.key[0] in step.call.get("prompt")):
                clauses = (clause for clause in _CLAUSE.split(step.result.text) if fact.key[0] in clause)
                missing = next((clause for clause in clauses if _reports_missing(fact.key[0], clause)), None)
                if missing:
                    yield Match(use, fact, step, Failure(" ".join(missing.split()), False))


def _reports_missing(name: str, clause: str) -> bool:
    return _IS_MISSING.search(clause.partition(name)[2][:_MAX_GAP]) is not None


def _find_typed_commands(use: Use) -> Mapping[Words, int]:
    """Map each command of the text that the user also typed to the first record that contains it."""
    keys = _list_phrases(fact for fact in use.facts if fact.kind is FactKind.COMMAND)
    texts = [(prompt.record, prompt.text) for prompt in use.transcript.prompts]
    texts += [(-1, use.load.arguments)] if use.load.agent else []
    return find_phrases(keys, (*texts, *((queued.record, queued.text) for queued in use.transcript.queued)))


def _find_chosen_commands(use: Use) -> Mapping[Words, int]:
    """Map each forbidden command to the first record in which the user chose an answer that contains it."""
    keys = _list_phrases(fact for fact in use.facts if fact.kind is FactKind.COMMAND and fact.is_forbidden)
    results = (step.result for step in use.steps if keys and step.call.name == _ASKING_TOOL)
    answers = ((result.record, words) for result in results if result for words in _CHOSEN.findall(result.text))
    return find_phrases(keys, answers)


def _list_phrases(commands: Iterable[Fact]) -> set[Words]:
    return {parse_phrase(" ".join(fact.key)) for fact in commands}


def _is_requested(fact: Fact, step: Step, requests: Mapping[Words, int]) -> bool:
    """Return whether a step ran a command after the user requested it."""
    record = step.call.record
    return fact.kind is FactKind.COMMAND and requests.get(parse_phrase(" ".join(fact.key)), record) < record


def _is_valid_failure(fact: Fact, step: Step) -> bool:
    """Return whether the failure of a command is a valid result: a rejected git command, or tests that failed."""
    if fact.kind is not FactKind.COMMAND or not is_check(fact.key):
        return False
    output = step.result.text if step.result else ""
    return is_common(fact.key) or (runs_tests(fact.key) and read_outcome(output).failures > 0)


@lru_cache(maxsize=1024)
def _allows_failure(fact: Fact, file: SkillFile) -> bool:
    """Return whether the text allows a command to fail, with an alternative on a line below it ("If not …")."""
    below = (file.doc.line(n) for line in fact.lines for n in range(line + 1, line + 1 + _MAX_LINES_BELOW))
    return fact.kind is FactKind.COMMAND and any(map(_IF_NOT.match, filter(str.strip, below)))


def _mark_repairs(use: Use, attempts: Sequence[_Attempt]) -> Iterator[Match]:
    """Yield the matches in reverse order, each failed match with the next step that succeeded."""
    succeeded: dict[Words, Step] = {}
    for fact, step, failure in reversed(attempts):
        yield Match(use, fact, step, failure, succeeded.get(fact.key) if failure else None)
        if not failure and step.result and not step.result.is_refused:
            succeeded[fact.key] = step


def _find_field_matches(use: Use) -> Iterator[Match]:
    """Yield a match for each JSON output that contains a field of the text.

    If no output contains a field, yield a failed match for the last output that should contain it.
    """
    matches = group_by_key((match.fact.identity, match) for match in _find_field_outputs(use))
    for outputs in matches.values():
        successful = [match for match in outputs if not match.failure]
        yield from successful or outputs[-1:]


def _find_field_outputs(use: Use) -> Iterator[Match]:
    """Yield a match for each field of each output of a command. The match has failed if the field is missing."""
    pairs = _pair_fields(use.facts)
    commands = Commands(command for command, _ in pairs)
    fields = group_by_key((command.identity, field) for command, field in pairs)
    for step in use.steps if pairs else ():
        text = step.call.get("command") if step.call.name == "Bash" else ""
        parts = reversed(list(enumerate(split_commands(text))))
        indexes = {fact.identity: index for index, part in parts for fact in commands.find(part)}
        printing = [identity for identity, index in indexes.items() if is_alone(text, index)]
        if not printing or step.result is None or find_failure(step):
            continue
        output = parse_output(step.result.text)
        if isinstance(output, dict):
            keys, shown_keys = set(_list_json_keys(output)), ", ".join(list(output)[:_MAX_SHOWN_KEYS])
            for field in (field for identity in printing for field in fields[identity]):
                failure = None if field.key[0] in keys else Failure(f"no {field.key[0]} in: {shown_keys}", False)
                yield Match(use, field, step, failure)


def _pair_fields(facts: Sequence[Fact]) -> list[tuple[Fact, Fact]]:
    """Return (command, field) pairs, grouped by command, for fields that a line below a command names."""
    commands = [(line, f) for f in facts if f.kind is FactKind.COMMAND and f.is_order for line in f.lines]
    commands.sort(key=lambda pair: pair[0])
    lines = [line for line, _ in commands]
    pairs: list[tuple[Fact, Fact]] = []
    for field in (fact for fact in facts if fact.kind is FactKind.FIELD):
        index = bisect_left(lines, field.line)
        if index and field.line - lines[index - 1] <= _MAX_DISTANCE:
            pairs.append((commands[bisect_left(lines, lines[index - 1])][1], field))
    by_command = group_by_key((command.identity, (command, field)) for command, field in pairs)
    return [pair for command_pairs in by_command.values() for pair in islice(command_pairs, _MAX_FIELDS)]


def _list_json_keys(value: object, depth: int = _MAX_DEPTH) -> Iterator[str]:
    if depth and isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _list_json_keys(inner, depth - 1)
    elif depth and isinstance(value, list):
        for inner in value[:_MAX_ITEMS]:
            yield from _list_json_keys(inner, depth - 1)
