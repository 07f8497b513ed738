"""Prove from the records that a consideration does not arise in a session.

Each function returns the reason, or "" if the consideration may arise: then only a judge can tell.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from actions.regex import regex
from actions.session.answer import Answer, satisfied, unknown
from actions.session.edits import Edit, classify_path, is_test
from actions.session.session import Session
from actions.session.shell import INTERPRETERS, list_removed_names

_REVIEW = regex(r"\b(?:reviews?|reviewers?|comments?|feedback|threads?)\b")
_REVIEW_WORK = regex(
    r"(?i)\b(?:reviews?|pr|pull[-_ ]requests?|unresolved|discussion)[-_ ](?:\w+[-_ ])?(?:comments?|threads?|feedback)\b"
)
_FETCHED = regex(r"(?i)\bgh (?:api|pr (?:view|checkout|diff|review))\b|\bglab (?:api|mr)\b")

_STARTERS = frozenset({"Task", "Agent", "Skill"})
_WRITERS = frozenset({"touch", "tee", "cp", "curl", "wget", "unzip"})
_NAMING = frozenset({"touch", "tee", "cp"})
"""Those whose words name the files that they create."""
_REDIRECTED = regex(r"^&?\d?>>?(?!&)")
_ALL = frozenset({"-A", "--all", ".", "-a", "-am", "-u", "--update", "*", ":/"})


def answer_without_checker(checker: str, session: Session) -> Answer:
    """Answer a consideration that has no checker of its own: satisfied if it does not arise in the session."""
    find_reason = OCCASIONS.get(checker.removeprefix("_check_"))
    reason = find_reason(session) if find_reason else ""
    return satisfied(reason) if reason else unknown("only a judge can tell, and none answered")


def _no_production_code(session: Session) -> str:
    return "" if any(_production(session)) else "no production code was changed"


def _no_new_page(session: Session) -> str:
    pages = (edit for edit in session.edits if edit.is_new and edit.kind == "docs")
    return "" if any(pages) or any(_list_shell_writes(session)) else "no new page was written"


def _no_file_in_root(session: Session) -> str:
    root = session.transcript.cwd.rstrip("/")
    new = {edit.path for edit in session.edits if edit.is_new and edit.path.rpartition("/")[0] in (root, "")}
    gone = list_removed_names(session.commands) if new else frozenset()
    left = any(path.rpartition("/")[2] not in gone for path in new)
    written = (path for path in _list_shell_writes(session) if not _is_below_root(path, root))
    return "" if left or any(written) else "no new file was left in the root"


def _is_below_root(path: str, root: str) -> bool:
    """Return whether an absolute path is in a folder that is not the root of the project."""
    return path.startswith("/") and ".." not in path and posixpath.dirname(path) != root and path.rstrip("/") != root


def _no_ci(session: Session) -> str:
    return "" if session.git.ci else "no CI was looked at"


def _no_review(session: Session) -> str:
    fetched = any(_FETCHED.search(command.text) for command in session.commands)
    calls = session.transcript.calls
    asked = any(call.name.startswith("mcp__") for call in calls)
    given = (call.get("prompt") or call.get("skill") for call in calls if call.name in _STARTERS)
    about = [*given, *(command.text for command in session.commands), *(m.text for m in session.transcript.messages)]
    fetched = fetched or any(map(_REVIEW_WORK.search, about))
    return "" if fetched or asked or _REVIEW.search(session.user_words) else "no review was fetched or mentioned"


def _only_edited_files(session: Session) -> str:
    if not (session.git.commits or session.git.refused):
        return "nothing was committed"
    edited = {edit.path.rpartition("/")[2] for edit in session.edits}
    for command in session.commands if edited else ():
        for part in command.parts:
            words = part[2:] if part[:2] in (("git", "add"), ("git", "commit")) else ()
            if not _ALL.isdisjoint(words):
                return ""
            names = [word.strip("'\"") for word in words if part[1] == "add" and not word.startswith("-")]
            if any(name.rpartition("/")[2] not in edited for name in names):
                return ""
    return "only files that the session edited were added" if edited else ""


def _tried(session: Session) -> str:
    last = {edit.path.rpartition("/")[2]: edit.record for edit in _production(session)}
    if not last:
        return "no production code was changed"
    for command in session.commands if len(last) == 1 else ():
        started = [word for part in command.parts for word in _list_started(part)]
        if command.ran and any(command.record > last.get(word.rpartition("/")[2], command.record) for word in started):
            return "the edited file was run afterwards"
    return ""


def _list_started(part: tuple[str, ...]) -> tuple[str, ...]:
    """Return the programs that a command starts: its first word, or the script that an interpreter runs."""
    return part[:2] if part[0].rpartition("/")[2] in INTERPRETERS else part[:1]


def _production(session: Session) -> Iterator[Edit]:
    return (edit for edit in session.edits if edit.is_code and not is_test(edit.path))


def _list_shell_writes(session: Session) -> Iterator[str]:
    """Yield the files of the project that commands may have created, by a redirection or a program that writes files.

    A path is as the command names it; "." stands for one that it does not name.
    """
    root = session.transcript.cwd
    for command in session.commands:
        is_outside = False
        for part in command.parts if command.began else ():
            if part[0] == "cd":
                is_outside = "(" not in command.text and _leaves_project(part, root, was_outside=is_outside)
            for path in _list_targets(part):
                is_relative = not path.startswith(("/", "~", "$", "`"))
                if not (is_relative and is_outside) and classify_path(path, root) != "scratch":
                    yield path


def _leaves_project(part: tuple[str, ...], root: str, *, was_outside: bool) -> bool:
    """Return whether `cd` goes to a temporary folder outside of the project, or stays in one."""
    folder = "".join(part[1:2]).strip("'\"")
    if folder.startswith("/"):
        return classify_path(f"{folder}/", root) == "scratch"
    return was_outside and bool(folder) and not folder.startswith(("~", "$", "-", "`")) and ".." not in folder


def _list_targets(part: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that a simple command may create."""
    yield from filter(None, (_target(part, n) for n, word in enumerate(part) if _REDIRECTED.match(word)))
    named = [word.strip("'\"") for word in part[1:] if not word.startswith(("-", ">", "<"))]
    if part[0] in _NAMING and named:
        yield from named[-1:] if part[0] == "cp" else named
    elif part[0] in _WRITERS:
        yield "."


def _target(part: tuple[str, ...], n: int) -> str:
    """Return the file of a redirection: the rest of its word, or the next word."""
    rest = _REDIRECTED.sub("", part[n]).strip("'\"")
    path = rest or "".join(part[n + 1 : n + 2]).strip("'\"")
    return "" if path == "/dev/null" else path


OCCASIONS: Mapping[str, Callable[[Session], str]] = MappingProxyType(
    {
        "documentation_updates": _no_production_code,
        "tutorial_needed": _no_production_code,
        "feature_docs_discoverable": _no_new_page,
        "docs_organization": _no_new_page,
        "root_pollution": _no_file_in_root,
        "ci_precommit_mismatch": _no_ci,
        "review_responses": _no_review,
        "unrelated_changes": _only_edited_files,
        "interactive_testing": _tried,
    }
)
