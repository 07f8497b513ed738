"""Check or apply the versions of the packages in packages/."""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def manifests() -> dict[str, Path]:
    return {p.parent.name: p for p in sorted(Path("packages").glob("*/package.json"))}


def git(*args: str) -> str:
    done = subprocess.run(["git", *args], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def drifted() -> list[str]:
    """Packages whose version is not the one at the last tag."""
    tag = git("describe", "--tags", "--abbrev=0").strip()
    found = []
    for name, path in manifests().items():
        old = git("show", f"{tag}:{path.as_posix()}")
        if old and json.loads(old)["version"] != json.loads(path.read_text())["version"]:
            found.append(name)
    return found


def raised(version: str, bump: str) -> str:
    match = VERSION.match(version)
    if not match:
        raise ValueError(f"{version} is not a version")
    major, minor, patch = map(int, match.groups())
    if bump == "major" and major == 0:
        bump = "minor"
    if bump == "major":
        return f"{major + 1}.0.0"
    if bump == "minor":
        return f"{major}.{minor + 1}.0"
    if bump == "patch":
        return f"{major}.{minor}.{patch + 1}"
    raise ValueError(f"{bump} is not a bump")


def apply(run: dict) -> list[tuple[Path, str]]:
    """Work out all new manifests first, so that a bad one leaves every file as it was."""
    known = manifests()
    planned = []
    for name, bump in run["bumps"].items():
        if name not in known:
            raise ValueError(f"no package {name}")
        data = json.loads(known[name].read_text())
        data["version"] = raised(data["version"], bump)
        planned.append((known[name], json.dumps(data, indent=2) + "\n"))
    return planned


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="list packages that were bumped by hand")
    parser.add_argument("--apply", type=Path, metavar="RUN", help="apply the bumps of a run.json")
    args = parser.parse_args()
    if args.check:
        found = drifted()
        print("\n".join(found))
        return 1 if found else 0
    if args.apply:
        try:
            planned = apply(json.loads(args.apply.read_text()))
        except (OSError, KeyError, ValueError) as error:
            print(f"nothing changed: {error}", file=sys.stderr)
            return 2
        for path, text in planned:
            path.write_text(text)
            print(path)
        return 0
    parser.error("give --check or --apply")


if __name__ == "__main__":
    sys.exit(main())
