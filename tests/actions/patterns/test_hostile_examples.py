"""Test that no pattern hangs on its own examples, repeated with new names."""

import keyword
import re
from functools import cache

import pytest

from actions.case import Case
from actions.patterns import get_patterns
from actions.skill.example import build_example_files, list_examples
from tests.actions.patterns.slowness import CHECKS, parse_case, too_slow

SIZE = 6_000
"""Characters of the smaller repeated example; the larger has twice as many."""
MAX_RENAMED = 3000
"""Maximum length of an example whose names are replaced."""
KEYWORDS = frozenset((*keyword.kwlist, "const", "let", "function", "while", "interface", "type"))


def find_renamable(check, files: dict[str, str]) -> re.Pattern[str] | None:
    """Return a regular expression for the names of a short example that can be replaced without hiding the fault."""
    text = " ".join(files.values())
    words = set(re.findall(r"\b[A-Za-z_]\w{2,}", text)) if len(text) < MAX_RENAMED else set()
    words -= KEYWORDS

    def finds(names: set[str]) -> bool:
        return any(check(parse_case(renamed(files, matching(names), 7))))

    chosen = {word for word in words if finds({word})}
    while chosen and not finds(chosen):
        chosen = set(sorted(chosen)[: len(chosen) // 2])
    return matching(chosen) if chosen else None


def matching(names: set[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(names))})\b(?![-\w]*:)")


def renamed(files: dict[str, str], names: re.Pattern[str], number: int) -> dict[str, str]:
    return {path: names.sub(lambda match: f"{match[0]}{number}", text) for path, text in files.items()}


@cache
def rename_copies(id: str, place: int, most: int) -> list[dict[str, str]]:
    """Return many copies of an example of a pattern, each with new names."""
    files = dict(build_example_files(EXAMPLES[id][place]))
    names = find_renamable(CHECKS[id], files)
    return [renamed(files, names, n) if names and n else files for n in range(most)]


EXAMPLES = {id: list_examples(get_patterns()[id].BAD) for id in CHECKS}


def repeat_example(id: str, place: int, size: int) -> Case:
    """Return the case of an example whose files repeat their content many times."""
    whole = build_example_files(EXAMPLES[id][place])
    length = sum(map(len, whole.values()))
    again = rename_copies(id, place, 2 * SIZE // length + 1)[: size // length + 1]
    return parse_case({path: join_texts(path, text, [files[path] for files in again]) for path, text in whole.items()})


def join_texts(path: str, text: str, texts: list[str]) -> str:
    """Join the copies of one file under one frontmatter; of a file that is neither Markdown nor code, use one copy."""
    if not path.endswith((".md", ".py", ".js", ".ts", ".sh")):
        return text
    head, mark, _ = text.partition("\n---\n") if text.startswith("---") else ("", "", "")
    return head + mark + "\n".join(one.removeprefix(head + mark) for one in texts)


@pytest.mark.parametrize("id", CHECKS)
def test_checks_take_linear_time_in_repeated_examples(id):
    for place in range(len(EXAMPLES[id])):
        assert too_slow({id: CHECKS[id]}, lambda times, place=place: repeat_example(id, place, SIZE * times)) == {}
