"""Find the files that the shell commands of a session may have created."""

from collections.abc import Iterable, Iterator
from operator import itemgetter

from actions.regex import regex
from actions.session.edits import classify_path
from actions.session.git import split_git
from actions.session.sed_script import edits_in_place, list_sed_writes
from actions.session.shell import INTERPRETERS, Command, list_documents

_NAMING_PROGRAMS = frozenset({"touch", "tee", "cp", "mv"})
"""Programs whose arguments name the files that they create."""
_WRITE_PROGRAMS = _NAMING_PROGRAMS | frozenset(
    "curl wget unzip tar rsync patch dd install ln split csplit truncate sponge ed ex vi vim".split()
)
_STARTING_PROGRAMS = frozenset({"xargs", "find", "parallel"})
"""Programs that start the program that is named in an argument."""
_AWK_PROGRAMS = frozenset({"awk", "gawk", "mawk"})
_MAY_WRITE = _WRITE_PROGRAMS | INTERPRETERS | _STARTING_PROGRAMS | _AWK_PROGRAMS | {"git", "sed"}
"""The programs that may write a file without a redirection."""
_AWK_WRITES = regex(r">(?!=)|\||\bsystem\s*\(")
"""An awk script that may write a file, by a redirection (but not `>=`), a pipe, or `system`."""
_CURL_SAVE_OPTION = regex(r"-[a-zA-Z]*[oOJ]|--(?:output|remote)")
"""Options that make curl write a file."""
_CURL_NAME_OPTION = regex(r"-[a-np-zA-IK-NP-Z]*o|--output")
"""Options of curl that take the file name as the next word."""
_PRINT_OPTIONS = {"unzip": regex(r"-[a-zA-Z]*[pltZv]"), "tar": regex(r"-?(?=[^xcru]*t)[a-zA-Z]+|--list")}
"""Options that make a program print and not write files."""
_GIT_WRITE_VERBS = frozenset({"apply", "am", "restore", "cherry-pick", "revert"})
_ENDING_OPTIONS = frozenset({"--abort", "--quit", "--skip"})
_OPEN_TO_READ = regex(r"\bopen\(\s*\\?(['\"])[^'\"\n]*\\?\1\s*(?:,\s*\\?['\"]rb?\\?['\"]\s*)?\)")
"""Matches code that opens a named file for reading."""
_MAY_WRITE_CODE = regex(r"\bopen\(|\bwrite|\bshutil\b|File\.")
"""Inline code for an interpreter that may write to a file."""
_QUOTED_HEREDOC = regex(r"<<-?\s*(?:'\w+'|\"\w+\")")
"""The start of a here-document whose text the shell does not expand."""
_SINGLE_QUOTED = regex(r"'[^']*'")
_DOUBLE_QUOTED = regex(r'"(?:[^"\\$`]|\\[\s\S])*"')
_ESCAPED_CHARACTER = regex(r"\\([$`\"\\\n])")
_IN_PLACE = regex(r"-[a-zA-Z]*i|--in-place")
_NO_CODE_FILE = regex(r"\.(?:log|out|tmp)$")
_REDIRECTION = regex(r"^&?\d?>>?(?!&)")


def list_shell_writes(commands: Iterable[Command], root: str) -> Iterator[str]:
    """Yield the project files that commands may have created, by a redirection or a program that writes files.

    Paths are spelled as in the command, with "." for an unknown file. `root` is the project folder.
    """
    commands = [command for command in commands if command.may_have_run]
    if pops_foreign_stash(command for command in commands if "stash" in command.text):
        yield "."
    for command in filter(_may_write, commands):
        for part, is_outside in locate_commands(command, root):
            for path in (*_list_targets(part), *_list_unnamed_files(part, command)):
                if not is_scratch(path, root, is_outside=is_outside):
                    yield path


