"""Find code that a change breaks: code that changes its language, no longer parses, or has a new fault."""

from collections import Counter
from collections.abc import Iterator

from actions.code.faults import find_faults
from actions.code.languages import find_language
from actions.code.tree import Code, walk
from actions.fixes.invariants.change import Change
from actions.regex import regex
from actions.skill import SkillFile

_PLACEHOLDER = regex(r"<[A-Za-z][\w .-]*>")
"""A placeholder for the reader to fill in, such as `<base-branch>`, which is not an error in code."""
LanguageAndText = tuple[str, str]
"""The language of a fence or a script, and its text."""


def find_broken_code(change: Change) -> Iterator[str]:
    """Yield an objection if code in a changed file no longer parses, has another language, or has a new fault."""
    for old in change.changed_files:
        new = change.after.by_path.get(old.path)
        was, now = Counter(_list_code(old)), Counter(_list_code(new) if new else ())
        removed, added = was - now, now - was
        if not added:
            continue
        for language in sorted({name for name, _ in added} & {name for name, _ in removed}):
            if _count_errors(added, language) > _count_errors(removed, language):
                yield f"{old.path}: {language} code no longer parses"
        if {text for _, text in removed if text.strip()} & {text for _, text in added}:
            yield f"{old.path}: code is now marked as another language"
        known = set(find_faults(old.codes))
        yield from (
            f"{old.path}: {fault}"
            for fault in dict.fromkeys(find_faults(new.codes) if new else ())
            if fault not in known
        )


def _list_code(file: SkillFile) -> Iterator[LanguageAndText]:
    if not file.is_markdown:
        yield from ((code.language.name, code.text) for code in file.codes)
        return
    for fence in file.doc.fences:
        language = find_language(fence.lang)
        yield language.name if language else fence.lang, "\n".join(file.doc.lines_inside(fence))


def _count_errors(codes: Counter[LanguageAndText], name: str) -> int:
    if (language := find_language(name)) is None:
        return 0
    roots = (
        Code(language, _PLACEHOLDER.sub("placeholder", text)).root
        for (written, text) in codes.elements()
        if written == name
    )
    return sum(node.type == "ERROR" or node.is_missing for root in roots if root.has_error for node in walk(root))
