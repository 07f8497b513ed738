"""Survey transcripts: an overview, the passages of the cards, or names in a result."""

import argparse
import json
import re
import sys
from pathlib import Path

MARK = re.compile(r"\[(?:TODO|inaudible)\]")
PASSAGE = re.compile(r'- \[(\d\d:\d\d:\d\d)\] Q(\d+) (.+?): "(.+)"')


def transcript(path: Path) -> list[dict]:
    """Segments, with the names of fields that the run uses."""
    data = json.loads(path.read_text(encoding="utf-8"))
    names = data.get("speakers", {})
    return [
        {
            "speaker_id": segment.get("speakerId", ""),
            "name": names.get(segment.get("speakerId", ""), ""),
            "start": float(segment.get("start", 0)),
            "text": segment.get("text", ""),
        }
        for segment in data["segments"]
    ]


def overview(folder: Path) -> list[str]:
    lines = []
    for path in sorted(folder.glob("*.json")):
        segments = transcript(path)
        speakers = sorted({f"{s['speaker_id']}={s['name'] or '?'}" for s in segments})
        words = sum(len(s["text"].split()) for s in segments)
        marks = sum(len(MARK.findall(s["text"])) for s in segments)
        minutes = max((s["start"] for s in segments), default=0) / 60
        lines.append(f"{path}\t{', '.join(speakers)}\t{minutes:.0f} min\t{words} words\t{marks} marks")
    return lines


def passages(folder: Path) -> list[str]:
    lines = []
    for path in sorted(folder.glob("*.md")):
        for _, question, term, words in PASSAGE.findall(path.read_text(encoding="utf-8")):
            lines.append("\t".join([path.stem, question, term, " ".join(words.split()[:10])]))
    return lines


def names(state: Path, folder: Path) -> list[str]:
    people = json.loads(state.read_text(encoding="utf-8"))["interviews"]
    lines = []
    for path in sorted(folder.glob("*.md")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for person in people:
                if any(re.search(rf"\b{re.escape(part)}\b", line) for part in person["name"].split() if len(part) > 2):
                    lines.append(f"{path}:{number}: {person['alias']}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--passages", action="store_true", help="of the cards in a folder")
    group.add_argument("--names", action="store_true", help="of a state, in the files of a folder")
    args = parser.parse_args()
    try:
        if args.names:
            lines = names(args.paths[0], args.paths[1])
        else:
            lines = (passages if args.passages else overview)(args.paths[0])
    except (OSError, KeyError, ValueError, IndexError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    if lines:
        print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
