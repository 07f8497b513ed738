"""Find commands and skills that count their arguments from 1: for Claude Code, `$0` is the first one.

Source: the CLI 2.1.332; `tests/e2e/facts/test_argument_facts.py` asks it. `$N` is short for `$ARGUMENTS[N]`.
"""

from collections.abc import Iterable, Iterator

import msgspec

from actions.regex import regex
from actions.skill.skill import Skill
from schemas.vocabulary import UnitKind

_NUMBER = regex(r"(?<![\w\\$])\$([1-9])(?!\w|[.,–—-]?\d|\$(?!\d))")
"""A number right before another `$` is a part of a text such as the prefix of a hash, `$1$`."""
_FIRST = regex(r"(?<![\w\\$])\$0(?!\w|[.,]?\d)|\$ARGUMENTS\[0\]")
_CODE = regex(r"(!?)`([^`\n]{1,500})`")
_DEFINITION = regex(r"[ \t]*(?:[-*+|]|\d{1,3}\.)[ \t]+(?:\*\*)?`\$1`")
"""A list item or the row of a table that says what the argument is."""
_VARIABLE = regex(r"[ \t]*(?:[-*+][ \t]+)?`?\w[\w-]*`?:[ \t]+`?\$([12])(?![\w.,]*\d)")
"""A line such as `place: $1`, in a list of what each argument is called."""
_ATTACHED = regex(r"(?<![\w\\`])@(?:[\w.-]+/)*\$1(?![\w\d])")
"""A file that Claude Code attaches to the prompt."""
_HINTED = regex(r"<[^<>]+>|\[[^][]+\]")
_ALL = "$ARGUMENTS"


class CountedArguments(msgspec.Struct, frozen=True):
    """The line with the first `$1` of a text that counts its arguments from 1, and the highest number.

    `is_complete` means that the text has `$ARGUMENTS` as well, so that no argument is lost. `is_executed` means that
    the number is in a command that Claude Code runs (``!`…` ``) or in the path of a file that it attaches (`@…`): these
    get the wrong argument all the same. `hinted` is the number of arguments in the `argument-hint`.
    """

    line: int
    highest: int
    is_complete: bool
    is_executed: bool
    hinted: int = 0


def find_counted_arguments(skill: Skill) -> CountedArguments | None:
    """Return where a command or a skill counts its arguments from 1, or None.

    It has an `argument-hint`, or a command defines `$1` in a list, or names both `$1` and `$2`. In another skill, `$1`
    may be a parameter of SQL. Numbers in code with spaces are those of a shell or awk. A text with `$0` counts from 0.
    """
    text = skill.main.text
    if "$1" not in text or _FIRST.search(text):
        return None
    lines = {line: numbers for line, prose in skill.main.doc.prose if (numbers := [*_list_numbers(prose)])}
    first = next((line for line, numbers in lines.items() if 1 in numbers), 0)
    hint = skill.frontmatter.text("argument-hint")
    is_meant = hint != "" or (skill.kind is UnitKind.COMMAND and _has_definition(map(skill.main.doc.line, lines)))
    if not first or not is_meant:
        return None
    executed = next((line for line in lines if _has_executed_first(skill.main.doc.line(line))), 0)
    highest = max(max(numbers) for numbers in lines.values())
    return CountedArguments(executed or first, highest, _ALL in text, executed > 0, len(_HINTED.findall(hint)))


def _has_definition(lines: Iterable[str]) -> bool:
    """Return whether one of these lines says what `$1` is, or they name both `$1` and `$2`."""
    texts = [*lines]
    named = {match[1] for match in map(_VARIABLE.match, texts) if match}
    return any(map(_DEFINITION.match, texts)) or named == {"1", "2"}


def _has_executed_first(line: str) -> bool:
    codes = (code for mark, code in _CODE.findall(line) if mark)
    return _ATTACHED.search(line) is not None or any(
        "1" in _NUMBER.findall(code) and "awk " not in code for code in codes
    )


def _list_numbers(line: str) -> Iterator[int]:
    """Yield the numbers in the prose of a line, in code without spaces, and in commands that Claude Code runs."""
    plain = _CODE.sub(lambda code: code[2] if code[1] or " " not in code[2] else " ", line) if "$" in line else ""
    yield from (int(number) for number in _NUMBER.findall(plain) if "awk " not in plain)
