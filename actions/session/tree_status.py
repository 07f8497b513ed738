"""Find the files that sub-agents without records changed, in a `git status` that ran after these agents ended.

Files that git ignores are not found.
"""

import posixpath
from collections.abc import Iterator, Mapping

from actions.regex import regex
from actions.session.edits import classify_path, is_test
from actions.session.git import is_read_only, split_git
from actions.session.session import Session
from actions.session.shell import Command
from actions.session.transcript import Step

_LONG_LINE = regex(r"^\t(?:(?:modified|deleted|new file|renamed|copied|typechange|both \w+): +)?(\S.*)$")
_SHORT_LINE = regex(r"^[ MADRCUT?!]{2} (\S.*)$")
_FULL_LIST_OPTIONS = frozenset("-s --short --porcelain -b --branch -sb -u -uall --untracked-files=all".split())
"""Options of `git status` that do not shorten its list of files."""
_STATUS_PREFIXES = ("On branch ", "## ", "HEAD detached", "\t", "M", "A", "D", "R", "C", "?", " M", " D")
_DOT_FOLDER = regex(r"(?:^|/)\.[^/]+/")
_STARTED_PREFIX = "Async agent launched"
_COMPLETED_MARK = "<status>completed</status>"
_AGENT_ID = regex(r"agentId: (\w+)")


def list_foreign_changes(session: Session, steps: list[Step]) -> list[str] | None:
    """Return the changed files that only the sub-agents of these steps can have changed.

    The paths are relative to the repository. Returns None if no `git status` lists all changes. The caller must rule
    out commits by the sub-agents (see `find_unseen_commits`).
    """
    if not steps or any("commit" in step.call.get("prompt").lower() for step in steps):
        return None
    known_ends = _map_ends(session)
    start, ends = min(call.record for call, _ in steps), [_find_end(step, known_ends) for step in steps]
    if None in ends:
        return None
    last = max(end for end in ends if end is not None)
    listing = next(
        (command for command in session.commands if command.record > last and _is_full_status(command)), None
    )
    if listing is None or _hides_changes(session, start, listing.record):
        return None
    own_paths = _list_own_paths(session)
    return [path for path in _read_paths(listing.output) if path not in own_paths]


def lists_other_code(session: Session) -> bool:
    """Return whether a `git status` lists changed code that neither an edit nor an earlier `git status` explains."""
    own_paths, known_paths = _list_own_paths(session), set[str]()
    first_change = next((command.record for command in session.commands if not is_read_only(command)), -1)
    for command in session.commands:
        may_be_status = not command.agent and "status" in command.text  # fast, unlike `split_git`
        if may_be_status and any(split_git(part)[0] == "status" for part in command.parts):
            paths = (path for path in _read_paths(command.output) if path[-1] != "/" and " " not in path)
            listed_paths = {path for path in paths if may_be_code(path)}
            if command.record > first_change >= 0 and listed_paths - own_paths - known_paths:
                return True
            known_paths |= listed_paths
    return False


def _list_own_paths(session: Session) -> set[str]:
    """Return the paths that the session's edits and commands changed, as recorded and relative to the root."""
    paths = {*(edit.path for edit in session.edits), *session.shell_writes}
    root = session.transcript.cwd
    return paths | {posixpath.relpath(path, root) for path in paths if root and path.startswith(f"{root}/")}


def may_be_code(path: str) -> bool:
    """Return whether a listed path, or a file in a listed folder, may be code: not a test, a document or settings."""
    is_code = path.endswith("/") or classify_path(path) == "code"
    return is_code and not is_test(path) and _DOT_FOLDER.search(path) is None


def may_be_user_page(path: str) -> bool:
    """Return whether a listed path may be a page for users: a file in the root, or a document outside tests."""
    is_below_root = "/" in path and ".." not in path
    is_document = path.endswith("/") or classify_path(path) == "docs"
    return not is_below_root or (is_document and not is_test(path) and _DOT_FOLDER.search(path) is None)


def _find_end(step: Step, ends: Mapping[str, int]) -> int | None:
    """Return the record in which a sub-agent reports its end, or None if it does not."""
    result = step.result
    if result is None or _STARTED_PREFIX not in result.text[:200]:
        return result.record if result else None
    id = _AGENT_ID.search(result.text)
    return ends.get(id[1]) if id else None


def _map_ends(session: Session) -> dict[str, int]:
    """Map the id of each background sub-agent to the first record that reports its end."""
    reports = [(call, result) for call, result in session.transcript.steps if result and _COMPLETED_MARK in result.text]
    return {call.get("task_id"): result.record for call, result in reversed(reports)}


def _is_full_status(command: Command) -> bool:
    """Return whether a command prints only a `git status` of the whole tree."""
    verbs = [split_git(part) for part in command.parts if part[0] != "cd"]
    is_plain = command.result is not None and not command.result.is_error and "|" not in command.text
    is_status = bool(verbs) and verbs[-1][0] == "status" and _FULL_LIST_OPTIONS.issuperset(verbs[-1][1])
    is_quiet = all(verb == "add" for verb, _ in verbs[:-1]) and "-C" not in command.text
    return is_plain and is_status and is_quiet and not command.agent and command.output.startswith(_STATUS_PREFIXES)


def _hides_changes(session: Session, since: int, until: int) -> bool:
    """Return whether a commit or a stash between two records may hide changes from a later `git status`."""
    git = session.git
    commits = [action.record for action in (*git.commits, *git.rebases, *git.merges)]
    commits += [command.record for command in session.submissions]
    stashes = [
        words[:1]
        for command in session.commands
        if since < command.record < until
        for verb, words in map(split_git, command.parts)
        if verb == "stash" and command.may_have_run
    ]
    pops = stashes.count(("pop",))
    return any(since < record < until for record in commits) or len(stashes) != 2 * pops


def _read_paths(output: str) -> Iterator[str]:
    """Yield the paths that a `git status` lists, including both paths of a renamed file."""
    for line in output.splitlines():
        if match := _LONG_LINE.match(line) or _SHORT_LINE.match(line):
            yield from (path.strip('"') for path in match[1].split(" -> "))
