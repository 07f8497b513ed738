"""Test that no pattern hangs on its own examples, repeated with new names."""

import keyword
import re
from functools import cache

import pytest

from actions.case import Case
from actions.patterns import get_patterns
from actions.skill.example import build_example_files, list_examples
from tests.actions.patterns.slowness import CHECKS, find_slow_checks, parse_case

SIZE = 6_000
"""Characters of the smaller repeated example; the larger has twice as many."""
MAX_RENAMED = 3000
"""Maximum length of an example whose names are replaced."""
KEYWORDS = frozenset((*keyword.kwlist, "const", "let", "function", "while", "interface", "type"))


def find_renamable(check, files: dict[str, str]) -> re.Pattern[str] | None:
    """Return a regular expression for the names of a short example that can be replaced without hiding the fault."""
    text = " ".join(files.values())
    candidates = set(re.findall(r"\b[A-Za-z_]\w{2,}", text)) if len(text) < MAX_RENAMED else set()
    candidates -= KEYWORDS

    def finds(names: set[str]) -> bool:
        return any(check(parse_case(rename(files, make_expression(names), 7))))

    replaceable = {word for word in candidates if finds({word})}
    while replaceable and not finds(replaceable):
        replaceable = set(sorted(replaceable)[: len(replaceable) // 2])
    return make_expression(replaceable) if replaceable else None


def make_expression(names: set[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(names))})\b(?![-\w]*:)")


def rename(files: dict[str, str], names: re.Pattern[str], number: int) -> dict[str, str]:
    return {path: names.sub(lambda match: f"{match[0]}{number}", text) for path, text in files.items()}


@cache
def rename_copies(id: str, example_number: int, count: int) -> list[dict[str, str]]:
    """Return many copies of an example of a pattern, each with new names."""
    files = dict(build_example_files(EXAMPLES[id][example_number]))
    names = find_renamable(CHECKS[id], files)
    return [rename(files, names, n) if names and n else files for n in range(count)]


EXAMPLES = {id: list_examples(get_patterns()[id].BAD) for id in CHECKS}


def repeat_example(id: str, example_number: int, size: int) -> Case:
    """Return the case of an example whose files repeat their content many times."""
    example_files = build_example_files(EXAMPLES[id][example_number])
    length = sum(map(len, example_files.values()))
    copies = rename_copies(id, example_number, 2 * SIZE // length + 1)[: size // length + 1]
    return parse_case(
        {path: join_texts(path, text, [files[path] for files in copies]) for path, text in example_files.items()}
    )


def join_texts(path: str, text: str, texts: list[str]) -> str:
    """Join the copies of one file under one frontmatter; of a file that is neither Markdown nor code, use one copy."""
    if not path.endswith((".md", ".py", ".js", ".ts", ".sh")):
        return text
    frontmatter, separator, _ = text.partition("\n---\n") if text.startswith("---") else ("", "", "")
    return frontmatter + separator + "\n".join(copy.removeprefix(frontmatter + separator) for copy in texts)


@pytest.mark.parametrize("id", CHECKS)
def test_checks_take_linear_time_in_repeated_examples(id):
    for example_number in range(len(EXAMPLES[id])):

        def repeat(times, number=example_number):
            return repeat_example(id, number, SIZE * times)

        assert find_slow_checks({id: CHECKS[id]}, repeat) == {}
