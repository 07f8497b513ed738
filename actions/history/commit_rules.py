"""Find the commits of sessions that break a text's rules for commit messages."""

from collections.abc import Iterator
from typing import NamedTuple

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.facts import Fact, FactKind
from actions.history.uses import Use, find_current_fact, find_uses, order_by_time
from actions.regex import regex
from actions.session.git import read_git
from actions.session.redaction import redact
from actions.session.shell import list_commands
from actions.session.transcript import Quote

_BY_MODEL = regex(
    r"(?im)^.{0,20}(?:\bco-authored-by:.{0,40}\b(?:claude|anthropic)\b|\bgenerated with \W{0,3}claude).{0,120}$"
)
"""A line that names Claude as an author."""
_TRAILER = regex(r"(?im)^co-authored-by:.{0,200}$")
_HEREDOC = regex(r"<<-?[^\S\n]*['\"]?(\w+)['\"]?\n")
_FIRST_WORD = regex(r"\s*(\w+)")
_MESSAGE_OPTION = regex(r"(?s)(?:^|\s)(?:-[a-z]*m|--message)[\s=]+(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')")
_COMMIT = regex(r"\bgit\b[^\n;&|]{0,200}?\bcommit\b|\bgt (?:create|c|modify|m)\b")
LENGTH, TRAILER, NO_MODEL = "length", "trailer", "no model"


class BrokenRule(NamedTuple):
    """A rule of the text, and a quote from a commit that breaks it."""

    fact: Fact
    quote: Quote


def find_broken_rules(use: Use) -> Iterator[BrokenRule]:
    """Yield each rule for commit messages that a commit breaks, with a quote from the first such commit.

    Commits of sub-agents do not count, because a sub-agent has its own instructions.
    """
    rules = [fact for fact in use.facts if fact.kind is FactKind.MESSAGE and not fact.is_conditional]
    commits = read_git(list_commands(use.steps)).commits if rules else ()
    own_commits = (commit for commit in commits if commit.agent == use.agent)
    messages = [(commit, message) for commit in own_commits if (message := _read_message(commit.command))]
    trailers = {fact.key[1] for fact in rules if fact.key[0] == TRAILER}
    for rule in rules:
        for commit, message in messages:
            if words := _find_violation(rule, message, trailers):
                yield BrokenRule(rule, Quote(commit.record, redact(words), commit.agent))
                break


def find_lines_with_broken_rules(case: Case) -> Iterator[tuple[int, list[tuple[Use, Quote]]]]:
    """Yield (line, [(use, quote), ...]) for each line with a rule for commit messages that commits break."""
    broken = group_by_key(
        (current.line, (use, quote))
        for use in order_by_time(find_uses(case))
        for rule, quote in find_broken_rules(use)
        if (current := find_current_fact(rule, use.load.text, case.skill.main))
    )
    yield from sorted(broken.items())


def _read_message(command: str) -> str:
    commit = _COMMIT.search(command)
    after = command[commit.end() :] if commit else ""
    if (start := _HEREDOC.search(after)) and (document := _read_document(after[start.end() :], start[1])):
        return document
    return "\n\n".join(double or single for double, single in _MESSAGE_OPTION.findall(after)).strip()


def _read_document(text: str, word: str) -> str:
    """Return the text of a here document up to its end word, or "" if the end word is missing."""
    lines = text.split("\n")
    end = next((n for n, line in enumerate(lines) if (first := _FIRST_WORD.match(line)) and first[1] == word), 0)
    return "\n".join(lines[:end]).strip()


def _find_violation(rule: Fact, message: str, trailers: set[str]) -> str:
    """Return the words of a commit message that violate a rule, or "" if there are none."""
    kind, value = rule.key
    if kind == LENGTH:
        subject = message.split("\n", 1)[0].strip()
        return subject if len(subject) > int(value) and "$" not in subject else ""
    if kind == NO_MODEL:
        line = _BY_MODEL.search(message)
        return line[0].strip() if line else ""
    trailer_lines = [line.strip() for line in _TRAILER.findall(message)]
    by_model = [line for line in trailer_lines if _BY_MODEL.search(line)]
    return by_model[0] if by_model and trailers.isdisjoint(trailer_lines) else ""
