"""Where the labelled corpus lies that some figures come from: beside the project, where it is there at all."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"


def beside(name: str = "") -> Path | None:
    """Return the corpus, or a folder of it; None if it is missing."""
    folder = CORPUS / name
    return folder if folder.is_dir() else None
