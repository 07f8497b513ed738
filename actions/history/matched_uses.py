"""Find which facts of its text each use carried out, skipped, or carried out too late."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commands import is_common, is_setup
from actions.history.facts import Fact, FactKind, Identity
from actions.history.matches import Match, find_matches
from actions.history.phrases import Phrase, find_phrases, parse_phrase
from actions.history.reports import Title, follows_template, has_heading, read_titles
from actions.history.uses import Use, find_uses, order_by_time
from actions.memo import memoize
from actions.regex import regex
from actions.session.failures import find_failure
from actions.session.redaction import redact
from actions.session.transcript import Kind, Message, Quote, Step
from actions.session.transcript_parse import CUT

_STARTED_AFTER = 3
"""Number of calls after which a use should have carried out the facts that belong at the start of the work."""
_VERSION = regex(r"[-_]v?\d+(?:[._-]\d+)*$")
_MAX_ENDING = 400
"""Number of characters at the end of an answer to search for a question."""


class LateMatch(NamedTuple):
    """The first match of a command that ran too late, and the match of a later step that ran before it."""

    match: Match
    later_step: Match


class _Document(NamedTuple):
    """A message or a file that the agent wrote, and its possible headings.

    `is_cut` means that the text was shortened, so that headings may be missing.
    """

    message: Message
    titles: Sequence[Title]
    is_cut: bool


class MatchedUse(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A use of the text with its matches, which are the steps that carried out facts of the text, in order."""

    use: Use
    matches: Sequence[Match]

    @cached_property
    def by_fact(self) -> Mapping[Identity, list[Match]]:
        """The matches of each fact."""
        return group_by_key((match.fact.identity, match) for match in self.matches)

    @cached_property
    def _facts_by_identity(self) -> Mapping[Identity, Fact]:
        return {fact.identity: fact for fact in self.use.facts}

    @cached_property
    def _advances(self) -> Sequence[Match]:
        """The matches whose step number is higher than those of all matches before them."""
        advances: list[Match] = []
        for match in self.matches:
            is_later = match.fact.step > (advances[-1].fact.step if advances else 0)
            if is_later and not match.fact.is_forbidden and not _is_common_fact(match.fact):
                advances.append(match)
        return advances

    @property
    def last_step(self) -> int:
        """The number of the last step that the use carried out, at least in part, or 0 if there is none."""
        return self._advances[-1].fact.step if self._advances else 0

    @cached_property
    def _commands_per_step(self) -> Counter[int]:
        """The number of commands that the text orders in each numbered step."""
        return Counter(fact.step for fact in self.use.facts if fact.kind is FactKind.COMMAND and fact.is_order)

    def reaches(self, fact: Fact) -> bool:
        """Return whether the use carried out a fact or part of a later step. Every use reaches a forbidden fact."""
        if fact.is_forbidden or fact.identity in self.by_fact:
            return True
        if fact.kind is FactKind.HEADING:
            return self._find_report(fact) is not None
        if self._facts_by_identity.get(fact.identity, fact).step:
            return self.find_later_step(fact) is not None
        return len(self.use.steps) >= _STARTED_AFTER

    def find_later_step(self, fact: Fact) -> Match | None:
        """Return the first match of a later step, or None if there is none or the fact has no step."""
        step = self._facts_by_identity.get(fact.identity, fact).step
        index = bisect_right(self._advances, step, key=lambda match: match.fact.step)
        return self._advances[index] if step and index < len(self._advances) else None

    def needs(self, fact: Fact) -> bool:
        """Return whether every run should carry out a fact, because the text orders it without condition or choice."""
        fact = self._facts_by_identity.get(fact.identity, fact)
        if not fact.is_order or fact.is_conditional or fact.is_forbidden:
            return False
        if fact.kind is not FactKind.COMMAND:
            return True
        return fact.step > 0 and not is_setup(fact.key) and self._commands_per_step[fact.step] == 1

    def find_omission(self, fact: Fact) -> Quote | None:
        """Return a quote that proves that the use skipped a fact that every run should carry out, or None.

        The quote is from the first match of a later step. For a fact at the start of the work, it is from the third
        call. For a heading, it is from the message that follows the template.
        """
        if not self.needs(fact) or self.is_done(fact) or fact.identity in self.renamed_skills:
            return None
        if fact.kind is FactKind.HEADING:
            return self._find_report(fact)
        if later := self.find_later_step(fact):
            return later.quote
        own_fact = self._facts_by_identity.get(fact.identity, fact)
        is_start = own_fact.is_start and not own_fact.step
        own_steps = [step for step in self.use.steps if step.call.agent == self.use.agent] if is_start else []
        return self.use.quote(own_steps[_STARTED_AFTER - 1]) if len(own_steps) >= _STARTED_AFTER else None

    @cached_property
    def renamed_skills(self) -> Mapping[Identity, Step]:
        """Maps skills that the use loaded under a name with another version to the first step that loaded them.

        For example, the text names `style-313`, but the use loaded `style`.
        """
        loaded = {_strip_version(get_skill(step)): step for step in reversed(self.use.steps) if get_skill(step)}
        skills = (fact for fact in self.use.facts if fact.kind is FactKind.SKILL and fact.identity not in self.by_fact)
        steps = ((fact.identity, loaded.get(_strip_version(fact.key[0]))) for fact in skills if self.needs(fact))
        return {identity: step for identity, step in steps if step}

    def find_late_matches(self) -> Iterator[LateMatch]:
        """Yield each command that first ran after a command of a later step, with the match of the latest such step.

        A later step of an earlier pass through the text does not count (see `_is_new_pass`).
        """
        ordered = [match for match in self.matches if _is_ordered(match.fact)]
        first_matches: dict[Identity, Match] = {}
        for index, match in enumerate(ordered):
            if match.fact.identity not in first_matches:
                later = [m for m in first_matches.values() if m.fact.step > match.fact.step]
                later = [m for m in later if not _is_new_pass(ordered, index, m)]
                if later:
                    yield LateMatch(match, max(later, key=lambda m: m.fact.step))
                first_matches[match.fact.identity] = match

    def find_unchecked_reads(self) -> Iterator[tuple[Fact, Match]]:
        """Yield (check, match) for each check that was skipped before the first read of a file that it chooses."""
        checks = [fact for fact in self.use.facts if fact.kind is FactKind.CHECK]
        reads = (
            [m for m in self.matches if m.fact.kind is FactKind.FILE and m.step.call.name == "Read"] if checks else []
        )
        for check in checks:
            below = range(check.line, int(check.key[-1]) + 1)
            match = next((m for m in reads if any(line in below for line in m.fact.lines)), None)
            inspections = (self._mentioned_names.get(parse_phrase(name)) for name in check.key[:-1])
            if match and not any(record is not None and record <= match.record for record in inspections):
                yield check, match

    def is_done(self, fact: Fact) -> bool:
        """Return whether the use carried out a fact or at least mentions its name."""
        if fact.kind is FactKind.WORDS:
            return parse_phrase(fact.text) in self._said_sentences or not self.use.messages
        if fact.kind is FactKind.HEADING:
            return any(
                has_heading(document.titles, fact.key[0])
                or (document.is_cut and follows_template(document.titles, fact))
                for document in self._list_documents(fact)
            )
        return fact.identity in self.by_fact or _parse_name(fact) in self._mentioned_names

    @cached_property
    def _documents(self) -> Sequence[_Document]:
        """The messages, followed by the files, that the agent wrote during the use and that have possible headings."""
        if all(fact.kind is not FactKind.HEADING for fact in self.use.facts):
            return ()
        files = [
            Message(step.call.record, Kind.ANSWER, step.call.get("content"))
            for step in self.use.steps
            if step.call.name == "Write" and step.call.agent == self.use.agent
        ]
        answers = [message for message in self.use.messages if message.kind is Kind.ANSWER]
        documents = [_Document(message, read_titles(message.text), False) for message in answers]
        documents += [_Document(file, read_titles(file.text), CUT in file.text) for file in files]
        return [document for document in documents if document.titles]

    def _list_documents(self, fact: Fact) -> Sequence[_Document]:
        """Return the documents that may follow a template, without files if it is for messages to the user."""
        messages = {id(message) for message in self.use.messages}
        return [d for d in self._documents if not fact.is_for_user or id(d.message) in messages]

    def _find_report(self, fact: Fact) -> Quote | None:
        """Return the first line of the last document that follows the template of a heading, or None."""
        for message, titles, _ in reversed(self._list_documents(fact)):
            if follows_template(titles, fact):
                first_line = message.text.strip().partition("\n")[0]
                return Quote(message.record, redact(first_line), self.use.transcript.agent)
        return None

    @cached_property
    def _said_sentences(self) -> Mapping[Phrase, int]:
        """Maps the sentences that the agent said as ordered by the text to their first record."""
        sentences = [parse_phrase(fact.text) for fact in self.use.facts if fact.kind is FactKind.WORDS]
        answers = (m for m in self.use.messages if m.kind is Kind.ANSWER)
        return find_phrases(sentences, ((m.record, m.text) for m in answers) if sentences else ())

    @cached_property
    def _mentioned_names(self) -> Mapping[Phrase, int]:
        """Maps each name in the text to the first record in which a call, the user or another text mentions the name.

        A mention by the user or a sub-agent has the record 0, so that it counts as before every step.
        """
        checks = (parse_phrase(name) for f in self.use.facts if f.kind is FactKind.CHECK for name in f.key[:-1])
        transcript = self.use.transcript
        inputs = [
            (0 if step.call.agent != self.use.agent else step.call.record, value)
            for step in self.use.steps
            for value in step.call.input.values()
            if isinstance(value, str)
        ]
        loads = [(load.record, f"{load.name} {load.folder}") for load in transcript.loads]
        texts = [(0, prompt.text) for prompt in transcript.prompts]
        texts += [(0, self.use.load.arguments)] if self.use.load.agent else []
        added = (text for text in transcript.added_texts if text.record < self.use.end)
        texts += [(text.record, f"{text.source}\n{text.text}") for text in added]
        return find_phrases({*map(_parse_name, self.use.facts), *checks}, (*loads, *inputs, *texts))

    @cached_property
    def last_question(self) -> Message | None:
        """The agent's last message in the session if it is a question and no call follows it, else None."""
        messages = self.use.transcript.messages
        last = messages[-1] if messages and not self.use.load.agent else None
        if last is None or last.kind is not Kind.ANSWER or self.use.end < self.use.transcript.records:
            return None
        steps = (step.call.record for step in self.use.steps if step.call.agent == self.use.agent)
        return last if "?" in last.text[-_MAX_ENDING:] and last.record > max(steps, default=0) else None


