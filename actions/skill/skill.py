"""Read a skill folder as frozen records: the input is bytes, the output is files with roles, documents and tokens."""

import posixpath
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from actions.code.fences import parse_fences
from actions.code.tree import MAX_PARSED, Code
from actions.grouping import group_by_key
from actions.lean_hash import hash_bytes
from actions.memo import cached_property
from actions.regex import regex
from actions.skill.document import Document, list_body_lines, parse_document
from actions.skill.frontmatter import Frontmatter, parse_frontmatter
from actions.skill.line_index import LineIndex
from actions.skill.paths import MAIN, MARKDOWN, NOT_TEXT, Role, get_role, is_text_path, list_parents, resolve_path
from actions.skill.text import MAX_DESCRIPTION, estimate_tokens, is_chinese
from actions.words import find_words
from schemas.vocabulary import UnitKind

__all__ = ["MAIN", "Opaque", "Role", "Skill", "SkillFile", "get_role", "parse_skill"]
_TOKEN = regex(r"[A-Za-z0-9_]+|[^\W\x00-\x7F]")
_LATIN = regex(r"[A-Za-z0-9_]")


class Opaque(msgspec.Struct, frozen=True):
    """A file that is listed but never parsed or changed, with the reason."""

    path: str
    reason: str
    size: int = 0


