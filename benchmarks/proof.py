"""Mutates fixes and looks whether the proof notices: no rule of a skill may be removed or negated inside a fix.

    python benchmarks/proof.py [--skills COUNT] [FOLDER …]

For each skill below the folders (default: the examples) it drafts the fixes, then removes and negates each statement
of the skill, one at a time, inside each fix that passes (a fix that changes nothing where none does): all must fail.
Then it rewords each sentence that a pattern objects to, and says so in its promise: that must fail too.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.findings import Finding, Scan, scan
from actions.issues import issues_of
from actions.proof.change import Change
from actions.proof.losses import successors
from actions.proof.prove import Promise, objections, prove
from actions.proof.statements import Statement, meanings, statements
from actions.propose_fixes import proposals
from actions.skill import Case, Skill, SkillFile
from orchestrator.readers import read_skill

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
FILLERS = ("simply", "really", "just", "please")
SYNONYMS = {
    "read": "go over", "all": "every one of the", "every": "each", "full": "whole", "complete": "entire",
    "return": "give back", "write": "put down", "use": "employ", "pass": "hand", "until": "till", "file": "document",
    "files": "documents", "make": "create",
    "run": "execute", "check": "look at", "include": "contain", "report": "account", "load": "fetch",
    "repeat": "redo", "retry": "try again", "keep": "retain", "each": "every", "entire": "whole", "output": "result",
    "读取": "阅读", "所有": "全部", "完整": "全部", "返回": "回传", "直到": "直至", "每个": "各个", "执行": "进行",
}  # fmt: skip


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
        return self.case.skill.replaced(self.writes)

    def fails(self, writes: Mapping[str, bytes | None]) -> bool:
        """Tell whether the proof objects to the fix with these texts in place of its own."""
        after = self.case.with_skill(self.after.replaced(writes))
        if next(objections(self.case.skill, after.skill, self.seen, self.promise), None):
            return True
        return not prove(self.case, after, self.seen, self.promise).passed


def fixes(case: Case) -> Iterator[Given]:
    """Give the fixes of a skill that pass, each alone; one that changes nothing where there is none."""
    seen, found = scan(case), False
    for issue in issues_of(seen):
        for name, _, draft in proposals(issue, case):
            claims = frozenset({issue.fingerprint})
            promise = Promise(claims, draft.drops, draft.token_limit, draft.rewrites)
            given = Given(f"{name} for {issue.id}", case, seen, promise, draft.writes)
            if not given.fails({}):
                found = True
                yield given
                break
    if not found:
        yield Given("no fix", case, seen, Promise(frozenset()), {})


def mutants(given: Given) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Give the fix with one rule of the skill removed or negated, and that for each rule.

    A rule that the fix says otherwise is mutated in its new words; one that it says it drops is gone already. Of a rule
    of which the fix itself makes a copy, one may be removed: so it was before.
    """
    change = Change(given.case.skill, given.after)
    renewed = {new: old for old, new in successors(change.gone, change.new).items()}
    known = [meanings(file, given.case.skill) for file in given.case.skill.files]
    more = {s.meaning for s in change.new}
    for file in given.after.files:
        for rule in statements(file, given.after):
            if any(rule.meaning in each for each in known) or rule in renewed:
                if rule.meaning not in more or rule in renewed:
                    yield f"removed: {rule.text}", {file.path: mutated(file, rule, "")}
                for new in negations(rule, renewed.get(rule, rule).text):
                    yield f"negated: {new}", {file.path: mutated(file, rule, new)}


def mutated(file: SkillFile, rule: Statement, new: str) -> bytes:
    """Give the bytes of a file that says something else in place of a rule."""
    lines = file.text.split("\n")
    lines[rule.line - 1] = lines[rule.line - 1].replace(rule.text, new, 1)
    return "\n".join(lines).encode()


def negations(rule: Statement, own: str) -> Iterator[str]:
    """Give a statement with its meaning turned round, in many ways; code is commented out, too.

    Only words of the rule's `own` text are swapped, not those that a fix adds.
    """
    text = rule.text
    for word, new in SWAPS:
        changed = re.sub(word, new, text, count=1, flags=re.IGNORECASE)
        if changed != text and re.search(word, own, re.IGNORECASE):
            yield changed
    yield from (prefix + text for prefix in (*PREFIXES, *(COMMENTS if rule.is_code else ())))


