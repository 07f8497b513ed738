"""Create the sandbox of one run: a home folder, a project with the skill, and a supervisor that ends all processes.

A sandbox is not a security boundary. If a task allows a shell, the run can access everything that the user can access.
Time, disk space and the number of processes are limited.
"""

import asyncio
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from actions.regex import regex
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput
from orchestrator.fs.home import find_program
from orchestrator.tuning.trial import supervisor
from orchestrator.tuning.trial.grants import remove_grants
from orchestrator.tuning.trial.staging import list_variables
from orchestrator.tuning.trial.tasks import Task
from orchestrator.tuning.trial.versions import Version

MAX_BYTES, MAX_PROCESSES = 500_000_000, 200
"""Limits of one run: bytes on disk (in total, and for each file), and the number of simultaneous processes."""

_PREFIX = "tune-skill-trial-"
_FOLDER_NAME = regex(rf"{_PREFIX}[0-9a-f]{{16}}")

_CLAUDE_VARIABLES = (
    "PATH", "LANG", "LC_", "TZ", "TERM", "USER", "LOGNAME", "SHELL", "ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_",
    "CLOUD_ML_REGION", "VERTEX_", "AZURE_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy",
    "no_proxy", "SSL_CERT_", "NODE_EXTRA_CA_CERTS", "API_TIMEOUT_MS", "BUN_JSC_",
)  # fmt: skip
_CHECK_VARIABLES = ("PATH", "LANG", "LC_", "TZ", "TERM", "USER", "LOGNAME", "SHELL")
"""The environment variables that Claude Code and the commands of checks get. Checks get no API key.

A name that ends with `_` means all variables with this prefix.
"""
_NO_MENTIONS = {"CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1"}
"""Without this, Claude Code attaches any file that a slash command, a skill or the arguments of the tool Skill mention
(`@/path`), even a file that the rules for Read deny. All mentions are turned off, because the parts of one can come
from the prompt, a placeholder of the skill, and the model.
"""
_GRACE_SECONDS, _MAX_OUTPUT = 10, 2_000
_MAX_REMOVALS = 3
"""Number of attempts to remove a sandbox without processes. Files of another user can never be removed."""


class CommandResult(msgspec.Struct, frozen=True):
    """The result of a command. exceeded: the limit that it exceeded, or ""."""

    code: int
    output: str
    exceeded: str = ""


