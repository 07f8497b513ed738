"""Find the labelled corpus that some figures come from: next to the project, if it exists."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"


def beside(name: str = "") -> Path | None:
    """Return the corpus, or a folder of it; None if it is missing."""
    folder = CORPUS / name
    return folder if folder.is_dir() else None
