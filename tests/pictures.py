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

from tests.browser import chromium
from tests.terminal import COMMAND, ROOT

OUT = ROOT / "examples" / "report"
SKILL = ROOT / "examples" / "month-end"


def main() -> None:
    """Run the command on the example and take the pictures."""
    place = Path(gettempdir()) / "tune-skill-example"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(SKILL, place / "month-end")
    main_file = place / "month-end" / "SKILL.md"
    main_file.write_text(main_file.read_text().replace("<!-- columns -->", "\n\n".join(columns())))
    sessions(place / "sessions")
    home = {"HOME": str(place / "home"), "XDG_STATE_HOME": str(place / "home" / "state"), "NO_COLOR": "1"}
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
    called(place, home, *run)
    OUT.mkdir(exist_ok=True)
    called(place, home, "report", "--format", "html", "-o", str(OUT / "report.html"))
    called(place, home, "report", "-o", str(OUT / "report.md"))
    shots()


def called(place: Path, home: dict[str, str], *arguments: str) -> None:
    done = subprocess.run([*COMMAND, *arguments], cwd=place, env={**os.environ, **home}, check=False)
    if done.returncode > 1:
        sys.exit(done.returncode)


def columns() -> Iterator[str]:
    """Yield descriptions of so many columns that SKILL.md exceeds what a compaction keeps."""
    for week in range(1, 53):
        for kind, what in (
            ("gross", "before tax"),
            ("net", "after tax"),
            ("open", "that no one has paid yet"),
            ("tax", "of tax"),
            ("paid", "that was paid"),
        ):
            yield f"The column `{kind}_{week:02}` holds the sum of week {week} {what}, in whole cents, as the ledger exports it."


def sessions(folder: Path) -> None:
    """Write three sessions: two lost a rule in a compaction, one was not compacted."""
    folder.mkdir()
    goal = "Close the books of March and list every difference between the ledger and the bank."
    for number, (records, cuts) in enumerate([(90, (30, 70)), (40, ()), (140, (100,))], 1):
        began = datetime(2026, 3, 3 + number, 9, 10 * number, tzinfo=UTC)
        lines = list(session(goal, records, cuts, began))
        (folder / f"{number}f2e3d4c-0000-4000-8000-00000000000{number}.jsonl").write_text(
            "\n".join(map(json.dumps, lines))
        )


def session(goal: str, records: int, cuts: tuple[int, ...], began: datetime) -> Iterator[dict[str, Any]]:
    """Return the records of a session that uses the skill from the third record on."""

    def at(record: int, **fields: Any) -> dict[str, Any]:
        return {
            **fields,
            "cwd": "/home/ann/books",
            "timestamp": (began + timedelta(seconds=40 * record)).isoformat()[:19] + ".000Z",
        }

    def said(role: str, content: Any, record: int) -> dict[str, Any]:
        return at(
            record,
            type=role,
            message={
                "role": role,
                "content": content,
                "id": f"m{record}",
                "usage": {"input_tokens": 900, "output_tokens": 300},
            },
        )

    yield said("user", goal, 0)
    yield said("assistant", [{"type": "tool_use", "id": "t1", "name": "Skill", "input": {"skill": "month-end"}}], 1)
    yield said("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "Launching skill: month-end"}], 2)
    items = [
        {"content": "Reconcile the petty cash of the branch offices", "status": "pending", "activeForm": "Reconciling"}
    ]
    yield said("assistant", [{"type": "tool_use", "id": "t2", "name": "TodoWrite", "input": {"todos": items}}], 3)
    yield said("user", [{"type": "tool_result", "tool_use_id": "t2", "content": "ok"}], 4)
    for record, phase in ((5, "01-compare"), (7, "02-post")):
        path = f"/home/ann/.claude/skills/month-end/phases/{phase}.md"
        yield said(
            "assistant",
            [{"type": "tool_use", "id": f"t{record}", "name": "Read", "input": {"file_path": path}}],
            record,
        )
        yield said("user", [{"type": "tool_result", "tool_use_id": f"t{record}", "content": "# Phase"}], record + 1)
    for record in range(9, records):
        if record in cuts:
            yield at(
                record,
                type="system",
                subtype="compact_boundary",
                compactMetadata={"trigger": "auto", "preTokens": 161_000 + record},
            )
        elif record - 1 in cuts:
            yield at(
                record,
                type="user",
                isCompactSummary=True,
                message={"role": "user", "content": f"The goal: {goal} Weeks 1 to {record} are compared."},
            )
        else:
            yield said("assistant", f"The ledger and the bank agree for week {record}.", record)


def shots() -> None:
    """Take the pictures that README and docs/ show."""
    page = OUT / "report.html"
    with chromium() as browser:
        browser.show(page, 1000, 760)
        (OUT / "summary.png").write_bytes(browser.picture())
        for name, dark in (("cut.png", False), ("cut-dark.png", True)):
            browser.show(page, 1000, 216, dark=dark)
            browser.ask("document.querySelector('.ruler').closest('figure').scrollIntoView({behavior: 'instant'})")
            (OUT / name).write_bytes(browser.picture())


if __name__ == "__main__":
    main()
