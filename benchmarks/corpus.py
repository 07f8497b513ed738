"""Find the labelled corpus of some benchmarks, in a folder next to the project."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"


def find_corpus(name: str = "") -> Path | None:
    """Return the folder of the corpus, or a folder in it; None if it does not exist."""
    folder = CORPUS / name
    return folder if folder.is_dir() else None
