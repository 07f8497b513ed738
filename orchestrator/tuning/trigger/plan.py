"""Plan a trigger test: its prompts, skills and cost. The plan is printed before the first run."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec.structs import replace

from actions.project.facts.models import find_window
from actions.project.listing import ListedSkill, ListingEntry
from actions.project.model_listings import ListingSettings, compute_listings
from actions.trigger.bounds import compute_upper_bound
from actions.trigger.causes import Arm
from actions.trigger.prompts import Prompt, find_prompt_faults
from actions.trigger.split import Split
from orchestrator.errors import BadInput, BadInputs, call_all
from orchestrator.model.budget import find_family
from orchestrator.tuning.trial.folders import PLAN, find_stopped
from orchestrator.tuning.trial.plan import estimate_run, name_price_list
from orchestrator.tuning.trigger.exam import RUNS as EXAM_RUNS
from orchestrator.tuning.trigger.exam import find_least_change
from orchestrator.tuning.trigger.held_out import (
    FOLDER,
    ensure_enough_drafts,
    find_improved,
    restore_split,
    split_unexposed,
)
from orchestrator.tuning.trigger.prompt_files import read_prompts
from orchestrator.tuning.trigger.skill_set import SkillSet, read_skill_set
from templates.filters import counted

MAX_COST_USD, RUNS = 2.0, 3
MAX_TURNS, SECONDS = 3, 180
"""The limits of one run; most runs end after the first turn."""
_TURNS, _CONTEXT, _RUN_LIMIT_FACTOR = 2, 15_000, 3
"""Estimated number of turns of a run, and of tokens in its context (Claude Code 2.1.330: 43,000 characters)."""
CANDIDATES, DRAFTS = 3, 2
"""The number of descriptions per draft, and the maximum number of drafts. The second draft sees the first one."""
_ENOUGH_CHARACTERS, _ENOUGH_DESCRIPTION = 10_000_000, 100_000
_LISTING_FAULTS = {
    "dropped": "its description is dropped from the listing, so a model sees only its name",
    "cut": "its description is cut in the listing",
    "shadowed": "another skill with this name is listed instead",
    "hidden": "it is not listed",
}


class TriggerPlan(msgspec.Struct, frozen=True):
    """The plan of a trigger test.

    runs: the maximum number of runs of a prompt. split: the split of the prompts, if the description is tuned.
    """

    skills: SkillSet
    prompts: tuple[Prompt, ...]
    arm: Arm = Arm.AMONG
    runs: int = RUNS
    max_cost_usd: float = MAX_COST_USD
    model: str = ""
    jobs: int = 1
    notes: tuple[str, ...] = ()
    split: Split | None = None

    @property
    def name(self) -> str:
        """The name of the measured skill, or of the folder."""
        return self.skills.targets[0] if len(self.skills.targets) == 1 else self.skills.path.name

    @property
    def key(self) -> str:
        """The digest that identifies this test, so that a stopped test can be continued."""
        prompts = [(prompt.name, prompt.text, prompt.accepted, prompt.refused, prompt.files) for prompt in self.prompts]
        listed = [(skill.name, skill.source, skill.text, skill.use > 0) for skill in self.skills.skills]
        parts = (str(self.skills.path), listed, self.skills.settings, prompts, self.arm, self.runs, self.model,
                 self.split is not None)  # fmt: skip
        return sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()

    @property
    def run_estimate(self) -> float:
        """The estimated cost of one run in USD, at the list price of the run's model."""
        return estimate_run(self.model, _TURNS, _CONTEXT)

    @property
    def reserve(self) -> float:
        """The amount in USD reserved for an active run. A run that has spent half of it is stopped after its turn."""
        return _RUN_LIMIT_FACTOR * self.run_estimate

    @property
    def entries(self) -> Sequence[ListingEntry]:
        """The entries of the listing for the model, in the order of the skills, or () if its size is unknown."""
        window = find_window(self.model or find_family(self.model))
        if window is None:
            return ()
        return compute_listings("", self.skills.skills, self.get_settings(self.arm), [window]).models[0].entries

    def get_settings(self, arm: Arm) -> ListingSettings:
        """Return the settings of the listing in an arm, that is, a way of installing and listing the skills."""
        if arm is not Arm.UNCUT:
            return self.skills.settings
        return replace(self.skills.settings, characters=_ENOUGH_CHARACTERS, limit=_ENOUGH_DESCRIPTION)

    def list_skills(self, arm: Arm, alone: str | None) -> tuple[ListedSkill, ...]:
        """Return the skills that are installed in an arm. alone: the only skill in the arm `alone`."""
        if arm is not Arm.ALONE:
            return self.skills.skills
        return tuple(skill for skill in self.skills.skills if skill.name == alone)[:1]


