"""Get the listing that the installed Claude Code sends, by running a session against a local server that records it.

The session runs in a temporary folder with only copies of the frontmatter, but no hooks, servers, settings or texts of
the project. Nothing is sent to another server, and no login is used.
"""

import json
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL

from actions.project.facts.models import MODEL_IDS
from actions.project.listing import ListedSkill
from actions.project.model_listings import ListingSettings, ModelListing, ScopeListing
from orchestrator.errors import BadInput, reason
from orchestrator.fs.home import find_program
from orchestrator.fs.temp_folder import create_temp_folder
from orchestrator.listing.layout import list_variables, write_layout
from orchestrator.model.environment import CLI, find_start_problem, find_user_cli

_LISTING_HEADING = "The following skills are available for use with the Skill tool:\n\n"
_SESSION_SECONDS = 60
_MAX_REQUEST = 20_000_000


def find_claude(env: Mapping[str, str]) -> str:
    """Return the path of the Claude Code executable to ask for the listing.

    The user's choice takes precedence, then `claude` on PATH, then the one in the SDK. Raises BadInput without any.
    """
    if env.get(CLI):
        if user_cli := find_user_cli(env):
            return user_cli
    elif program := find_program("claude", env):
        return program
    elif why := find_start_problem(env):
        raise BadInput(f"--exact: {why}")
    elif bundled_program := _find_bundled():
        return bundled_program
    raise BadInput("--exact: Claude Code was not found; install it, so that the command `claude` is on PATH")


def _find_bundled() -> str | None:
    spec = find_spec("claude_agent_sdk")
    folders = spec.submodule_search_locations if spec else None
    programs = (Path(folder) / "_bundled" / "claude" for folder in folders or ())
    return next((str(program) for program in programs if os.access(program, os.X_OK)), None)


def ask_listing(claude: str, skills: Sequence[ListedSkill], model: str, settings: ListingSettings) -> list[str]:
    """Return the lines of the listing that Claude Code sends to a model. Raises BadInput if it sends none."""
    with create_temp_folder("listing") as folder:
        home, project, plugins = (folder / name for name in ("home", "project", "plugins"))
        for config_folder in (home / ".claude", project / ".claude"):
            config_folder.mkdir(parents=True)
        plugin_folders = write_layout(skills, settings, home / ".claude", project / ".claude", plugins)
        options = [part for plugin in plugin_folders for part in ("--plugin-dir", str(plugin))]
        return _run_session(claude, (*options, "--model", MODEL_IDS[model]), project, home, settings)


def _run_session(
    claude: str, options: Sequence[str], project: Path, home: Path, settings: ListingSettings
) -> list[str]:
    """Run a session against a local server only, and return the listing that it sends. Raises BadInput."""
    with _serve_recorder() as (url, bodies):
        env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(home),
            "TMPDIR": str(home),
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "BUN_JSC_useJIT": "0",  # it ends after one request, before compiled code or free memory pay off
            "BUN_JSC_useGC": "0",
            **list_variables(settings),
        }
        command = [claude, "-p", "begin", *options]
        try:
            subprocess.run(
                command,
                cwd=project,
                env=env,
                timeout=_SESSION_SECONDS,
                check=False,
                stdin=DEVNULL,
                stdout=DEVNULL,
                stderr=DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BadInput(f"--exact: {reason(error)}") from None
    for body in bodies:
        if listing := _parse_listing(body):
            return listing
    raise BadInput(f"--exact: {claude} sent no listing; is it Claude Code 2.1 or newer?")


def _parse_listing(body: bytes) -> list[str]:
    """Return the lines of the listing in a recorded request, or [] if it has none."""
    try:
        blocks = [block for message in json.loads(body)["messages"] for block in message["content"]]
    except (ValueError, KeyError, TypeError):
        return []
    texts = (str(block["text"]) for block in blocks if isinstance(block, dict) and "text" in block)
    listing_text = next((text for text in texts if _LISTING_HEADING in text), "")
    return (
        listing_text.partition(_LISTING_HEADING)[2].partition("\n</system-reminder>")[0].split("\n\n")[0].splitlines()
    )


@contextmanager
def _serve_recorder() -> Iterator[tuple[str, list[bytes]]]:
    """Run a local server that records each request and then refuses it, so that the session ends."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = min(int(self.headers.get("content-length") or 0), _MAX_REQUEST)
            bodies.append(self.rfile.read(length))
            answer = b'{"type": "error", "error": {"type": "invalid_request_error", "message": "recorded"}}'
            self.send_response(400)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        server.server_close()


def find_differences(claude: str, scope: ScopeListing, settings: ListingSettings) -> list[str]:
    """Return the differences between the computed listings and those that Claude Code sends.

    A difference is a computed line that Claude Code does not send, or a line that it sends for a skill that should be
    hidden. Each begins with the name of the model. Raises BadInput if Claude Code cannot be started or sends no
    listing.
    """
    differences = []
    for listing in scope.models:
        sent_lines = ask_listing(claude, scope.skills, listing.model, settings)
        wrong_lines = [line for line in listing.format_lines(scope.skills) if line not in sent_lines]
        wrong_lines += [f"{line} (it should be hidden)" for line in sent_lines if _is_hidden(line, scope, listing)]
        differences += [f"{listing.model}: {line}" for line in wrong_lines]
    return differences


def _is_hidden(line: str, scope: ScopeListing, listing: ModelListing) -> bool:
    """Return whether a line lists a skill that should be hidden. A bundled skill may have the same name."""
    pairs = zip(scope.skills, listing.entries, strict=True)
    return any(
        line == f"{skill.bare_entry}: {skill.shown_description}" for skill, entry in pairs if entry.state == "hidden"
    )