def locate_commands(command: Command, root: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield (part, is_outside) for each simple command in a command.

    `is_outside` is true if the simple command certainly runs in a temporary folder outside the project.
    """
    is_outside = False
    for part in command.parts:
        if part[0] == "cd":
            is_outside = "(" not in command.text and _leaves_project(part, root, was_outside=is_outside)
        yield part, is_outside


def is_scratch(path: str, root: str, *, is_outside: bool) -> bool:
    """Return whether a path of a simple command is certainly in a temporary folder outside the project."""
    is_relative = not path.startswith(("/", "~", "$", "`"))
    return (is_relative and is_outside) or classify_path(path, root) == "scratch"


def _may_write(command: Command) -> bool:
    """Return whether a command contains a redirection or a program that may write files."""
    if ">" in command.text:
        return True
    return not _MAY_WRITE.isdisjoint(map(itemgetter(0), command.parts)) and any(
        part[0] in _WRITE_PROGRAMS
        or part[0] == "sed"
        or part[:2] == ("git", "mv")
        or any(_list_unnamed_files(part, command))
        for part in command.parts
    )


def _list_unnamed_files(part: tuple[str, ...], command: Command) -> Iterator[str]:
    """Yield the files that a simple command may write without naming them in its arguments ("." if unknown)."""
    if part[0] in INTERPRETERS:
        is_code = "-c" in part or "-e" in part or "<<" in command.text
        if (
            is_code
            and _MAY_WRITE_CODE.search(command.text)
            and _MAY_WRITE_CODE.search(_OPEN_TO_READ.sub("", command.text))
        ):
            yield from _list_inline_writes(part, command)
    elif part[0] in _STARTING_PROGRAMS:
        if any(word in _WRITE_PROGRAMS for word in part) or ("sed" in part and any(map(_IN_PLACE.match, part))):
            yield "."
    elif part[0] in _AWK_PROGRAMS:
        yield from ["."] if any(map(_AWK_WRITES.search, part[1:])) else []
    else:
        verb, words = split_git(part)
        yield from ["."] if verb in _GIT_WRITE_VERBS and _ENDING_OPTIONS.isdisjoint(words) else []


def _list_inline_writes(part: tuple[str, ...], command: Command) -> Iterator[str]:
    """Yield the files that inline interpreter code may write, or "." unless it is Python that can be parsed."""
    codes = _list_python(part, command) if part[0] in ("python", "python3") else ()
    if codes and all(code is not None for code in codes):
        from actions.session.python_writes import list_python_writes  # imported here because `ast` loads slowly

        yield from (path for code in codes for path in list_python_writes(code))
    else:
        yield "."


def _list_python(part: tuple[str, ...], command: Command) -> list[str | None]:
    """Return the pieces of Python code that a simple command runs, with None for code that the shell expands."""
    if "-c" in part:
        return [_unquote("".join(part[part.index("-c") + 1 :][:1]))]
    documents = list_documents(command.text)
    return [
        None if document is None or not _QUOTED_HEREDOC.search(line) else "\n".join(document)
        for line, document in documents
        if "<<" in line
    ]


def _unquote(word: str) -> str | None:
    """Return the text of a quoted word, or None if the shell expands it or it has several quoted parts."""
    if _SINGLE_QUOTED.fullmatch(word):
        return word[1:-1]
    return _ESCAPED_CHARACTER.sub(r"\1", word[1:-1]) if _DOUBLE_QUOTED.fullmatch(word) else None


def pops_foreign_stash(commands: Iterable[Command]) -> bool:
    """Return whether the commands may have applied a stash that they did not create."""
    own_stashes = 0
    for command in commands:
        for verb, words in map(split_git, command.parts):
            action = words[0] if verb == "stash" and words and not words[0].startswith("-") else "push"
            if verb != "stash" or action not in ("push", "save", "pop", "apply", "branch"):
                continue
            if action in ("push", "save"):
                own_stashes += "No local changes" not in command.output
            elif not own_stashes:
                return True
            own_stashes -= action == "pop"
    return False


def may_change_code(commands: Iterable[Command], paths: Iterable[str]) -> bool:
    """Return whether commands may have changed project code. `paths` is the result of `list_shell_writes`."""
    if any(classify_path(path) == "code" and not _NO_CODE_FILE.search(path) for path in paths):
        return True
    parts = (part for command in commands if command.may_have_run for part in command.parts)
    return any(
        (part[0] == "sed" and edits_in_place(part[1:])) or (part[0] == "perl" and any(map(_IN_PLACE.match, part[1:])))
        for part in parts
    )


def _leaves_project(part: tuple[str, ...], root: str, *, was_outside: bool) -> bool:
    """Return whether a `cd` command leads to, or stays in, a temporary folder outside the project."""
    folder = "".join(part[1:2]).strip("'\"")
    if folder.startswith("/"):
        return classify_path(f"{folder}/", root) == "scratch"
    return was_outside and bool(folder) and not folder.startswith(("~", "$", "-", "`")) and ".." not in folder


def _list_targets(part: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that a simple command may create, by a redirection or as its arguments."""
    redirections = (index for index, word in enumerate(part) if ">" in word and _REDIRECTION.match(word))
    yield from filter(None, (_get_target(part, index) for index in redirections))
    program, words = (part[0], part[1:]) if part[:2] != ("git", "mv") else ("mv", part[2:])
    arguments = words if program in _NAMING_PROGRAMS else ()
    paths = [word.strip("'\"") for word in arguments if not word.startswith(("-", ">", "<"))]
    if program == "sed":
        yield from list_sed_writes(words)
    elif paths:
        yield from _list_copies(paths) if program in ("cp", "mv") else paths
    elif program == "curl":
        yield from _list_curl_targets(part)
    elif program in _WRITE_PROGRAMS:
        yield from [] if program in _PRINT_OPTIONS and any(map(_PRINT_OPTIONS[program].fullmatch, words[:1])) else ["."]


def _list_curl_targets(part: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that a curl call may save (except `/dev/null`), with "." for an unnamed file."""
    for index, word in enumerate(part):
        if _CURL_SAVE_OPTION.match(word):
            has_name = _CURL_NAME_OPTION.fullmatch(word) and index + 1 < len(part)
            path = part[index + 1].strip("'\"") if has_name else "."
            yield from [path] if path != "/dev/null" else []


def _list_copies(paths: list[str]) -> Iterator[str]:
    """Yield the paths that `cp` or `mv` creates: the target or, if it is certainly a folder, the files in it."""
    *sources, target = paths
    if target.endswith("/") and sources:
        yield from (target + source.rstrip("/").rpartition("/")[2] for source in sources)
    else:
        yield target


def _get_target(part: tuple[str, ...], index: int) -> str:
    """Return the target file of a redirection, or "" for `/dev/null`.

    The target is the rest of the word or, if that is empty, the next word.
    """
    rest = _REDIRECTION.sub("", part[index]).strip("'\"")
    path = rest or "".join(part[index + 1 : index + 2]).strip("'\"")
    return "" if path == "/dev/null" else path