def plan_trigger(
    argument: str,
    prompts: Path,
    among: Sequence[str],
    *,
    arm: Arm,
    runs: int,
    max_cost_usd: float,
    model: str,
    jobs: int,
    tune: bool = False,
) -> TriggerPlan:
    """Return the plan of a requested test. tune: whether to split the prompts in order to tune the description.

    Raises BadInput, with one line for each fault, if the prompts have faults.
    """
    skills = read_skill_set(argument, among)
    found, notes = read_prompts(prompts, skills.targets)
    if arm is Arm.ALONE and len(skills.targets) > 1:
        raise BadInput("--arm alone lists one skill; name one skill, not a folder")
    plan = TriggerPlan(skills, found, arm, runs, max_cost_usd, model, jobs, tuple(notes))
    call_all(lambda: _ensure_no_faults(plan), lambda: _ensure_listed(plan), lambda: _ensure_payable(plan))
    return _split(plan) if tune else plan


def ensure_draftable(plan: TriggerPlan, count: int, drafts_usd: float, *, tune: bool) -> None:
    """Raise BadInput like `plan_trigger`, as far as that can be known before `count` prompts are drafted and paid.

    plan: the plan without prompts.
    """
    expected = tuple(Prompt(name, name, (name,), name) for name in plan.skills.targets)
    plan = replace(plan, prompts=expected)
    call_all(lambda: _ensure_listed(plan), lambda: _ensure_payable(plan, drafts_usd))
    if tune:
        _ensure_tunable(plan)
        ensure_enough_drafts(count)


def _ensure_tunable(plan: TriggerPlan) -> None:
    if len(plan.skills.targets) > 1 or plan.arm is not Arm.AMONG:
        raise BadInput("--tune tunes one skill among all; name one skill, and omit --arm")


def _split(plan: TriggerPlan) -> TriggerPlan:
    """Split the prompts of a tuning.

    The split of an earlier tuning is reused if that was stopped, or if its result has not been written into the
    skill yet. A new split keeps prompts that earlier tunings exposed out of the exam.
    """
    _ensure_tunable(plan)
    target = plan.skills.targets[0]
    tuning_key = replace(plan, split=Split((), ())).key  # the key depends on whether there is a split, not on which
    improved = find_improved(tuning_key)
    earlier_folder = Path(improved["folder"]) if improved else find_stopped(tuning_key, FOLDER, "trigger")
    earlier_split = restore_split(plan.prompts, earlier_folder / PLAN) if earlier_folder else None
    text = plan.skills.get(target).text
    return replace(plan, split=earlier_split or split_unexposed(plan.prompts, target, plan.skills.path, text))


def find_faults(skills: SkillSet, prompts: Path) -> list[str]:
    """Return the faults in a prompts file, one line each. Raises BadInput if the file cannot be read."""
    found, _ = read_prompts(prompts, skills.targets)
    return [*find_prompt_faults(found, skills.skills, skills.targets)]


def _ensure_no_faults(plan: TriggerPlan) -> None:
    faults = [BadInput(line) for line in find_prompt_faults(plan.prompts, plan.skills.skills, plan.skills.targets)]
    if faults:
        raise BadInputs(faults)


def _ensure_listed(plan: TriggerPlan) -> None:
    """Raise BadInput if an expected skill's description is not fully shown, so that no run would test it."""
    expected = {prompt.expected for prompt in plan.prompts} & set(plan.skills.targets)
    faults = {"cut"} if plan.arm is Arm.ALONE else _LISTING_FAULTS.keys()
    incomplete = [
        entry
        for entry in plan.entries
        if entry.name in expected and _is_measured(plan, entry) and entry.state in faults
    ]
    if incomplete:
        raise BadInputs([BadInput(_describe_listing_fault(plan, entry)) for entry in incomplete])


