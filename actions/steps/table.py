"""Which action runs when: the first row that fits."""

from collections.abc import Callable
from dataclasses import dataclass

from actions.steps import (
    analyze_requirements,
    apply_fix,
    deep_analysis,
    init,
    propose_fixes,
    select_fixes,
    trial,
    verify,
)
from actions.steps.diagnose import begin_round, diagnosing, missing
from actions.steps.finish import abort, complete
from actions.steps.outcome import Act
from actions.steps.rounds import another_round, fix_is_waiting, needs_measure, round_is_open, too_many_errors
from schemas.records import State
from schemas.vocabulary import FOCUS, Phase

When = Callable[[State], bool]


@dataclass(frozen=True)
class Row:
    """An action, the phase in which it runs (None: any live one), and when."""

    name: str
    phase: Phase | None
    when: When
    act: Act


def _owes(focus: str) -> When:
    return lambda state: focus in missing(state)


TABLE: tuple[Row, ...] = (
    Row("action-abort", None, too_many_errors, abort),
    Row("action-init", Phase.PENDING, lambda s: True, init.act),
    Row(
        "action-analyze-requirements", Phase.RUNNING, lambda s: s.requirement_analysis is None, analyze_requirements.act
    ),
    Row("action-clarify", Phase.RUNNING, lambda s: bool(analyze_requirements.unclear(s)), analyze_requirements.clarify),
    Row("action-begin-round", Phase.DIAGNOSIS, lambda s: not round_is_open(s), begin_round),
    *(Row(f"action-diagnose-{name}", Phase.DIAGNOSIS, _owes(name), diagnosing(name)) for name in FOCUS),
    Row("action-deep-analysis", Phase.DIAGNOSIS, deep_analysis.wanted, deep_analysis.act),
    Row("action-verify", Phase.VERIFY, needs_measure, verify.act),
    Row("action-propose-fixes", Phase.VERIFY, lambda s: not s.rounds[-1].proposed, propose_fixes.act),
    Row("action-select-fixes", Phase.VERIFY, lambda s: not s.rounds[-1].selected, select_fixes.act),
    Row("action-apply-fix", Phase.APPLY_FIX, fix_is_waiting, apply_fix.act),
    Row("action-trial", Phase.VERIFY, trial.wanted, trial.act),
    Row("action-complete", Phase.VERIFY, lambda s: not fix_is_waiting(s) and not another_round(s), complete),
)


def choose(state: State) -> Row | None:
    """Return the action that is due; None when the machine should move on."""
    live = state.phase not in (Phase.COMPLETED, Phase.FAILED)
    rows = (row for row in TABLE if live and row.phase in (None, state.phase))
    return next((row for row in rows if row.when(state)), None)
