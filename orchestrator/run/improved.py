"""Apply the steps of an improvement in an ordinary run, with its journal, verification, report and rollback."""

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from actions.case import Case
from actions.reporting.layout import measure_layout
from actions.scoring.issues import hash_files, make_issues, rank_issues
from actions.scoring.quality import count_tokens, measure
from actions.scoring.scan import scan
from orchestrator.errors import Refused
from orchestrator.fs.own_folders import is_trusted, read_trusted_skill
from orchestrator.fs.paths import resolve_links
from orchestrator.run.case_reader import read_case
from orchestrator.run.listener import Listener
from orchestrator.run.run import Run
from orchestrator.run.store import STATE_FILE, StateStore, system_clock
from orchestrator.run.work_dirs import choose_work_dir
from orchestrator.run.workspace.workspace import Workspace
from orchestrator.tuning.improve.unfinished import quote_improvement, read_edited_files
from orchestrator.tuning.trial.versions import read_version
from schemas.improvement import Improvement
from schemas.options import Options
from schemas.records import ExamRecord, Round, State, TargetSkill
from schemas.vocabulary import FixStatus, Phase


def apply_improvement(state: Improvement, save_work_dir: Callable[[str], None], listener: Listener) -> str:
    """Apply the kept steps, each as one fix. Returns why they could not be applied, or "". No user or model is asked.

    If the skill was changed meanwhile, nothing is applied and Refused is raised, so that the steps, which were paid
    for, can be applied after that change is undone. Raises BadInput if the skill or the work dir cannot be used.
    save_work_dir: called with a new work dir before the run begins, so that a killed command can continue that run.
    """
    root = Path(state.path)
    work_dir = _choose_work_dir(state, root)
    has_begun = (work_dir / STATE_FILE).exists()
    if not has_begun:
        _ensure_unedited(state, root)
    if str(work_dir) != state.run:
        save_work_dir(str(work_dir))
    final = _resume_run(Run.open(work_dir, listener)) if has_begun else _start_run(state, root, work_dir, listener)
    refused = [f"{fix.id}: {fix.reason}" for fix in final.proposed_fixes if fix.status is not FixStatus.APPLIED]
    if refused:
        _roll_back(work_dir, listener)
        _ensure_unedited(state, root)
        if has_begun:  # the change that made this run refuse its fixes has been undone since
            return apply_improvement(replace(state, run=""), save_work_dir, listener)
    return "; ".join(refused)


def undo_improvement(state: Improvement, listener: Listener) -> None:
    """Roll back the fixes that the run of an improvement has applied, if it has begun."""
    work_dir = Path(state.run)
    if state.run and (work_dir / STATE_FILE).exists() and is_trusted(work_dir):
        _roll_back(work_dir, listener)


def _roll_back(work_dir: Path, listener: Listener) -> None:
    run = Run.open(work_dir, listener)
    with run.hold():
        run.roll_back(None)


def _choose_work_dir(state: Improvement, root: Path) -> Path:
    """Return the saved work dir if its run was created for the skill, else a new one."""
    saved = Path(state.run)
    is_own = bool(state.run) and read_trusted_skill(saved) == str(resolve_links(root))
    return saved if is_own else choose_work_dir(root, None, system_clock())


def _ensure_unedited(state: Improvement, root: Path) -> None:
    """Raise Refused if the skill has changed since the improvement began. The message says what to do.

    Raises BadInput if the skill cannot be read.
    """
    version = read_version(root, "today")
    if version.digest == state.version:
        return
    folder = Path(state.folder)
    command = f"`tune-skill resume {quote_improvement(folder)}`"
    edited = read_edited_files(folder, version)
    raise Refused(
        f"improvement {state.id} passed its exam, but {edited} changed since it began, so nothing is proven about the "
        f"current text; undo this change, then {command} applies the edits; {command[:-1]} --give-up` ends it without "
        "them"
    )


def _resume_run(run: Run) -> State:
    with run.hold():
        return run.drive()


def _start_run(state: Improvement, root: Path, work_dir: Path, listener: Listener) -> State:
    case = read_case(root, "")
    workspace, store = Workspace(root, work_dir), StateStore(work_dir)
    with workspace.hold(work_dir.name):
        for text in (text for step in state.kept for text in step.texts.values()):
            workspace.store(text.encode())
        store.create(replace(_build_state(state, case, work_dir), backup_dir=str(workspace.backup())))
        return Run(store, workspace, listener).drive()


def _build_state(state: Improvement, case: Case, work_dir: Path) -> State:
    """Build the state of a run in which the fixes of all kept steps are selected."""
    scan_result, layout = scan(case), measure_layout(case.skill)
    issues = rank_issues((*state.issues, *make_issues(scan_result, state.issues)))
    fixes = tuple(replace(step.fix, status=FixStatus.SELECTED, iteration=1) for step in state.kept if step.fix)
    counts, score, gate = measure(issues)
    chosen = tuple(issue.id for issue in state.issues)
    current = Round(
        1, score, gate, counts, count_tokens(case.skill), measured=True, proposed=True, selected=True, chosen=chosen
    )
    return State(
        run_id=work_dir.resolve().name,
        phase=Phase.VERIFY,
        status=Phase.VERIFY.status,
        target_skill=TargetSkill(
            name=case.skill.name, path=str(Path(state.path).resolve()), execution_mode=case.skill.execution_mode,
            files=hash_files(case.skill),
        ),
        options=Options(sessions="none", judge="none", apply="all", yes=True),
        issues=issues,
        issues_by_severity=counts,
        proposed_fixes=fixes,
        pending_fixes=tuple(fix.id for fix in fixes),
        iteration_count=1,
        max_iterations=1,
        rounds=(current,),
        quality_score=score,
        quality_gate=gate,
        tokens=count_tokens(case.skill),
        layout_before=layout,
        layout=layout,
        unasked=len(scan_result.model_only),
        work_dir=str(work_dir),
        exam=_describe_exam(state),
    )  # fmt: skip


def _describe_exam(state: Improvement) -> ExamRecord | None:
    exam = state.exam
    return ExamRecord(state.id, *exam.count("before"), *exam.count("after"), state.folder) if exam else None
