"""Decide which findings have a valid test.

A test of a finding needs a biting fixture: a task in which the fault causes harm, so that the original skill fails. The
task is run once with the original skill. This run is not compared with others, so the choice of tasks favours no
version. If the run passes, all fixtures of the finding are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from orchestrator.tuning.trial.fixtures import FixtureKind
from orchestrator.tuning.trial.ledger import Key
from orchestrator.tuning.trial.outcomes import LOST
from orchestrator.tuning.trial.tasks import Task

PROOF_NUMBER = 0
"""The number of the run that shows that the original skill fails a task; compared runs are numbered from 1."""


class Proof(msgspec.Struct, frozen=True):
    """The results of the tasks in which a finding should cause harm, run with the original skill.

    failed: the labels of the checks that failed. vacuous: the labels of checks that do not count, because they
    should show a loss but did not fail with the original skill. outcomes: how the runs ended. why: why the finding has
    no valid test, or "" if it has one.
    """

    finding: str
    failed: tuple[str, ...]
    vacuous: tuple[str, ...]
    outcomes: tuple[str, ...]
    why: str = ""


def list_proof_keys(tasks: Sequence[Task], original: str = "before") -> list[Key]:
    """Return the keys of the runs that show whether the original skill fails the tasks in which a fault causes harm.

    original: the name of the original version.
    """
    return [Key(task.name, PROOF_NUMBER, original) for task in tasks if _is_biting(task)]


def judge_proofs(tasks: Sequence[Task], graded: Mapping[Key, Mapping[str, Any]], original: str) -> list[Proof]:
    """Return the proof for each finding that the tasks test. graded: the records of the graded runs."""
    findings = dict.fromkeys(task.fixture.finding for task in tasks if task.fixture)
    return [_build_proof(finding, tasks, graded, original) for finding in findings]


def select_tasks(tasks: Sequence[Task], proofs: Sequence[Proof]) -> list[Task]:
    """Return the tasks that count. A task that tests a finding counts only if the finding has a valid test."""
    left_out = {proof.finding for proof in proofs if proof.why}
    return [task for task in tasks if not task.fixture or task.fixture.finding not in left_out]


def list_vacuous(task: Task, proofs: Sequence[Proof]) -> frozenset[str]:
    """Return the labels of the checks of a task that do not count (see `Proof.vacuous`)."""
    if not _is_biting(task):
        return frozenset()
    return frozenset(label for proof in proofs if _is_test_of(task, proof.finding) for label in proof.vacuous)


def _build_proof(finding: str, tasks: Sequence[Task], graded: Mapping[Key, Mapping[str, Any]], original: str) -> Proof:
    biting = [task for task in tasks if _is_biting(task) and _is_test_of(task, finding)]
    records = [(task, graded[key]) for task in biting if (key := Key(task.name, PROOF_NUMBER, original)) in graded]
    failed = tuple(dict.fromkeys(label for _, record in records for label in _list_failed(record)))
    loss_labels = (check.label for task, _ in records for check in task.checks if check.options.get("shows") == LOST)
    vacuous = tuple(dict.fromkeys(label for label in loss_labels if label not in failed))
    outcomes = tuple(dict.fromkeys(word for _, record in records for word in record.get("outcomes", ())))
    why = ""
    if not biting:
        why = "no fixture of the kind `biting`, in which the fault causes harm"
    elif not records:
        why = "the fixture in which the fault causes harm was not run"
    elif not failed and any(record["passed"] is None for _, record in records):
        why = "it is unknown whether the original skill fails the fixture in which the fault causes harm"
    elif not failed:
        why = "the original skill passes the fixture in which the fault should cause harm"
    return Proof(finding, failed, vacuous, outcomes, why)


def _list_failed(record: Mapping[str, Any]) -> Iterator[str]:
    yield from (str(check["label"]) for check in record["checks"] if check["passed"] is False)


def _is_biting(task: Task) -> bool:
    return task.fixture is not None and task.fixture.kind is FixtureKind.BITING


def _is_test_of(task: Task, finding: str) -> bool:
    return task.fixture is not None and task.fixture.finding == finding
