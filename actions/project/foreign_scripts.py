"""Find scripts that a text of the project calls those of another repository."""

import posixpath
from collections.abc import Iterator

from actions.memo import memoize, memoize_all
from actions.project.project import Project
from actions.regex import regex
from actions.skill.paths import MARKDOWN
from actions.skill.text import split_sentences

_ELSEWHERE = regex(
    r"(?i)\bnot (?:in|part of|bundled (?:in|with)) (?:this|the) (?:skill|plugin|bundle)\b"
    r"|\b(?:in|from|of) (?:the|your|their|another|an?) (?!same\b|current\b|whole\b|entire\b|main\b|root\b)"
    r"(?:[\w-]+ ){0,2}[\w-]+ repo(?:sitory)?\b"
    r"|\b(?:the|your) (?!same\b|current\b|main\b)(?:[\w-]+ )?[\w-]+ repo(?:sitory)?['’]s\b"
)
"""Words about another repository than that of the text."""
_MARKS = (b" repo", b"not in th", b"not part of th", b"not bundled ")
"""Parts of these words, one of which each line with them has."""

_EXPORT = regex(r"(?i)\b(?:filtered|published|export(?:ed)?|mirror(?:ed)?|synced)\b")
_SOURCE = regex(r"(?i)\bgithub\.com/[\w.-]+/[\w.-]+-(?:src|source|internal|monorepo)\b")
_FIRST_LINES = 10


@memoize
def is_export(project: Project) -> bool:
    """Return whether the README or the change log begins by saying that the project is exported from another one."""
    heads = ((project.read_bytes(name) or b"").splitlines()[:_FIRST_LINES] for name in ("README.md", "CHANGELOG.md"))
    texts = [b"\n".join(lines).decode("utf-8", "replace") for lines in heads]
    return any(_EXPORT.search(text) and _SOURCE.search(text) for text in texts)


def is_of_other_repository(project: Project, path: str) -> bool:
    """Return whether a sentence of any text of the project gives a script's name, and another repository for it."""
    name = posixpath.basename(path)
    return any(name in sentence for sentence in _list_sentences_on_repositories(project))


@memoize_all
def _list_sentences_on_repositories(project: Project) -> Iterator[str]:
    """Yield the sentences about another repository in all texts of the project, which are read once."""
    texts = (project.read_bytes(file) or b"" for file in project.files if file.endswith(MARKDOWN))
    lines = (line.decode("utf-8", "replace") for text in texts for line in _list_marked_lines(text))
    yield from (part for line in lines for part in split_sentences(line) if _ELSEWHERE.search(part))


def _list_marked_lines(text: bytes) -> Iterator[bytes]:
    """Yield the lines that may be about a repository. Only these are split, as a project may have 100 MB of texts."""
    lower = text.lower()
    for mark in _MARKS:
        at = lower.find(mark)
        while at >= 0:
            end = text.find(b"\n", at)
            end = len(text) if end < 0 else end
            yield text[text.rfind(b"\n", 0, at) + 1 : end]
            at = lower.find(mark, end)
