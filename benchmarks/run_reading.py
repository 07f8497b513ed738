"""Export the questions about recorded runs as files that any model or person can answer, and write the results.

    python benchmarks/run_reading.py PROJECT --sessions PATH -o DIR

writes `system.md`, and NAME.md and NAME.schema.json for each open question; the answer goes into NAME.answer.json. Run
the command again to write the questions of the second reader, after the first ones are answered, and then those of the
last readers.
`tables.json` has the output of `tune-skill sessions PROJECT --judge auto --format json` with these answers.
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
class FileJudge:
    """A judge that writes its questions to a folder and reads the answers from it."""

    path: Path
    name: str = "the reader"
    open_files: list[str] = field(default_factory=list)

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return the answers in the files; write the questions that have no answer."""
        return [self._reply_to(question) for question in questions]

    def _reply_to(self, question: Question) -> Reply:
        base = self.path / question.name.replace(" ", "-").replace(",", "")
        prompt, answer = base.with_suffix(".md"), base.with_suffix(".answer.json")
        if not answer.exists():
            durable.write_bytes(prompt, question.prompt.encode())
            durable.write_json(base.with_suffix(".schema.json"), dict(question.schema))
            self.open_files.append(prompt.name)
            return Reply(None, "no answer yet")
        if prompt.read_text("utf-8") != question.prompt:
            return Reply(None, "the text, the session or the question has changed since the export")
        value: Any = json.loads(answer.read_bytes())
        if violation := schemas.find_violation(question.schema, value):
            return Reply(None, violation)
        return Reply(value)


def main() -> None:
    """Write the open questions about the runs of a project's units, and the tables with the current answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", help="a skill or a project, as for `tune-skill sessions`")
    parser.add_argument("--sessions", action="append", default=[])
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    durable.write_bytes(options.output / "system.md", render("questions/system", may_look=False).encode())
    judge, targets = FileJudge(options.output), find_targets((options.target,))
    result = build_tables(targets.skills, targets.units, options.sessions, access=JudgeAccess(judge))
    durable.write_json(options.output / "tables.json", to_json(list(result.tables)))
    print(*result.notes, f"open: {', '.join(judge.open_files) or 'nothing'}", sep="\n")


if __name__ == "__main__":
    main()
