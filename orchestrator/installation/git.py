"""What git says of a file."""

import subprocess
from pathlib import Path


def is_unignored(path: Path, root: Path) -> bool:
    """Tell whether the repository at `root` does not ignore a file; False where git cannot say."""
    command = ["git", "-C", str(root), "check-ignore", "--quiet", "--no-index", str(path)]
    try:
        return subprocess.run(command, capture_output=True, timeout=5, check=False).returncode == 1
    except (OSError, subprocess.SubprocessError):
        return False
