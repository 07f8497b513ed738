"""Measure the accuracy and the cost of power steering on labelled sessions.

Prints a confusion table for each checker with labels in FOLDER/labels.jsonl, all answers without a judge, the CPU time
relative to `json.loads` of every line, the memory for a transcript of 700 MB, and the times of the compaction
validator. FOLDER: ../shared/corpus/sessions by default; if it does not exist, only the validator is measured.

    python benchmarks/sessions.py [FOLDER] [--big | --only-big]
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from actions.patterns import get_session_patterns  # noqa: E402
from actions.patterns.session_pattern import check_consideration  # noqa: E402
from actions.session.answer import Verdict  # noqa: E402
from actions.session.example import agent, todos, user  # noqa: E402
from actions.session.session import Session  # noqa: E402
from actions.session.session_type import classify_session  # noqa: E402
from actions.session.transcript_parse import parse_transcript  # noqa: E402
from benchmarks.corpus import find_corpus  # noqa: E402
from orchestrator.guard.compaction.validator import CompactionValidator  # noqa: E402
from orchestrator.guard.steering.considerations import load_shipped_considerations  # noqa: E402
from orchestrator.guard.transcripts import read_lines, read_transcript  # noqa: E402
from schemas.considerations import Consideration  # noqa: E402
from tests.examples import make_transcript  # noqa: E402

TABLES = {
    "todos_complete": ("todos_complete", {True: "satisfied", "na": "satisfied", False: "violated"}),
    "local_testing": (
        "local_testing",
        {"passed": "satisfied", "na": "satisfied", "failed": "violated", "none": "violated"},
    ),
    "stubs_left": ("philosophy_compliance", {False: "satisfied", True: "violated"}),
    "workflow_complete": ("dev_workflow_complete", {True: "satisfied", False: "violated"}),
    "todos_lost_after_compaction": ("compaction_handling", {False: "satisfied", "na": "satisfied", True: "violated"}),
}
BIG_SIZE = 700_000_000


def print_confusion(folder: Path) -> None:
    """Print a confusion table for each label, with the sessions in which checker and label differ."""
    labels = folder / "labels.jsonl"
    rows = [json.loads(line) for line in labels.read_text().splitlines()] if labels.exists() else []
    for label, (checker, meaning) in TABLES.items() if rows else ():
        counts: Counter[tuple[str, str]] = Counter()
        wrong = []
        for row in rows:
            expected = meaning[row["labels"][label]]
            actual = get_session_patterns()[checker].check(Session(read_transcript(folder / row["file"]))).verdict
            counts[expected, str(actual)] += 1
            if actual not in (expected, Verdict.UNKNOWN):
                wrong.append(row["file"])
        right = sum(count for (expected, actual), count in counts.items() if expected == actual)
        unknown = len(rows) - right - len(wrong)
        print(f"{label:28} {len(rows)} sessions: {right} right, {unknown} unknown, {len(wrong)} wrong")
        for (expected, actual), count in sorted(counts.items()):
            print(f"    labelled {expected:8} answered {actual:8} {count}")
        if wrong:
            print(f"    wrong: {', '.join(wrong)}")


def print_answers(folder: Path) -> None:
    """Print the verdicts of each applicable consideration without a judge."""
    table: dict[str, Counter[Verdict]] = {}
    paths = list_sessions(folder)
    for session in (Session(read_transcript(path)) for path in paths):
        for consideration in load_shipped_considerations():
            if is_applicable(consideration, session):
                answer, _ = check_consideration(consideration.checker, session)
                table.setdefault(consideration.id, Counter())[answer.verdict] += 1
    for id, counts in table.items():
        print(f"    {id:28} {'  '.join(f'{counts[verdict]:4} {verdict}' for verdict in Verdict)}")
    all_counts = sum(table.values(), Counter[Verdict]())
    shares = ", ".join(f"{count} {verdict} ({count / all_counts.total():.1%})" for verdict, count in all_counts.items())
    print(f"{all_counts.total()} answers for {len(paths)} sessions: {shares}")


def is_applicable(consideration: Consideration, session: Session) -> bool:
    """Return whether a consideration applies to sessions of this type."""
    return not {"*", classify_session(session)}.isdisjoint(consideration.applicable_session_types)


def list_sessions(folder: Path) -> list[Path]:
    """Return the recorded sessions of a folder."""
    return [path for path in sorted(folder.glob("*.jsonl")) if path.name != "labels.jsonl"]


def measure_cpu(work: Callable[[], object], times: int = 7) -> float:
    """Return the minimum CPU time of several runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def print_speed(folder: Path) -> None:
    """Print the CPU time of parsing and all checkers, relative to json.loads of every line."""
    all_loads = all_parses = all_passes = 0.0
    for path in list_sessions(folder):
        lines = path.read_bytes().splitlines(keepends=True)
        loads = measure_cpu(lambda lines=lines: [json.loads(line) for line in lines])
        all_parses += measure_cpu(lambda lines=lines: parse_transcript(lines))
        whole = measure_cpu(lambda lines=lines: run_all_checkers(lines))
        all_loads, all_passes = all_loads + loads, all_passes + whole
        times = f"{loads * 1000:7.2f} ms json.loads {whole * 1000:7.2f} ms pass"
        print(f"    {path.name:16} {times}   ratio {whole / loads:.2f}")
    print(f"whole pass / json.loads: {all_passes / all_loads:.2f}, parsing alone: {all_parses / all_loads:.2f}")


