"""Tune a description: draft alternatives, measure them on training prompts, and test the best on held-out prompts.

The current description is measured first. Each candidate (a drafted description) is checked without a run, then
measured on the training prompts. The finalist is the candidate with the fewest faults. It must have fewer faults than
the current description, and no group of prompts (a guard) can become worse. Only a finalist opens the exam.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

import schemas
from actions.project.facts.models import find_window
from actions.project.listing import ListedSkill
from actions.trigger.candidates import clean_description, find_candidate_faults, find_displaced_skills, replace_listed
from actions.trigger.causes import Arm
from actions.trigger.guards import count_faults, find_rejection
from actions.trigger.prompts import Prompt
from actions.trigger.split import Split
from orchestrator.model.budget import find_family
from orchestrator.model.environment import Say
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.sandbox import choose_folder
from orchestrator.tuning.trial.supervised import ask_supervised, charge_killed
from orchestrator.tuning.trigger.drafting import RejectedDescription, build_descriptions_query
from orchestrator.tuning.trigger.exam import RUNS as EXAM_RUNS
from orchestrator.tuning.trigger.exam import Decision, decide
from orchestrator.tuning.trigger.held_out import open_exam
from orchestrator.tuning.trigger.measurement import Measurement
from orchestrator.tuning.trigger.plan import DRAFTS, TriggerPlan
from templates.filters import counted

_DRAFT = "draft"


class Candidate(msgspec.Struct, frozen=True):
    """A drafted description.

    version: its name in the ledger. faults: the number of its faults on the training prompts, or None if it was not
    run. reason: why it was rejected, or "".
    """

    version: str
    text: str
    skill: ListedSkill | None = None
    faults: int | None = None
    reason: str = ""


class Tuning(Measurement):
    """A tuning in its folder. ending: how the tuning ended. decision: the result of the exam, if there was one."""

    def __init__(self, plan: TriggerPlan, split: Split, folder: Path, ledger: Ledger, say: Say) -> None:
        super().__init__(replace(plan, prompts=split.train), folder, ledger, say)
        self.split = split
        self.target = plan.skills.targets[0]
        self.skill = plan.skills.get(self.target)
        self.candidates: list[Candidate] = []
        self.ending = ""
        self.decision: Decision | None = None
        self.finalist: Candidate | None = None

    def run(self) -> None:
        """Execute the missing runs and drafts.

        Raises BadInput if nothing can run here, RunFailed if runs keep failing.
        """
        for number in range(1, DRAFTS + 1):
            charge_killed(self.ledger, Key(_DRAFT, number, _DRAFT))
        super().run()

    async def _measure(self) -> None:
        await self.measure(self.split.train, Arm.AMONG)
        for number in range(1, DRAFTS + 1):
            if self._has_ended() or self.finalist:
                break
            if not count_faults(self.measured):
                self.ending = "no training prompt fails, so there is nothing to improve"
                break
            await self._try_draft(number)
        if self.finalist and not self._has_ended():
            await self._run_exam(self.finalist)
        elif not self._has_ended():
            self.ending = self.ending or "no candidate is better on the training prompts"

    async def _try_draft(self, number: int) -> None:
        """Draft descriptions, measure the valid ones (see `_check_candidate`), and choose the finalist."""
        for text in await self._draft_descriptions(number):
            candidate = self._check_candidate(text, f"{_DRAFT}-{number}-{len(self.candidates) + 1}")
            if not candidate.reason and not self._has_ended():
                self.candidates.append(candidate)  # `_choose_skills` looks it up there
                await self.measure(self.split.train, candidate.version)
                self.candidates.pop()
                candidate = candidate if self._has_ended() else self._screen_candidate(candidate)
            self.candidates.append(candidate)
            faults = f"{counted(candidate.faults or 0, 'fault')} on {len(self.split.train)} training prompts"
            self._say(f"{candidate.version}: {candidate.reason or faults}")
        accepted = [candidate for candidate in self.candidates if not candidate.reason and candidate.faults is not None]
        self.finalist = min(accepted, key=lambda candidate: candidate.faults or 0, default=None)

    async def _draft_descriptions(self, number: int) -> list[str]:
        """Return the descriptions of a draft, from the ledger if an earlier run has paid for it."""
        key = Key(_DRAFT, number, _DRAFT)
        if key in self.ledger.finished:
            return [str(text) for text in self.ledger.finished[key]["texts"]]
        rejected = [RejectedDescription(candidate.text, candidate.reason) for candidate in self.candidates]
        query = build_descriptions_query(self.plan.skills, self.measured, rejected, self.plan.model)
        if self.ledger.spent + query.usd > self.plan.max_cost_usd:
            self.why = f"the cost limit of {self.plan.max_cost_usd:.2f} USD leaves no budget for a draft"
            return []
        folder = choose_folder()
        self.ledger.record("began", key, query.usd, folder=str(folder), is_query=True)
        result = await ask_supervised(query, folder)
        usd = query.usd if result.usd is None else result.usd
        problem = result.why if result.value is None else schemas.find_violation(query.schema, result.value)
        if problem or result.value is None:
            self.ledger.record("lost", key, usd, why=problem)
            self.failure = f"no description was drafted: {problem}"
            return []
        texts = [clean_description(draft["description"]) for draft in result.value["descriptions"]]
        self.ledger.record("held", key, usd, folder="", texts=texts, model="")
        self.ledger.record("graded", key, 0.0)
        return texts

    def _check_candidate(self, text: str, version: str) -> Candidate:
        known = [self.skill.description, *(candidate.text for candidate in self.candidates)]
        skill = replace_listed(self.skill, text)
        faults = [*find_candidate_faults(text, known, self.split.train)]
        if skill is None:
            faults.append("the description cannot be written into the frontmatter")
        window = find_window(self.plan.model or find_family(self.plan.model))
        if skill and window and not faults:
            pushed_out = [*find_displaced_skills(self.plan.skills.skills, skill, self.plan.skills.settings, window)]
            if pushed_out:
                faults.append(f"the listing would have no room for the descriptions of {', '.join(pushed_out)}")
        return Candidate(version, text, skill, reason="; ".join(faults))

    def _screen_candidate(self, candidate: Candidate) -> Candidate:
        after = self.judge(self.split.train, candidate.version)
        return replace(candidate, faults=count_faults(after), reason=find_rejection(self.measured, after, self.target))

    async def _run_exam(self, finalist: Candidate) -> None:
        """Run each held-out prompt with both descriptions, one after the other."""
        open_exam(self.folder)
        versions = (Arm.AMONG.value, finalist.version)
        numbers = range(1, EXAM_RUNS + 1)
        keys = product(numbers, self.split.held_out, versions)
        await self.complete((prompt, Key(prompt.name, number, version)) for number, prompt, version in keys)
        if not self._has_ended():
            before, after = (self.judge(self.split.held_out, version) for version in versions)
            self.decision = decide(before, after, self.target)
            self.ending = self.decision.why

    def _choose_skills(self, prompt: Prompt, version: str) -> tuple[Arm, Sequence[ListedSkill]]:
        """Return the arm of a run, and the skills with the current or a candidate's description."""
        changed = next((candidate.skill for candidate in self.candidates if candidate.version == version), None)
        if changed is None:
            return super()._choose_skills(prompt, version)
        return Arm.AMONG, [changed if skill is self.skill else skill for skill in self.plan.skills.skills]

    def describe(self) -> dict[str, Any]:
        """Return the part of the result that describes the tuning, in the format of `trigger.schema.json`."""
        decision = self.decision
        return {
            "train": len(self.split.train),
            "held_out": len(self.split.held_out),
            "is_opened": decision is not None,
            "is_better": bool(decision and decision.is_better),
            "why": self.ending or self.why,
            "candidates": [
                {
                    "version": candidate.version,
                    "description": candidate.text,
                    "faults": candidate.faults,
                    "reason": candidate.reason,
                }
                for candidate in self.candidates
            ],
            "finalist": self.finalist.version if self.finalist else None,
            "right_before": decision.right_before if decision else None,
            "right_after": decision.right_after if decision else None,
            "compared": decision.count if decision else None,
            "p": decision.p if decision else None,
            "spoiled": [
                {"name": guard.name, "prompts": list(guard.prompts)} for guard in (decision.spoiled if decision else ())
            ],
        }
