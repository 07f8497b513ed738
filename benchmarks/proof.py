"""Mutate fixes, and check that the proof rejects them: a fix must not remove, move or change any other statement.

    python benchmarks/proof.py [--skills COUNT] [FOLDER …]

For each skill below the folders (default: the examples) it drafts the fixes. In each fix that passes (or in a fix that
changes nothing, if none passes) it removes, negates or moves one statement that the fix leaves; every such mutant must
fail. If possible, a fix is checked as a model's draft, which has stricter rules. Two other mutants must fail, too: a
fix that also removes the original of a dropped copy, and a draft that drops a statement whose words are also under
another heading. Statements that a fix declares as reworded are not mutated, because the tests of the strategy or the
review check them.
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
class FixCase:
    """A fix to mutate: the case before it, its promise (claims and drops), and its new text of each file."""

    name: str
    case: Case
    scan_before: Scan
    promise: Promise
    writes: Mapping[str, bytes | None]

    @cached_property
    def after(self) -> Skill:
        """The skill after the fix."""
        return self.case.skill.with_files(self.writes)

    def fails(self, writes: Mapping[str, bytes | None]) -> bool:
        """Return whether the fix fails its proof if it also writes these texts."""
        after = self.case.with_skill(self.after.with_files(writes))
        if next(find_violations(self.case.skill, after.skill, self.scan_before, self.promise), None):
            return True
        return not prove(self.case, after, self.scan_before, self.promise).is_passed


def list_passing_fixes(case: Case) -> Iterator[FixCase]:
    """Yield each fix of a skill that passes its proof; if none passes, a fix that changes nothing."""
    scan_before, found = scan(case), False
    for issue in make_issues(scan_before):
        for name, _, draft in propose_drafts(issue, case):
            claims = frozenset({issue.fingerprint})
            promise = Promise(claims, tuple(draft.drops), draft.token_limit, tuple(draft.rewrites))
            promises = (replace(promise, drafted=True), promise)  # a draft must not change rows of a table
            fixes = (
                FixCase(f"{name} for {issue.id}", case, scan_before, promise, draft.writes) for promise in promises
            )
            passed = next((fix for fix in fixes if not fix.fails({})), None)
            if passed:
                found = True
                yield passed
                break
    if not found:
        yield FixCase("no fix", case, scan_before, Promise(frozenset(), drafted=True), {})


def list_mutants(fix: FixCase) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Yield the fix with one statement removed, moved or negated, for each statement that it leaves."""
    for file in fix.after.files:
        old = fix.case.skill.by_path.get(file.path)
        old_count = Counter(s.key for s in split_statements(old)) if old else Counter()
        statements = split_statements(file)
        for statement in statements:
            old_count[statement.key] -= 1
            if old_count[statement.key] < 0:
                continue
            removed = replace_statement(file, statement, "")
            yield f"removed: {statement.text}", {file.path: removed}
            if statement is not statements[-1]:
                yield f"moved: {statement.text}", {file.path: removed + f"\n{statement.text}\n".encode()}
            for new in negate(statement):
                yield f"negated: {new}", {file.path: replace_statement(file, statement, new)}
    yield from remove_originals(fix)


