"""Evaluate sessions with a judge: ask it a few questions about a session's digest, and check the answers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actions.review.asking import JudgeClient, build_question
from actions.review.judge import Judge, Question
from actions.session.answer import Answer, Verdict
from actions.session.digest import MAX_DIGEST, write_digest
from actions.session.judge import find_question, group_by_query, verify_quotes
from actions.session.transcript import Quote, Transcript
from schemas.considerations import Consideration

_VERDICTS = {"satisfied": Verdict.SATISFIED, "not_satisfied": Verdict.VIOLATED, "unknown": Verdict.UNKNOWN}
_MAX_REASON, _MAX_QUOTES = 300, 5
"""Maximum length of a reason, and number of quotes kept per answer."""


class QuestioningJudge(JudgeClient):
    """A SessionJudge that asks another judge, within the limits of that judge.

    limit: the maximum number of characters of the digest. at_once: whether to ask about all considerations in one
    question, which is cheaper but less thorough.
    """

    def __init__(self, judge: Judge, limit: int = MAX_DIGEST, *, at_once: bool = False) -> None:
        super().__init__(judge)
        self._limit = limit
        self._at_once = at_once

    def answer(self, transcript: Transcript, considerations: Sequence[Consideration]) -> Mapping[str, Answer]:
        """Return the answers about a session by the id of their consideration, with verified quotes."""
        record = write_digest(transcript, self._limit)
        groups = {"all": considerations} if self._at_once else group_by_query(considerations)
        answers = self.ask([_build_question(name, group, record) for name, group in groups.items()])
        self.notes = list(dict.fromkeys(self.notes))
        ids = frozenset(consideration.id for consideration in considerations)
        items = [item for answer in answers if answer is not None for item in answer["answers"]]
        return {id: verify_quotes(answer, transcript) for id, answer in _parse_answers(items) if id in ids}


def _build_question(name: str, group: Sequence[Consideration], record: str) -> Question:
    asked = [(consideration, f"{find_question(consideration)}.j2") for consideration in group]
    return build_question(f"session: {name}", "session", record=record, asked=asked)


def _parse_answers(items: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Answer]]:
    """Yield each answer with its id. Skips ids that have two different verdicts."""
    verdicts = Counter(id for id, _ in {(item["id"], item["verdict"]) for item in items})
    for item in items:
        if verdicts[item["id"]] == 1:
            quotes = (Quote(e["record"], e["quote"], e.get("agent", "")) for e in item["evidence"][:_MAX_QUOTES])
            yield item["id"], Answer(_VERDICTS[item["verdict"]], item["reason"][:_MAX_REASON], tuple(quotes))
