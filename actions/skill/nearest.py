"""The one file that a broken reference can only mean, and whether two names differ by a slip."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from actions.memo import once
from actions.skill.paths import MAIN, Role, role_of
from actions.skill.skill import Skill

_KINDS = ({".md", ".markdown", ".mdx", ".txt"}, {".yaml", ".yml"}, {".sh", ".bash"}, {".js", ".mjs"})
"""Endings of one language: what calls a file by another one would fail with it."""
_HOLDS = frozenset("reference references ref refs doc docs resource resources skills . ..".split())
"""Folders that only hold. Another one may say which of several is meant: a language, a version, a place to run."""
_ALIKE = 0.85
_SLIP, _MOST = "slip", 200
"""Files of like names among which a slip is looked for."""
_APART = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_ANY_FOLDER = frozenset({MAIN.lower(), "readme.md", "index.md", "__init__.py"})


def file_for(skill: Skill, target: str, source: str) -> str | None:
    """Return the one file that `target` in `source` can only mean: no folder of the target says that it is another."""
    found = candidates(skill, target, source)
    if len(found) != 1:
        return None
    known, folders = (*found[0].split("/")[:-1], skill.folder), set(target.lower().split("/")[:-1]) - _HOLDS
    return found[0] if all(any(alike(one, other.lower()) for other in known) for one in folders) else None


def candidates(skill: Skill, target: str, source: str) -> Sequence[str]:
    """Return the files that `target` in `source` may mean: other case, folder, spelling, ending, one level up."""
    wanted = posixpath.normpath(target)
    if beside(target, source) in skill.outside:
        return (beside(target, source),)
    for key in _keys(wanted):
        found = [path for path in _files(skill).get(key, ()) if path != source]
        if key[0] == _SLIP:
            found = [path for path in found if alike(_bare(path), _bare(wanted))] if len(found) < _MOST else []
        if found:
            return found
    return ()


def beside(target: str, source: str) -> str:
    """Return the path beside the skill that `target` in `source` names when it goes up by one level more."""
    return posixpath.normpath(posixpath.join("..", posixpath.dirname(source), target))


def _keys(path: str) -> Iterator[tuple[str, ...]]:
    """Return what a path has in common with the one that is meant, the surest first; the last only makes it likely."""
    base, bare = posixpath.basename(path).lower(), _bare(path)
    name, extension = posixpath.splitext(base)
    stem = re.sub(r"[-_ .]+|(?<![0-9])0+(?=[0-9])", "", name)
    yield "path", path.lower()
    if base not in _ANY_FOLDER:
        yield "name", base
    yield "stem", stem, extension
    yield from (("kind", stem, str(n)) for n, kind in enumerate(_KINDS) if extension in kind)
    yield _SLIP, extension, str(len(_words(bare))), *re.findall(r"\d+", bare)


@once
def _files(skill: Skill) -> Mapping[tuple[str, ...], Sequence[str]]:
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in sorted({*skill.by_path, *(o.path for o in skill.opaque)} - {MAIN}):
        for key in _keys(path) if role_of(path) is not Role.APART else ():
            if len(found[key]) <= _MOST:
                found[key].append(path)
    return found


def alike(one: str, other: str) -> bool:
    """Return whether two names differ by a slip: word by word nearly the same letters, exactly the same digits.

    So `import-rules` and `export-rules` are two names, `style_reviewer` and `style-reviewers` one.
    """
    if not one or not other or re.findall(r"\d+", one) != re.findall(r"\d+", other):
        return False
    a, b = _words(one), _words(other)
    return "".join(a) == "".join(b) or (len(a) == len(b) and all(map(_is_slip, a, b)))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _APART.split(name) if word]


def _is_slip(one: str, other: str) -> bool:
    if one[:1] != other[:1]:  # `uninstall` is no slip of `install`, nor `page` of `age`
        return False
    near = one in (other, other + "s") or other == one + "s"
    return near or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _bare(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
