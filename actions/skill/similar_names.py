"""Find the file that a broken reference should name, and names that differ only by a misspelling."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from actions.grouping import group_by_key
from actions.memo import memoize
from actions.regex import regex
from actions.skill.paths import MAIN, Role, get_role
from actions.skill.skill import Skill

_EXTENSION_GROUPS = ({".md", ".markdown", ".mdx", ".txt"}, {".yaml", ".yml"}, {".sh", ".bash"}, {".js", ".mjs", ".cjs"})
"""Groups of interchangeable extensions, which a reference may confuse."""
_GENERAL_FOLDERS = frozenset("reference references ref refs doc docs resource resources skills . ..".split())
"""Folders with generic names. Any other folder may distinguish files, by a language, version or platform."""
_MIN_SIMILARITY = 0.85
_MAX_LETTERS = 64
"""Maximum length of words to compare by similarity."""
_MAX_NAMES = 200
"""Maximum number of names with the same beginning to compare."""
_MAX_TOTAL_LETTERS = 100_000
"""Maximum total length of compared names. Only generated text needs more."""
_WORD_BREAK = regex(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_COMMON_FILES = frozenset({MAIN.lower(), "readme.md", "index.md", "__init__.py"})


def find_similar_file(skill: Skill, target: str, source: str) -> str | None:
    """Return the file that the author probably meant by the broken reference `target` in file `source`, or None.

    Exactly one file must fit. In a file that fits, each folder of `target` is similar to a folder in the file's path.
    """
    candidates = find_candidates(skill, target, source)
    if len(candidates) != 1:
        return None
    known_folders = (*candidates[0].split("/")[:-1], skill.folder)
    folders = set(target.lower().split("/")[:-1]) - _GENERAL_FOLDERS

    def is_known(folder: str) -> bool:
        return any(is_similar(folder, known.lower()) for known in known_folders)

    return candidates[0] if all(map(is_known, folders)) else None


def find_candidates(skill: Skill, target: str, source: str) -> Sequence[str]:
    """Return the files that the author may have meant by the broken reference `target` in file `source`.

    The case, folder, spelling or extension of the reference may be wrong. A file outside the skill, one folder higher
    than the reference, is the only candidate.
    """
    path_in_reference = posixpath.normpath(target)
    if skill.outside and (outside := resolve_from_parent(target, source)) in skill.outside:
        return (outside,)
    for key in _list_keys(path_in_reference):
        if paths := [path for path in _index_files(skill).get(key, ()) if path != source]:
            return paths
    return [path for path in _index_names(skill).find(*_split_extension(path_in_reference)) if path != source]


def resolve_from_parent(target: str, source: str) -> str:
    """Return the path, relative to the skill, of `target` in file `source` with another `../` in front."""
    return posixpath.normpath(posixpath.join("..", posixpath.dirname(source), target))


def _list_keys(path: str) -> Iterator[tuple[str, ...]]:
    """Yield keys that a mistyped path may share with the intended one, the most reliable first."""
    base = posixpath.basename(path).lower()
    name, extension = posixpath.splitext(base)
    stem = re.sub(r"[-_ .]+|(?<![0-9])0+(?=[0-9])", "", name)
    yield "path", path.lower()
    if base not in _COMMON_FILES:
        yield "name", base
    yield "stem", stem, extension
    yield from (("kind", stem, str(n)) for n, kind in enumerate(_EXTENSION_GROUPS) if extension in kind)


@memoize
def _index_files(skill: Skill) -> Mapping[tuple[str, ...], Sequence[str]]:
    paths_by_key: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path in _list_own_files(skill):
        for key in _list_keys(path):
            if len(paths_by_key[key]) <= _MAX_NAMES:
                paths_by_key[key].append(path)
    return paths_by_key


@memoize
def _index_names(skill: Skill) -> "SimilarNames":
    return SimilarNames((*_split_extension(path), path) for path in _list_own_files(skill))


def _list_own_files(skill: Skill) -> list[str]:
    paths = {*skill.by_path, *(opaque.path for opaque in skill.opaque)} - {MAIN}
    return sorted(path for path in paths if get_role(path) is not Role.UNRELATED)


class SimilarNames:
    """An index of (kind, name, value) entries that finds the values of similar names of the same kind."""

    def __init__(self, entries: Iterable[tuple[str, str, str]]) -> None:
        unique = dict.fromkeys(entries)
        entries_by_key = ((key, (name, value)) for kind, name, value in unique for key in _list_index_keys(kind, name))
        self._by_beginning: Mapping[Hashable, Sequence[tuple[str, str]]] = group_by_key(entries_by_key)
        self._known: dict[tuple[str, str], Sequence[str]] = {}
        self._letters_left = _MAX_TOTAL_LETTERS

    def find(self, kind: str, name: str) -> Sequence[str]:
        """Return the values of similar names, or a few unchecked ones if there are too many to compare."""
        if (kind, name) not in self._known:
            groups = [self._by_beginning.get(key, ()) for key in _list_index_keys(kind, name)]
            count = sum(map(len, groups))
            is_crowded = count > 1 and (count >= _MAX_NAMES or count * len(name) > self._letters_left)
            self._letters_left -= 0 if is_crowded else count * len(name)
            entries = (entry for group in groups for entry in group[: 2 if is_crowded else None])
            values = {value: None for known, value in entries if is_crowded or is_similar(known, name)}
            self._known[kind, name] = tuple(values)
        return self._known[kind, name]


def _list_index_keys(kind: str, name: str) -> tuple[Hashable, Hashable]:
    """Return the two index keys of a name. A misspelling has at least one of them in common."""
    digits, words = _split_name(name)
    return (kind, digits, "".join(words)), (kind, digits, tuple(word[0] for word in words))


def is_similar(first: str, second: str) -> bool:
    """Return whether one name misspells the other: each word has nearly the same letters, and all digits are equal.

    `style_reviewer` and `style-reviewers` are similar, `import-rules` and `export-rules` are not.
    """
    (digits, words), (other_digits, other_words) = _split_name(first), _split_name(second)
    if not first or not second or digits != other_digits:
        return False
    is_same_text = "".join(words) == "".join(other_words)
    return is_same_text or (len(words) == len(other_words) and all(map(_is_misspelling, words, other_words)))


@lru_cache(maxsize=4096)
def _split_name(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(re.findall(r"\d+", name)), tuple(word.lower() for word in _WORD_BREAK.split(name) if word)


def _is_misspelling(first: str, second: str) -> bool:
    """Return whether two words have nearly the same letters, or one is the plural of the other."""
    if first[:1] != second[:1]:  # `uninstall` is not a misspelling of `install`, nor `page` of `age`
        return False
    if first in (second, second + "s") or second == first + "s":
        return True
    if len(first + second) > 2 * _MAX_LETTERS:
        return False
    from difflib import SequenceMatcher  # slow to load, and most names need no comparison

    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= _MIN_SIMILARITY


def _split_extension(path: str) -> tuple[str, str]:
    name, extension = posixpath.splitext(posixpath.basename(path))
    return extension.lower(), name
