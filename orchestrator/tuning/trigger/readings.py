"""Read from a session which skill it called."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actions.project.listing import ListedSkill
from actions.regex import regex
from actions.trigger.calls import resolve_name
from actions.trigger.repeats import TriggerRun
from orchestrator.model.agent import TURN_LIMIT_REASON, Session

_SKILL_FILE = regex(r"/skills/([^/]+)/SKILL\.md$")


def read_run(session: Session, skills: Sequence[ListedSkill]) -> TriggerRun:
    """Return the run of a session, with the first skill that it called successfully.

    A session that reached its turn limit counts. If it failed otherwise, `why` has the reason, and the run does not
    count.
    """
    called = next((resolve_name(call.name, skills) for call in session.skills if call.succeeded), None)
    why = "" if called or session.why == TURN_LIMIT_REASON else session.why
    missing = dict.fromkeys(call.name for call in session.skills if not call.succeeded)
    return TriggerRun(called, why, tuple(missing), tuple(dict.fromkeys(_list_opened_skills(session))))


def restore_run(facts: Mapping[str, Any]) -> TriggerRun:
    """Restore a run from its record in the ledger."""
    return TriggerRun(facts["called"], facts["why"], tuple(facts["missing"]), tuple(facts["opened"]))


def _list_opened_skills(session: Session) -> Iterator[str]:
    for call in session.calls:
        if call.tool == "Read":
            try:
                arguments = json.loads(call.given)
            except ValueError:  # the record is truncated
                continue
            if found := _SKILL_FILE.search(str(arguments.get("file_path", ""))):
                yield found[1]
