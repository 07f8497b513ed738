"""Query the Claude Code in the SDK's wheel about a folder, with a scripted model and without network."""

import json
import subprocess

from tests.claude_code import CLAUDE, LOW_CPU_ENVIRONMENT
from tests.scripted_api import ScriptedApi

QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", **LOW_CPU_ENVIRONMENT}

MCP_SERVER = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = {
            "initialize": {
                "protocolVersion": request.get("params", {}).get("protocolVersion"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "probe", "version": "1"},
            },
            "tools/list": {"tools": [{"name": "find", "description": "Find.", "inputSchema": {"type": "object"}}]},
        }.get(request["method"], {})
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
"""The program of an MCP server with one tool, `find`."""


def validate(folder, home):
    """Return the report of `claude plugin validate --json` on a folder."""
    env = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        **QUIET,
    }
    command = [CLAUDE, "plugin", "validate", "--json", str(folder)]
    result = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return json.loads(result.stdout)


def manage_plugins(home, *arguments):
    """Run `claude plugin` with these arguments; return its output."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), **QUIET}
    command = [CLAUDE, "plugin", *map(str, arguments)]
    result = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return result.stdout + result.stderr


def list_warnings(report):
    return [w["message"] for part in report["contents"] for w in (*part["errors"], *part["warnings"])]


def write_tree(folder, files):
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text if isinstance(text, str) else json.dumps(text))
    return folder


def diagnose_settings(settings, home):
    """Return the lines of `claude doctor` in a project with these settings."""
    write_tree(home / "project", {".claude/settings.json": settings})
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), **QUIET}
    result = subprocess.run(
        [CLAUDE, "doctor"],
        cwd=home / "project",
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return result.stdout.splitlines()


def run_session(files, home, script=lambda request: "ok", *options, prompt="begin", variables=None):
    """Run one prompt in a project with these files; return the project, the session's first event, and the requests."""
    project = write_tree(home / "project", {"README.md": "A probe.\n", **files})
    with ScriptedApi(script) as api:
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(home),
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            **QUIET,
            **(variables or {}),
        }
        command = [CLAUDE, "-p", prompt, "--output-format", "stream-json", "--verbose", *options]
        result = subprocess.run(
            command, cwd=project, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
        )
    events = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return project, next(event for event in events if event.get("subtype") == "init"), api.model_requests