def _ensure_payable(plan: TriggerPlan, drafts_usd: float = 0.0) -> None:
    if plan.reserve + drafts_usd > plan.max_cost_usd:
        drafts = f", and the drafts {drafts_usd:.2f}," if drafts_usd else ""
        raise BadInput(
            f"one run may cost {plan.reserve:.2f} USD{drafts} at the list price of {name_price_list(plan.model)}, "
            f"above the cost limit of {plan.max_cost_usd:.2f}; raise --max-cost-usd, or use a cheaper --model"
        )


def _is_measured(plan: TriggerPlan, entry: ListingEntry) -> bool:
    return entry.path.startswith(str(plan.skills.path)) or entry.path == str(plan.skills.path)


def _describe_listing_fault(plan: TriggerPlan, entry: ListingEntry) -> str:
    model = plan.model or f"Claude {find_family('').capitalize()}"
    where = f" ({plan.skills.get(entry.name).path})" if entry.state == "shadowed" else ""
    advice = {"dropped": "shorten descriptions", "cut": "shorten it", "shadowed": "remove one"}
    other = ", or measure the text alone with --arm uncut" if entry.state in ("dropped", "cut") else ""
    what = f"{_LISTING_FAULTS[entry.state]}{where}; {advice.get(entry.state, 'list it')}"
    return f"{entry.name} for {model}: {what}{other}; `tune-skill listing` shows why"


def describe_plan(plan: TriggerPlan) -> Iterator[str]:
    """Yield the lines that are shown before the first run: the runs, their cost, and what they can show."""
    usd_per_run, runs = plan.run_estimate, plan.runs
    count = len(plan.split.train if plan.split else plan.prompts)
    listed = len(plan.skills.skills) if plan.arm is not Arm.ALONE else 1
    repeats = f"; a wrong prompt is run {counted(runs - 1, 'more time')}" if runs > 1 else ""
    yield f"{plan.name}: {counted(count, 'prompt')}, each run once among {counted(listed, 'skill')}{repeats}"
    yield (
        f"the test costs at most {plan.max_cost_usd:.2f} USD; estimate: {count * usd_per_run:.2f} USD if all are "
        f"right, at the list price of {name_price_list(plan.model)}"
    )
    if count * usd_per_run > plan.max_cost_usd:
        affordable = int(plan.max_cost_usd / usd_per_run)
        yield f"the cost limit pays for about {affordable} of {counted(count, 'prompt')}; raise --max-cost-usd"
    for name in plan.skills.targets:
        expected = sum(prompt.expected == name for prompt in plan.prompts)
        if expected:
            bounds = [100 * compute_upper_bound(0, side) for side in (expected, count - expected)]
            yield (
                f"if no prompt fails, Claude Code misses {name} for at most {bounds[0]:.0f} % of such prompts, and "
                f"calls it for at most {bounds[1]:.0f} % of the others (95 % confidence)"
            )
    if plan.split:
        yield from _describe_tuning(plan, plan.split)
    if not plan.entries:
        yield f"the listing size of {plan.model} is unknown, so the test does not say which descriptions are cut"
    yield from plan.notes


def _describe_tuning(plan: TriggerPlan, split: Split) -> Iterator[str]:
    """Yield lines on the additional work of a tuning: the candidates, the held-out prompts, and what they can show."""
    train, held_out, max_candidates = len(split.train), len(split.held_out), DRAFTS * CANDIDATES
    runs = train * (1 + max_candidates) + 2 * EXAM_RUNS * held_out
    yield (
        f"tuning: up to {counted(max_candidates, 'description')}, each on the {counted(train, 'training prompt')}; "
        f"the best one is tested on the {held_out} held-out prompts; at most about {runs * plan.run_estimate:.2f} USD"
    )
    yield (
        f"a description passes this test only if at least {find_least_change(held_out)} of {held_out} held-out prompts "
        "change from wrong to right; to detect smaller improvements, add prompts"
    )
