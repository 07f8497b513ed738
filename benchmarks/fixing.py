"""Fix copies of real skills with `run --apply all`, count the outcomes of the fixes, and roll all fixes back.

    python benchmarks/fixing.py [CORPUS] [--only WORD] [--diffs]
    python benchmarks/fixing.py review [CORPUS] -o DIR    write each fix as a page, to be judged like a pull request
    python benchmarks/fixing.py review --answers A -o DIR the same for findings of readers; A: DIR of `judge.py export`
    python benchmarks/fixing.py review --read DIR         print the readers' verdicts (merge, edit, reject) by strategy

CORPUS holds skills, directly or in pairs/*/before and skills/* (default: ../shared/corpus, else the examples). Prints
one row per skill, one per pattern and the totals. An issue is fixed if it is gone at the end, by its own fix or by
another. A skill is invalid if a fix broke its frontmatter; a link is broken if it had a target before or is new; a
rule is lost if no statement of the fixed skill has most of its words. `--diffs` prints the diffs of the applied fixes.
`--read` saves the verdicts in benchmarks/judged/fixes.jsonl.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from actions.fixes.records import get_new_contents
from actions.fixes.rehearsal import check_by_parsers
from actions.review.verdicts import is_open
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.skill import Skill
from actions.skill.budget import find_rules
from actions.skill.references import find_links
from actions.skill.text import list_words, split_sentences, strip_list_mark
from actions.steps.outcome import Tools
from actions.steps.propose_fixes import act as propose
from benchmarks.answers import FileJudge, find_exports, judge_issues, read_case
from benchmarks.corpus import find_corpus
from benchmarks.judged import JUDGED
from benchmarks.reviews import FixInSkill, print_table, read_verdicts, save_rows, write_pages
from orchestrator.project.skill_finder import find_skills_below
from orchestrator.project.skill_reader import read_skill
from schemas.issues import SeverityCounts, Tokens
from schemas.records import Round, State
from schemas.vocabulary import Gate

ROOT = Path(__file__).resolve().parents[1]
SUMMED = (
    "issues",
    "with fix",
    "fixed",
    "applied",
    "not kept",
    "refused",
    "restored",
    "invalid",
    "broken links",
    "lost rules",
)
_MIN_SHARED_WORDS = 0.7


def list_skills(corpus: Path) -> Iterator[Path]:
    """Return the folders of the skills to fix."""
    for place in ("*", "pairs/*/before/*", "skills/*/*"):
        yield from sorted(path.parent for path in corpus.glob(f"{place}/SKILL.md"))


def hash_tree(folder: Path) -> str:
    """Return one hash of all names, modes and bytes."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)} {path.stat().st_mode}\0".encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def run_tune_skill(project: Path, *arguments: str) -> str:
    """Run tune-skill in a project; return its stdout."""
    line = [sys.executable, str(ROOT / "tune_skill.py"), *arguments]
    process = subprocess.run(line, cwd=project, capture_output=True, text=True, check=False)
    if process.returncode > 1:
        print(f"  exit {process.returncode}: {process.stderr.strip().splitlines()[-1:]}")
    return process.stdout


def fix_copy(skill: Path, project: Path, show_diffs: bool, patterns: Counter[tuple[str, str]]) -> dict[str, Any]:
    """Fix one copy, inspect it, roll it back, and return the counts."""
    copy = project / skill.name
    shutil.copytree(skill, copy)
    before, original = hash_tree(copy), read_skill(copy)
    out = run_tune_skill(project, "run", skill.name, "--apply", "all", "--judge", "none", "--format", "json", "--quiet")
    state = json.loads(out)
    fixed, fixes = read_skill(copy), state["fixes"]
    counted = [i for i in state["issues"] if i["status"] in ("open", "resolved")]
    fixable = {id for f in fixes for id in f["issue_ids"]}
    for issue in counted:
        patterns[issue["pattern"], "issues"] += 1
        patterns[issue["pattern"], "with fix"] += issue["id"] in fixable
        patterns[issue["pattern"], "fixed"] += issue["status"] == "resolved"
    _print_fixes(skill.name, fixes, show_diffs)
    if any(f["status"] == "applied" for f in fixes):
        run_tune_skill(project, "rollback", "--all")
    return {
        "issues": len(counted),
        "with fix": sum(i["id"] in fixable for i in counted),
        "fixed": sum(i["status"] == "resolved" for i in counted),
        **{name: sum(f["status"] == status for f in fixes) for name, status in _STATUS.items()},
        "invalid": int(bool(fixed.frontmatter.error) and not original.frontmatter.error),
        "broken links": len(find_dead_targets(fixed) - find_dead_targets(original)),
        "lost rules": len(find_lost_rules(original, fixed)),
        "restored": int(hash_tree(copy) == before),
        "rounds": state["before"] is not None and max((f["iteration"] for f in fixes), default=1),
        "score": f"{state['before']['score']}>{state['quality_score']}",
    }


_STATUS = {"applied": "applied", "not kept": "rolled_back", "refused": "refused"}


def _print_fixes(name: str, fixes: list[dict[str, Any]], show_diffs: bool) -> None:
    for fix in fixes:
        if fix["status"] != "applied":
            print(f"  {name} {fix['id']} {fix['strategy']} {fix['status']}: {str(fix['reason'])[:160]}")
        elif show_diffs:
            print(f"  {name} {fix['id']} {fix['strategy']}: {fix['description']}")
            print("\n".join(change["diff"] for change in fix["changes"]))


