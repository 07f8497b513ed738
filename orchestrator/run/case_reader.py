"""Read the case of a run from disk: skill, settings, sessions, and the contents of the selected fixes."""

import os
from pathlib import Path

from msgspec.structs import replace

from actions.case import Case
from actions.steps.guards import has_too_many_errors
from orchestrator.engine.units import ScanOptions, read_unit, read_unit_in_project
from orchestrator.errors import BadInput, reason
from orchestrator.model.environment import Say
from orchestrator.project.unit_finder import LocatedUnit
from orchestrator.run.run_judge import RunJudge
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import State, TargetSkill
from schemas.vocabulary import FixStatus, Phase


def read_case(root: Path, file: str) -> Case:
    """Read the skill in the folder `root`.

    If `file` is given, read the unit in this file of the project at `root` instead. Raises BadInput if the unit cannot
    be read.
    """
    options = ScanOptions()
    return (read_unit_in_project(root, file, options) if file else read_unit(root, options)).case


def read_target(target: Path | LocatedUnit) -> Case:
    """Read the skill in a folder, or another unit. Raises BadInput."""
    if isinstance(target, LocatedUnit):
        return read_case(target.root, target.unit.path)
    return read_case(target, "")


def read_target_case(target: TargetSkill) -> Case:
    """Read the unit that a run tunes, with its project. Raises BadInput."""
    path, project = target.path or "", target.project
    return read_case(Path(project), os.path.relpath(path, project)) if project else read_case(Path(path), "")


class CaseReader:
    """Reads the case before each step. The sessions are read once, at the first diagnosis.

    first: the case for the first step, if it was read before.
    """

    def __init__(self, workspace: Workspace, judge: RunJudge, say: Say, first: Case | None = None) -> None:
        self._workspace, self._judge, self._say, self._first = workspace, judge, say, first
        self._with_sessions: Case | None = None

    def read(self, state: State) -> Case:
        """Read the current case. Raises BadInput if the skill cannot be read."""
        case = self.read_unit()
        selected = [fix for fix in state.proposed_fixes if fix.status is FixStatus.SELECTED]
        hashes = {change.sha256_after for fix in selected for change in fix.changes if change.sha256_after}
        case = replace(case, contents={sha256: self._workspace.get(sha256) for sha256 in hashes})
        needs_sessions = state.phase is Phase.DIAGNOSIS and not has_too_many_errors(state)
        return self._add_sessions(case, state) if needs_sessions else case

    def read_unit(self) -> Case:
        """Read the current unit with its settings. Raises BadInput if it cannot be read."""
        case, self._first = self._first, None
        return case or read_case(self._workspace.root, self._workspace.file)

    def try_read(self, state: State) -> Case | str:
        """Read the current case. If the skill cannot be read, tell the user and return the reason."""
        try:
            return self.read(state)
        except BadInput as error:
            self._say(f"the skill could not be measured again: {reason(error)}")
            return str(error)

    def _add_sessions(self, case: Case, state: State) -> Case:
        """Return the case with the recorded sessions and the model's answers about them. The sessions are read once."""
        if self._with_sessions is None:
            from orchestrator.engine.recorded_sessions import read_sessions
            from orchestrator.engine.session_evidence import add_recorded_sessions
            from orchestrator.tuning.trial.folders import find_recorded_sessions

            root, access = self._workspace.root, self._judge.get_access(state)
            trials = find_recorded_sessions(root) if state.options.sessions == "discover" else ()
            recorded = read_sessions(state.options, case, root, access, trials)
            self._with_sessions, recorded = add_recorded_sessions(case, recorded, access)
            self._judge.add_cost(recorded.cost)
        source = self._with_sessions
        return replace(
            case,
            sessions=source.sessions,
            considerations=source.considerations,
            session_notes=source.session_notes,
            judged=source.judged,
            observations=source.observations,
        )