def remove_originals(fix: FixCase) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Yield the fix with the originals of its dropped copies removed: in one file at a time, then in all files."""
    dropped = {" ".join(text.split()) for text in fix.promise.drops}
    texts: dict[str, bytes | None] = {}
    for file in fix.after.files:
        lines = file.text.split("\n")
        for statement in split_statements(file):
            if " ".join(statement.text.split()) in dropped:
                lines[statement.line - 1 : statement.end] = [""] * (statement.end - statement.line + 1)
        if lines != file.text.split("\n"):
            texts[file.path] = "\n".join(lines).encode()
            yield f"original removed, too: {file.path}", {file.path: texts[file.path]}
    if len(texts) > 1:
        yield "originals removed, too", texts


def list_drafts_with_copies(case: Case, scan_before: Scan) -> Iterator[FixCase]:
    """Yield, for each statement of prose, a draft that drops it while a copy is under another heading."""
    counts = Counter(statement.text for file in case.skill.files for statement in split_statements(file))
    for file in case.skill.instructions:
        for statement in split_statements(file):
            if statement.kind == PROSE and counts[statement.text] == 1:
                files_with_copy = {file.path: f"{file.text.rstrip()}\n\n## Elsewhere\n\n{statement.text}\n".encode()}
                before = case.with_skill(case.skill.with_files(files_with_copy))
                without = {file.path: replace_statement(before.skill.by_path[file.path], statement, "")}
                promise = Promise(frozenset(), drops=(statement.text,), drafted=True)
                yield FixCase(f"copied: {statement.text}", before, scan_before, promise, without)


def replace_statement(file: SkillFile, statement: Statement, new: str) -> bytes:
    """Return the bytes of a file with other text in place of a statement."""
    lines = file.text.split("\n")
    text = "\n".join(lines[statement.line - 1 : statement.end])
    words = r"\s+".join(map(re.escape, statement.text.split()))
    lines[statement.line - 1 : statement.end] = re.sub(words, lambda _: new.strip(), text, count=1).split("\n")
    return "\n".join(lines).encode()


def negate(statement: Statement) -> Iterator[str]:
    """Yield variants of a statement with the opposite meaning; code is also commented out."""
    for word, new in SWAPS:
        changed = re.sub(word, new, statement.text, count=1, flags=re.IGNORECASE)
        if changed != statement.text:
            yield changed
    marks = () if statement.kind in (PROSE, HEADING, FRONTMATTER) else COMMENTS
    yield from (prefix + statement.text for prefix in (*PREFIXES, *marks))


def count_statements(case: Case) -> int:
    """Return the number of statements in all files of the skill."""
    return sum(len(split_statements(file)) for file in case.skill.files)


def main() -> int:
    """Print a row for each skill; return 1 if a mutant passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[Path(__file__).resolve().parents[1] / "examples"])
    parser.add_argument("--skills", type=int, default=10)
    parser.add_argument("--show", type=int, default=10)
    options = parser.parse_args()
    skills = sorted({p.parent for folder in options.folders for p in folder.rglob("SKILL.md")})
    totals: Counter[str] = Counter()
    print(f"{'skill':34} {'fixes':>6} {'rules':>6} {'mutants':>8} {'passed':>7}")
    for folder in skills[: options.skills]:
        row, passed = check_skill(Case(read_skill(folder)))
        totals.update(row)
        print(f"{folder.name:34} {row['fixes']:6} {row['rules']:6} {row['mutants']:8} {row['passed']:7}", flush=True)
        print("\n".join(f"    {line[:200]}" for line in passed[: options.show]), end="\n" if passed else "")
    print(f"{'all':34} " + " ".join(f"{key} {value}" for key, value in totals.items()))
    return int(bool(totals["passed"]))


def check_skill(case: Case) -> tuple[Counter[str], list[str]]:
    """Return the counts of one skill, and the mutants that passed."""
    row: Counter[str] = Counter({"fixes": 0, "rules": 0, "mutants": 0, "passed": 0})
    lines = []
    for fix in list_passing_fixes(case):
        row["fixes"] += fix.name != "no fix"
        row["rules"] += count_statements(case)
        for change, writes in list_mutants(fix):
            row["mutants"] += 1
            if not fix.fails(writes):
                row["passed"] += 1
                lines.append(f"{fix.name}, {next(iter(writes))}: {change}")
    for fix in list_drafts_with_copies(case, scan(case)):
        row["mutants"] += 1
        if not fix.fails({}):
            row["passed"] += 1
            lines.append(f"{fix.name}, {next(iter(fix.writes))}")
    return row, lines


if __name__ == "__main__":
    sys.exit(main())
