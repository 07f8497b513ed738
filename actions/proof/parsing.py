"""Code that a change breaks: what parsed without an error before must parse so in the same language after."""

from collections import Counter
from collections.abc import Iterator

from actions.code.tree import Code, language_named
from actions.proof.change import Change
from actions.skill import SkillFile

Written = tuple[str, str]
"""The language of a fence or a script, and its text."""


def broken_code(change: Change) -> Iterator[str]:
    """Yield each language of which sound code of a file was changed, and less of it parses than before."""
    for old in change.touched:
        new = change.after.by_path.get(old.path)
        was, now = Counter(_written(old)), Counter(_written(new) if new else ())
        went, came = was - now, now - was
        for language in sorted({name for name, text in went if _is_sound(name, text)}):
            if _faulty(came, language) > _faulty(went, language):
                yield f"{old.path}: {language} code that parsed does not parse any more"


def _written(file: SkillFile) -> Iterator[Written]:
    if not file.is_markdown:
        yield from ((code.language, code.text) for code in file.codes)
        return
    for fence in file.doc.fences:
        language = language_named(fence.lang)
        if language:
            yield language, "\n".join(file.doc.inside(fence))


def _faulty(codes: Counter[Written], language: str) -> int:
    return sum(count for (name, text), count in codes.items() if name == language and not _is_sound(name, text))


def _is_sound(language: str, text: str) -> bool:
    return not Code(language, text).root.has_error
