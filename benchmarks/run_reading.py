"""Export the questions about recorded runs as files that any model or person can answer, and print what comes of it.

    python benchmarks/run_reading.py PROJECT --sessions PATH -o DIR

writes for each open question NAME.md, NAME.schema.json and `system.md`; the answer goes into NAME.answer.json. The
questions of the second reader of a run are written when its first ones are answered, those of the last readers when
that one is: run the command again.
`tables.json` has what `tune-skill sessions PROJECT --judge auto --format json` would print with these answers.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import schemas
from actions.project.lookup import Library
from actions.review.judge import Question, Reply
from orchestrator.engine.session_tables import build_tables
from orchestrator.fs import durable
from orchestrator.model import JudgeAccess
from orchestrator.project.targets import find_targets
from schemas.codec import to_json
from templates import render


@dataclass
class Folder:
    """A judge whose answers are files in a folder, to which it writes the questions."""

    path: Path
    name: str = "the reader"
    waiting: list[str] = field(default_factory=list)

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return the answers in the files; write the questions without one."""
        return [self._reply_to(question) for question in questions]

    def _reply_to(self, question: Question) -> Reply:
        base = self.path / question.name.replace(" ", "-").replace(",", "")
        words, answer = base.with_suffix(".md"), base.with_suffix(".answer.json")
        if not answer.exists():
            durable.write_bytes(words, question.prompt.encode())
            durable.write_json(base.with_suffix(".schema.json"), dict(question.schema))
            self.waiting.append(words.name)
            return Reply(None, "no answer yet")
        if words.read_text("utf-8") != question.prompt:
            return Reply(None, "the text, the session or the question has changed since the export")
        value: Any = json.loads(answer.read_bytes())
        if why := schemas.find_violation(question.schema, value):
            return Reply(None, why)
        return Reply(value)


def main() -> None:
    """Ask about the runs of a project's units, with the answers that are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", help="a skill or a project, as for `tune-skill sessions`")
    parser.add_argument("--sessions", action="append", default=[])
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    durable.write_bytes(options.output / "system.md", render("questions/system", may_look=False).encode())
    judge, found = Folder(options.output), find_targets((options.target,))
    result = build_tables(found.skills, found.units, options.sessions, access=JudgeAccess(judge))
    durable.write_json(options.output / "tables.json", to_json(list(result.tables)))
    print(*result.notes, f"open: {', '.join(judge.waiting) or 'nothing'}", sep="\n")


if __name__ == "__main__":
    main()
