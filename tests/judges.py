"""Provide a scripted judge, which can confirm, reject, add findings, lie, contradict itself, or not answer."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from actions.project.lookup import Library
from actions.review.asking import JudgeClient
from actions.review.consult import consult_judge
from actions.review.judge import Question, Reply
from actions.steps.continue_with import continue_with
from actions.steps.outcome import Apply, Keep, Tools, Undo, Undone, Written
from actions.steps.table import find_next_row
from orchestrator.run.machine import RunMachine
from schemas.options import Options
from schemas.records import ChangeMade, State, TargetSkill
from schemas.vocabulary import FOCUS, Phase, Status
from tests.fakes import NOW

Script = Callable[[Question], Any]
COST = {"usd": 0.002, "tokens": 500}


@dataclass
class ScriptedJudge:
    """A judge that answers a question with the value in `answers` of the first key that is a prefix of its name.

    A function is called with the question. A text is the reason for a missing answer. A question without a key gets no
    answer, except that a second reading refutes nothing and a review confirms.
    """

    answers: Mapping[str, Any] = field(default_factory=dict)
    name: str = "a scripted judge"
    questions: list[Question] = field(default_factory=list)

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        self.questions.extend(questions)
        return [self._answer(question) for question in questions]

    def _answer(self, question: Question) -> Reply:
        value = self._draft_all(question) if question.drafts else self._get_scripted_value(question.name, question)
        if isinstance(value, Reply):
            return value
        if question.name.startswith("review") and isinstance(value, Mapping):
            numbers = map(int, re.findall(r"^## Fix (\d+)$", question.prompt, re.MULTILINE))
            value = {"reviews": [{"fix": number, **value} for number in numbers]}
        return Reply(None, value) if isinstance(value, str) else Reply(value, **COST)

    def _get_scripted_value(self, name: str, question: Question) -> Any:
        """Return the scripted value for this name."""
        value = next((v for key, v in self.answers.items() if name.startswith(key)), None)
        if value is None:
            value = {"refutation": refute_nothing, "review": approve_fix}.get(name.split()[0], "not scripted")
        return value(question) if callable(value) else value

    def _draft_all(self, question: Question) -> Any:
        """Return the scripted draft for each group of findings, or the reason why there is no draft."""
        start = question.name.partition("ISS-")[0]
        values = {ids[0]: self._get_scripted_value(f"{start}{', '.join(ids)}", question) for ids in question.drafts}
        drafts = [{"faults": [id], **value} for id, value in values.items() if isinstance(value, Mapping)]
        return {"drafts": drafts} if drafts else next(iter(values.values()))

    def prompt(self, name: str) -> str:
        """Return the prompt of the last question whose name begins with `name`."""
        return next(q.prompt for q in reversed(self.questions) if q.name.startswith(name))


def make_reading(*verdicts: Mapping[str, Any], added: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Return an answer to the reading question."""
    return {"notes": ["The pond is filled first."], "unchecked": [], "verdicts": list(verdicts), "added": list(added)}


def confirm_finding(id: str, reason: str = "It does harm.") -> dict[str, str]:
    return {"id": id, "verdict": "confirm", "severity": "critical", "reason": reason}


def reject_finding(
    id: str, quote: str, file: str = "SKILL.md", reason: str = "Another line takes care of it.", **more: str
) -> dict[str, str]:
    verdict = {"id": id, "verdict": "reject", "severity": "low", "reason": reason, "file": file, "quote": quote}
    return {**verdict, **more}


def reject_as_duplicate(id: str, other: str) -> dict[str, str]:
    return {"id": id, "verdict": "reject", "severity": "low", "reason": "It is the same.", "duplicate_of": other}


def refute_finding(id: str, quote: str = "", **more: str) -> dict[str, str]:
    """Return an answer of a second reading that rejects a finding."""
    return reject_finding(id, quote, **{"reason": "Look here.", **more})


def refute_nothing(question: Question) -> dict[str, Any]:
    """Return an answer of a second reading that confirms every finding."""
    return make_reading(*(confirm_finding(id, "I found nothing against it.") for id in question.ids))


