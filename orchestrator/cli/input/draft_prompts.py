"""Draft prompts for a trigger test: show them, let the user edit them, and keep them only if the user agrees."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from orchestrator.cli.input.offer_draft import SavedDrafts, offer_draft, show_draft
from orchestrator.cli.output.text import safe, warn
from orchestrator.errors import BadInput

if TYPE_CHECKING:
    from orchestrator.tuning.trigger.skill_set import SkillSet

PROMPTS_FILE = "evals/trigger.yaml"
"""The file of a skill's prompts, relative to its folder."""


def draft_prompts(
    skills: "SkillSet", count: int, model: str, max_cost_usd: float, ensure: Callable[[float], None], *, ask: bool
) -> SavedDrafts:
    """Ask a model to draft prompts, and offer them to the user.

    ensure: called with the most that the drafts cost, in USD, before anything is paid; raises BadInput if they would be
    of no use. ask: whether a user can answer. Raises BadInput if no prompts can be drafted.
    """
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.trial.drafter import PROMPTS, open_drafter
    from orchestrator.tuning.trigger import drafting
    from orchestrator.tuning.trigger.held_out import FOLDER

    ensure(drafting.build_prompts_query(skills, count, model).usd)
    with open_drafter(skills.subject, system_clock(), max_cost_usd, warn, FOLDER) as drafter:
        text, notes = drafting.draft_prompts(drafter, skills, count, model)
        file, usd = drafter.save(text, PROMPTS), drafter.usd
    show_draft(text)
    for note in notes:
        warn(safe(note))
    warn(f"the drafted prompts cost {usd:.2f} USD and are saved in {file}; to use them again, pass --prompts {file}")

    def find_problem() -> str:
        from orchestrator.tuning.trigger.plan import find_faults

        try:
            return "\n".join(find_faults(skills, file))
        except BadInput as error:
            return str(error)

    is_accepted = ask and offer_draft(file, skills.subject / PROMPTS_FILE, "prompts", find_problem)
    return SavedDrafts(file, usd, is_accepted)
