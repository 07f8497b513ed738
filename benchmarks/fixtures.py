"""Turn a finding into a test, with a person in place of the model, and run its fixtures with a skill.

    ./dev bench fixtures question SKILL FINDING.json        print the question for the reader, and its schema
    ./dev bench fixtures convert FINDING.json ANSWER.json   print the tasks, or why it was refused
    ./dev bench fixtures play SKILL TASKS.yaml FOLDER [NAME …] [--number 0]
                                                            run each task once, and print the results

FINDING.json has `file`, `name`, `text` and `harm`. `play` calls Claude Code with ANTHROPIC_BASE_URL and
ANTHROPIC_API_KEY of the environment, so a person can answer, too. It runs the commands of the tasks. Run 0 is the
proof: in it, the checks that show the fault must fail with the original skill.
"""

import argparse
import json
import sys
from pathlib import Path

from msgspec.structs import replace

from orchestrator.tuning.trial.change_guard import ChangeGuard
from orchestrator.tuning.trial.conduct import find_trial_name
from orchestrator.tuning.trial.consent import build_request
from orchestrator.tuning.trial.drafting import DraftedTasks
from orchestrator.tuning.trial.fixture_drafting import (
    TestedFinding,
    build_query,
    find_obstacle,
    name_tasks,
    read_answer,
)
from orchestrator.tuning.trial.ledger import Key, Ledger
from orchestrator.tuning.trial.subject import Subject
from orchestrator.tuning.trial.task_runs import TaskRuns
from orchestrator.tuning.trial.tasks import read_tasks
from orchestrator.tuning.trial.versions import read_version

SECONDS, USD, VERSION = 3_600, 1_000.0, "original"


def print_question(skill: Path, finding: TestedFinding) -> int:
    """Print the question for the model, and the schema of its answer."""
    version = read_version(skill, VERSION)
    if obstacle := find_obstacle(version):
        print(f"refused: {obstacle}")
        return 1
    query = build_query(skill.name, version, finding, "")
    print(query.prompt)
    print("\n# The answer is one JSON object of this schema\n")
    print(json.dumps(query.schema, indent=1))
    return 0


def print_tasks(finding: TestedFinding, answer: Path) -> int:
    """Print the tasks of an answer as YAML."""
    draft = read_answer(finding, json.loads(answer.read_text()))
    print(draft.refused or DraftedTasks(tuple(name_tasks([draft]))).format())
    return int(bool(draft.refused))


def play(skill: Path, tasks: Path, folder: Path, names: list[str], number: int) -> int:
    """Run each task once with a skill, and print its checks, outcomes and calls of stubs."""
    chosen = [
        replace(task, seconds=SECONDS) for task in read_tasks(skill, str(tasks)) if not names or task.name in names
    ]
    version = read_version(skill, VERSION)
    subject = Subject(find_trial_name(skill), skill, {VERSION: version}, VERSION, tuple(chosen))
    guard = ChangeGuard(subject, build_request(chosen, (version,)), "start again")
    with Ledger.open(folder) as ledger:
        runs = TaskRuns("play", subject, folder, ledger, print, guard, reserve=10.0, max_cost_usd=USD, jobs=1,
                        original=VERSION)  # fmt: skip
        runs.prepare()
        keys = [Key(task.name, number, VERSION) for task in chosen]
        runs.run_all(lambda: runs.complete(keys))
        for key in keys:
            grade = ledger.graded.get(key)
            if grade is None:
                print(f"{key}: not run")
                continue
            session = ledger.finished[key]["session"]
            ended, used = ", ".join(grade["outcomes"]) or "not known", "used" if grade["used"] else "not used"
            usage = f"{session['turns']} turns, {session['usage']['total']:,} tokens"
            print(f"{key}: {ended}; skill {used}; {usage}")
            for check in grade["checks"]:
                print(f"  {'passed' if check['passed'] else 'FAILED'}  {check['label']}  {check['why']}")
            for command in grade["commands"]:
                print(f"  called  {command}")
    return 0


def main() -> int:
    """Run one of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=("question", "convert", "play"))
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--number", type=int, default=1)
    options = parser.parse_args()
    paths = list(map(Path, options.paths[:3]))
    if options.what == "play":
        return play(*paths, options.paths[3:], options.number)
    if options.what == "question":
        return print_question(paths[0], TestedFinding(**json.loads(paths[1].read_text())))
    return print_tasks(TestedFinding(**json.loads(paths[0].read_text())), paths[1])


if __name__ == "__main__":
    sys.exit(main())
