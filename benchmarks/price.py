"""Compute the cost of reading a skill at list prices, with and without the provider's cache, before look-ups.

    python benchmarks/price.py [SKILL…]      default: a generated skill of 300,000 characters

Nothing is sent. Tokens and prices are estimated as for the cost limit of a run.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.case import Case
from actions.project.lookup import Library
from actions.review.asking import JudgeClient
from actions.review.consult import consult_judge
from actions.review.judge import Question, Reply
from actions.skill.text import estimate_tokens
from orchestrator.model.budget import estimate_cost
from orchestrator.project.projects import Projects
from orchestrator.project.skill_reader import read_skill

CHARACTERS = 300_000


@dataclass
class Recorder:
    """A judge that records the questions and answers none."""

    name: str = "none"
    questions: list[Question] = field(default_factory=list)

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Record the questions."""
        self.questions += questions
        return [Reply(None) for _ in questions]


def collect_questions(skill: Path) -> list[Question]:
    """Return the questions of the first diagnosis of a skill."""
    recorder = Recorder()
    parsed = read_skill(skill)
    case = Case(parsed, locate=Projects().locate(parsed, skill))
    consult_judge((), case, JudgeClient(recorder, case))
    return recorder.questions


def format_price(skill: Path) -> str:
    """Return the line with the cost of a skill."""
    questions = collect_questions(skill)
    tokens = [estimate_tokens(len(question.prompt)) for question in questions]
    cached_tokens = [estimate_tokens(_count_cached(question, questions[:n])) for n, question in enumerate(questions)]
    cached, full = sum(map(estimate_cost, tokens, cached_tokens)), sum(map(estimate_cost, tokens))
    head = f"{skill.name}: {len(questions)} questions of {min(tokens):,} to {max(tokens):,} tokens"
    return f"{head}; {cached:.2f} USD with the cache, {full:.2f} without ({cached / full:.2f})"


def _count_cached(question: Question, earlier: Sequence[Question]) -> int:
    """Return the length of a prompt's shared prefix if an earlier question has the same prefix, else 0."""
    prefix = question.prompt[: question.shared_chars]
    return question.shared_chars if any(other.prompt[: other.shared_chars] == prefix for other in earlier) else 0


def make_skill(folder: Path) -> Path:
    """Write a skill of 300,000 characters in nine files, and return its folder."""
    skill = folder / "made"
    skill.mkdir()
    head = "---\nname: made\ndescription: Counts birds. Use when birds are to be counted.\n---\n\n# Made\n\n"
    parts = [f"references/part-{number}.md" for number in range(8)]
    (skill / "references").mkdir()
    (skill / "SKILL.md").write_text(head + "".join(f"Read [part {path}]({path}).\n\n" for path in parts), "utf-8")
    rest = CHARACTERS - len((skill / "SKILL.md").read_text("utf-8"))
    for number, path in enumerate(parts):
        lines = (f"Shore {number}.{line}: write down each bird, its nest and the hour.\n" for line in range(10_000))
        (skill / path).write_text("".join(lines)[: rest // len(parts)], "utf-8")
    return skill


def main() -> None:
    """Print a line for each skill."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("skills", nargs="*", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        for skill in options.skills or [make_skill(Path(folder))]:
            print(format_price(skill))


if __name__ == "__main__":
    main()