def find_dead_targets(skill: Skill) -> set[str]:
    """Return the targets of dead links."""
    links = ((file, link) for file in skill.instructions for link in find_links(file) if link.target)
    return {link.target.rpartition("/")[2] for file, link in links if skill.resolve(link.target, file.path) is None}


def find_lost_rules(before: Skill, after: Skill) -> list[str]:
    """Return the rules of the old SKILL.md for which no statement of the new skill has most of the words."""
    statements = [
        _collect_words(part)
        for file in after.instructions
        for _, line in file.doc.prose
        for part in _split_statements(line)
    ]
    lost = [rule for rule in find_rules(before) if not _is_kept(_collect_words(rule.text), statements)]
    for rule in lost:
        print(f"  lost: SKILL.md:{rule.line} {rule.text[:120]}")
    return [rule.text for rule in lost]


def _split_statements(line: str) -> tuple[str, ...]:
    return (line, *split_sentences(strip_list_mark(line)))


def _collect_words(text: str) -> frozenset[str]:
    return frozenset(list_words(text))


def _is_kept(rule: frozenset[str], statements: list[frozenset[str]]) -> bool:
    return not rule or any(len(rule & statement) >= _MIN_SHARED_WORDS * len(rule) for statement in statements)


def apply_each(root: Path, answers: Path | None = None) -> Iterator[FixInSkill]:
    """Yield each mechanical fix of a skill that passes its proof alone; `answers` adds the findings of a reader."""
    case = read_case(root)
    issues, scan_before = make_issues(scan(case)), scan(case)
    if answers:
        issues = tuple(issue for issue in judge_issues(FileJudge(answers, case)) if is_open(issue))
    first = Round(1, 0, Gate.FAIL, SeverityCounts(), Tokens())
    outcome = propose(State(issues=issues, iteration_count=1, rounds=(first,)), case, Tools(lambda: "", lambda: 0.0))
    written = {sha256(data).hexdigest(): data for data in getattr(outcome.effect, "contents", ())}
    for fix in outcome.state.proposed_fixes:
        after = case.with_files(get_new_contents(fix, written))
        if check_by_parsers(case, after, scan_before, fix, issues).is_passed:
            claimed = tuple(issue for issue in issues if issue.id in fix.issue_ids)
            yield "/".join(root.parts[-2:]), case.skill, after.skill, fix, claimed


def review(arguments: list[str]) -> None:
    """Write fixes for readers, or read their verdicts back, save them and print them by strategy."""
    parser = argparse.ArgumentParser(prog="fixing.py review")
    parser.add_argument("corpus", nargs="?", type=Path, default=find_corpus("fresh") or ROOT / "examples")
    parser.add_argument("--only", default="", help="only skills whose path contains this word")
    parser.add_argument("--answers", type=Path, help="a folder of answered questions; their findings are fixed, too")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("-o", "--output", type=Path, help="write pages of fixes into this folder")
    where.add_argument("--read", type=Path, help="read the verdicts in this folder")
    options = parser.parse_args(arguments)
    if options.read:
        rows = read_verdicts(options.read)
        save_rows(rows, JUDGED / "fixes.jsonl")
        print_table(rows)
        return
    sources = (
        find_exports(options.answers)
        if options.answers
        else [(root, None) for root in find_skills_below(options.corpus)]
    )
    fixes = (fix for root, answers in sources if options.only in str(root) for fix in apply_each(root, answers))
    print(f"{write_pages(fixes, options.output)} fixes written to {options.output}")


def main() -> None:
    """Print the rows."""
    if sys.argv[1:2] == ["review"]:
        review(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", nargs="?", type=Path, default=find_corpus() or ROOT / "examples")
    parser.add_argument("--only", default="", help="only skills whose path contains this word")
    parser.add_argument("--diffs", action="store_true", help="print the diffs of the applied fixes")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    patterns: Counter[tuple[str, str]] = Counter()
    for skill in list_skills(options.corpus):
        if options.only in str(skill):
            with tempfile.TemporaryDirectory() as project:
                rows.append(fix_copy(skill, Path(project), options.diffs, patterns))
            print(f"{skill.name:<34}", format_row(rows[-1], " "))
    for id in sorted({id for id, _ in patterns}):
        print(f"{id:<12}", "".join(f"{name} {patterns[id, name]:>3}  " for name in SUMMED[:3]).rstrip())
    total = {key: sum(row[key] for row in rows) for key in SUMMED}
    tried = total["applied"] + total["not kept"]
    print(f"{len(rows)} skills:", format_row(total, ", "))
    fixable, fixed = (total[name] / max(1, total["issues"]) for name in ("with fix", "fixed"))
    kept, not_kept = (total[name] / max(1, tried) for name in ("applied", "not kept"))
    print(f"with a mechanical fix {fixable:.0%}, fixed {fixed:.0%}")
    print(f"of {tried} applied: verified {kept:.0%}, rolled back {not_kept:.0%}")


def format_row(row: dict[str, Any], mark: str) -> str:
    """Return a row's names and values."""
    return mark.join(f"{key} {value}" for key, value in row.items())


if __name__ == "__main__":
    main()
