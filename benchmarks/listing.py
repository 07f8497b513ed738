"""Compare the computed listing of skills with that of the installed Claude Code, for three models.

    ./dev bench listing                       generated sets of 10, 40 and 200 skills
    ./dev bench listing FOLDER …              also the plugins and `.claude` folders of real repositories

Each scope costs one start of Claude Code per model. Descriptions of the generated sets have lengths like those of
public skills: 40 to 900 characters, some with `when_to_use`, some in two scripts, one above the limit.
"""

import argparse
import random
import sys
import tempfile
import time
from os import environ
from pathlib import Path

from actions.project.facts.models import WINDOWS
from orchestrator.errors import BadInput
from orchestrator.listing.listings import read_listings
from orchestrator.listing.sent_listing import find_claude, find_differences

SIZES = (10, 40, 200)
WORDS = (
    "review tests release notes database schema 设计 文档 migration charts invoices audio deploy logs security".split()
)
LONGEST = 1_600


def write_skills(folder: Path, count: int) -> None:
    """Write a project with this many skills."""
    draw = random.Random(count)
    (folder / ".git").mkdir(parents=True)
    for number in range(count):
        length = LONGEST if number == 3 else draw.choice((40, 120, 250, 400, 600, 900))
        text = ""
        while len(text) < length:
            text += f"{draw.choice(WORDS)} "
        when = f"when_to_use: Use it for {draw.choice(WORDS)}.\n" if draw.random() < 0.2 else ""
        file = folder / ".claude" / "skills" / f"skill-{number:03}" / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(f"---\nname: skill-{number:03}\ndescription: {text.strip()}\n{when}---\n\nDo it.\n")


def compare(label: str, folder: Path) -> int:
    """Print a row for each scope of a folder; return the number of differences."""
    claude, listings = find_claude(environ), read_listings(folder, tuple(WINDOWS))
    total = 0
    for scope in listings.scopes:
        began = time.monotonic()
        differences = find_differences(claude, scope, listings.settings)
        total += len(differences)
        dropped = ", ".join(f"{model.model} {model.dropped}" for model in scope.models)
        seconds = (time.monotonic() - began) / len(scope.models)
        name = label if scope.folder == "." else f"{label}/{scope.folder}"
        print(f"{name:<60} {len(scope.skills):>4} skills, dropped: {dropped}; {len(differences)} differences, "
              f"{seconds:.1f} s a model", flush=True)  # fmt: skip
        for line in differences[:5]:
            print(f"  {line[:150]}")
    return total


def main() -> int:
    """Print the rows; return 1 if a computed line is not in the listing of Claude Code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folders", nargs="*", type=Path)
    total = 0
    with tempfile.TemporaryDirectory() as place:
        environ["CLAUDE_CONFIG_DIR"] = f"{place}/config"
        for count in SIZES:
            write_skills(Path(place, str(count)), count)
            total += compare(f"generated {count}", Path(place, str(count)))
        for folder in parser.parse_args().folders:
            try:
                total += compare(folder.name, folder)
            except BadInput as error:
                print(f"{folder.name}: {error}")
    print(f"{total} differences")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
