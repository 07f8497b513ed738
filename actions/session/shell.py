"""Parse the shell commands of a session into simple commands (a program and its arguments).

Quoted text is one word and here-documents are left out, so that a commit message about tests is not mistaken for a
test run.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby

import msgspec

from actions.regex import regex
from actions.session.transcript import Result, Step

_HEREDOC = regex(r"<<-?\s*['\"]?(\w+)")
_TOKEN = regex(
    r"""(?<![^\n])[ \t]*\#[^\n]*|\\\n"""
    r"""|(\$\((?!\()|&&|\|\||[;|\n()]|&(?!>)|(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\.|>&|&>|[^\s'"\\;|&()])+)"""
)
"""A comment, the end of a continued line, or (as the group) a separator or a word."""
_SEPARATORS = frozenset({"&&", "||", ";", "|", "\n", "&", "(", ")", "$("})
_JOINING_SEPARATOR = regex(r"\|(?!\|)|;|\|\||\n|&\s*$")
_ASSIGNMENT = regex(r"^\w+=")
_WRAPPERS = frozenset({"sudo", "time", "nohup", "env", "exec", "command", "nice", "xvfb-run", "rtk", "then", "do", "!"})
_RUNNERS = {"uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "pdm": "run", "rye": "run",
            "bundle": "exec", "pnpm": "exec", "yarn": "exec", "mise": "exec", "direnv": "exec"}  # fmt: skip
_LAUNCHERS = frozenset({"npx", "bunx", "pnpx", "uvx", "pipx"})
_REMOVE_PROGRAMS = frozenset({"rm", "unlink", "trash"})
INTERPRETERS = frozenset("python python3 node bash sh zsh ruby perl deno bun tsx ts-node php Rscript".split())
"""Programs that run a script given as an argument."""
_VALUE_OPTIONS = frozenset(
    "--with --python -p --extra --group --package --directory --project --env-file -C --cwd --filter "
    "-F --prefix".split()
)
MAX_COMMAND = 4_000
"""Maximum number of characters to parse of a command."""


class Command(msgspec.Struct, frozen=True, gc=False):
    """A Bash call. `parts` are its simple commands, split into words, without wrappers (sudo, uv run, npx).

    `hides_exit_codes` is true if the exit code is that of the last simple command, so earlier ones may have failed.
    """

    record: int
    text: str
    parts: tuple[tuple[str, ...], ...]
    hides_exit_codes: bool
    result: Result | None
    agent: str

    @property
    def output(self) -> str:
        """The output, or "" if the command did not run."""
        return self.result.text if self.result and not self.result.is_refused else ""

    @property
    def may_have_run(self) -> bool:
        """Whether the command was not refused. Its result may be missing."""
        return self.result is None or not self.result.is_refused

    @property
    def has_run(self) -> bool:
        """Whether the transcript shows that the command ran: it has a result and was not refused."""
        return self.result is not None and not self.result.is_refused


def list_commands(steps: Iterable[Step]) -> tuple[Command, ...]:
    """Return the Bash calls among steps, in order."""
    commands = []
    for call, result in steps:
        if call.name == "Bash" and (text := call.get("command")):
            hides_exit_codes = _JOINING_SEPARATOR.search(text) is not None
            commands.append(Command(call.record, text, split_commands(text), hides_exit_codes, result, call.agent))
    return tuple(commands)


def list_removed_words(commands: Iterable[Command]) -> frozenset[str]:
    """Return the unquoted arguments of all commands that may have removed files."""
    return frozenset(
        word for command in commands if command.has_run for part in command.parts for word in get_removed_words(part)
    )


def get_removed_words(part: tuple[str, ...]) -> list[str]:
    """Return the unquoted arguments of a simple command that may remove files, or [] for any other command."""
    may_remove = part[0] in _REMOVE_PROGRAMS or part[:2] == ("git", "rm")
    return [word.strip("'\"") for word in part[1:]] if may_remove else []


@lru_cache(maxsize=4096)
def split_commands(text: str) -> tuple[tuple[str, ...], ...]:
    """Split shell code into simple commands, each a tuple of words without wrappers such as `sudo`."""
    if "<<" in text:
        text = _remove_documents(text)
    tokens = (token.replace("\\\n", " ") for token in _TOKEN.findall(text[:MAX_COMMAND]) if token)
    groups = groupby(tokens, key=_SEPARATORS.__contains__)
    parts = (_unwrap(list(words)) for is_break, words in groups if not is_break)
    return tuple(part for part in parts if part)


def _remove_documents(text: str) -> str:
    return "\n".join(line for line, _ in list_documents(text))


def list_documents(text: str) -> list[tuple[str, list[str] | None]]:
    """Return the lines of shell code outside here-documents, each with the lines of the here-document that it opens."""
    lines: list[tuple[str, list[str] | None]] = []
    end: str | None = None
    for line in text.split("\n"):
        if end is not None:
            if line.strip() == end:
                end = None
            elif (document := lines[-1][1]) is not None:
                document.append(line)
            continue
        start = _HEREDOC.search(line)
        lines.append((line, [] if start else None))
        end = start[1] if start else None
    return lines


def _unwrap(words: list[str]) -> tuple[str, ...]:
    """Remove assignments and programs that only start another program, such as `sudo`, from a command."""
    start = 0
    while start < len(words):
        if (word := words[start]) in _WRAPPERS or _ASSIGNMENT.match(word):
            start += 1
        elif word == "timeout":
            start += 2
        elif word in _LAUNCHERS or (word in _RUNNERS and words[start + 1 : start + 2] == [_RUNNERS[word]]):
            start += 1 if word in _LAUNCHERS else 2
            while start < len(words) and words[start].startswith("-"):
                start += 2 if words[start] in _VALUE_OPTIONS else 1
        else:
            break
    return tuple(words[start:])