def rewordings(text: str) -> Iterator[str]:
    """Give a sentence in other words that say the same."""
    for filler in FILLERS:
        yield re.sub(r"(?<=\w) (?=\w)", f" {filler} ", text)
        yield f"{filler.capitalize()} {text}"
    other = text
    for word, new in SYNONYMS.items():
        other = re.sub(rf"\b{word}\b" if word.isascii() else word, new, other, flags=re.IGNORECASE)
    if other != text:
        yield other
    first, comma, rest = text.rstrip(".").partition(", ")
    if comma:
        yield f"{rest}, {first}."


def reworded(case: Case, seen: Scan, finding: Finding) -> Iterator[tuple[str, Given]]:
    """Give fixes that do nothing but reword the sentence in which a pattern saw a fault."""
    file = case.skill.by_path.get(finding.file)
    line = file.doc.line(finding.line) if file else ""
    if file is None or not file.is_markdown or file.doc.fence_at(finding.line) or file.text.count(line) != 1:
        return
    mine = [s.text for s in statements(file, case.skill) if s.text in line and len(s.text) > 10]
    for text in mine:
        for new in rewordings(text):
            writes = {file.path: file.text.replace(line, line.replace(text, new)).encode()}
            for names in ({"drops": (text,)}, {"rewrites": (text,)}):
                promise = replace(Promise(frozenset({finding.fingerprint})), **names)
                yield new, Given(f"{finding.id} reworded", case, seen, promise, writes)


def rules(case: Case) -> int:
    """Count the statements of the skill's instructions and scripts."""
    return sum(len(statements(file, case.skill)) for file in case.skill.files)


def main() -> int:
    """Print a row for each skill; the exit code is 1 when a mutant passed."""
    options = argparse.ArgumentParser()
    options.add_argument("folders", nargs="*", type=Path, default=[Path(__file__).resolve().parents[1] / "examples"])
    options.add_argument("--skills", type=int, default=10)
    options.add_argument("--show", type=int, default=10)
    given = options.parse_args()
    found = sorted({p.parent for folder in given.folders for p in folder.rglob("SKILL.md")})
    totals: Counter[str] = Counter()
    print(f"{'skill':34} {'fixes':>6} {'rules':>6} {'mutants':>8} {'passed':>7} {'reworded':>9} {'passed':>7}")
    for folder in found[: given.skills]:
        row, passed = looked_at(Case(read_skill(folder)))
        totals.update(row)
        print(f"{folder.name:34} {row['fixes']:6} {row['rules']:6} {row['mutants']:8} {row['passed']:7} "
              f"{row['reworded']:9} {row['reworded and passed']:7}", flush=True)  # fmt: skip
        print("\n".join(f"    {line[:200]}" for line in passed[: given.show]), end="\n" if passed else "")
    print(f"{'all':34} " + " ".join(f"{key} {value}" for key, value in totals.items()))
    return int(bool(totals["passed"] or totals["reworded and passed"]))


def looked_at(case: Case) -> tuple[Counter[str], list[str]]:
    """Give the counts of one skill, and the mutants that passed."""
    row: Counter[str] = Counter(
        {"fixes": 0, "rules": 0, "mutants": 0, "passed": 0, "reworded": 0, "reworded and passed": 0}
    )
    lines = []
    for given in fixes(case):
        row["fixes"] += given.name != "no fix"
        row["rules"] += rules(case)
        for told, writes in mutants(given):
            row["mutants"] += 1
            if not given.fails(writes):
                row["passed"] += 1
                lines.append(f"{given.name}, {next(iter(writes))}: {told}")
    seen = scan(case)
    for finding in seen.findings:
        for told, given in reworded(case, seen, finding):
            row["reworded"] += 1
            if not given.fails({}):
                row["reworded and passed"] += 1
                lines.append(f"{given.name}, {finding.file}:{finding.line}: {told}")
    return row, lines


if __name__ == "__main__":
    sys.exit(main())