class SkillFile(msgspec.Struct, frozen=True, dict=True):
    """A text file of the skill.

    `path` is relative to the skill and separates folders with `/`. `limit` is the maximum number of characters of code
    to parse.
    """

    path: str
    raw: bytes
    limit: int = MAX_PARSED

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SkillFile) and (self.path, self.raw) == (other.path, other.raw)

    def __hash__(self) -> int:
        return hash((self.path, self.raw))

    @cached_property
    def text(self) -> str:
        """The text, including its byte order mark and line endings."""
        return self.raw.decode("utf-8")

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @cached_property
    def lowercase_index(self) -> LineIndex:
        """An index of the lower-case text, which finds the lines that contain a word."""
        return LineIndex(self.lower)

    @cached_property
    def tokens(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """The (line number, column) of each occurrence, by Latin word and by letter of other scripts."""
        matches = ((number, match) for number, line in enumerate(self.doc.lines, 1) for match in _TOKEN.finditer(line))
        return group_by_key((match[0], (number, match.start())) for number, match in matches)

    @cached_property
    def words(self) -> frozenset[str]:
        """The keys of `tokens`, which are much faster to find than the positions."""
        return find_words(self.text, _TOKEN)

    def lines_with(self, name: str) -> Iterator[int]:
        """Yield the numbers of the lines that contain a whole name.

        A whole name has no Latin letter, digit or `_` next to it.
        """
        tokens = [(self.tokens.get(match[0], ()), match.start()) for match in _TOKEN.finditer(name)]
        places, before = min(tokens, key=lambda token: len(token[0]), default=((), 0))
        last = 0
        for number, column in places:
            line, start, end = self.doc.line(number), column - before, column - before + len(name)
            neighbours = line[max(start - 1, 0) : max(start, 0)] + line[end : end + 1]
            if last < number and start >= 0 and line.startswith(name, start) and not _LATIN.search(neighbours):
                yield (last := number)

    @cached_property
    def sha256(self) -> str:
        """The hash of the bytes."""
        return hash_bytes(self.raw)

    @cached_property
    def doc(self) -> Document:
        """The parsed Markdown. Other files have only lines."""
        return parse_document(self.text, is_markdown=self.is_markdown)

    def __reduce__(self) -> tuple[type["SkillFile"], tuple[str, bytes, int]]:
        """Pickle only the bytes. The copy parses the file again."""
        return SkillFile, (self.path, self.raw, self.limit)

    @property
    def codes(self) -> tuple[Code, ...]:
        """The code of a script, or of each parsed fence outside counterexamples."""
        return self._codes[0]

    @property
    def limit_left(self) -> int:
        """The rest of `limit` after parsing this file."""
        return self._codes[1]

    @cached_property
    def _codes(self) -> tuple[tuple[Code, ...], int]:
        if not self.is_markdown:
            return parse_fences([(posixpath.splitext(self.path)[1] or ".", self.text.lstrip("\ufeff"), 1)], self.limit)
        doc = self.doc
        fences = (fence for fence in doc.fences if not doc.is_counterexample(fence.end))
        return parse_fences(((f.lang, "\n".join(doc.lines_inside(f)), f.start + 1) for f in fences), self.limit)

    @cached_property
    def memo(self) -> dict[str, object]:
        """Results of memoized functions; see `actions.memo`."""
        return {}

    @property
    def is_markdown(self) -> bool:
        """Whether this is a Markdown file."""
        return self.path.lower().endswith(MARKDOWN)

    @cached_property
    def is_chinese(self) -> bool:
        """Whether the prose is mainly Chinese, so that edits are written in Chinese."""
        return is_chinese("\n".join(line for _, line in self.doc.prose))

    @cached_property
    def role(self) -> Role:
        """The role of the file in the skill."""
        return get_role(self.path)

    @cached_property
    def is_instruction(self) -> bool:
        """Whether a model reads this file as instructions: Markdown that is neither for people nor an asset."""
        return self.is_markdown and self.role in (Role.MAIN, Role.PHASE, Role.SPEC, Role.REFERENCE)


class Skill(msgspec.Struct, frozen=True, dict=True):
    """A skill, or another unit in the same form. `folder` is the name of its folder, `files` are sorted by path.

    `outside` has the targets of references that exist in the plugin or repository around the skill, and the unknown
    frontmatter keys that are read there. Another unit has one file, `main_path`, relative to the project.
    """

    folder: str
    files: tuple[SkillFile, ...]
    opaque: tuple[Opaque, ...] = ()
    notes: tuple[str, ...] = ()
    outside: frozenset[str] = frozenset()
    kind: UnitKind = UnitKind.SKILL
    main_path: str = MAIN

    def __reduce__(self) -> tuple[type["Skill"], tuple[object, ...]]:
        """Pickle without memoized results."""
        return Skill, (self.folder, self.files, self.opaque, self.notes, self.outside, self.kind, self.main_path)

    @cached_property
    def by_path(self) -> Mapping[str, SkillFile]:
        """Each text file by its path."""
        return {file.path: file for file in self.files}

    @cached_property
    def paths(self) -> frozenset[str]:
        """All files of the skill's folder, text or opaque, and all folders in it, without a trailing `/`."""
        files = [*self.by_path, *(opaque.path for opaque in self.opaque)]
        return frozenset(files) | {parent for path in files for parent in list_parents(path)}

    @property
    def main(self) -> SkillFile:
        """SKILL.md, or the only file of another unit."""
        return self.by_path[self.main_path]

    @property
    def is_lone(self) -> bool:
        """Whether the folder has only a SKILL.md. If it names other files, only this one was copied or imported."""
        return self.kind is UnitKind.SKILL and self.paths == {self.main_path}

    @cached_property
    def frontmatter(self) -> Frontmatter:
        """The frontmatter of SKILL.md."""
        return parse_frontmatter(self.main.doc.lines)

    @cached_property
    def memo(self) -> dict[str, object]:
        """Results of memoized functions. A changed skill starts with none."""
        return {}

    @property
    def digest(self) -> str:
        """The hash of the paths and the content of all text files."""
        return hash_bytes(repr([(file.path, file.sha256) for file in self.files]).encode())

    @property
    def name(self) -> str:
        """The name in the frontmatter, or the folder's name."""
        return self.frontmatter.text("name") or self.folder

    @cached_property
    def instructions(self) -> tuple[SkillFile, ...]:
        """The files that a model reads as instructions: SKILL.md, then the other files by path.

        For a unit that is not a skill, this is the file of the unit.
        """
        if self.kind is not UnitKind.SKILL:
            return tuple(file for file in self.files if file.is_markdown)
        files = [file for file in self.files if file.is_instruction and not self._is_nested(file.path)]
        return tuple(sorted(files, key=lambda file: (file.role is not Role.MAIN, file.path)))

    @cached_property
    def phases(self) -> tuple[SkillFile, ...]:
        """The phase files in order."""
        return tuple(file for file in self.instructions if file.role is Role.PHASE)

    @cached_property
    def scripts(self) -> tuple[SkillFile, ...]:
        """The bundled scripts."""
        files = (file for file in self.files if file.role is not Role.UNRELATED and not file.is_markdown and file.codes)
        return tuple(file for file in files if not self._is_nested(file.path))

    @cached_property
    def sources(self) -> tuple[SkillFile, ...]:
        """The instruction files and the scripts."""
        return self.instructions + self.scripts

    @cached_property
    def specs(self) -> tuple[SkillFile, ...]:
        """The specification files."""
        return tuple(file for file in self.files if file.role is Role.SPEC)

    @cached_property
    def execution_mode(self) -> str:
        """`autonomous` if an orchestrator or a state-driven loop chooses the next step, else `sequential`."""
        if "phases/orchestrator.md" in self.by_path:
            return "autonomous"
        texts = [file.text for file in self.instructions]
        is_state_driven = any("state.json" in text and "next_action" in text.lower() for text in texts)
        return "autonomous" if is_state_driven else "sequential"

    @cached_property
    def is_chinese(self) -> bool:
        """Whether the body of SKILL.md is mainly Chinese, so that edits are written in Chinese."""
        return is_chinese(self.body)

    @cached_property
    def body(self) -> str:
        """The text of SKILL.md without the frontmatter, which Claude Code loads when the skill is used."""
        return "\n".join(list_body_lines(self.main.doc.lines))

    @property
    def listing_tokens(self) -> int:
        """Estimated tokens of name, description and `when_to_use` in the skill listing, which cuts long texts."""
        description, when = (" ".join(self.frontmatter.text(key).split()) for key in ("description", "when_to_use"))
        listing_text = f"{description} - {when}" if description and when else description or when
        return estimate_tokens(len(self.frontmatter.text("name")) + min(len(listing_text), MAX_DESCRIPTION))

    @property
    def body_tokens(self) -> int:
        """Estimated tokens of SKILL.md's body, which every use of the skill pays."""
        return estimate_tokens(len(self.body))

    @property
    def on_demand_tokens(self) -> int:
        """Estimated tokens of the other instruction files, which are read on demand."""
        return sum(estimate_tokens(len(file.text)) for file in self.instructions if file.role is not Role.MAIN)

    @cached_property
    def unrelated_folders(self) -> Mapping[str, int]:
        """Folders that are not part of the skill, such as test data or vendored code, with their file counts."""
        paths = [file.path for file in self.files if file.role is Role.UNRELATED or self._is_nested(file.path)]
        return Counter(next(filter(self._is_unrelated, reversed([*list_parents(path)]))) for path in paths)

    def _is_unrelated(self, folder: str) -> bool:
        return get_role(f"{folder}/x") is Role.UNRELATED or folder in self._nested_skills

    @cached_property
    def _nested_skills(self) -> frozenset[str]:
        return frozenset(path.rpartition("/")[0] for path in self.by_path if path.endswith(f"/{MAIN}"))

    def _is_nested(self, path: str) -> bool:
        """Return whether a file belongs to another skill in a folder of this one."""
        return bool(self._nested_skills) and not self._nested_skills.isdisjoint(list_parents(path))

    def resolve(self, target: str, source: str) -> str | None:
        """Resolve `target`, written in file `source`, to the path of a file or folder in the skill, or None."""
        return resolve_path(target, source, self.paths)

    def mentions(self, name: str) -> Iterator[tuple[SkillFile, int]]:
        """Yield the (file, line number) of each occurrence of a name; see `SkillFile.lines_with`."""
        files = min((self._files_by_word.get(word, ()) for word in _TOKEN.findall(name)), key=len, default=self.files)
        return ((file, number) for file in files if name for number in file.lines_with(name))

    @cached_property
    def _files_by_word(self) -> Mapping[str, Sequence[SkillFile]]:
        return group_by_key((word, file) for file in self.files for word in file.words)

    def is_mentioned(self, name: str, *, ignored_lines: Collection[tuple[str, int]] = ()) -> bool:
        """Return whether a text file of the skill contains a name, except on `ignored_lines` (path, line number)."""
        return any((file.path, line) not in ignored_lines for file, line in self.mentions(name))

    def with_files(self, changes: Mapping[str, bytes | None]) -> "Skill":
        """Return the skill with files replaced (bytes) or deleted (None). Unchanged files are not parsed again."""
        files = dict(self.by_path)
        for path, raw in changes.items():
            if raw is None:
                files.pop(path, None)
            elif path not in files or files[path].raw != raw:
                files[path] = SkillFile(path, raw, files[path].limit if path in files else MAX_PARSED)
        new = replace(self, files=tuple(files[path] for path in sorted(files)))
        if files.keys() == self.by_path.keys():
            vars(new)["paths"] = self.paths  # the same object, so that results memoized by it stay valid
        return new


def parse_skill(
    folder: str, contents: Mapping[str, bytes], opaque: tuple[Opaque, ...] = (), notes: tuple[str, ...] = ()
) -> Skill:
    """Build a Skill from a map of paths to bytes. Files that are not UTF-8 text become opaque.

    Raises KeyError if SKILL.md is missing, and UnicodeDecodeError if SKILL.md is not UTF-8.
    """
    contents[MAIN].decode("utf-8")
    files, rest = [], list(opaque)
    for path in sorted(contents):
        raw = contents[path]
        if not is_text_path(path):
            rest.append(Opaque(path, NOT_TEXT, len(raw)))
        elif b"\0" in raw or not is_utf8(raw):
            rest.append(Opaque(path, "not UTF-8 text", len(raw)))
        else:
            files.append(SkillFile(path, raw))
    return Skill(folder, _share_limit(files), tuple(sorted(rest, key=lambda file: file.path)), notes)


def _share_limit(files: Sequence[SkillFile]) -> tuple[SkillFile, ...]:
    """Divide the limit for parsed code among the files of the skill, starting with SKILL.md."""
    if sum(len(file.raw) for file in files) <= MAX_PARSED:
        return tuple(files)
    limit, limited = MAX_PARSED, list[SkillFile]()
    for file in sorted(files, key=lambda file: file.path != MAIN):
        limited.append(replace(file, limit=limit))
        limit = limit if file.role is Role.UNRELATED else limited[-1].limit_left
    return tuple(sorted(limited, key=lambda file: file.path))


def is_utf8(raw: bytes) -> bool:
    """Return whether bytes are UTF-8 text."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
