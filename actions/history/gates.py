"""Find the approvals and choices in a text at which unattended sessions ended."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.facts import Fact, FactKind
from actions.history.joins import JoinedUse, join_uses
from actions.history.uses import find_current
from actions.session.redaction import redact
from actions.session.transcript import Quote
from actions.skill.text import words

_MIN_SHARED_STEMS, _STEM_LENGTH = 2, 8
"""Minimum number of word stems that a question shares with its line of the text, and number of characters of a stem."""
_APPROVAL_STEMS = ("approv", "confirm", "permi", "consent", "proce", "decid", "decis")
_PAST_APPROVALS = frozenset({"approved", "confirmed", "permitted"})
_STOP_WORDS = frozenset(
    "the a an to of in on for and or is are be it this that with as at by from we you your user ask wait i s if not "
    "before after all each any will would should can do does go on me my shall when until".split()
)


class Stop(NamedTuple):
    """A session that ended at an approval, with a quote from its last question."""

    session: str
    quote: Quote


def find_unanswered_gates(case: Case) -> Iterator[tuple[int, str, Sequence[Stop]]]:
    """Yield the line and text of each approval in the text, with the unattended sessions that ended there."""
    found = group_by_key((gate.identity, (gate, one)) for one in join_uses(case) if (gate := _find_gate(one)))
    for places in found.values():
        gate, newest = places[-1]
        current = find_current(gate, newest.use.load.text, case.skill.main)
        if current:
            yield current.line, current.text, [_to_stop(one) for _, one in places]


def _find_gate(one: JoinedUse) -> Fact | None:
    """Return the approval at which an unattended use ended; None if no single line fits best."""
    question, transcript = one.last_question, one.use.transcript
    if question is None or not transcript.is_headless or transcript.agent:
        return None
    if len(transcript.prompts) > 1 or any(m.record > one.use.load.record for m in transcript.prompts):
        return None
    asked = _list_stems(question.text)
    shared = {fact: len(_list_stems(fact.key[0]) & asked) for fact in one.use.facts if fact.kind is FactKind.GATE}
    most = max(shared.values(), default=0)
    best = [fact for fact, count in shared.items() if count == most]
    return best[0] if most >= _MIN_SHARED_STEMS and len(best) == 1 else None


def _list_stems(text: str) -> frozenset[str]:
    """Return the stems of the significant words, except words for approvals that were already given."""
    chosen = [word for word in words(text) if not word.isdigit() and word not in _STOP_WORDS | _PAST_APPROVALS]
    return frozenset(next(filter(word.startswith, _APPROVAL_STEMS), word[:_STEM_LENGTH]) for word in chosen)


def _to_stop(one: JoinedUse) -> Stop:
    question = one.last_question
    assert question is not None
    last = next(line for line in reversed(question.text.splitlines()) if "?" in line)
    return Stop(one.use.session, Quote(question.record, redact(last.strip())))
