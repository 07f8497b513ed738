"""The one file that a broken reference can only mean, and whether two names differ by a slip."""

import posixpath
import re
from collections.abc import Callable
from difflib import SequenceMatcher

from actions.skill.paths import MAIN, Role, role_of
from actions.skill.skill import Skill

_KINDS = (
    {".md", ".markdown", ".mdx", ".txt"},
    {".json", ".yaml", ".yml", ".toml"},
    {".py", ".sh", ".bash", ".js", ".mjs", ".ts"},
)
_ALIKE = 0.85
_APART = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_ANY_FOLDER = frozenset({MAIN.lower(), "readme.md", "index.md", "__init__.py"})


def file_for(skill: Skill, target: str, source: str) -> str | None:
    """Return the file that `target` in `source` means: other case, folder, spelling of the name, or extension."""
    wanted = posixpath.normpath(target)
    known = {*skill.by_path, *(o.path for o in skill.opaque)} - {source, MAIN}
    pool = sorted(path for path in known if role_of(path) is not Role.APART)
    tests: tuple[Callable[[str], bool], ...] = (
        lambda path: path.lower() == wanted.lower(),
        lambda path: _base(path) == _base(wanted) and _base(path) not in _ANY_FOLDER,
        lambda path: _stem(path) == _stem(wanted) and _ext(path) == _ext(wanted),
        lambda path: _stem(path) == _stem(wanted) and any({_ext(path), _ext(wanted)} <= kind for kind in _KINDS),
        lambda path: _ext(path) == _ext(wanted) and alike(_bare(path), _bare(wanted)),
    )
    for test in tests:
        found = [path for path in pool if test(path)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def alike(one: str, other: str) -> bool:
    """Return whether two names differ by a slip: word by word nearly the same letters, exactly the same digits.

    So `import-rules` and `export-rules` are two names, `style_reviewer` and `style-reviewers` one.
    """
    if not one or not other or re.findall(r"\d+", one) != re.findall(r"\d+", other):
        return False
    words = [list(filter(None, _APART.split(name))) for name in (one, other)]
    a, b = ([word.lower() for word in each] for each in words)
    return "".join(a) == "".join(b) or (len(a) == len(b) and all(map(_is_slip, a, b)))


def _is_slip(one: str, other: str) -> bool:
    near = one in (other, other + "s") or other == one + "s"
    return near or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _base(path: str) -> str:
    return posixpath.basename(path).lower()


def _ext(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def _bare(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _stem(path: str) -> str:
    return re.sub(r"[-_ .]+|(?<![0-9])0+(?=[0-9])", "", posixpath.splitext(_base(path))[0])