def add_finding(quote: str, file: str = "SKILL.md", pattern: str = "custom", **more: Any) -> dict[str, Any]:
    finding = {"pattern": pattern, "file": file, "quote": quote, "problem": "No line says who pays the ferry.",
             "harm": "The birds are never reached.", "severity": "high", "looked_up": [], "from_knowledge": False,
             "explains_complaint": False}  # fmt: skip
    return {**finding, **more}


def run_in_memory(case, judge, **fields):
    """Execute a run in memory, without files; return the last state and case."""
    state = State(
        run_id="r-1", phase=Phase.RUNNING, status=Status.RUNNING, started_at=NOW, work_dir="/w", backup_dir="/w/backup",
        target_skill=TargetSkill("plover", "/s/plover"), options=Options(apply="all", judge="sdk" if judge else "auto"),
    )  # fmt: skip
    state = replace(state, **fields)
    tools = Tools(lambda: NOW, lambda: 0.0, judge=judge)
    contents, machine = {}, RunMachine()
    while (row := find_next_row(state)) is not None:
        phase = machine.move(state, row.trigger)
        if row.action:
            outcome = row.action.act(state, replace(case, contents=contents), tools)
            before = case
            while isinstance(outcome.effect, Keep | Apply | Undo):
                contents.update({sha256(data).hexdigest(): data for data in getattr(outcome.effect, "contents", ())})
                if isinstance(outcome.effect, Keep):
                    break
                result, case = carry_out(outcome.effect, before, contents)
                outcome = continue_with(result, outcome, before, tools)
            state = outcome.state
        state = replace(state, phase=phase)
    return state, case


def carry_out(effect, case, contents):
    """Apply or undo a fix in memory; return the result and the resulting case."""
    if isinstance(effect, Undo):
        return Undone(effect.fix_id, ()), case
    skill = case.skill.with_files({c.file: contents[c.sha256_after] for c in effect.fix.changes})
    made = [ChangeMade(c.file, c.action, 0o644, c.sha256_before, c.sha256_after) for c in effect.fix.changes]
    return Written(effect, skill, tuple(made)), case.with_skill(skill)


def consult(issues, case, judge, focus=tuple(FOCUS), complaint=""):
    """Ask a judge about findings; return the issues, the cost and the notes."""
    client = JudgeClient(judge, case)
    after = consult_judge(issues, case, client, focus, complaint)
    return SimpleNamespace(issues=after, cost=client.cost, notes=tuple(client.notes))


def make_draft(
    *edits: tuple[str, str, str], declined: str = "", removes: Sequence[str] = (), rewords: Sequence[str] = ()
) -> dict[str, Any]:
    """Return an answer to a question for drafts.

    Edits are (file, search, replace). By default, the draft declares as reworded the text that each edit replaces; with
    `removes`, the first edit is excepted.
    """
    changes = [{"file": file, "search": search, "replace": new} for file, search, new in edits]
    reworded = list(rewords) or [search for _, search, _ in edits[: not removes]]
    return {
        "edits": changes,
        "removes": list(removes),
        "rewords": reworded,
        "description": "Calms the bird.",
        "rationale": "It was loud.",
        "declined": declined,
    }


def make_review(objections: Sequence[str] = (), **answers: bool) -> dict[str, Any]:
    """Return an answer of a review: `ISS_001=True` means that ISS-001 is fixed; `holds=False` is an objection."""
    defaults = {"holds": True, "merge": True, "sound": True, "changes": False}
    verdicts = [{"id": id.replace("_", "-"), "gone": is_gone, "reason": "I looked."}
                for id, is_gone in answers.items() if id not in defaults]  # fmt: skip
    return {
        "verdicts": verdicts,
        **defaults,
        **{k: v for k, v in answers.items() if k in defaults},
        "objections": list(objections),
    }


def approve_fix(question: Question) -> dict[str, Any]:
    """Return an answer of a review without objections."""
    return make_review(**{id.replace("-", "_"): True for id in question.ids})


def confirm_observation(number=1, **answers):
    """Return the answers of a second reading that confirms an observation in a session, changed by `answers`."""
    facts = {"same": 0, "happened": "yes", "demand": "exact", "defence": "none", "sure": 10, "readers": 10}
    return {"number": number, "fact": "", "severity": "medium", **facts, **answers}
