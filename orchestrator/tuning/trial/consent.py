"""Record the user's consent to the commands that a trial's tasks run on this machine.

The consent is a note in the user's state folder. It applies to a skill (`tune-skill trial`) or to the work dir of a run
(`run --trial`). It contains the digests of the tasks with their files, of those files of the skill that a command can
start, and of the scripts whose paths are in a command.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from actions.regex import regex
from actions.skill.paths import is_script_path
from orchestrator.errors import BadInput, Refused
from orchestrator.fs import nofollow
from orchestrator.fs.notes import lock_notes, read_record, write_note
from orchestrator.fs.paths import resolve_links
from orchestrator.tuning.trial.grants import find_started_command
from orchestrator.tuning.trial.tasks import Task, hash_tasks
from orchestrator.tuning.trial.versions import Version

_KIND = "trials"
_MAX_NOTE, _MAX_SCRIPT = 64_000_000, 10_000_000
"""Maximum sizes in bytes of a note, and of a script whose path is in a command."""
_MAX_CONSENTS, _MAX_NAMES = 10, 5
"""Maximum number of consents that are kept per skill, and of changes that a message lists."""

_ABSOLUTE_PATH = regex(r"(?<![^\s\"'=(;|&<>:])/[^\s\"'`;|&<>()$*?:]+")


class Request(msgspec.Struct, frozen=True):
    """What a trial asks the user to allow.

    tasks: the digest of each task, by its name. versions: for each version of the skill, the digests of the files that
    a command can start. scripts: the digests of other scripts whose paths are in a command. If no task has a command,
    versions and scripts are empty. max_cost_usd: the cost limit of a trial in a run, or None if the user gives a limit
    each time.
    """

    tasks: Mapping[str, str]
    versions: tuple[Mapping[str, str], ...] = ()
    scripts: Mapping[str, str] = msgspec.field(default_factory=dict)
    max_cost_usd: float | None = None


class _Note(msgspec.Struct, frozen=True):
    """The requests that the user allowed for a skill or a run, newest last."""

    path: str
    allowed: tuple[Request, ...]


def list_commands(tasks: Sequence[Task]) -> tuple[tuple[str, str], ...]:
    """Return a pair of task name and command for each command or tool that needs consent."""
    return tuple((task.name, command) for task in tasks for command in task.commands)


def build_request(tasks: Sequence[Task], versions: Iterable[Version], max_cost_usd: float | None = None) -> Request:
    """Build the request for running tasks with versions of a skill. Reads the scripts from disk.

    Raises BadInput if a version starts a command when it is loaded and a task allows no command, because its runs
    would fail.
    """
    versions = tuple(versions)
    _ensure_loadable(tasks, versions)
    digests = {task.name: hash_tasks((task,)) for task in tasks}
    if not list_commands(tasks):
        return Request(digests, max_cost_usd=max_cost_usd)
    programs = tuple(version.program_digests for version in versions)
    return Request(digests, programs, hash_scripts(tasks), max_cost_usd)


def _ensure_loadable(tasks: Sequence[Task], versions: Sequence[Version]) -> None:
    command = next(filter(None, (find_started_command(version.main) for version in versions)), "")
    task = next((task for task in tasks if not (task.allows_commands or task.expects_no_use)), None)
    if command and task:
        raise BadInput(
            f"{task.where}: {task.name} allows no command, but the skill starts one when it is loaded, "
            f"{command[:60]!r}, so Claude Code would not load it; add a rule to the task's `tools`, such as Bash(ls:*)"
        )


def hash_scripts(tasks: Sequence[Task]) -> dict[str, str]:
    """Return the digests of the scripts whose absolute paths are in a command, by path. They are read from disk."""
    paths = sorted({path for _, command in list_commands(tasks) for path in _ABSOLUTE_PATH.findall(command)})
    return {path: digest for path in paths if (digest := _hash_script(path))}


def is_allowed(request: Request, subject: Path) -> bool:
    """Return whether this user has allowed this request. subject: a skill, or the work dir of a run."""
    return any(_covers(allowed, request) for allowed in _read_allowed(subject))


def save_consent(request: Request, subject: Path) -> None:
    """Record that this user allows a request. Raises WriteFailed."""
    with lock_notes(_KIND):
        others = tuple(allowed for allowed in _read_allowed(subject) if allowed != request)
        write_note(
            _KIND, resolve_links(subject), _Note(str(resolve_links(subject)), (*others, request)[-_MAX_CONSENTS:])
        )


class Consent(msgspec.Struct, frozen=True):
    """The consent for a subject: a skill or the work dir of a run. advice: what to do if the consent is missing."""

    subject: Path
    advice: str

    def ensure_given(self, request: Request) -> None:
        """Raise Refused if the user has not allowed the request. The message says what has changed."""
        if not is_allowed(request, self.subject):
            difference = _describe_difference(request, _read_allowed(self.subject))
            raise Refused(f"the trial was not run: {difference}; {self.advice}")


def find_changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the names that only one of `before` and `now` contains, or whose digests differ."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def format_names(names: Sequence[str]) -> str:
    """Join the first names with commas, followed by the number of the others."""
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more


def _covers(allowed: Request, request: Request) -> bool:
    is_same = dict(allowed.tasks) == dict(request.tasks) and dict(allowed.scripts) == dict(request.scripts)
    versions = [dict(version) for version in allowed.versions]
    covers_versions = all(dict(version) in versions for version in request.versions)
    return is_same and covers_versions and not _costs_more(request, allowed)


def _costs_more(request: Request, allowed: Request) -> bool:
    if allowed.max_cost_usd is None:
        return False
    return request.max_cost_usd is None or request.max_cost_usd > allowed.max_cost_usd


def _describe_difference(request: Request, all_allowed: Sequence[Request]) -> str:
    if not all_allowed:
        cost = f" (it may cost {request.max_cost_usd:.2f} USD)" if request.max_cost_usd is not None else ""
        return f"you have not allowed a trial of this run{cost}"
    allowed = all_allowed[-1]
    changed = [f"the task {name}" for name in find_changes(allowed.tasks, request.tasks)]
    for version in request.versions:
        if dict(version) not in [dict(allowed_version) for allowed_version in allowed.versions]:
            old = allowed.versions[-1] if allowed.versions else {}
            changed += [f"{name} of the skill" for name in find_changes(old, version)]
    changed += find_changes(allowed.scripts, request.scripts)
    if _costs_more(request, allowed):
        changed.append(f"the cost limit (now {request.max_cost_usd:.2f} USD, allowed {allowed.max_cost_usd:.2f})")
    return f"{format_names(list(dict.fromkeys(changed)))} changed since you allowed the trial"


def _read_allowed(subject: Path) -> tuple[Request, ...]:
    path = resolve_links(subject)
    note = read_record(_KIND, path, _Note, _MAX_NOTE)
    return note.allowed if note and note.path == str(path) else ()


def _hash_script(path: str) -> str:
    """Return the digest of a script, or "" if the file cannot be read or is not a script.

    A file is a script if it has the suffix of a script or begins with `#!`.
    """
    with suppress(OSError):
        data = nofollow.read(str(resolve_links(Path(path))), _MAX_SCRIPT)
        return sha256(data).hexdigest() if is_script_path(path) or data.startswith(b"#!") else ""
    return ""
