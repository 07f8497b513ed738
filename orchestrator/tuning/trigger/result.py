"""Build the result of a trigger test in the format of `trigger.schema.json`."""

from collections.abc import Iterator
from typing import Any

from actions.trigger.causes import Arm, find_cause
from actions.trigger.matrix import MeasuredPrompt, build_matrix, count_classes
from actions.trigger.repeats import TriggerRun, Verdict
from actions.trigger.shared_words import find_shared_words
from orchestrator.tuning.trigger.measurement import Measurement
from schemas.codec import to_json
from templates.filters import counted


def build_result(test: Measurement) -> dict[str, Any]:
    """Build the result of a test that ended or reached its cost limit."""
    plan, measured = test.plan, test.measured
    model = next((record["model"] for record in test.ledger.finished.values() if record["model"]), plan.model)
    runs = sum("found" in record for record in test.ledger.finished.values())
    states = {(entry.name, entry.path): entry.state for entry in plan.entries}
    return {
        "schema_version": 1,
        "name": plan.name,
        "path": str(plan.skills.path),
        "model": model,
        "arm": plan.arm.value,
        "is_complete": not test.why and all(prompt.verdict is not Verdict.UNKNOWN for prompt in measured),
        "why": test.why,
        "skills": [
            {
                "name": skill.name,
                "path": skill.path,
                "source": skill.source,
                "state": states.get((skill.name, skill.path), "unknown"),
                "is_measured": skill.name in plan.skills.targets,
            }
            for skill in plan.skills.skills
        ],
        "classes": [to_json(counts) for counts in count_classes(measured)],
        "matrix": [to_json(cell) for cell in build_matrix(measured)],
        "prompts": [_describe_prompt(test, prompt) for prompt in measured],
        "cost": {"usd": test.ledger.spent, "ceiling": plan.max_cost_usd, "runs": runs},
        "notes": [*plan.notes, *_list_notes(measured), *_list_unsaved(test)],
        "folder": str(test.folder),
    }


def _describe_prompt(test: Measurement, measured: MeasuredPrompt) -> dict[str, Any]:
    prompt, is_fault = measured.prompt, measured.verdict is Verdict.FAULT
    others = {arm: runs[0] for arm in Arm if arm is not test.plan.arm and (runs := test.list_runs(prompt, arm))}
    texts = {skill.name: skill.description for skill in reversed(test.plan.skills.skills)}
    shared = find_shared_words(prompt.text, prompt.expected, measured.called, texts)
    return {
        "name": prompt.name,
        "prompt": prompt.text,
        "where": prompt.where,
        "accepted": list(prompt.accepted),
        "refused": list(prompt.refused),
        "expectation": prompt.expectation,
        "verdict": measured.verdict.value,
        "called": measured.called,
        "cause": find_cause(prompt, others).value if is_fault and others else None,
        "shared_words": to_json(shared) if is_fault else None,
        "runs": [
            *(_describe_run(test.plan.arm, run) for run in measured.runs),
            *(_describe_run(arm, run) for arm, run in others.items()),
        ],
    }


def _describe_run(arm: Arm, run: TriggerRun) -> dict[str, Any]:
    return {"arm": arm.value, **to_json(run)}


def _list_notes(measured: list[MeasuredPrompt]) -> Iterator[str]:
    runs = [run for prompt in measured for run in prompt.runs]
    if failed := sum(bool(run.why) for run in runs):
        yield f"{counted(failed, 'run')} failed and did not count: {next(run.why for run in runs if run.why)}"
    if missing := dict.fromkeys(name for run in runs for name in run.missing):
        yield f"skills called by a wrong name (the call failed): {', '.join(missing)}"
    if opened := dict.fromkeys(name for run in runs if run.called is None for name in run.opened):
        yield f"SKILL.md was opened with Read, which does not count as a call: {', '.join(opened)}"


def _list_unsaved(test: Measurement) -> Iterator[str]:
    keys = [key for key, record in test.ledger.finished.items() if record.get("transcript")]
    if unsaved := sum(not test.find_transcript(key) for key in keys):
        yield f"the transcripts of {counted(unsaved, 'run')} could not be saved"
