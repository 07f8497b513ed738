"""Run a skill with three faults that a scripted judge fixes; a strategy can fix one of them."""

from schemas.options import Options
from tests.fakes import make_case
from tests.judges import ScriptedJudge, run_in_memory

BODY = "Watch the NOFIX. It is loud.\n\nNever feed the FIXABLE after dark.\n\nKeep the pond clean.\n"
FIRST_EDIT = ("SKILL.md", "Watch the NOFIX.", "Watch the calm nofix for 5 minutes.")


def run_judged(answers, body=BODY, apply="all", **files):
    judge = ScriptedJudge({**answers})
    state, case = run_in_memory(make_case(body, **files), judge, options=Options(apply=apply, judge="sdk"))
    return state, case, judge


def get_first_fix(state):
    (fix,) = [f for f in state.proposed_fixes if f.issue_ids == ("ISS-001",)]
    return fix
