"""Merge the event files of all sources into one timeline, sorted by time."""

import json
import sys
from pathlib import Path


def main(folder: str) -> None:
    events = [event for path in sorted(Path(folder).glob("*.json")) for event in json.loads(path.read_text())]
    unique = {(event["at"], event["what"]): event for event in events}
    json.dump(sorted(unique.values(), key=lambda event: event["at"]), sys.stdout, indent=2)


if __name__ == "__main__":
    main(sys.argv[1])
