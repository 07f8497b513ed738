"""A judge whose answers are scripted: it confirms, rejects, adds, lies, contradicts itself, or says nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from actions.judge import Answered, Question

Script = Callable[[Question], Any]
COST = {"usd": 0.002, "tokens": 500}


@dataclass
class ScriptedJudge:
    """Answers each question by `answers`: the value for the first key that its name begins with, or what that gives.

    A text instead of a value is the reason for which there is none. What is not scripted has no answer.
    """

    answers: Mapping[str, Any] = field(default_factory=dict)
    name: str = "a scripted judge"
    asked: list[Question] = field(default_factory=list)

    def ask(self, questions: Sequence[Question]) -> Sequence[Answered]:
        self.asked.extend(questions)
        return [self._answered(question) for question in questions]

    def _answered(self, question: Question) -> Answered:
        found = next((v for key, v in self.answers.items() if question.name.startswith(key)), "not scripted")
        value = found(question) if callable(found) else found
        if isinstance(value, Answered):
            return value
        return Answered(None, value) if isinstance(value, str) else Answered(value, **COST)

    def prompt(self, name: str) -> str:
        """Give the words of the last question whose name begins so."""
        return next(q.prompt for q in reversed(self.asked) if q.name.startswith(name))


def says(*verdicts: Mapping[str, Any], added: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Give the answer to a question of diagnosis."""
    return {"verdicts": list(verdicts), "added": list(added)}


def confirm(id: str, reason: str = "It does harm.") -> dict[str, str]:
    return {"id": id, "verdict": "confirm", "reason": reason, "file": "", "quote": ""}


def reject(
    id: str, quote: str, file: str = "SKILL.md", reason: str = "Another line takes care of it."
) -> dict[str, str]:
    return {"id": id, "verdict": "reject", "reason": reason, "file": file, "quote": quote}


def add(quote: str, file: str = "SKILL.md", pattern: str = "custom", **more: str) -> dict[str, str]:
    given = {"pattern": pattern, "file": file, "quote": quote, "problem": "Nobody says who pays the ferry.",
             "harm": "The birds are never reached.", "severity": "high"}  # fmt: skip
    return {**given, **more}