class Sandbox(msgspec.Struct, frozen=True):
    """The folder of one run, with its home, project and temporary folder."""

    base: Path

    @property
    def home(self) -> Path:
        """The home folder of the run, initially empty."""
        return self.base / "home"

    @property
    def project(self) -> Path:
        """The project of the run."""
        return self.base / "project"

    def skill(self, name: str) -> Path:
        """Return the folder of the skill in the project of the run."""
        return self.project / ".claude" / "skills" / name

    @property
    def temp(self) -> Path:
        """The folder for temporary files of the run."""
        return self.base / "tmp"

    @property
    def exceeded(self) -> str:
        """The limit that the run exceeded (time, disk or processes), or "" if it exceeded none."""
        with suppress(OSError):
            return self._ended_file.read_text()[:20]
        return ""

    @property
    def _ended_file(self) -> Path:
        return self.base / "ended"

    def write_launcher(self, program: str, task: Task, variables: Mapping[str, str] | None = None) -> Path:
        """Write an executable that starts Claude Code under a supervisor, with the time limit of the task."""
        extra = {"CLAUDE_CONFIG_DIR": str(self.home / ".claude"), **list_variables(task.stage, self.base)}
        extra |= {**(variables or {}), **_NO_MENTIONS}
        if not task.network:
            extra["CLAUDE_CODE_SHELL_PREFIX"] = str(self._write_offline_shell())
        return self._write_script(
            "claude", [*self._build_command("claude", _CLAUDE_VARIABLES, task.seconds + _GRACE_SECONDS, extra), program]
        )

    def write_question_launcher(self, program: str, seconds: int) -> Path:
        """Write an executable that starts Claude Code outside the run's project, for a question about the run."""
        home = self.base / "reader"
        home.mkdir(parents=True, exist_ok=True)
        extra = {"HOME": str(home), "PWD": str(home)}
        words = self._build_command("reader", _CLAUDE_VARIABLES, seconds + _GRACE_SECONDS, extra, home)
        return self._write_script("ask", [*words, program])

    def _write_offline_shell(self) -> Path:
        """Write an executable that runs its arguments in a shell without network.

        A script is needed because Claude Code accepts only one word as the prefix of shell commands.
        """
        script, shell = self.base / "alone", find_program("bash") or "/bin/sh"
        script.write_text(f'#!/bin/sh\nexec {shlex.join((*find_offline_command(), shell))} -c "$*"\n')
        script.chmod(0o700)
        return script

    def _write_script(self, name: str, words: list[str]) -> Path:
        script = self.base / name
        script.write_text(f'#!/bin/sh\necho $$ > {shlex.quote(str(self.base / "pid"))}\n'
                          f'exec {shlex.join(words)} "$@"\n')  # fmt: skip
        script.chmod(0o700)
        return script

    async def run(self, command: str, seconds: int, *, network: bool = True) -> CommandResult:
        """Run the command of a check in a shell in the project. If this is cancelled, the command is ended first."""
        self._ended_file.unlink(missing_ok=True)
        supervised = self._build_command("check", _CHECK_VARIABLES, seconds, {})
        words = [*supervised, *(() if network else find_offline_command())]
        process = await asyncio.create_subprocess_exec(
            *words, "/bin/sh", "-c", command,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        try:
            output = await _read_output(process)
            return CommandResult(await process.wait(), output.decode("utf-8", "replace"), self.exceeded)
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()

    def _build_command(
        self, name: str, inherited: tuple[str, ...], seconds: int, extra: Mapping[str, str], folder: Path | None = None
    ) -> list[str]:
        """Build the command line that starts a program under a supervisor.

        inherited: the names of environment variables that the program inherits. extra: additional variables.
        folder: where the program is started; by default in the project.
        """
        folder = folder or (self.project if self.project.is_dir() else self.base)
        settings = self.base / f"{name}.json"
        variables = {"HOME": str(self.home), "TMPDIR": str(self.temp), "PWD": str(self.project), **extra}
        settings.write_text(json.dumps({
            "cwd": str(folder), "folder": str(self.base),
            "ended": str(self._ended_file), "environment": inherited, "own": variables, "seconds": seconds,
            "bytes": MAX_BYTES, "processes": MAX_PROCESSES, "parent": os.getpid(),
        }))  # fmt: skip
        return [sys.executable, "-I", "-S", supervisor.__file__, str(settings)]

    def remove(self) -> bool:
        """End the processes of the sandbox and remove its folder. Returns whether the folder no longer exists."""
        self._terminate()
        deadline, attempts = time.monotonic() + _GRACE_SECONDS, _MAX_REMOVALS
        while time.monotonic() < deadline and attempts:
            if not self._is_alive():
                if _remove_tree(self.base):
                    return True
                attempts -= 1
            time.sleep(0.02)
        return False

    def _terminate(self) -> None:
        pid = self._find_supervisor()
        if pid:
            with suppress(OSError):
                os.kill(pid, signal.SIGTERM)

    def _find_supervisor(self) -> int:
        """Return the process id of the run's supervisor, or 0 if it has ended."""
        with suppress(OSError, ValueError):
            pid = int((self.base / "pid").read_text())
            return pid if is_supervisor(pid, self.base) else 0
        return 0

    def _is_alive(self) -> bool:
        """Return whether a process of the run is alive. If its supervisor was killed, kill the remaining processes."""
        if self._find_supervisor():
            return True
        remaining = list(_find_strays(self.temp))
        for pid in remaining:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return bool(remaining)


def _find_strays(temp: Path) -> Iterator[int]:
    """Yield the ids of the processes of a run, which have its TMPDIR. Works only on Linux.

    Paths as objects would double the time of this search, which follows each run.
    """
    variable = b"TMPDIR=" + os.fsencode(temp) + b"\0"
    for pid in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208
        with suppress(OSError), open(f"/proc/{pid}/environ", "rb", buffering=0) as environment:  # noqa: PTH123
            if variable in environment.read():  # empty for a dead process
                yield int(pid)


def _remove_tree(folder: Path) -> bool:
    """Remove a folder, even if the run made parts of it inaccessible. Returns whether it no longer exists."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        with suppress(OSError):
            folder.chmod(0o700)
        for inner, names, _ in os.walk(folder):  # walks top down, so each mode is changed before the folder is entered
            for child in (Path(inner, name) for name in names):
                with suppress(OSError):
                    if not child.is_symlink():
                        child.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


async def _read_output(process: asyncio.subprocess.Process) -> bytes:
    """Read the whole output of a process, but return only its beginning."""
    start = b""
    while process.stdout and (chunk := await process.stdout.read(1 << 16)):
        start = (start + chunk)[:_MAX_OUTPUT]
    return start


def choose_folder() -> Path:
    """Choose the path of a new folder for one run. It is not created, so that the path can be recorded first."""
    return Path(os.path.realpath(tempfile.gettempdir())) / f"{_PREFIX}{os.urandom(8).hex()}"


def is_run_folder(folder: Path) -> bool:
    """Return whether `choose_folder` could have returned this path.

    The ledger of a cloned repository could contain any path.
    """
    return folder.parent == choose_folder().parent and _FOLDER_NAME.fullmatch(folder.name) is not None


def list_run_folders() -> list[Path]:
    """Return the existing folders of runs, of all trials."""
    return [folder for folder in choose_folder().parent.glob(f"{_PREFIX}*") if is_run_folder(folder)]


def create_sandbox(base: Path, task: Task, version: Version, name: str) -> Sandbox:
    """Create the sandbox of a run, with the files of the task, and the skill in `.claude/skills/<name>`.

    The skill's permissions and hooks are removed, because only the task decides what is allowed in a run.
    """
    sandbox = create_bare_sandbox(base, task.files)
    skill = sandbox.skill(name)
    version.write(skill)
    (skill / MAIN).write_bytes(remove_grants(version.main))
    return sandbox


def create_bare_sandbox(base: Path, files: Iterable[tuple[str, bytes]]) -> Sandbox:
    """Create the sandbox of a run without a skill: an empty home folder, and a project with these files."""
    sandbox = Sandbox(base)
    base.mkdir(mode=0o700)
    for folder in (sandbox.home / ".claude", sandbox.project, sandbox.temp):
        folder.mkdir(parents=True)
    for file, data in files:
        target = sandbox.project / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return sandbox


def is_supervisor(pid: int, base: Path) -> bool:
    """Return whether a process id belongs to a run's supervisor. The system could have given it to another process."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        if Path("/proc/self").exists():
            return False
        line = subprocess.run(["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, check=False).stdout
    return os.fsencode(base) in line


@cache
def find_offline_command() -> tuple[str, ...]:
    """Return the words to put before a command to deny it the network. Raises BadInput if that is impossible."""
    words = (find_program("unshare") or "unshare not found", "--map-root-user", "--net")
    with suppress(OSError):
        if subprocess.run([*words, "/bin/sh", "-c", ":"], capture_output=True, check=False).returncode == 0:
            return words
    raise BadInput(
        "this machine cannot start a shell without network (`unshare --net`); set network: true in the task, or "
        "remove its shell tools"
    )
