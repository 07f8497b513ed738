"""Set up the stage of a task in its sandbox: write its stubs, prepare git, and run its setup command."""

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.errors import one_line
from orchestrator.fs import nofollow
from orchestrator.fs.home import find_program
from orchestrator.fs.paths import resolve_links
from orchestrator.tuning.stubs import program
from orchestrator.tuning.trial.fixtures import GITHUB_PREFIXES, Stage, Stub, list_remotes

if TYPE_CHECKING:
    from orchestrator.tuning.trial.sandbox import Sandbox

_BIN, _STUBS, _REMOTES = "bin", "stubs", "remotes"
_SECONDS, _MAX_BYTES, _MAX_CALLS = 120, 2_000_000, 200
_LOG_SCRIPT = """\
import json, sys
with open(sys.argv[1], "a") as log:
    log.write(json.dumps({"name": sys.argv[2], "arguments": sys.argv[3:]}, ensure_ascii=False) + "\\n")
"""


async def set_stage(stage: Stage, sandbox: "Sandbox", *, network: bool) -> str:
    """Set up the stage of a run. Returns the reason if the setup fails, otherwise ""."""
    for stub in stage.stubs:
        _write_stub(stub, sandbox.base)
    for stub in stage.stubs:
        if stub.name == "git":
            for command in _prepare_git(stub, sandbox):
                if why := await _run_setup(command, sandbox, network=network):
                    return why
    return await _run_setup(stage.setup, sandbox, network=network) if stage.setup else ""


def list_variables(stage: Stage, base: Path) -> Mapping[str, str]:
    """Return the environment variables that put the stubs of a stage first in PATH."""
    return {"PATH": f"{base / _BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"} if stage.stubs else {}


def read_calls(base: Path) -> list[str]:
    """Return the first calls that the stubs logged, as command lines."""
    found = []
    for line in _read_text(base / _STUBS / program.CALLS).splitlines()[:_MAX_CALLS]:
        with suppress(ValueError, LookupError, TypeError):
            call = json.loads(line)
            found.append(shlex.join([call["name"], *call["arguments"]]))
    return found


def read_state(base: Path, name: str) -> str:
    """Return the state of a stub as JSON, or "" if it has none."""
    return _read_text(base / _STUBS / f"{Path(name).name}.json")


def _read_text(file: Path) -> str:
    with suppress(OSError):
        return nofollow.read(str(file), _MAX_BYTES).decode("utf-8", "replace")
    return ""


async def _run_setup(command: str, sandbox: "Sandbox", *, network: bool) -> str:
    result = await sandbox.run(command, _SECONDS, network=network)
    if result.exceeded:
        return f"the setup of the task exceeded its limit of {result.exceeded}"
    if result.code:
        return one_line(f"the setup of the task failed, exit code {result.code}: {result.output[-200:]}")
    return ""


def _write_stub(stub: Stub, base: Path) -> None:
    """Write the executable of a stub, and its initial state.

    A stub for a script or for git logs the call and then starts the script or the real git. All other stubs are run
    by `stubs/program.py`.
    """
    folder, target = base / _STUBS, base / _BIN / stub.name
    for needed in (folder, target.parent):
        needed.mkdir(exist_ok=True)
    (folder / f"{stub.name}.json").write_text(json.dumps(stub.state, ensure_ascii=False, indent=1))
    python = shlex.join([sys.executable, "-I", "-S"])
    if stub.script or stub.name == "git":
        executable = folder / f"{stub.name}.script" if stub.script else Path(find_program(stub.name) or stub.name)
        if stub.script:
            executable.write_text(stub.script)
            executable.chmod(0o700)
        log = f"{python} -c {shlex.quote(_LOG_SCRIPT)} {shlex.quote(str(folder / program.CALLS))} {stub.name}"
        only_shells = '[ -z "$CLAUDECODE" ] ||'  # Claude Code also calls git itself, without this variable
        target.write_text(f'#!/bin/sh\n{only_shells} {log} "$@"\nexec {shlex.quote(str(executable))} "$@"\n')
    else:
        words = f"{python} {shlex.join([program.__file__, str(folder), stub.name])}"
        target.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    target.chmod(0o700)


def _prepare_git(stub: Stub, sandbox: "Sandbox") -> Iterator[str]:
    """Write a git configuration that redirects GitHub addresses to local repositories.

    Yields the git commands that create an empty repository for each remote.
    """
    remotes = resolve_links(sandbox.base / _REMOTES)
    lines = [f'[url "{remotes}/"]', *(f'\tinsteadOf = "{host}"' for host in GITHUB_PREFIXES)]
    own = ["[user]", "\tname = Dev", "\temail = dev@example.com", "[init]", "\tdefaultBranch = main"]
    safe = ["[safe]", "\tdirectory = *", "[protocol]", "\tfile = always"]
    (sandbox.home / ".gitconfig").write_text("\n".join((*lines, *own, *safe, "")))
    yield "git init -q ."
    for name, address, repository in list_remotes(stub, remotes):
        yield f"git init -q --bare {shlex.quote(str(repository))}"
        yield f"git remote add -- {shlex.quote(name)} {shlex.quote(address)}"
