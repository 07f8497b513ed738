"""A mechanical fix that is chosen in the editor: a run of its own, proven, in the journal, taken back as any other."""

from collections.abc import Callable, Mapping
from contextlib import chdir
from dataclasses import dataclass

from actions.steps.outcome import AskClarification, AskSelection
from orchestrator.run.create import begin
from orchestrator.servers.lsp.look import Subject
from schemas.options import Options
from schemas.records import Fix, State
from schemas.vocabulary import FixStatus


@dataclass(frozen=True)
class Mended:
    """What came of a fix: whether it stands, in a sentence, and the run that tells more."""

    applied: bool
    sentence: str
    run: str


class _Choosing:
    """The listener of the run: it chooses the fix of one finding."""

    someone_there = True

    def __init__(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint
        self.said: list[str] = []

    def begin(self, state: State, action: str) -> None:
        """Nobody watches the steps."""

    def step(self, state: State, action: str, note: str) -> None:
        """Nobody watches the steps."""

    def say(self, sentence: str) -> None:
        """Keep what the user should know."""
        self.said.append(sentence)

    def clarify(self, question: AskClarification) -> Mapping[str, str] | None:
        """Nothing was said that could be unclear."""
        return None

    def select(self, question: AskSelection, keep: Callable[[str, bool], None]) -> tuple[str, ...]:
        """Choose what mends the finding."""
        return tuple(fix.id for fix in question.fixes if self._fingerprint in fix.claims)


def mend(subject: Subject, fingerprint: str) -> Mended:
    """Mend a finding of a skill as `run` and `apply` do, in one round. Raises TuneSkillError."""
    listener = _Choosing(fingerprint)
    options = Options(sessions="none", judge="none", apply="ask")
    with chdir(subject.project):
        state = begin(str(subject.root), options, listener, rounds=1).store.state
    tried = [fix for fix in state.proposed_fixes if fix.status is not FixStatus.PROPOSED]
    told = [_sentence(state.run_id, fix) for fix in tried] or [f"nothing is left to fix here; see run {state.run_id}"]
    return Mended(any(f.status is FixStatus.APPLIED for f in tried), "; ".join([*told, *listener.said]), state.run_id)


def _sentence(run: str, fix: Fix) -> str:
    if fix.status is FixStatus.APPLIED:
        return f"fixed; to undo it: tune-skill rollback {run} {fix.id} (proven: {fix.description})"
    return f"{fix.id} was rolled back, and nothing is changed: {fix.reason}"
