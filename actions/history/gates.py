"""Find approval gates (lines at which the agent must wait for the user) at which sessions without a user ended."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.facts import Fact, FactKind
from actions.history.matched_uses import MatchedUse, match_uses
from actions.history.uses import find_current_fact
from actions.session.redaction import redact
from actions.session.transcript import Quote
from actions.skill.text import list_words

_MIN_SHARED_STEMS, _STEM_LENGTH = 2, 8
"""Minimum number of word stems that a question must share with a gate, and maximum length of a stem."""
_APPROVAL_STEMS = ("approv", "confirm", "permi", "consent", "proce", "decid", "decis")
_PAST_APPROVALS = frozenset({"approved", "confirmed", "permitted"})
_STOP_WORDS = frozenset(
    "the a an to of in on for and or is are be it this that with as at by from we you your user ask wait i s if not "
    "before after all each any will would should can do does go on me my shall when until".split()
)


class Stop(NamedTuple):
    """A session that ended at an approval gate, and a quote from the last question of the session."""

    session: str
    quote: Quote


class UnansweredGate(NamedTuple):
    """An approval gate, and the sessions without a user that ended there.

    `line` and `text` are the number and the content of the line in the current version of the file.
    """

    line: int
    text: str
    stops: Sequence[Stop]


def find_unanswered_gates(case: Case) -> Iterator[UnansweredGate]:
    """Yield the approval gates of the text at which sessions without a user ended."""
    pairs = ((gate, matched) for matched in match_uses(case) if (gate := _find_gate(matched)))
    for uses in group_by_key((gate.identity, (gate, matched)) for gate, matched in pairs).values():
        gate, newest = uses[-1]
        current = find_current_fact(gate, newest.use.load.text, case.skill.main)
        if current:
            yield UnansweredGate(current.line, current.text, [_build_stop(matched) for _, matched in uses])


def _find_gate(matched: MatchedUse) -> Fact | None:
    """Return the approval gate at which a use without a user ended, or None.

    It is the gate that shares the most words with the last question, unless several gates share equally many.
    """
    question, transcript = matched.last_question, matched.use.transcript
    if question is None or not transcript.is_headless or transcript.agent:
        return None
    if len(transcript.prompts) > 1 or any(m.record > matched.use.load.record for m in transcript.prompts):
        return None
    asked = _list_stems(question.text)
    shared = {fact: len(_list_stems(fact.key[0]) & asked) for fact in matched.use.facts if fact.kind is FactKind.GATE}
    most = max(shared.values(), default=0)
    best = [fact for fact, count in shared.items() if count == most]
    return best[0] if most >= _MIN_SHARED_STEMS and len(best) == 1 else None


def _list_stems(text: str) -> frozenset[str]:
    """Return the stems of the significant words, except words for a past approval."""
    significant = [
        word for word in list_words(text) if not word.isdigit() and word not in _STOP_WORDS | _PAST_APPROVALS
    ]
    return frozenset(next(filter(word.startswith, _APPROVAL_STEMS), word[:_STEM_LENGTH]) for word in significant)


def _build_stop(matched: MatchedUse) -> Stop:
    question = matched.last_question
    assert question is not None
    last = next(line for line in reversed(question.text.splitlines()) if "?" in line)
    return Stop(matched.use.session, Quote(question.record, redact(last.strip())))
