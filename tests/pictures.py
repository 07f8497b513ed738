"""Make examples/report: the report on an invented skill, as a page and as pictures (`./dev pictures`)."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from tests.browser import open_chromium
from tests.terminal import COMMAND, ROOT

OUT = ROOT / "examples" / "report"
SKILL = ROOT / "examples" / "month-end"


def main() -> None:
    """Run the command on the example and take the pictures."""
    folder = Path(gettempdir()) / "tune-skill-example"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SKILL, folder / "month-end")
    main_file = folder / "month-end" / "SKILL.md"
    main_file.write_text(main_file.read_text().replace("<!-- columns -->", "\n\n".join(describe_columns())))
    write_sessions(folder / "sessions")
    home = {"HOME": str(folder / "home"), "XDG_STATE_HOME": str(folder / "home" / "state"), "NO_COLOR": "1"}
    run = (
        "run",
        "month-end",
        "--apply",
        "all",
        "--judge",
        "none",
        "--sessions",
        "sessions",
        "--issue",
        "it forgets the rules",
    )
    run_command(folder, home, *run)
    OUT.mkdir(exist_ok=True)
    run_command(folder, home, "report", "--format", "html", "-o", str(OUT / "report.html"))
    run_command(folder, home, "report", "-o", str(OUT / "report.md"))
    take_pictures()


def run_command(folder: Path, home: dict[str, str], *arguments: str) -> None:
    process = subprocess.run([*COMMAND, *arguments], cwd=folder, env={**os.environ, **home}, check=False)
    if process.returncode > 1:
        sys.exit(process.returncode)


def describe_columns() -> Iterator[str]:
    """Yield descriptions of so many columns that SKILL.md exceeds what a compaction keeps."""
    for week in range(1, 53):
        for kind, meaning in (
            ("gross", "before tax"),
            ("net", "after tax"),
            ("open", "that no one has paid yet"),
            ("tax", "of tax"),
            ("paid", "that was paid"),
        ):
            yield f"The column `{kind}_{week:02}` holds the sum of week {week} {meaning}, in whole cents, as the ledger exports it."


def write_sessions(folder: Path) -> None:
    """Write three sessions: two lost a rule in a compaction, one was not compacted."""
    folder.mkdir()
    goal = "Close the books of March and list every difference between the ledger and the bank."
    for number, (records, cuts) in enumerate([(90, (30, 70)), (40, ()), (140, (100,))], 1):
        start = datetime(2026, 3, 3 + number, 9, 10 * number, tzinfo=UTC)
        lines = list(make_session(goal, records, cuts, start))
        (folder / f"{number}f2e3d4c-0000-4000-8000-00000000000{number}.jsonl").write_text(
            "\n".join(map(json.dumps, lines))
        )


def make_session(goal: str, records: int, cuts: tuple[int, ...], start: datetime) -> Iterator[dict[str, Any]]:
    """Return the records of a session that uses the skill from the third record on."""

    def make_record(record: int, **fields: Any) -> dict[str, Any]:
        return {
            **fields,
            "cwd": "/home/ann/books",
            "timestamp": (start + timedelta(seconds=40 * record)).isoformat()[:19] + ".000Z",
        }

    def make_message(role: str, content: Any, record: int) -> dict[str, Any]:
        return make_record(
            record,
            type=role,
            message={
                "role": role,
                "content": content,
                "id": f"m{record}",
                "usage": {"input_tokens": 900, "output_tokens": 300},
            },
        )

    yield make_message("user", goal, 0)
    yield make_message(
        "assistant", [{"type": "tool_use", "id": "t1", "name": "Skill", "input": {"skill": "month-end"}}], 1
    )
    yield make_message(
        "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "Launching skill: month-end"}], 2
    )
    todos = [
        {"content": "Reconcile the petty cash of the branch offices", "status": "pending", "activeForm": "Reconciling"}
    ]
    yield make_message(
        "assistant", [{"type": "tool_use", "id": "t2", "name": "TodoWrite", "input": {"todos": todos}}], 3
    )
    yield make_message("user", [{"type": "tool_result", "tool_use_id": "t2", "content": "ok"}], 4)
    for record, phase in ((5, "01-compare"), (7, "02-post")):
        path = f"/home/ann/.claude/skills/month-end/phases/{phase}.md"
        yield make_message(
            "assistant",
            [{"type": "tool_use", "id": f"t{record}", "name": "Read", "input": {"file_path": path}}],
            record,
        )
        yield make_message(
            "user", [{"type": "tool_result", "tool_use_id": f"t{record}", "content": "# Phase"}], record + 1
        )
    for record in range(9, records):
        if record in cuts:
            yield make_record(
                record,
                type="system",
                subtype="compact_boundary",
                compactMetadata={"trigger": "auto", "preTokens": 161_000 + record},
            )
        elif record - 1 in cuts:
            yield make_record(
                record,
                type="user",
                isCompactSummary=True,
                message={"role": "user", "content": f"The goal: {goal} Weeks 1 to {record} are compared."},
            )
        else:
            yield make_message("assistant", f"The ledger and the bank agree for week {record}.", record)


def take_pictures() -> None:
    """Take the pictures that README and docs/ show."""
    page = OUT / "report.html"
    with open_chromium() as browser:
        browser.show(page, 1000, 760)
        (OUT / "summary.png").write_bytes(browser.take_picture())
        for name, dark in (("cut.png", False), ("cut-dark.png", True)):
            browser.show(page, 1000, 216, dark=dark)
            browser.run_script(
                "document.querySelector('.ruler').closest('figure').scrollIntoView({behavior: 'instant'})"
            )
            (OUT / name).write_bytes(browser.take_picture())


if __name__ == "__main__":
    main()
