"""Find the files named SKILL.md that are fragments, which a build merges into another skill."""

import posixpath

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.project import Project
from actions.skill.paths import MAIN


@memoize
def find_overlays(project: Project) -> frozenset[str]:
    """Return the folders that are overlays.

    The SKILL.md of an overlay has no frontmatter, but the SKILL.md in another folder of the same name has one. A folder
    directly in `skills` is not an overlay, because Claude Code loads it.
    """
    folders = (path.rpartition("/")[0] for path in project.files if path.endswith(f"/{MAIN}"))
    overlays = set[str]()
    for same_name in group_by_key((posixpath.basename(folder), folder) for folder in folders).values():
        bare = {folder for folder in same_name if _lacks_frontmatter(project, folder)} if len(same_name) > 1 else set()
        if len(bare) < len(same_name):
            overlays |= {folder for folder in bare if posixpath.basename(posixpath.dirname(folder)) != "skills"}
    return frozenset(overlays)


def _lacks_frontmatter(project: Project, folder: str) -> bool:
    raw = project.read_bytes(f"{folder}/{MAIN}") or b""
    return not raw.lstrip(b"\xef\xbb\xbf").startswith(b"---")