def run_all_checkers(lines: list[bytes]) -> None:
    """Parse a session and run every checker."""
    session = Session(parse_transcript(lines))
    for checker in get_session_patterns().values():
        checker.check(session)


def print_big(folder: Path) -> None:
    """Print CPU ratio and memory for a transcript of 700 MB made of the recorded ones with new ids."""
    with tempfile.TemporaryDirectory() as temp:
        path = Path(temp) / "big.jsonl"
        write_big_transcript(path, folder)
        start = time.process_time()
        session = Session(read_transcript(path))
        for checker in get_session_patterns().values():
            checker.check(session)
        whole = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        start = time.process_time()
        for line in read_lines(path):
            json.loads(line)  # type: ignore[arg-type]
        loads = time.process_time() - start
    print(
        f"700 MB: {whole:.1f} s against {loads:.1f} s json.loads, ratio {whole / loads:.2f}, peak memory {peak:.0f} MB"
    )
    print(f"    kept {len(session.transcript.calls)} calls, dropped {session.transcript.skipped.dropped} old records")


def write_big_transcript(path: Path, folder: Path) -> None:
    """Write the recorded sessions repeatedly, with new ids, up to 700 MB."""
    parts = [part.read_bytes().rstrip() + b"\n" for part in list_sessions(folder)]
    with path.open("wb") as file:
        turn = 0
        while file.tell() < BIG_SIZE:
            turn += 1
            for part in parts:
                file.write(part.replace(b'"toolu_', b'"toolu_%d_' % turn).replace(b'"msg_', b'"msg_%d_' % turn))


def print_validator() -> None:
    """Print the CPU time of the compaction validator."""
    with tempfile.TemporaryDirectory() as folder:
        validator = CompactionValidator(Path(folder))
        validator.runtime_dir.mkdir(parents=True)
        turns = [
            {"role": "user", "content": f"Turn {n} on the harbour: " + "boats and tides " * 20} for n in range(1500)
        ]
        event = {"timestamp": "2026-01-01T00:00:00Z", "turn_number": 400, "messages_removed": 300, "session_id": "s",
                 "pre_compaction_transcript_path": "before.jsonl"}  # fmt: skip
        (validator.runtime_dir / "compaction_events.json").write_text(json.dumps([event] * 500))
        (Path(folder) / "before.jsonl").write_text("\n".join(map(json.dumps, turns)))
        load = measure_cpu(lambda: validator.load_compaction_context("s"))
        some = measure_cpu(lambda: validator.validate(turns[:500], "s"))
        many = measure_cpu(lambda: validator.validate(turns, "s"))
    times = f"validate 500 turns {some * 1000:.1f} ms, 1,500 {many * 1000:.1f} ms"
    print(f"load_compaction_context {load * 1000:.1f} ms, {times}")


def print_lost_todos(folder: Path) -> None:
    """Print the verdicts with and without the open items in each summary: only a removed item is a loss."""
    check = get_session_patterns()["compaction_handling"].check
    whole = "The goal is a tide table for the harbour.\nDone: the parser.\nOpen: print the winter table."
    parts = (
        user("Make a tide table for the harbour."),
        todos(Parse_tides="completed", Print_the_winter_table="pending"),
    )
    boundary = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {}}
    for name, text in (("whole", whole), ("item removed", whole.rpartition("\n")[0])):
        summary = {"isCompactSummary": True, "message": {"role": "user", "content": text}}
        session = Session(make_transcript(*parts, boundary, summary, agent("On.")))
        print(f"    own summary, {name}: {check(session).verdict}")
    for path in list_sessions(folder):
        session = read_transcript(path)
        for compaction in session.compactions:
            for todo in (todo for todo in compaction.todos if todo.open):
                words = {word for word in todo.subject.lower().replace(",", " ").split() if len(word) > 2}
                cut = path.read_text().splitlines()
                cut[compaction.record + 1] = remove_lines(cut[compaction.record + 1], words)
                before, after = check(Session(session)), check(Session(parse_transcript(cut[: compaction.record + 3])))
                print(f"    {path.name}, {todo.subject!r}: unchanged {before.verdict}, removed {after.verdict}")


def remove_lines(line: str, words: set[str]) -> str:
    """Return a summary record without the lines that contain at least two of the words."""
    record = json.loads(line)
    text = record["message"]["content"]
    kept = [row for row in text.split("\n") if len({w.strip(".,:`()").lower() for w in row.split()} & words) < 2]
    record["message"]["content"] = "\n".join(kept)
    return json.dumps(record)


def main() -> None:
    """Print the tables that the options select."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=find_corpus("sessions"))
    parser.add_argument("--big", action="store_true", help="also make and read a transcript of 700 MB")
    parser.add_argument("--only-big", action="store_true", help="only make and read a transcript of 700 MB")
    options = parser.parse_args()
    if options.folder:
        for part in () if options.only_big else (print_confusion, print_answers, print_lost_todos, print_speed):
            part(options.folder)
        if options.big or options.only_big:
            print_big(options.folder)
    if not options.only_big:
        print_validator()


if __name__ == "__main__":
    main()