def get_skill(step: Step) -> str:
    """Return the name of the skill that a step loaded, or "" if it loaded none."""
    is_loaded = step.call.name == "Skill" and step.result is not None and not find_failure(step)
    return (step.call.get("skill") or step.call.get("command")) if is_loaded else ""


def _strip_version(skill: str) -> str:
    return _VERSION.sub("", skill.rpartition(":")[2])


def _is_ordered(fact: Fact) -> bool:
    """Return whether a fact is a command that every run should execute in the order of the numbered steps."""
    is_step = fact.kind is FactKind.COMMAND and fact.step > 0 and fact.is_order and not fact.is_conditional
    return is_step and not is_common(fact.key)


def _is_new_pass(matches: Sequence[Match], index: int, later_step: Match) -> bool:
    """Return whether the match at `index` belongs to a new pass through the text, which began after `later_step`.

    In a new pass, the run goes back to its first step before the match, and repeats the later step after the match.
    """
    indexes = [i for i, match in enumerate(matches) if match.fact.identity == later_step.fact.identity]
    last = max(i for i in indexes if i < index)
    begin = matches[0].fact.step
    goes_back = begin < matches[index].fact.step and any(match.fact.step == begin for match in matches[last:index])
    return goes_back and indexes[-1] > index


def _is_common_fact(fact: Fact) -> bool:
    """Return whether any session may carry out a fact, so that it does not show which step a run has reached."""
    return fact.kind is FactKind.TOOL or (fact.kind is FactKind.COMMAND and is_common(fact.key))


def _parse_name(fact: Fact) -> Phrase:
    return parse_phrase(fact.key[-1].rpartition("/")[2].rpartition(":")[2])


@memoize
def match_uses(case: Case) -> tuple[MatchedUse, ...]:
    """Return the uses of the case's text with their matches, oldest first."""
    return tuple(MatchedUse(use, tuple(find_matches(use))) for use in order_by_time(find_uses(case)))
