"""Tune descriptions about birds and boats without Claude Code."""

import json
from pathlib import Path

from actions.trigger.repeats import TriggerRun
from orchestrator.run.store import system_clock
from orchestrator.tuning.trial.sandbox import choose_folder
from orchestrator.tuning.trigger import conduct
from orchestrator.tuning.trigger.plan import plan_trigger
from schemas.codec import to_json

BIRD_WORDS = (
    "gulls terns skuas auks ravens herons plovers curlews fulmars grebes ospreys petrels swifts finches owls larks"
)
BOAT_WORDS = "ketch sloop barge yawl"
GOOD_DESCRIPTION = "Counts birds that someone saw, such as " + BIRD_WORDS.replace(" ", ", ")
TOO_BROAD_DESCRIPTION = f"{GOOD_DESCRIPTION}, and everything of a {BOAT_WORDS.replace(' ', ', ')}"
RUN_USD = 0.05
NARROW_DESCRIPTION = "Counts birds such as gulls"


def write_prompts(folder, words=(), name="prompts.json"):
    """Write prompts about birds, which expect `count`, and about boats, which expect no skill."""
    prompts = [
        {"prompt": f"How many {word} sat there on day {n}?", "expect": "count"}
        for n, word in enumerate(words or BIRD_WORDS.split())
    ]
    prompts += [
        {"prompt": f"Paint {word} number {n} blue.", "expect": None} for n, word in enumerate(BOAT_WORDS.split())
    ]
    file = folder / name
    file.write_text(json.dumps({"prompts": prompts}, indent=1))
    return file


def choose_skill(prompt, listed):
    """Return the first listed skill whose description contains a bird or boat in the prompt."""
    words_in_prompt = {word.strip("?.").lower() for word in prompt.split()} & {
        *BIRD_WORDS.split(),
        *BOAT_WORDS.split(),
        "bands",
    }
    return next(
        (name for name, description in listed.items() if any(word in description for word in words_in_prompt)), None
    )


async def play_run(self, prompt, key):
    """Play a run without Claude Code; the skill is chosen by the words in the descriptions."""
    if self.ledger.spent + RUN_USD > self.plan.max_cost_usd:
        self.why = "the cost limit is reached"
        return
    _, skills = self._choose_skills(prompt, key.version)
    self.ledger.record("began", key, RUN_USD, folder=str(choose_folder()))
    skill_name = choose_skill(prompt.text, {skill.name: skill.description for skill in skills})
    facts = {"found": to_json(TriggerRun(skill_name)), "model": "m", "transcript": ""}
    self.ledger.record("held", key, RUN_USD, folder="", **facts)
    self.ledger.record("graded", key, 0.0)


def tune_description(skill, prompts, **options):
    values = {"arm": "among", "runs": 3, "max_cost_usd": 50.0, "model": "", "jobs": 1, "tune": True, **options}
    from actions.trigger.causes import Arm

    plan = plan_trigger(str(skill), Path(prompts), (), **{**values, "arm": Arm(values["arm"])})
    return conduct.run_trigger(plan, system_clock(), print)
