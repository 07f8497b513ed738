"""Mutate fixes, and check that the proof notices: no statement of a skill may disappear, move or change in a fix.

    python benchmarks/proof.py [--skills COUNT] [FOLDER …]

For each skill below the folders (default: the examples) it drafts the fixes, then removes, negates and moves each
statement that a fix leaves, one at a time, inside each fix that passes (a fix that changes nothing where none does):
all must fail, though the fix be one that is read. So must the fix that takes away, too, what equals something that it
drops: the copy and the original. So must a draft that drops a statement, and names it, whose words are also under
another heading of the file. How a statement is worded that the fix names is not mutated: of a
strategy's fix the tests of the strategy check that, of a draft the review.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.case import Case
from actions.fixes.invariants.prove import Promise, find_violations, prove
from actions.fixes.invariants.statements import FRONTMATTER, HEADING, PROSE, Statement, split_statements
from actions.fixes.proposals import propose_drafts
from actions.scoring.issues import make_issues
from actions.scoring.scan import Scan, scan
from actions.skill import Skill, SkillFile
from orchestrator.project.skill_reader import read_skill

SWAPS = (
    (r"\bmust not\b", "must"), (r"\bmust\b", "must not"), (r"\bshould not\b", "should"), (r"\bshould\b", "should not"),
    (r"\bdo not\b|\bdon['’]t\b", "do"), (r"\bnever\b", "always"), (r"\balways\b", "never"), (r"\bonly\b", "not only"),
    (r"\bcannot\b|\bcan['’]t\b", "can"), (r"\bis\b", "is not"), (r"\bare\b", "are not"), (r"\bat most\b", "at least"),
    (r"\bat least\b", "at most"), (r"\bwithout\b", "with"), (r"\bbefore\b", "after"), (r"\bif\b", "unless"),
    (r"\brequired\b", "optional"), (r"\ball\b", "no"), (r"\bno\b", "any"), (r"===", "!=="), (r"!(?=\w)", ""),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), ("必须", "不必"), ("不要", "要"), ("禁止", "允许"),
    ("不得", "可以"), ("仅", "不仅"), ("只", "不只"), ("之前", "之后"), ("如果", "除非"), ("需要", "不需要"),
    ("不", ""),
)  # fmt: skip
PREFIXES = ("Never ", "Do not ", "Avoid ", "Skip this: ", "It is wrong that ", "不要", "<!-- ")
COMMENTS = ("// ", "# ")


@dataclass(frozen=True)
class Given:
    """A fix to mutate: the case before it, what it claims and drops, and its text of each file."""

    name: str
    case: Case
    seen: Scan
    promise: Promise
    writes: Mapping[str, bytes | None]

    @cached_property
    def after(self) -> Skill:
        """The skill with the fix."""
        return self.case.skill.with_files(self.writes)

    def fails(self, writes: Mapping[str, bytes | None]) -> bool:
        """Return whether the fix fails its proof when it writes these texts instead of its own."""
        after = self.case.with_skill(self.after.with_files(writes))
        if next(find_violations(self.case.skill, after.skill, self.seen, self.promise), None):
            return True
        return not prove(self.case, after, self.seen, self.promise).is_passed


def fixes(case: Case) -> Iterator[Given]:
    """Yield each fix of a skill that passes; if none does, one that changes nothing."""
    seen, found = scan(case), False
    for issue in make_issues(seen):
        for name, _, draft in propose_drafts(issue, case):
            claims = frozenset({issue.fingerprint})
            promise = Promise(claims, tuple(draft.drops), draft.token_limit, tuple(draft.rewrites))
            held = (replace(promise, drafted=True), promise)  # no draft may change a row of a table by the way
            given = (Given(f"{name} for {issue.id}", case, seen, one, draft.writes) for one in held)
            passed = next((one for one in given if not one.fails({})), None)
            if passed:
                found = True
                yield passed
                break
    if not found:
        yield Given("no fix", case, seen, Promise(frozenset(), drafted=True), {})


def mutants(given: Given) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Return the fix with one statement of the skill removed, moved or negated, and that for each that it leaves."""
    for file in given.after.files:
        old = given.case.skill.by_path.get(file.path)
        old_count = Counter(s.key for s in split_statements(old)) if old else Counter()
        said = split_statements(file)
        for one in said:
            old_count[one.key] -= 1
            if old_count[one.key] >= 0:
                yield f"removed: {one.text}", {file.path: mutate(file, one, "")}
                if one is not said[-1]:
                    yield f"moved: {one.text}", {file.path: mutate(file, one, "") + f"\n{one.text}\n".encode()}
                for new in negations(one):
                    yield f"negated: {new}", {file.path: mutate(file, one, new)}
    yield from remove_copies(given)


