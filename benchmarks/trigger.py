"""Measure how often a tuning changes a description that needs no change, and how often it finds a better description.

    ./dev bench trigger               200 simulated tunings a row
    ./dev bench trigger --tunings 1000

Split, repeats, screening, exam and guards are those of the product; only the called skill is random. Each prompt has a
rate of right calls with the current description, and a candidate corrects a share of the prompts that go wrong. For
comparison, the same prompts are used with the fixed design of skill-creator: five descriptions (the current one first),
three runs of every prompt for each; a prompt is right if at least half of its runs are, and the description with the
best score on the held-out 40 % wins.
"""

import argparse
import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from actions.trigger.guards import count_faults, find_rejection
from actions.trigger.matrix import MeasuredPrompt
from actions.trigger.prompts import Prompt
from actions.trigger.repeats import TriggerRun, needs_run
from actions.trigger.split import split_prompts
from orchestrator.tuning.trigger.exam import RUNS as EXAM_RUNS
from orchestrator.tuning.trigger.exam import decide
from orchestrator.tuning.trigger.plan import CANDIDATES, DRAFTS, RUNS

COUNTS = (20, 40, 60)
KINDS = ((0.1, 0.0), (0.5, 0.0), (0.1, 0.5), (0.1, 0.9))
"""Pairs: the rate of right calls of a hard prompt, and the share of hard prompts that a candidate corrects."""
TARGET, OTHER = "target", "other"
EASY, HARD_SHARE = 0.97, 0.4
"""The rate of right calls of an easy prompt, and the share of hard prompts."""
SPREAD = 0.15
FIXED_DESCRIPTIONS, FIXED_RUNS, FIXED_TEST = 5, 3, 0.4
Rates = Mapping[str, float]


@dataclass
class Model:
    """A model that calls the right skill at a given rate, and counts its runs."""

    draw: random.Random
    runs: int = 0

    def run(self, prompt: Prompt, rates: Rates) -> TriggerRun:
        """Run a prompt once."""
        self.runs += 1
        wrong = TARGET if prompt.expected is None else None
        return TriggerRun(prompt.expected if self.draw.random() < rates[prompt.name] else wrong)

    def measure(self, prompts: tuple[Prompt, ...], rates: Rates) -> list[MeasuredPrompt]:
        """Run prompts as the product does: once, and again while the result is uncertain."""
        measured = []
        for prompt in prompts:
            runs: list[TriggerRun] = []
            while needs_run(prompt, runs, RUNS):
                runs.append(self.run(prompt, rates))
            measured.append(MeasuredPrompt.judge(prompt, runs, RUNS))
        return measured

    def take_exam(self, prompts: tuple[Prompt, ...], now: Rates, then: Rates) -> bool:
        """Hold the exam; return whether the description changes."""
        both = [
            [
                MeasuredPrompt.judge(prompt, [self.run(prompt, rates) for _ in range(EXAM_RUNS)], RUNS)
                for prompt in prompts
            ]
            for rates in (now, then)
        ]
        return decide(*both, TARGET).is_better


def make_prompts(draw: random.Random, count: int, hard: float) -> tuple[tuple[Prompt, ...], Rates]:
    """Return prompts, half of which expect the skill, with the rates of the current description."""
    prompts = tuple(
        Prompt(f"p{n}", f"words {draw.random()}", (TARGET if n % 2 else None,), "set:1") for n in range(count)
    )
    return prompts, {prompt.name: hard if draw.random() < HARD_SHARE else EASY for prompt in prompts}


def draw_candidate(draw: random.Random, rates: Rates, gain: float) -> Rates:
    """Return the rates of a candidate. Without a gain they are those of the current description."""
    corrected = min(1.0, max(0.0, draw.gauss(gain, SPREAD))) if gain else 0.0
    return {name: EASY if rate < EASY and draw.random() < corrected else rate for name, rate in rates.items()}


def tune(seed: str, count: int, hard: float, gain: float) -> tuple[bool, int]:
    """Return whether one simulated tuning changes the description, and its runs."""
    draw = random.Random(seed)
    prompts, now = make_prompts(draw, count, hard)
    split, model = split_prompts(prompts, TARGET), Model(draw)
    before = model.measure(split.train, now)
    for _ in range(DRAFTS if count_faults(before) else 0):
        tried = []
        for then in (draw_candidate(draw, now, gain) for _ in range(CANDIDATES)):
            after = model.measure(split.train, then)
            if not find_rejection(before, after, TARGET):
                tried.append((count_faults(after), len(tried), then))
        if tried:
            return model.take_exam(split.held_out, now, min(tried)[2]), model.runs
    return False, model.runs


def tune_fixed(seed: str, count: int, hard: float, gain: float) -> tuple[bool, int]:
    """Return whether skill-creator's design changes the description, and its runs."""
    draw = random.Random(seed)
    prompts, now = make_prompts(draw, count, hard)
    model, tested = Model(draw), prompts[: round(FIXED_TEST * count)]
    scores = []
    for rates in (now, *(draw_candidate(draw, now, gain) for _ in range(FIXED_DESCRIPTIONS - 1))):
        right = {
            prompt.name: 2 * sum(prompt.allows(model.run(prompt, rates).called) for _ in range(FIXED_RUNS))
            >= FIXED_RUNS
            for prompt in prompts
        }
        scores.append(sum(right[prompt.name] for prompt in tested))
        if all(right[prompt.name] for prompt in prompts[len(tested) :]):
            break
    return scores.index(max(scores)) > 0, model.runs


def main() -> int:
    """Print the table; return 1 if equal descriptions are changed in more than 2.5 % of all tunings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tunings", type=int, default=200)
    tunings = parser.parse_args().tunings
    head = f"{'prompts':>7} {'hard':>10} {'corrected':>9} {'changed':>8} {'runs':>5}"
    print(f"{head} {'fixed design: changed':>22} {'runs':>5}   of {tunings}")
    needless = []
    for count, (hard, gain) in product(COUNTS, KINDS):
        own_design, fixed_design = (
            [simulate(f"{seed} {count} {hard} {gain}", count, hard, gain) for seed in range(tunings)]
            for simulate in (tune, tune_fixed)
        )
        rates = [sum(changed for changed, _ in results) / tunings for results in (own_design, fixed_design)]
        runs = [sum(runs for _, runs in results) / tunings for results in (own_design, fixed_design)]
        row = f"{count:>7} {hard:>10.0%} {gain:>9.0%} {rates[0]:>8.1%} {runs[0]:>5.0f}"
        print(f"{row} {rates[1]:>22.1%} {runs[1]:>5.0f}", flush=True)
        needless += [rates[0]] if gain == 0 else []
    worst = max(needless)
    print(f"equal descriptions changed: at most {worst:.1%} of {tunings} tunings")
    return int(worst > 0.025)


if __name__ == "__main__":
    sys.exit(main())
