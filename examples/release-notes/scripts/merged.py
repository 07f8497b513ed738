"""Writes the pull requests that were merged since a tag to a file, as JSON."""

import argparse
import subprocess
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since-tag", required=True, help="the tag")
    parser.add_argument("--out", type=Path, default="pulls.json")
    options = parser.parse_args()
    search = f"merged:>{options.since_tag}"
    fields = "number,title,body,labels"
    command = ["gh", "pr", "list", "--state", "merged", "--search", search, "--json", fields]
    done = subprocess.run(command, check=True, capture_output=True)
    options.out.write_bytes(done.stdout)


if __name__ == "__main__":
    main()
