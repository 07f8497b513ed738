"""Mends copies of real skills with `run --apply all` and counts what became of the fixes.

Reads ../shared/corpus where it is there; otherwise the examples of this project. Prints one row per skill and totals.
`--diffs` prints the diffs of the kept fixes, for reading.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"


def skills():
    """Give the folders of the skills to mend."""
    if CORPUS.is_dir():
        yield from sorted(p.parent for p in CORPUS.glob("pairs/*/before/*/SKILL.md"))
        yield from sorted(p.parent for p in CORPUS.glob("skills/*/*/SKILL.md"))
    else:
        yield from sorted(p.parent for p in (ROOT / "examples").glob("*/SKILL.md"))


def tree_hash(folder):
    """Give one hash of all names, modes and bytes."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)} {path.stat().st_mode}\0".encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def command(project, *arguments):
    """Run tune-skill in a project; give exit code and stdout."""
    line = [sys.executable, str(ROOT / "tune_skill.py"), *arguments]
    done = subprocess.run(line, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        print(f"  exit {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return done.returncode, done.stdout


def mend(skill, project, show):
    """Mend one copy, roll it back, and give the counts."""
    copy = project / skill.name
    shutil.copytree(skill, copy)
    before = tree_hash(copy)
    _, out = command(project, "run", skill.name, "--apply", "all", "--judge", "none", "--format", "json", "--quiet")
    state = json.loads(out)
    fixes = state["fixes"]
    counted = [i for i in state["issues"] if i["status"] in ("open", "resolved")]
    row = {
        "issues": len(counted),
        "with fix": len({m for f in fixes for m in f["issue_ids"]} & {i["id"] for i in counted}),
        "applied": sum(f["status"] == "applied" for f in fixes),
        "not kept": sum(f["status"] == "rolled_back" for f in fixes),
        "refused": sum(f["status"] == "refused" for f in fixes),
        "rounds": state["before"] is not None and max((f["iteration"] for f in fixes), default=1),
        "score": f"{state['before']['score']}>{state['quality_score']}",
    }
    for fix in fixes:
        if fix["status"] != "applied":
            print(f"  {skill.name} {fix['id']} {fix['strategy']} {fix['status']}: {str(fix['reason'])[:160]}")
        elif show:
            print(f"  {skill.name} {fix['id']} {fix['strategy']}: {fix['description']}")
            print("\n".join(change["diff"] for change in fix["changes"]))
    if row["applied"]:
        command(project, "rollback", "--all")
    row["restored"] = tree_hash(copy) == before
    return row


def main():
    """Print the table."""
    rows = []
    chosen = [word for word in sys.argv[1:] if not word.startswith("-")]
    for skill in skills():
        if chosen and not any(word in str(skill) for word in chosen):
            continue
        with tempfile.TemporaryDirectory() as project:
            row = mend(skill, Path(project), "--diffs" in sys.argv)
        rows.append(row)
        print(f"{skill.name:<34}", " ".join(f"{key} {value}" for key, value in row.items()))
    total = {key: sum(row[key] for row in rows) for key in ("issues", "with fix", "applied", "not kept", "refused")}
    total["restored"] = sum(row["restored"] for row in rows)
    print(f"{len(rows)} skills", " ".join(f"{key} {value}" for key, value in total.items()))


if __name__ == "__main__":
    main()