def remove_copies(given: Given) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Return the fix that leaves nothing of what it drops, by each place where the same is said, and everywhere."""
    dropped = {" ".join(text.split()) for text in given.promise.drops}
    left: dict[str, bytes | None] = {}
    for file in given.after.files:
        lines = file.text.split("\n")
        for one in split_statements(file):
            if " ".join(one.text.split()) in dropped:
                lines[one.line - 1 : one.end] = [""] * (one.end - one.line + 1)
        if lines != file.text.split("\n"):
            left[file.path] = "\n".join(lines).encode()
            yield f"original removed, too: {file.path}", {file.path: left[file.path]}
    if len(left) > 1:
        yield "originals removed, too", left


def copies(case: Case, seen: Scan) -> Iterator[Given]:
    """Return for each statement of prose the draft that drops it, where the same words are under another heading."""
    times = Counter(one.text for file in case.skill.files for one in split_statements(file))
    for file in case.skill.instructions:
        for one in split_statements(file):
            if one.kind == PROSE and times[one.text] == 1:
                twice = {file.path: f"{file.text.rstrip()}\n\n## Elsewhere\n\n{one.text}\n".encode()}
                before = case.with_skill(case.skill.with_files(twice))
                without = {file.path: mutate(before.skill.by_path[file.path], one, "")}
                promise = Promise(frozenset(), drops=(one.text,), drafted=True)
                yield Given(f"copied: {one.text}", before, seen, promise, without)


def mutate(file: SkillFile, one: Statement, new: str) -> bytes:
    """Return the bytes of a file that says something else in place of a statement."""
    lines = file.text.split("\n")
    text = "\n".join(lines[one.line - 1 : one.end])
    words = r"\s+".join(map(re.escape, one.text.split()))
    lines[one.line - 1 : one.end] = re.sub(words, lambda _: new.strip(), text, count=1).split("\n")
    return "\n".join(lines).encode()


def negations(one: Statement) -> Iterator[str]:
    """Return variants of a statement with the opposite meaning; code is also commented out."""
    for word, new in SWAPS:
        changed = re.sub(word, new, one.text, count=1, flags=re.IGNORECASE)
        if changed != one.text:
            yield changed
    marks = () if one.kind in (PROSE, HEADING, FRONTMATTER) else COMMENTS
    yield from (prefix + one.text for prefix in (*PREFIXES, *marks))


def rules(case: Case) -> int:
    """Count the statements of the skill's instructions and scripts."""
    return sum(len(split_statements(file)) for file in case.skill.files)


def main() -> int:
    """Print a row for each skill; the exit code is 1 if a mutant passed."""
    options = argparse.ArgumentParser()
    options.add_argument("folders", nargs="*", type=Path, default=[Path(__file__).resolve().parents[1] / "examples"])
    options.add_argument("--skills", type=int, default=10)
    options.add_argument("--show", type=int, default=10)
    given = options.parse_args()
    found = sorted({p.parent for folder in given.folders for p in folder.rglob("SKILL.md")})
    totals: Counter[str] = Counter()
    print(f"{'skill':34} {'fixes':>6} {'rules':>6} {'mutants':>8} {'passed':>7}")
    for folder in found[: given.skills]:
        row, passed = check_skill(Case(read_skill(folder)))
        totals.update(row)
        print(f"{folder.name:34} {row['fixes']:6} {row['rules']:6} {row['mutants']:8} {row['passed']:7}", flush=True)
        print("\n".join(f"    {line[:200]}" for line in passed[: given.show]), end="\n" if passed else "")
    print(f"{'all':34} " + " ".join(f"{key} {value}" for key, value in totals.items()))
    return int(bool(totals["passed"]))


def check_skill(case: Case) -> tuple[Counter[str], list[str]]:
    """Return the counts of one skill, and the mutants that passed."""
    row: Counter[str] = Counter({"fixes": 0, "rules": 0, "mutants": 0, "passed": 0})
    lines = []
    for given in fixes(case):
        row["fixes"] += given.name != "no fix"
        row["rules"] += rules(case)
        for change, writes in mutants(given):
            row["mutants"] += 1
            if not given.fails(writes):
                row["passed"] += 1
                lines.append(f"{given.name}, {next(iter(writes))}: {change}")
    for given in copies(case, scan(case)):
        row["mutants"] += 1
        if not given.fails({}):
            row["passed"] += 1
            lines.append(f"{given.name}, {next(iter(given.writes))}")
    return row, lines


if __name__ == "__main__":
    sys.exit(main())
